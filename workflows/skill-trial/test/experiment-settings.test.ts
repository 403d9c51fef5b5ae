import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { SettingsError } from '../src/errors.js';
import { contrasts, type Experiment, listExperiments, readExperiment } from '../src/experiment.js';
import { parseTrialName, trialName } from '../src/trial-name.js';
import { failure, tempFolder } from './fixture.js';

const text = `schema_version: 1
name: trial
title: Do skills help?
question: Do they?
cases: [inventory]
arms:
  A: {}
  B:
    skills: [one-skill]
repeats: 3
seed: 7
agent:
  name: pi
model:
  id: scripted-1
  api: openai-completions
  scripted: b-better
limits:
  wall_seconds: 60
  model_calls: 10
decision:
  tested_class: small services
  untested_class: the rest
`;

/** Reads the settings below data/experiments/trial of a fresh checkout. */
async function read(settings: string, name = 'trial'): Promise<Experiment> {
  const root = await tempFolder({ 'data/experiments/trial/experiment.yaml': settings });
  return readExperiment(root, name);
}
const refused = (settings: string, name?: string) => failure(SettingsError, () => read(settings, name));
const change = (from: string | RegExp, to: string) => {
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${from} is not in the settings`);
  return changed;
};
/** The number of the line on which a text first occurs. */
const lineOf = (settings: string, part: string) => settings.slice(0, settings.indexOf(part)).split('\n').length;

describe('settings are accepted', () => {
  test('with their defaults filled in', async () => {
    expect(await read(text)).toMatchObject({
      order: 'alternate',
      network: 'gateway-only',
      sandbox: 'required',
      stability_runs: 5,
      limits: { cost_usd: null, attempts: 2 },
      decision: { primary: 'review_completeness', min_improvement: 0.1 },
      arms: { A: { skills: [] } },
    });
  });

  test.each([
    ['with a byte-order mark', `\uFEFF${text}`],
    ['with CRLF line ends', text.replaceAll('\n', '\r\n')],
    ['with comments', `# a comment\n${text.replace('repeats: 3', 'repeats: 3 # three')}`],
  ])('%s, the same as without', async (_how, settings) => {
    expect(await read(settings)).toEqual(await read(text));
  });
});

describe('an unknown key names the nearest known one, with its line', () => {
  test.each<[string, string, string, string]>([
    ['repeats: 3', 'repeat: 3', 'repeat', 'repeats'],
    ['  wall_seconds: 60', '  wall_second: 60', 'wall_second', 'wall_seconds'],
    ['  scripted: b-better', '  script: b-better', 'script', 'scripted'],
    ['    skills: [one-skill]', '    skils: [one-skill]', 'skils', 'skills'],
    ['  tested_class: small', '  tested_clas: small', 'tested_clas', 'tested_class'],
    ['agent:\n  name: pi', 'agent:\n  nmae: pi', 'nmae', 'name'],
    ['seed: 7', 'sede: 7', 'sede', 'seed'],
  ])('%j written as %j', async (from, to, key, near) => {
    const settings = change(from, to);
    const error = await refused(settings);
    expect(error.message).toMatch(new RegExp(`experiment\\.yaml:${lineOf(settings, `${key}:`)}: unknown key "${key}"`));
    expect(error.found).toBe(key);
    expect(error.next).toBe(`did you mean "${near}"?`);
  });

  test('at the top level: repeat beside repeats', async () => {
    const settings = `${text}repeat: 3\n`;
    const error = await refused(settings);
    expect(error.message).toMatch(/experiment\.yaml:24: unknown key "repeat" in \(top level\)/);
    expect(error.next).toBe('did you mean "repeats"?');
  });

  test('nested: limits.wall_second', async () => {
    const error = await refused(change('  model_calls: 10', '  model_calls: 10\n  wall_second: 5'));
    expect(error.message).toMatch(/experiment\.yaml:21: unknown key "wall_second" in limits/);
    expect(error.next).toBe('did you mean "wall_seconds"?');
    expect(error.expected).toContain('model_calls');
  });

  test('below a name of the user: arms.B.skils', async () => {
    const error = await refused(change('    skills: [one-skill]', '    skills: [one-skill]\n    skils: []'));
    expect(error.message).toMatch(/experiment\.yaml:10: unknown key "skils" in arms\.B/);
    expect(error.next).toBe('did you mean "skills"?');
  });

  test('a key like no other is to be removed', async () => {
    expect((await refused(`${text}zebra_crossing: 1\n`)).next).toBe('remove the key');
  });
});

describe('a wrong value is named with its line and field', () => {
  test.each<[string, string, RegExp, RegExp, RegExp]>([
    ['repeats: 3', 'repeats: three', /:10: repeats is not valid/, /whole number from 1/, /"three"/],
    ['repeats: 3', 'repeats: 0', /:10: repeats is not valid/, /whole number from 1/, /^0$/],
    ['repeats: 3', 'repeats: 2.5', /:10: repeats is not valid/, /whole number from 1/, /2\.5/],
    ['seed: 7', 'seed: -1', /:11: seed is not valid/, /./, /-1/],
    ['  wall_seconds: 60', '  wall_seconds: 0', /:19: limits\.wall_seconds is not valid/, /positive/, /^0$/],
    ['  wall_seconds: 60', '  wall_seconds: 60s', /:19: limits\.wall_seconds is not valid/, /positive/, /"60s"/],
    [
      '  wall_seconds: 60\n',
      '',
      /:19: limits\.wall_seconds is missing|:18: limits\.wall_seconds is missing/,
      /positive/,
      /nothing/,
    ],
    ['title: Do skills help?\n', '', /title is missing/, /string/, /nothing/],
    ['cases: [inventory]', 'cases: []', /:5: cases is not valid/, /at least one case/, /\[\]/],
    ['cases: [inventory]', 'cases: inventory', /:5: cases is not valid/, /array/, /"inventory"/],
    ['cases: [inventory]', 'cases: [inventory, inventory]', /:5: cases is not valid/, /each name once/, /inventory/],
    ['cases: [inventory]', 'cases: [../inventory]', /:5: cases\.0 is not valid/, /lower-case/, /\.\.\/inventory/],
    ['skills: [one-skill]', 'skills: [one-skill, one-skill]', /:9: arms\.B\.skills is not valid/, /each name once/, /one-skill/],
    [
      '  api: openai-completions',
      '  api: openai',
      /:16: model\.api is not valid/,
      /one of openai-completions, anthropic-messages/,
      /"openai"/,
    ],
    ['seed: 7', 'seed: 7\norder: random', /:12: order is not valid/, /alternate, seeded, parallel/, /"random"/],
    ['schema_version: 1', 'schema_version: 2', /:1: schema_version is not valid/, /1/, /2/],
    ['arms:\n  A: {}', 'arms:\n  "A b": {}', /:7: arms\.A b is not valid/, /letters, digits and single hyphens/, /./],
    ['arms:\n  A: {}\n', 'arms:\n', /:7: arms is not valid|:6: arms is not valid/, /at least two arms/, /./],
    ['  scripted: b-better', '  base_url: not a url', /:17: model\.base_url is not valid/, /URL/i, /"not a url"/],
    [
      '  scripted: b-better',
      '  base_url: http://127.0.0.1:11434/v1\n  key_env: my key',
      /:18: model\.key_env is not valid/,
      /environment variable/,
      /"my key"/,
    ],
    [
      '  tested_class: small',
      '  max_false_findings: 20\n  tested_class: small',
      /:22: decision\.max_false_findings is not valid/,
      /1/,
      /20/,
    ],
  ])('%j written as %j', async (from, to, message, expected, found) => {
    const error = await refused(change(from, to));
    expect(error.message).toMatch(message);
    expect(error.expected).toMatch(expected);
    expect(error.found).toMatch(found);
  });
});

describe('YAML that is none', () => {
  test('a key twice is refused with its line, never the last one taken', async () => {
    const error = await refused(change('seed: 7', 'seed: 7\nseed: 8'));
    expect(error.message).toMatch(/experiment\.yaml:12 is not valid YAML/);
    expect(error.found).toMatch(/unique/);
  });

  test('a tab for indentation is refused with its line', async () => {
    expect((await refused(change('  name: pi', '\tname: pi'))).message).toMatch(/experiment\.yaml:13 is not valid YAML/);
  });

  test('an open bracket is refused with a line', async () => {
    expect((await refused(change('[inventory]', '[inventory'))).message).toMatch(/experiment\.yaml:\d+ is not valid YAML/);
  });

  test('two documents are refused', async () => {
    expect((await refused(`${text}---\n${text}`)).message).toMatch(/not valid YAML/);
  });

  test('aliases of aliases without end are refused, not unfolded', async () => {
    const bomb = [
      'a: &a [x]',
      ...Array.from(
        'bcdefghij',
        (letter, index) => `${letter}: &${letter} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(',')}]`,
      ),
    ].join('\n');
    expect((await refused(bomb)).message).toMatch(/not valid YAML/);
  });

  test.each([
    ['an empty file', ''],
    ['a comment alone', '# nothing\n'],
    ['a list', '- a\n'],
    ['a word', 'hello'],
  ])('%s is one error', async (_what, settings) => {
    expect((await refused(settings)).message).toMatch(/experiment\.yaml.*\(top level\) is not valid/);
  });
});

describe('rules between settings', () => {
  test.each<[string, string | RegExp, string, RegExp, RegExp]>([
    ['neither a script nor a URL', '  scripted: b-better\n', '', /model has no single source/, /neither/],
    [
      'both a script and a URL',
      '  scripted: b-better',
      '  scripted: b-better\n  base_url: http://localhost:1/v1',
      /model has no single source/,
      /both/,
    ],
    ['a key for a scripted model', '  scripted: b-better', '  scripted: b-better\n  key_env: KEY', /model\.key_env/, /KEY/],
    ['a cost cap without prices', '  model_calls: 10', '  model_calls: 10\n  cost_usd: 1', /limits\.cost_usd/, /without prices/],
    ['an unknown control arm', '    skills: [one-skill]', '    skills: [one-skill]\n    control: C', /arms\.B\.control/, /^C$/],
    [
      'an arm that is its own control',
      '    skills: [one-skill]',
      '    skills: [one-skill]\n    control: B',
      /arms\.B\.control/,
      /^B$/,
    ],
    ['no arm with skills: nothing to compare', '    skills: [one-skill]', '    skills: []', /: arms/, /skills/],
    ['no arm without skills: nothing to compare with', '  A: {}', '  A: { skills: [other] }', /: arms/, /other/],
    ['a name that is not the folder', 'name: trial', 'name: other', /name differs from its folder/, /other/],
  ])('%s', async (_what, from, to, message, found) => {
    const error = await refused(change(from, to));
    expect(error.message).toMatch(message);
    expect(error.message).toContain('experiment.yaml');
    expect(error.found).toMatch(found);
  });

  test('an experiment that is not there names those that are', async () => {
    const error = await refused(text, 'trail');
    expect(error.message).toContain('Experiment "trail" not found');
    expect(error.expected).toBe('one of trial');
  });

  test('experiments are listed by name; none where there is no folder', async () => {
    const root = await tempFolder({ 'data/experiments/b/x': '', 'data/experiments/a/x': '', 'data/experiments/file': '' });
    expect(await listExperiments(root)).toEqual(['a', 'b']);
    expect(await listExperiments(join(root, 'nowhere'))).toEqual([]);
  });
});

describe('contrasts', () => {
  const of = (arms: Record<string, object>) =>
    read(change(/arms:[\s\S]*?repeats/, `${stringify({ arms })}repeats`)).then(contrasts);

  test('every arm with skills against the first arm without', async () => {
    expect(await of({ A: {}, A2: {}, B: { skills: ['x'] }, C: { skills: ['x', 'y'] } })).toEqual([
      { arm: 'B', control: 'A' },
      { arm: 'C', control: 'A' },
    ]);
  });

  test('a named control wins, and an arm without skills may have one', async () => {
    expect(await of({ A: {}, B: { skills: ['x'] }, C: { skills: ['y'], control: 'B' }, D: { control: 'A' } })).toEqual([
      { arm: 'B', control: 'A' },
      { arm: 'C', control: 'B' },
      { arm: 'D', control: 'A' },
    ]);
  });
});

describe('trial names', () => {
  test('a name is taken apart as it was put together', async () => {
    const experiment = await read(text);
    const trial = { case: 'inventory', arm: 'B', repeat: 2 };
    expect(parseTrialName(experiment, trialName(trial))).toEqual(trial);
  });

  test.each([
    ['inventory.C.1', /arm/, /A, B/],
    ['other.A.1', /case/, /inventory/],
    ['inventory.A.4', /repeat/, /from 1 to 3/],
    ['inventory.A.0', /repeat/, /from 1 to 3/],
    ['inventory.A', /repeat/, /./],
    ['inventory.A.1.x', /not known/, /<case>/],
    ['inventory.A.01', /not known/, /<case>/],
    ['', /case/, /inventory/],
  ])('%j is none of the experiment', async (name, message, expected) => {
    const experiment = await read(text);
    const error = await failure(SettingsError, () => parseTrialName(experiment, name));
    expect(error.message).toMatch(message);
    expect(error.expected).toMatch(expected);
  });
});
