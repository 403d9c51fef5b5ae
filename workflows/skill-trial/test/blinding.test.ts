import { describe, expect, test } from 'vitest';
import { blindName, blindPairs, redact } from '../src/blinding.js';
import type { Experiment } from '../src/experiment.js';

const skills = [{ name: 'evidence-code-review' }, { name: 'contract-doc-sync' }];
const experiment = { arms: { A: { skills: [] }, B: { skills: ['evidence-code-review'] } } } as unknown as Experiment;
const trials = Array.from({ length: 12 }, (_, index) => index + 1).flatMap((repeat) =>
  ['A', 'B'].map((arm) => ({ id: `c.${arm}.${repeat}`, case: 'c', arm, repeat })),
);

describe('what names the mode is taken out and counted', () => {
  test.each<[string, string, string]>([
    ['a skill name', 'I used evidence-code-review here.', 'I used [redacted] here.'],
    ['its name in other spellings', 'Evidence Code Review, evidence_code_review', '[redacted], [redacted]'],
    ['an absolute path', 'cat /skills/evidence-code-review/SKILL.md', 'cat [redacted]'],
    ['a path in a home', 'cat ~/.pi/agent/skills/contract-doc-sync/SKILL.md now', 'cat [redacted] now'],
    ['a relative path', 'see .claude/skills/x/SKILL.md', 'see [redacted]'],
    ['the folder alone', 'nothing in /skills was read', 'nothing in [redacted] was read'],
    ['the file alone', 'I read SKILL.md first', 'I read [redacted] first'],
    ['the word itself', 'As the skill says; three Skills', 'As the [redacted] says; three [redacted]'],
  ])('%s', (_what, text, expected) => {
    const { text: result, found } = redact(text, skills);
    expect(result).toBe(expected);
    const counted = found.reduce((sum, row) => sum + row.count, 0);
    expect(counted).toBe(expected.split('[redacted]').length - 1);
  });

  test('each kind is counted apart, and the list does not name the skill either', () => {
    const { found } = redact('evidence-code-review and evidence-code-review, contract-doc-sync', skills);
    expect(found.map((row) => row.count)).toEqual([2, 1]);
    expect(JSON.stringify(found)).not.toMatch(/evidence|contract/);
  });

  test('whole words only: a skill called fix leaves prefix and fixture alone', () => {
    expect(redact('a prefix, a fixture, a fix', [{ name: 'fix' }]).text).toBe('a prefix, a fixture, a [redacted]');
  });

  test('a skill whose name is part of another leaves nothing of it behind', () => {
    expect(redact('code-review', [{ name: 'review' }, { name: 'code-review' }]).text).toBe('[redacted]');
  });

  test('an answer that names nothing is left byte for byte', () => {
    const text = 'Unskilled reading of src/inventory.js:12 finds no compensation.\n';
    expect(redact(text, skills)).toEqual({ text, found: [] });
  });

  test('redacting twice finds nothing more', () => {
    const once = redact('the skill evidence-code-review in ~/.pi/skills/x', skills).text;
    expect(redact(once, skills)).toEqual({ text: once, found: [] });
  });
});

describe('without the secret nothing of the arm can be told', () => {
  test('a blinded name tells neither case, arm nor repeat, and depends on the secret', () => {
    expect(blindName('secret', 'c.A.1')).toMatch(/^v-[0-9a-f]{10}$/);
    expect(blindName('secret', 'c.A.1')).toBe(blindName('secret', 'c.A.1'));
    expect(blindName('other', 'c.A.1')).not.toBe(blindName('secret', 'c.A.1'));
  });

  test('names are different for different trials, and in no order of the arms', () => {
    const names = trials.map((trial) => ({ arm: trial.arm, name: blindName('secret', trial.id) }));
    expect(new Set(names.map((row) => row.name)).size).toBe(trials.length);
    const sorted = names
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((row) => row.arm)
      .join('');
    expect(sorted).not.toMatch(/^(A+B+|B+A+|(AB)+|(BA)+)$/);
  });

  test('a pair is named by the secret, and holds one trial of each arm', () => {
    for (const pair of blindPairs('secret', experiment, trials)) {
      expect(pair.pair).toMatch(/^pair-[0-9a-f]{10}$/);
      expect([pair.x, pair.y].sort()).toEqual([`c.A.${pair.repeat}`, `c.B.${pair.repeat}`]);
    }
  });

  test('which arm is variant-x varies over the pairs', () => {
    const arms = blindPairs('secret', experiment, trials).map((pair) => pair.x.split('.')[1]);
    expect(new Set(arms)).toEqual(new Set(['A', 'B']));
  });

  test('another secret gives other names, another order of pairs and other sides', () => {
    const [one, two] = [blindPairs('secret', experiment, trials), blindPairs('another', experiment, trials)];
    expect(two.map((pair) => pair.pair)).not.toEqual(one.map((pair) => pair.pair));
    expect(two.map((pair) => pair.repeat)).not.toEqual(one.map((pair) => pair.repeat));
    const sides = (pairs: typeof one) => pairs.toSorted((a, b) => a.repeat - b.repeat).map((pair) => pair.x);
    expect(sides(two)).not.toEqual(sides(one));
  });

  test('the order of the trials given tells nothing', () => {
    expect(blindPairs('secret', experiment, trials.toReversed())).toEqual(blindPairs('secret', experiment, trials));
  });

  test('pairs stand in the order of their blinded names, not of the schedule', () => {
    const names = blindPairs('secret', experiment, trials).map((pair) => pair.pair);
    expect(names).toEqual(names.toSorted());
  });

  test('a trial without its partner makes no pair', () => {
    expect(
      blindPairs(
        'secret',
        experiment,
        trials.filter((trial) => trial.id !== 'c.A.3'),
      ),
    ).toHaveLength(11);
  });
});
