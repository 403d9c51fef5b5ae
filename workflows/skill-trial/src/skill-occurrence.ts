/** Where the texts of a skill stand in what a request tells a model. */
import type { ModelRequest, Turn } from './model-call.js';
import type { Skill } from './skill.js';

/** What a skill says; `files` are those beside its SKILL.md and itself, absent: none. */
export type SkillText = Pick<Skill, 'name' | 'description' | 'body'> & Partial<Pick<Skill, 'files'>>;

export function everythingIn({ description, body, files = [] }: SkillText): string {
  return [description, body, ...files.map(({ content }) => content.toString('utf8'))].join('\n');
}

const textsOf = ({ turns }: ModelRequest, roles: Turn['role'][]) =>
  turns.filter((turn) => roles.includes(turn.role)).map((turn) => turn.text);

/** What stands around the conversation: system text, tool descriptions and schemas. */
function offeredBy({ system, tools }: ModelRequest): string[] {
  return [system, ...tools.map((tool) => `${tool.description}\n${JSON.stringify(tool.schema)}`)];
}

/** Everything that a request tells the model, but for the model's own words. */
export function toldBy(request: ModelRequest): string {
  return plain([...offeredBy(request), ...textsOf(request, ['user', 'tool'])].join('\n'));
}

/** Where a skill occurs in what a request tells the model; what `known` holds as well is not looked for. */
export function occurrences(request: ModelRequest, skill: SkillText, known: string) {
  const everything = toldBy(request);
  const description = plain(skill.description);
  const isKnown = known.includes(description);
  // Some agents list their skills in a user turn of their own, never in a tool's result.
  return {
    listed:
      !isKnown &&
      [...offeredBy(request), ...textsOf(request, ['user'])].some((text) => hasEntry(plain(text), skill.name, description)),
    described: !isKnown && everything.includes(description),
    body: distinctivePassages(skill.body).some((passage) => !known.includes(passage) && everything.includes(passage)),
  };
}

/** A catalogue entry is the name as a word of its own with the description near it: a skill may be called "fix". */
function hasEntry(text: string, name: string, description: string): boolean {
  const near = 200; // letters: room for markup and a path between the two
  const word = new RegExp(`(^|[^a-z0-9-])${name}([^a-z0-9-]|$)`);
  for (let at = text.indexOf(description); at !== -1; at = text.indexOf(description, at + 1)) {
    const end = at + description.length;
    if (word.test(text.slice(Math.max(0, at - near), at)) || word.test(text.slice(end, end + near))) return true;
  }
  return false;
}

/** White space, XML entities and letter case evened out, so that a catalogue in XML or Markdown reads the same. */
export function plain(text: string): string {
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&apos;|&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .toLowerCase()
    .trim();
}

/** Lines of a skill's body long enough to stand in no other text: 40 characters or more. */
function distinctivePassages(body: string): string[] {
  return body
    .split('\n')
    .map((line) => plain(line.replace(/^[\s#>*\d.-]+/, '')))
    .filter((line) => line.length >= 40);
}
