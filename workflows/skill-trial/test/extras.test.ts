import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agents } from '../src/agent.js';
import { SettingsError } from '../src/errors.js';
import { Arm } from '../src/experiment.js';
import { extraSettings, noExtras, readExtras, serversInside } from '../src/extras.js';
import { tempFolder } from './fixture.js';

const Settings = z.strictObject(extraSettings);
const view = {
  workspace: '/workspace',
  home: '/home/agent',
  tmp: '/tmp',
  skills: '/skills',
  modules: '/modules',
  path: '/usr/bin',
  gatewayPort: 1,
};

test('an experiment without extras has none, and no hash', async () => {
  expect(await readExtras('/nonexistent', {})).toEqual(noExtras);
  expect(await readExtras('/nonexistent', { mcp: {}, files: {}, env: {} })).toEqual(noExtras);
});

test('the hash covers servers, variables, and the content and mode of files', async () => {
  const folder = await tempFolder({ 'notes.mjs': 'one\n' });
  const settings = {
    files: { 'tools/notes.mjs': 'notes.mjs' },
    env: { NOTES: 'a' },
    mcp: { notes: { command: ['node', 'x'], env: {} } },
  };
  const first = await readExtras(folder, settings);
  expect(first.files).toEqual([{ path: 'tools/notes.mjs', content: Buffer.from('one\n'), executable: false }]);
  const seen = [first.sha256, (await readExtras(folder, { ...settings, env: { NOTES: 'b' } })).sha256];
  seen.push((await readExtras(folder, { ...settings, mcp: {} })).sha256);
  await chmod(join(folder, 'notes.mjs'), 0o755);
  seen.push((await readExtras(folder, settings)).sha256);
  await writeFile(join(folder, 'notes.mjs'), 'two\n');
  seen.push((await readExtras(folder, settings)).sha256);
  expect(new Set(seen).size).toBe(5);
});

test('a file that is not there, or is a folder, is named', async () => {
  const folder = await tempFolder({});
  await mkdir(join(folder, 'sub'));
  for (const source of ['missing.txt', 'sub'])
    await expect(readExtras(folder, { files: { 'a.txt': source } })).rejects.toThrow(SettingsError);
});

describe('what has no place among the extras', () => {
  test.each([
    ['OPENAI_API_KEY', 'x'],
    ['GITHUB_TOKEN', 'x'],
    ['DB_PASSWORD', 'x'],
    ['MODE', 'sk-abcdefghijkl0123456789'],
    ['MODE', 'ghp_abcdefghijklmnop0123'],
    ['MODE', 'AKIAABCDEFGHIJKLMNOP'],
    ['MODE', '-----BEGIN RSA PRIVATE KEY-----'],
    ['MODE', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE'],
  ])('%s=%s looks like a key', (name, value) => {
    expect(Settings.safeParse({ env: { [name]: value } }).success).toBe(false);
    expect(Settings.safeParse({ mcp: { notes: { command: ['x'], env: { [name]: value } } } }).success).toBe(false);
  });

  test.each([
    ['NODE_ENV', 'production'],
    ['MONKEY', 'a banana'],
    ['KEYBOARD_LAYOUT', 'de'],
    ['COMMIT', '0123456789abcdef0123456789abcdef01234567'],
    ['URL', 'http://127.0.0.1:8080/v1'],
  ])('%s=%s does not', (name, value) => {
    expect(Settings.safeParse({ env: { [name]: value } }).success).toBe(true);
  });

  test.each(['/etc/passwd', '../above', '.claude/skills/x/SKILL.md', 'skill/x'])('the file %s', (path) => {
    expect(Settings.safeParse({ files: { [path]: 'a' } }).success).toBe(false);
  });

  test.each(['mcp', 'files', 'env'])('an arm cannot carry %s', (key) => {
    const parsed = Arm.safeParse({ skills: [], [key]: {} });
    expect(parsed.error?.issues[0]?.message).toContain('the same in every arm');
  });
});

test('placeholders of a server become the folders inside', () => {
  const mcp = { notes: { command: ['node', '{home}/tools/notes.mjs', '{workspace}'], env: { ROOT: '{home}' } } };
  expect(serversInside(mcp, view)).toEqual([
    { name: 'notes', command: 'node', args: ['/home/agent/tools/notes.mjs', '/workspace'], env: { ROOT: '/home/agent' } },
  ]);
});

test.each(agents.map((agent) => [agent.name, agent] as const))(
  '%s starts with servers as without, but for them, if it takes any',
  (_, agent) => {
    const request = {
      program: { package: 'p', version: '1', folder: '/modules', argv: () => ['agent'] },
      ...{ modules: '/modules', view, skills: [] },
      model: { id: 'm', api: agent.apis[0] as (typeof agent.apis)[number], parameters: {} },
    };
    const server = { command: ['node', '{home}/notes.mjs'], env: { A: 'b "c"' } };
    const [bare, served] = [[], [['lab-notes', server] as const]].map((mcp) =>
      JSON.stringify(agent.launch({ ...request, mcp: Object.fromEntries(mcp) })),
    );
    expect(served?.includes('lab-notes')).toBe(agent.mcp);
    expect(served?.includes('/home/agent/notes.mjs')).toBe(agent.mcp);
    expect(bare).not.toContain('lab-notes');
    if (!agent.mcp) expect(served).toBe(bare);
  },
);
