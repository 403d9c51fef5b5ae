import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { InfrastructureError } from '../src/errors.js';
import { openRecording } from '../src/recording.js';
import { redactKey, scanForSecrets } from '../src/secret-scan.js';
import { failure, tempFolder } from './fixture.js';

// written in two parts, so that no scanner of repositories takes this file for a leak
const secrets: [string, string][] = [
  ['private key block', ['-----BEGIN RSA PRIVATE', ' KEY-----'].join('')],
  ['private key block', ['-----BEGIN PRIVATE', ' KEY-----'].join('')],
  ['AWS access key id', ['AKIA', 'IOSFODNN7EXAMPLE'].join('')],
  ['GitHub token', ['ghp_', 'a1'.repeat(18)].join('')],
  ['GitHub token', ['github_pat_', 'a1'.repeat(35)].join('')],
  ['GitLab token', ['glpat-', 'a1'.repeat(10)].join('')],
  ['model provider key', ['sk-', 'ant-api03-', 'a1_b'.repeat(8)].join('')],
  ['model provider key', ['sk-', 'a1'.repeat(24)].join('')],
  ['Google API key', ['AIza', 'a1b2c'.repeat(7)].join('')],
  ['Hugging Face token', ['hf_', 'aB'.repeat(17)].join('')],
  ['npm token', ['npm_', 'a1'.repeat(18)].join('')],
  ['Slack token', ['xoxb-', '123456789012'].join('')],
  ['Stripe key', ['sk_live_', 'a1'.repeat(12)].join('')],
];

async function recorded(files: Record<string, string>, bodies: string[] = []): Promise<string> {
  const folder = await tempFolder(files);
  const recording = await openRecording(folder);
  for (const body of bodies) await recording.saveBody(Buffer.from(body));
  await recording.close();
  return folder;
}

describe('a scan of a recorded session', () => {
  test.each(secrets)('names a %s in a file, and in a body after an escaped line break', async (name, secret) => {
    expect(await scanForSecrets(await recorded({ 'patch.diff': `+key = "${secret}"\n` }))).toEqual([`${name} in patch.diff`]);
    const [warning] = await scanForSecrets(await recorded({}, [JSON.stringify({ content: `key:\n${secret}\n` })]));
    expect(warning).toMatch(new RegExp(`^${name} in bodies/[0-9a-f]{64}\\.gz$`));
  });

  test('the same secret in many files is one warning, and is not repeated in it', async () => {
    const [, secret] = secrets[3] as [string, string];
    const folder = await recorded({ 'events.jsonl': `{"x":"${secret}"}`, 'stderr.txt': secret }, [secret, `${secret} again`]);
    expect(await scanForSecrets(folder)).toEqual(['GitHub token in events.jsonl (and 3 other files)']);
  });

  test('ordinary words, hashes and identifiers are none', async () => {
    const text =
      'sk-circle-fading-animation-container task-0123456789abcdef0123456789abcdef0123 ghp_short AKIA risk-a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1';
    expect(await scanForSecrets(await recorded({ 'patch.diff': text, 'prompt.txt': 'a'.repeat(64) }))).toEqual([]);
  });
});

describe('the key', () => {
  const key = 'sk-secret-0123456789';

  test('is taken out of what the agent left, in every form, and counted by file', async () => {
    const folder = await recorded({
      'events.jsonl': `{"a":"${key}"}\n`,
      'patch.diff': `+${Buffer.from(`user:${key}`).toString('base64')}\n`,
      'stderr.txt': 'nothing\n',
    });
    expect(await redactKey(folder, key)).toEqual({ 'events.jsonl': 1, 'patch.diff': 1 });
    expect(await readFile(join(folder, 'events.jsonl'), 'utf8')).toBe('{"a":"[redacted]"}\n');
    expect(await readFile(join(folder, 'patch.diff'), 'utf8')).toContain('[redacted]');
    expect(await readFile(join(folder, 'stderr.txt'), 'utf8')).toBe('nothing\n');
  });

  test('in a stored body it keeps the record from being sealed', async () => {
    const folder = await recorded({}, [`{"a":"${key}"}`]);
    expect((await failure(InfrastructureError, () => redactKey(folder, key))).message).not.toContain(key);
  });

  test('none: nothing is sought', async () => {
    const folder = await recorded({ 'events.jsonl': key });
    await mkdir(join(folder, 'empty'));
    expect(await redactKey(folder, null)).toEqual({});
  });
});
