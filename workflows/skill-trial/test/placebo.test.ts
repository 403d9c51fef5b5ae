import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listCases, readCase } from '../src/case.js';
import { SettingsError } from '../src/errors.js';
import { findLeaks } from '../src/leak.js';
import { findRoot, rootPaths } from '../src/paths.js';
import { placeboOf } from '../src/placebo.js';
import { readSkills, type Skill, skillOf } from '../src/skill.js';
import { failure } from './fixture.js';

const root = findRoot();
const skills = await readSkills(rootPaths(root).skills);
const textOf = (skill: Skill) => skill.files.map(({ content }) => content.toString('utf8')).join('\n');
const wordsOf = (text: string) => text.split(/\s+/).length;
/** What a Markdown text is made of, without its words. */
const structure = (text: string) =>
  text.split('\n').map((line) => /^(?:\s*(?:```.*|#{1,6} |[-*+] |\d+[.)] |>))?/.exec(line)?.[0] ?? '');
const made = (text: string, more: { path: string; text: string }[] = []) =>
  skillOf(
    'review',
    [{ path: 'SKILL.md', text }, ...more].map((file) => ({ path: file.path, mode: '100644', content: Buffer.from(file.text) })),
    'SKILL.md',
  );

describe.each(skills.map((skill) => [skill.name, skill] as const))('the placebo of %s', (_name, skill) => {
  const placebo = placeboOf(skill);

  test('has its name, version and licence, and other words where it is described', () => {
    expect(placebo).toMatchObject({ name: skill.name, version: skill.version, owner: skill.owner });
    expect(placebo.sha256).not.toBe(skill.sha256);
    expect(Math.abs(placebo.description.length - skill.description.length)).toBeLessThanOrEqual(6);
    expect(placebo.description).not.toBe(skill.description);
  });

  test('is as long: bytes within 2 %, words within 15 %', () => {
    const [was, is] = [textOf(skill), textOf(placebo)];
    expect(Math.abs(is.length / was.length - 1)).toBeLessThan(0.02);
    expect(Math.abs(wordsOf(is) / wordsOf(was) - 1)).toBeLessThan(0.15);
  });

  test('has its headings, lists and fences, line by line', () => {
    expect(structure(placebo.body)).toEqual(structure(skill.body));
  });

  test('keeps none of its sentences: no three words in a row', () => {
    const runs = (text: string) => {
      const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
      return words.slice(2).map((word, index) => [words[index], words[index + 1], word].join(' '));
    };
    const kept = new Set(runs(`${placebo.description}\n${placebo.body}`));
    expect(runs(`${skill.description}\n${skill.body}`).filter((run) => kept.has(run))).toEqual([]);
  });

  test('follows from its files alone', () => {
    expect(placeboOf(skill).sha256).toBe(placebo.sha256);
  });
});

test('no placebo of a bundled skill holds a word that a bundled case hides', async () => {
  const placebos = skills.map(placeboOf);
  for (const name of await listCases(rootPaths(root).cases)) {
    const one = await readCase(rootPaths(root).case(name));
    expect(await findLeaks(one, placebos)).toEqual([]);
  }
});

test('tables, code, links, quotes and task boxes keep their marks; the words and the targets go', () => {
  const body = '> - [ ] Run `npm test` twice, **always**.\n\n| Case | What |\n|---|---|\n| one | [here](https://x.example/y) |\n';
  const placebo = placeboOf(made(`---\nname: review\ndescription: Reviews.\n---\n${body}`));
  expect(placebo.body.replace(/[a-z]+(?: [a-z]+)*/gi, 'w')).toBe(
    '> - [ ] W `w` w, **w**.\n\n| W | W |\n|---|---|\n| w | [w](#) |\n'.replace(/W/g, 'w'),
  );
  expect(placebo.body).not.toContain('npm');
});

test('a second text file is replaced as well; a script has no placebo, and the error names it', async () => {
  const head = '---\nname: review\ndescription: Reviews.\n---\nDo it.\n';
  const two = placeboOf(made(head, [{ path: 'more.md', text: '# Look twice at the caller\n' }]));
  expect(two.files[1]?.content.toString('utf8')).toMatch(/^# (?!Look)/);
  const error = await failure(SettingsError, async () => placeboOf(made(head, [{ path: 'run.sh', text: 'ls' }])));
  expect(error.message).toContain('run.sh');
});

test.each([
  ['1,020 letters', 'Reviews each caller of what was changed. '.repeat(25).trim().slice(0, 1020)],
  ['umlauts', 'Prüft für jede Änderung, was gehört. '.repeat(27).trim()],
  ['Chinese', '检查每一个调用者。'.repeat(113)],
])('a description of %s within the limits has a placebo within them', (_name, description) => {
  expect(description.length).toBeGreaterThan(980);
  const compatibility = description.slice(0, 500);
  const skill = made(`---\nname: review\ndescription: ${description}\ncompatibility: ${compatibility}\n---\nDo it.\n`);
  const placebo = placeboOf(skill);
  expect(placebo.description.length).toBeLessThanOrEqual(1024);
  expect(placebo.description.length).toBeGreaterThan(description.length - 24);
});

test('every length of a description up to the limit has a placebo', () => {
  for (let length = 1000; length <= 1024; length++) {
    const description = 'Look twice at it. '.repeat(60).slice(0, length).trim();
    expect(() => placeboOf(made(`---\nname: review\ndescription: ${description}\n---\nDo it.\n`))).not.toThrow();
  }
});

test('a fence keeps its marks and one word, code in a line between three backticks keeps its marks alone', () => {
  const body = '```npm test -- --coverage```\n\n```bash title="Run npm test first"\nls\n```\n\n~~~ {.run the callers}\nls\n~~~\n';
  const { body: neutral } = placeboOf(made(`---\nname: review\ndescription: Reviews.\n---\n${body}`));
  expect(neutral).not.toMatch(/npm|coverage|title|callers|run/i);
  expect(neutral.split('\n').map((line) => /^(?:`{3}(?:bash)?|~{3})?/.exec(line)?.[0])).toEqual([
    '```',
    '',
    '```bash',
    '',
    '```',
    '',
    '~~~',
    '',
    '~~~',
    '',
  ]);
  expect(neutral.split('\n')[0]).toMatch(/^```[^`]+```$/);
});

test('metadata keeps version and owner; other values and comments of the frontmatter go', () => {
  const head = [
    'name: review',
    '# run npm test before anything else',
    'description: Reviews. # and npm audit',
    'metadata:',
    '  # npm ci first',
    '  version: "1.2.0"',
    '  owner: team-a',
    '  hint: run npm test twice and read each caller',
    `  author: ${'always run npm test '.repeat(5).trim()}`,
  ];
  const placebo = placeboOf(made(`---\n${head.join('\n')}\n---\nDo it.\n`));
  expect(placebo).toMatchObject({ version: '1.2.0', owner: 'team-a' });
  expect(textOf(placebo)).not.toMatch(/npm|caller|audit/);
  expect(textOf(placebo)).toMatch(/^ {2}hint: \w+/m);
});

test('any text gives a placebo of about its length', () => {
  const word = fc.stringMatching(/^[a-zA-Z]{1,12}$/);
  const line = fc.tuple(fc.constantFrom('', '# ', '- ', '1. '), fc.array(word, { minLength: 1, maxLength: 30 }));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), (lines) => {
      const body = lines.map(([mark, words]) => `${mark}${words.join(' ')}`).join('\n');
      const skill = made(`---\nname: review\ndescription: Reviews.\n---\n${body}`);
      const placebo = placeboOf(skill);
      expect(structure(placebo.body)).toEqual(structure(skill.body));
      // a line of one short word cannot be met; the next lines make it up, and the last may be left over
      expect(placebo.body.length).toBeGreaterThan(body.length - 12);
      expect(placebo.body.length).toBeLessThan(body.length + 12 * lines.length);
    }),
  );
});
