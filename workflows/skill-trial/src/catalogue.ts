import type { ModelRequest } from './model-call.js';

/** A skill as an agent lists it to the model; `location` is its SKILL.md, null where the agent loads it by name. */
export interface CatalogueEntry {
  name: string;
  location: string | null;
}

/** Every skill that a request lists, whoever put it there. One reader for each agent's form of the list. */
export type CatalogueReader = (request: ModelRequest) => CatalogueEntry[];

/** pi: `<skill>` elements in the system text. */
export const piCatalogue: CatalogueReader = ({ system }) =>
  [...system.matchAll(/<skill>\s*<name>(.*?)<\/name>[\s\S]*?<location>(.*?)<\/location>/g)].map(
    ([, name = '', location = '']) => ({
      name: unescapeXml(name),
      location: unescapeXml(location),
    }),
  );

/**
 * Claude Code: in the system text, the Skill tool's description or a reminder among the turns, by version and by when the skill was
 * found; "- name: description" in all, the name alone where the list is long, a folder before it where the skill is nested.
 */
export const claudeCodeCatalogue: CatalogueReader = ({ tools, turns, system }) => {
  const texts = [
    system,
    ...tools.map((tool) => tool.description),
    ...turns.filter((turn) => turn.role === 'user').map((turn) => turn.text),
  ];
  const lists = texts.flatMap((text) => text.split(/skills are (?:now )?available[^\n]*\n|<available_skills>/i).slice(1));
  const names = lists.flatMap((list) => [
    ...(list.split(/<\/(?:available_skills|system-reminder)>/)[0] ?? '').matchAll(
      /^- ([\w.:/-]+?)(?:: .*)?$|<name>(.*?)<\/name>/gm,
    ),
  ]);
  return [...new Set(names.map(([, dash, tag]) => dash ?? unescapeXml(tag ?? '')))].map((name) => ({ name, location: null }));
};

/** Codex: locations are short, their first part names a root, whose folder stands in a table above (seen with 0.171). */
export const codexCatalogue: CatalogueReader = ({ system }) => {
  const roots = new Map([...system.matchAll(/^- `(\w+)` = `(.+)`$/gm)].map(([, root = '', folder = '']) => [root, folder]));
  const entries = [...system.matchAll(/^- ([\w.:/-]+): .*\(file: (.+?\/SKILL\.md)\)\s*$/gm)];
  return entries.map(([, name = '', file = '']) => ({
    name,
    location: file.replace(/^(\w+)(?=\/)/, (root) => roots.get(root) ?? root),
  }));
};

/** gemini-cli: elements in the system text as pi's, and again as the values that its tool for skills takes. */
export const geminiCliCatalogue: CatalogueReader = (request) => {
  const elements = piCatalogue(request);
  const schemas = request.tools.filter((tool) => tool.name === 'activate_skill').map((tool) => tool.schema);
  const names = schemas.flatMap((schema) => (schema as ActivateSchema | null)?.properties?.name?.enum ?? []);
  const known = new Set(elements.map((entry) => entry.name));
  return [...elements, ...names.filter((name) => !known.has(name)).map((name) => ({ name, location: null }))];
};
interface ActivateSchema {
  properties?: { name?: { enum?: string[] } };
}

function unescapeXml(text: string): string {
  const characters: Record<string, string> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&apos;': "'",
    '&#39;': "'",
    '&amp;': '&',
  };
  return text.replace(/&(?:lt|gt|quot|apos|#39|amp);/g, (entity) => characters[entity] ?? entity);
}
