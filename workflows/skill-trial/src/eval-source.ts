import { parse as parseYamlText } from 'yaml';
import { SettingsError } from './errors.js';
import type { EvalSet } from './eval.js';
import { evalList, readEvalsJson } from './eval-dialects/evals-json.js';
import { readHarbor } from './eval-dialects/harbor.js';
import { isSkillValidator, readSkillValidator } from './eval-dialects/skill-validator.js';
import { isSkillgrade, readSkillgrade } from './eval-dialects/skillgrade.js';
import { isTriggers, readTriggers } from './eval-dialects/triggers.js';
import { isWaza, readWaza } from './eval-dialects/waza.js';
import type { EvalReading } from './eval-reading.js';

/** One form of eval file: how it is told from the others, and how it is read. In order: the first that fits is taken. */
interface Dialect {
  name: string;
  fits: (value: unknown) => boolean;
  read: (value: unknown, reading: EvalReading) => EvalSet | Promise<EvalSet>;
}

const dialects: Dialect[] = [
  { name: 'waza', fits: isWaza, read: readWaza },
  { name: 'skillgrade', fits: isSkillgrade, read: readSkillgrade },
  { name: 'skill-validator', fits: isSkillValidator, read: readSkillValidator },
  { name: 'triggers', fits: isTriggers, read: readTriggers },
  { name: 'evals.json', fits: (value) => evalList(value) !== null, read: readEvalsJson },
];

/** Names of files that hold evals; anything else is read only where it is named itself. */
export const evalFileName = /^(evals?|trigger[\w-]*|[\w.-]*[-_.]evals?|eval[-_.][\w.-]*)\.(json|ya?ml)$|^task\.toml$/i;

/** The eval set of a file's bytes; null where it holds none that can be used. A file that is no JSON or YAML is a SettingsError with line and column. */
export async function readEvalFile(bytes: Uint8Array, reading: EvalReading): Promise<EvalSet | null> {
  const { file } = reading;
  const text = decode(bytes, file).replace(/^\uFEFF/, '');
  if (file.endsWith('.toml')) return readHarbor(text, reading);
  const value = /\.ya?ml$/i.test(file) ? yamlOf(text, file) : jsonOf(text, file);
  mustBeShallow(value, file);
  const dialect = dialects.find(({ fits }) => fits(value));
  if (dialect === undefined) {
    throw new SettingsError(`${file} holds no evals`, {
      expected: `a form of ${dialects.map(({ name }) => name).join(', ')}, or a Harbor task.toml`,
      found:
        value !== null && typeof value === 'object'
          ? `keys ${Object.keys(value).slice(0, 8).join(', ') || '(none)'}`
          : JSON.stringify(value),
      next: 'see data/README.md for the forms that are read',
    });
  }
  return dialect.read(value, reading);
}

/** Deeper than any eval is, and far from what a YAML writer can still write. */
const deepest = 100;

/** Refuses lists and objects within each other without end: what is kept of them could not be written again. */
function mustBeShallow(value: unknown, file: string): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) {
      throw new SettingsError(`${file} is nested deeper than ${deepest} levels`, {
        expected: `at most ${deepest} lists and objects within each other`,
        found: 'more',
        next: 'correct the file',
      });
    }
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SettingsError(`${file} is not UTF-8`, {
      expected: 'text in UTF-8, with or without a byte-order mark',
      found: 'other bytes',
      next: 'save the file as UTF-8',
    });
  }
}

/** JSON of a text. An error names line and column, from 1. */
export function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // YAML's reader tells the place in any JSON; the engine's own message tells it in some only
    const message = String((error as Error).message);
    const at = /position (\d+)/.exec(message)?.[1] ?? (/end of JSON/.test(message) ? String(text.length) : null);
    const offset = at === null ? placeOf(text, message) : Number(at);
    const before = text.slice(0, offset).split(/\r\n|\r|\n/);
    const where = `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
    throw new SettingsError(`${where} is not valid JSON`, {
      expected: 'JSON (no comments, no trailing commas)',
      found: message.replace(/,? \.{3}.*$/s, '').slice(0, 160),
      next: 'correct that line',
    });
  }
}

/** The engine quotes what stands around the error where it gives no position. */
function placeOf(text: string, message: string): number {
  const [, token] = /Unexpected token '?(.)'?/.exec(message) ?? [];
  const [, quoted] = /"([\s\S]{1,60})" is not valid JSON|\.\.\."?([\s\S]*?)"?\.\.\. is not valid JSON/.exec(message) ?? [];
  const start = quoted === undefined ? 0 : Math.max(0, text.indexOf(quoted));
  return Math.max(0, token === undefined ? start : text.indexOf(token, start));
}

function yamlOf(text: string, file: string): unknown {
  try {
    return parseYamlText(text);
  } catch (error) {
    const { linePos, message } = error as { linePos?: { line: number; col: number }[]; message: string };
    throw new SettingsError(
      `${file}${linePos?.[0] === undefined ? '' : `:${linePos[0].line}:${linePos[0].col}`} is not valid YAML`,
      {
        expected: 'YAML',
        found: message.split('\n')[0] ?? message,
        next: 'correct that line',
      },
    );
  }
}
