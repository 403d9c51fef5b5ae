import { isMap, isScalar, parseDocument, visit } from 'yaml';
import { SettingsError } from './errors.js';
import { sha256 } from './hash.js';
import { frontmatter, type Skill, type SkillFile, skillOf } from './skill.js';
import { type Random, seededRandom } from './statistics/random.js';

/**
 * A skill of the same name, form and length that says nothing of use: the same frontmatter keys, headings, lists, tables and fences, in
 * their places, around plain statements about a landscape. What the skill's own words do is what differs between the two. Follows
 * from the skill's files alone. A SettingsError names a file that is no text for reading: a script has no neutral counterpart.
 */
export function placeboOf(skill: Skill): Skill {
  const files = skill.files.map((file): SkillFile => {
    if (file.mode !== '100644' || !/\.(md|txt)$/i.test(file.path)) {
      throw new SettingsError(`Skill ${skill.name} has no placebo`, {
        expected: 'Markdown and text files only: what runs or is linked has no counterpart of the same form without its guidance',
        found: file.path,
        next: 'take the placebo arm out, or test the skill without that file',
      });
    }
    const prose = new Prose(`${skill.name}/${file.path}`);
    const text = file.content.toString('utf8');
    const head = file.path === 'SKILL.md' ? frontmatter.exec(text) : null;
    if (head === null) return { ...file, content: Buffer.from(neutralText(text, prose)) };
    const [yaml, body] = [neutralHead(head[1] as string, prose), neutralText(head[2] ?? '', prose)];
    return { ...file, content: Buffer.from(`---\n${yaml}\n---\n${body}`) };
  });
  return skillOf(skill.name, files, `placebo of ${skill.name}/SKILL.md`);
}

/** Letters that the format allows at most. */
const longest = { description: 1024, compatibility: 500 };

/** Whose and which a skill is; anything longer under these names could be guidance. */
function tellsOfNoUse(key: string, value: string): boolean {
  return /^(version|owner|author|maintainer|license|licence)s?$/i.test(key) && value.length <= 64;
}

/** At most so many letters, ending with a whole word and the last mark. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const mark = /[.,:;?!]\s*$/.exec(text)?.[0].trim() ?? '';
  return `${text.slice(0, most - mark.length).replace(/\s+\S*$/, '')}${mark}`;
}

/**
 * The frontmatter with other words where it describes the skill, and without comments; name, licence, version, owner and tools stay, and
 * the form of each value.
 */
function neutralHead(yaml: string, prose: Prose): string {
  const document = parseDocument(yaml);
  for (const [key, most] of Object.entries(longest)) {
    const value = document.get(key);
    // letters, as the limits count them, and not bytes
    if (typeof value === 'string') document.set(key, cut(prose.like(value, value.trim().length), most));
  }
  const metadata = document.get('metadata');
  for (const { key, value } of isMap(metadata) ? metadata.items : []) {
    if (isScalar(value) && typeof value.value === 'string' && !tellsOfNoUse(String(key), value.value))
      value.value = prose.like(value.value, value.value.trim().length);
  }
  visit(document, {
    Node(_, node) {
      node.comment = null;
      node.commentBefore = null;
    },
    Pair(_, { key }) {
      if (isScalar(key)) key.commentBefore = null;
    },
  });
  document.comment = null;
  document.commentBefore = null;
  const lineWidth = Math.max(20, ...yaml.split('\n').map((line) => line.length));
  return document.toString({ lineWidth }).trimEnd();
}

/** What stands before the words of a line: indentation, quotes, heading, list mark, task box. */
const lineStart = /^(?:\s|>)*(?:#{1,6}\s+|(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?)?/;
/** A line that opens or closes a fence, with one word of what stands behind it (the language); with a backtick behind it is code in a line. */
const fenceLine = /^(\s*(?:`{3,}(?=[^`]*$)|~{3,})(?:[ \t]*[\w+#.-]{1,20}(?!\S))?)(.*)$/;
/** Marks inside a line; a link loses its target with its text. */
const inlineMark = /(`+|\*\*|__|\]\([^)\n]*\)|\[|\]|\|)/;

/** A Markdown text with each run of words replaced by about as long a one; the marks around them stay. */
function neutralText(text: string, prose: Prose): string {
  const lines = text.split('\n').map((line) => {
    const fence = fenceLine.exec(line);
    if (fence !== null) return `${fence[1]}${prose.like(fence[2] as string)}`;
    const start = lineStart.exec(line)?.[0] ?? '';
    if (/\S/.test(start)) prose.restart();
    const parts = line.slice(start.length).split(inlineMark);
    return start + parts.map((part, index) => (index % 2 === 1 ? part.replace(/\(.*\)/, '(#)') : prose.like(part))).join('');
  });
  return lines.join('\n');
}

const words = {
  adjective: 'pale grey calm broad low northern southern distant quiet narrow green wet dry early late soft mild ancient'.split(
    ' ',
  ),
  place: 'valley meadow hill ridge shore island lake river forest moor plateau harbour village field cliff marsh'.split(' '),
  thing: 'cloud mist wind rain snow sunlight fog frost heather grass pine birch heron swallow moss gravel'.split(' '),
  does: 'lies rests drifts spreads glows fades settles lingers gathers rises sinks wanders'.split(' '),
  where: 'above below beside beyond across near along behind between around'.split(' '),
  when: ['in spring', 'in autumn', 'at dusk', 'at dawn', 'by noon', 'all winter', 'most evenings', 'in the afternoon'],
};

/** An endless run of plain statements, drawn from a name. Every draw differs, so that no long passage stands in two texts. */
class Prose {
  readonly #random: Random;
  #ahead: string[] = [];
  /** Letters that earlier pieces fell short of what they replaced; below 0 where they were longer. */
  #owed = 0;

  constructor(name: string) {
    this.#random = seededRandom(Number.parseInt(sha256(name).slice(0, 8), 16));
  }

  /** The next piece begins a new sentence. */
  restart(): void {
    this.#ahead = [];
  }

  /** About as many letters as the text has bytes, or as are given, with the white space at both ends and marks before it, its first letter's case and its last mark. */
  like(text: string, length?: number): string {
    const [, before = '', own = '', after = ''] = /^([\s.,:;?!)]*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
    if (!/[\p{L}\p{N}]/u.test(own)) return text;
    const mark = /[.,:;?!]$/.exec(own)?.[0] ?? '';
    const wanted = (length ?? Buffer.byteLength(own)) - mark.length + this.#owed;
    let piece = this.#next();
    for (let next = this.#next(); ; next = this.#next()) {
      // the nearer of one word more and one word less
      if (piece.length + 1 + next.length / 2 > wanted) {
        this.#ahead.unshift(next);
        break;
      }
      piece += ` ${next}`;
    }
    this.#owed = wanted - piece.length;
    const first = /^\p{Lu}/u.test(own) ? piece[0]?.toUpperCase() : piece[0]?.toLowerCase();
    return `${before}${first}${piece.slice(1)}${mark}${after}`;
  }

  #next(): string {
    if (this.#ahead.length === 0) this.#ahead = this.#sentence().split(' ');
    return this.#ahead.shift() as string;
  }

  #sentence(): string {
    const one = (kind: keyof typeof words) => words[kind][this.#random.below(words[kind].length)] as string;
    return `the ${one('adjective')} ${one('thing')} ${one('does')} ${one('where')} the ${one('adjective')} ${one('place')} ${one('when')} and`;
  }
}
