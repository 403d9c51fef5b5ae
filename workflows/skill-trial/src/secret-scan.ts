import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InfrastructureError } from './errors.js';
import { sha256 } from './hash.js';
import { writeWhole } from './record.js';
import { readBody } from './recording.js';
import { Redactor } from './redaction.js';

/** A kind of secret by the form that its issuer gives it. */
interface SecretPattern {
  name: string;
  pattern: RegExp;
}

// a key begins a word; in a JSON text the letter before it may belong to an escaped line break
const start = String.raw`(?:(?<![\w-])|(?<=\\[nrt]))`;
const row = (name: string, form: string): SecretPattern => ({ name, pattern: new RegExp(`${start}(?:${form})`, 'g') });

/** Forms of keys and tokens that are told apart from ordinary text by their prefix. */
export const secretPatterns: readonly SecretPattern[] = [
  { name: 'private key block', pattern: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/g },
  row('AWS access key id', '(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])'),
  row('GitHub token', 'gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,}'),
  row('GitLab token', 'glpat-[A-Za-z0-9_-]{20,}'),
  row('model provider key', 'sk-(?:(?:ant|proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})'),
  row('Google API key', 'AIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])'),
  row('Hugging Face token', 'hf_[A-Za-z0-9]{30,}'),
  row('npm token', 'npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])'),
  row('Slack token', 'xox[abeoprs]-[A-Za-z0-9-]{10,}'),
  row('Stripe key', '[rs]k_live_[A-Za-z0-9]{16,}'),
];

/** What a session leaves that others are derived from. The prompt is the frozen task: it is scanned, never changed. */
const outputs = ['events.jsonl', 'stderr.txt', 'patch.diff', 'stat.txt', 'status.txt'];
const scanned = ['prompt.txt', 'calls.jsonl', ...outputs];

/**
 * Takes the key out of what the agent left (the gateway keeps it out of the bodies); returns how often it stood in which file, {} for
 * nowhere. An InfrastructureError where a stored body holds it after all: such a record must not be sealed.
 */
export async function redactKey(folder: string, key: string | null): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  if (key === null) return found;
  for (const name of outputs) {
    const bytes = await readFile(join(folder, name)).catch(() => null);
    if (bytes === null) continue;
    const redactor = new Redactor([key]);
    const clean = redactor.all(bytes);
    if (redactor.count === 0) continue;
    await writeWhole(join(folder, name), clean);
    found[name] = redactor.count;
  }
  for (const [name, bytes] of await bodiesOf(folder)) {
    const redactor = new Redactor([key]);
    redactor.all(bytes);
    if (redactor.count === 0) continue;
    throw new InfrastructureError('The model key is in a stored body', {
      expected: 'bodies without it: the gateway redacts it in every form',
      found: name,
      next: 'nothing was recorded; revoke the key, and report this as a fault of the lab',
    });
  }
  return found;
}

/**
 * Secrets in a recorded session's files and bodies, each once: `<kind> in <first file> (and <n> other files)`. The secret itself is
 * not repeated. They are warnings: the files stay as they are.
 */
export async function scanForSecrets(folder: string): Promise<string[]> {
  const places = new Map<string, { name: string; files: Set<string> }>();
  const scan = (file: string, bytes: Buffer) => {
    for (const text of windows(bytes)) {
      for (const { name, pattern } of secretPatterns) {
        for (const [secret] of text.matchAll(pattern)) {
          const id = sha256(`${name} ${secret}`);
          const place = places.get(id) ?? { name, files: new Set() };
          places.set(id, place);
          place.files.add(file);
        }
      }
    }
  };
  for (const name of scanned) {
    const bytes = await readFile(join(folder, name)).catch(() => null);
    if (bytes !== null) scan(name, bytes);
  }
  for (const [name, bytes] of await bodiesOf(folder)) scan(name, bytes);
  return [...places.values()].map(({ name, files: [first, ...others] }) => {
    const more = others.length === 0 ? '' : ` (and ${others.length} other ${others.length === 1 ? 'file' : 'files'})`;
    return `${name} in ${first}${more}`;
  });
}

/** Every stored body by its name in the record, sorted. */
async function bodiesOf(folder: string): Promise<[string, Buffer][]> {
  const names = await readdir(join(folder, 'bodies')).catch(() => [] as string[]);
  return Promise.all(
    names
      .filter((name) => name.endsWith('.gz'))
      .sort()
      .map(async (name): Promise<[string, Buffer]> => [`bodies/${name}`, await readBody(folder, name.slice(0, -3))]),
  );
}

/** A body as texts of at most 16 MB that overlap by more than any pattern is long: a string has a largest size, a body has none. */
function* windows(bytes: Buffer): Generator<string> {
  const [size, overlap] = [16e6, 1024];
  for (let from = 0; from < bytes.length; from += size) yield bytes.toString('latin1', from, from + size + overlap);
}
