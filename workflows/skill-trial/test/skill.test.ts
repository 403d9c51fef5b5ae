import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SettingsError } from '../src/errors.js';
import { readSkill, readSkills } from '../src/skill.js';
import { failure, tempFolder } from './fixture.js';

const head = (parts: string) => `---\n${parts}---\n# Steps\n\nDo it.\n`;
const good = head('name: review\ndescription: Review code with evidence.\n');
const read = async (text: string, name = 'review', more: Record<string, string> = {}) =>
  readSkill(join(await tempFolder({ [`${name}/SKILL.md`]: text, ...more }), name));
const refused = (text: string, name = 'review') => failure(SettingsError, () => read(text, name));

describe('a skill is read', () => {
  test('name, description, version, owner and body', async () => {
    const skill = await read(
      head('name: review\ndescription: Review.\nlicense: MIT\nmetadata:\n  version: "1.0"\n  owner: lab\n'),
    );
    expect(skill).toMatchObject({
      name: 'review',
      description: 'Review.',
      version: '1.0',
      owner: 'lab',
      body: '# Steps\n\nDo it.\n',
      warnings: [],
    });
  });

  test('without metadata, version and owner are null', async () => {
    expect(await read(good)).toMatchObject({ version: null, owner: null });
  });

  test.each([
    ['CRLF line ends', good.replaceAll('\n', '\r\n')],
    ['a byte-order mark', `\uFEFF${good}`],
    ['spaces after the dashes', good.replaceAll('---\n', '---  \n')],
  ])('with %s', async (_how, text) => {
    expect(await read(text)).toMatchObject({ name: 'review', description: 'Review code with evidence.' });
  });

  test('without a body', async () => {
    expect((await read('---\nname: review\ndescription: x\n---')).body).toBe('');
  });

  test('a line of dashes in the body belongs to the body', async () => {
    expect((await read(`${good}\n---\nmore\n`)).body).toContain('---\nmore');
  });

  test('text after three dashes does not end the frontmatter', async () => {
    expect((await read('---\nname: review\ndescription: |-\n  a\n  b\n---\nx: y\n')).body).toBe('x: y\n');
    expect((await refused('---\nname: review\ndescription: x\n---y\n')).message).toMatch(/no frontmatter/);
  });

  test('the limits of length are allowed: 64 and 1024 characters', async () => {
    const name = 'a'.repeat(64);
    expect((await read(head(`name: ${name}\ndescription: ${'d'.repeat(1024)}\n`), name)).name).toBe(name);
  });

  test('a long body and a list of tools are advice, not errors', async () => {
    const skill = await read(`---\nname: review\ndescription: x\nallowed-tools: [Read, Bash]\n---\n${'line\n'.repeat(501)}`);
    expect(skill.warnings).toHaveLength(2);
  });

  test('its hash sees every file of the folder and the executable bit', async () => {
    const folder = await tempFolder({ 'review/SKILL.md': good, 'review/run.sh': 'echo\n' });
    const before = (await readSkill(join(folder, 'review'))).sha256;
    expect((await read(good)).sha256).not.toBe(before);
    await chmod(join(folder, 'review/run.sh'), 0o755);
    expect((await readSkill(join(folder, 'review'))).sha256).not.toBe(before);
  });

  test('all skills of a folder, by name; files beside them are none', async () => {
    const folder = await tempFolder({
      'b/SKILL.md': head('name: b\ndescription: x\n'),
      'a/SKILL.md': head('name: a\ndescription: x\n'),
      'README.md': 'not a skill',
    });
    expect((await readSkills(folder)).map((skill) => skill.name)).toEqual(['a', 'b']);
  });
});

describe('a skill is refused with its file, line and key', () => {
  test.each<[string, string, RegExp, RegExp]>([
    ['a name that is not the folder', good.replace('name: review', 'name: other'), /SKILL\.md: name differs/, /other/],
    ['a name in capitals', good.replace('name: review', 'name: Review'), /SKILL\.md:2: name is not valid/, /Review/],
    ['a name with two hyphens', good.replace('name: review', 'name: re--view'), /SKILL\.md:2: name is not valid/, /re--view/],
    [
      'a name that begins with a hyphen',
      good.replace('name: review', 'name: -review'),
      /SKILL\.md:2: name is not valid/,
      /-review/,
    ],
    ['a name that is a number', good.replace('name: review', 'name: 7'), /SKILL\.md:2: name is not valid/, /7/],
    ['no name', good.replace('name: review\n', ''), /SKILL\.md(:\d+)?: name is missing/, /nothing/],
    ['no description', good.replace(/description.*\n/, ''), /SKILL\.md(:\d+)?: description is missing/, /nothing/],
    [
      'a description of spaces',
      good.replace(/description.*/, 'description: "  "'),
      /SKILL\.md:3: description is not valid/,
      /" {2}"/,
    ],
    [
      'a description of 1025 characters',
      good.replace(/description.*/, `description: ${'d'.repeat(1025)}`),
      /SKILL\.md:3: description is not valid/,
      /ddd/,
    ],
    ['a name of 65 characters', good.replace('name: review', `name: ${'a'.repeat(65)}`), /SKILL\.md:2: name is not valid/, /aaa/],
    ['an unknown key', good.replace('description', 'version: 1.0\ndescription'), /SKILL\.md:3: unknown key "version"/, /version/],
    ['a key misspelt', good.replace('description:', 'descripton:'), /SKILL\.md:3: unknown key "descripton"/, /descripton/],
    [
      'a version that is a number',
      good.replace('---\n#', 'metadata:\n  version: 1.0\n---\n#'),
      /SKILL\.md:5: metadata\.version is not valid/,
      /1/,
    ],
    ['a key twice', good.replace('name: review', 'name: review\nname: review'), /SKILL\.md:3 is not valid YAML/, /unique/],
    ['an unquoted colon', good.replace('Review code', 'Review: code'), /SKILL\.md:3 is not valid YAML/, /./],
    ['no frontmatter', '# Steps\n', /SKILL\.md has no frontmatter/, /"# Steps"/],
    ['no frontmatter, CRLF', '# Steps\r\nmore\r\n', /SKILL\.md has no frontmatter/, /"# Steps"$/],
    ['a frontmatter that never ends', '---\nname: review\ndescription: x\n', /SKILL\.md has no frontmatter/, /---/],
    ['an empty line before the frontmatter', `\n${good}`, /SKILL\.md has no frontmatter/, /""/],
    ['an empty file', '', /SKILL\.md has no frontmatter/, /""/],
  ])('%s', async (_what, text, message, found) => {
    const error = await refused(text);
    expect(error.message).toMatch(message);
    expect(error.found).toMatch(found);
  });

  test('the nearest known key is named', async () => {
    expect((await refused(good.replace('description:', 'descripton:'))).next).toBe('did you mean "description"?');
  });

  test('a folder without SKILL.md is named', async () => {
    const folder = await tempFolder({ 'review/skill.md': good });
    const error = await failure(SettingsError, () => readSkill(join(folder, 'review')));
    expect(error.message).toContain('skill review: cannot read');
  });
});
