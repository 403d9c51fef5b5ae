import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Benchmark } from '../skill-trial/src/benchmark.js';
import { readRequests } from '../skill-trial/src/recorded-requests.js';
import { readTrial } from '../skill-trial/src/trial-record.js';
import { Checkout, startedTrials } from './checkout.js';

// Two evals of one skill with the real pi and a SCRIPTED model, in three arms: one of them has the skill's text in its prompt. The second
// eval's prompt has more than 5 MiB, which no command line of Linux would take.
const name = 'runtime-evals';
const [talk, near] = ['eval-changelog-line-one-line', 'eval-changelog-line-near-commit'];
const receipt = (trial: string) => checkout.path('data/runs', name, 'receipts', trial);
let checkout: Checkout;

beforeAll(async () => {
  checkout = await Checkout.make();
  const task = `data/cases/${near}/task.txt`;
  await checkout.write(task, `${await checkout.read(task)}${'One more line of the story.\n'.repeat(200_000)}`);
  await checkout.configure(name, {
    cases: [talk, near],
    arms: { A: { skills: [] }, B: { skills: ['changelog-line'] }, C: { skills: ['changelog-line'], deliver: 'prompt' } },
  });
  const done = await checkout.nx(`${name}:benchmark`);
  expect(done.code, done.text).toBe(0);
});
afterAll(() => checkout[Symbol.asyncDispose]());

test('the second prompt reaches the same session, after the answer to the first', async () => {
  const {
    follow_ups: [second],
  } = (await import('yaml')).parse(await checkout.read('data/cases', talk, 'case.yaml')).eval;
  for (const arm of ['A', 'B', 'C']) {
    const { record, trajectory, attestation } = await readTrial(receipt(`${talk}.${arm}.1`));
    expect([record.status, record.attempt, attestation.problems]).toEqual(['completed', 1, []]);
    const last = (await readRequests(receipt(`${talk}.${arm}.1`))).at(-1)?.request;
    const turns = (last?.turns ?? [])
      .filter(({ role, text }) => role !== 'tool' && text !== '')
      .map(({ role, text }) => [role, text]);
    expect(turns.map(([role]) => role)).toEqual(['user', 'assistant', 'user']);
    expect(turns.at(-1)?.[1]).toBe(second);
    const script = checkout.path('data/cases', talk, 'scripts/plans', arm === 'B' ? 'with' : 'without');
    const written = async (file: string) => (await checkout.read(script.slice(checkout.root.length + 1), file)).trim();
    expect(turns[1]?.[1]).toBe(await written('response.md'));
    expect(trajectory.response).toBe(await written('second.md'));
  }
});

test('with deliver: prompt the text is in front of the same task, in that arm alone, and no skill is listed', async () => {
  for (const one of [talk, near]) {
    const [a, b, c] = await Promise.all(['A', 'B', 'C'].map((arm) => readTrial(receipt(`${one}.${arm}.1`))));
    expect(new Set([a, b, c].map((trial) => trial?.attestation.deliveredTask)).size).toBe(1);
    expect([a, b, c].map((trial) => trial?.attestation.inPrompt)).toEqual([undefined, undefined, ['changelog-line']]);
    expect([a, b, c].map((trial) => trial?.attestation.listed)).toEqual([[], ['changelog-line'], []]);
    expect(c?.attestation).toMatchObject({ problems: [], bodies: [{ skill: 'changelog-line', call: 1 }] });
    const task = await checkout.read('data/cases', one, 'task.txt');
    expect(task.length > 5 << 20).toBe(one === near);
    expect(await checkout.read('data/runs', name, 'receipts', `${one}.A.1`, 'prompt.txt')).toBe(task);
    const told = await checkout.read('data/runs', name, 'receipts', `${one}.C.1`, 'prompt.txt');
    expect(told).toMatch(/^<skill name="changelog-line">\n# Changelog line\n/);
    expect(told.endsWith(`</skill>\n\n${task}`)).toBe(true);
  }
});

test('a near miss that loads the skill is a confusion, with precision and recall', async () => {
  const { triggers, further } = await checkout.json<Benchmark>('data/runs', name, 'iteration-1/results.json');
  expect(triggers).toHaveLength(1);
  expect(triggers[0]).toMatchObject({
    skill: 'changelog-line',
    truePositive: 1,
    falsePositive: 1,
    precision: { k: 1, n: 2 },
    recall: { k: 1, n: 1 },
    confusions: [{ case: near, should: false, loaded: 1, runs: 1 }],
  });
  expect(further.map(({ arm, control, deliver }) => [arm, control, deliver])).toEqual([['C', 'A', 'prompt']]);
  const text = await checkout.read('data/runs', name, 'iteration-1/benchmark.md');
  expect(text).toContain('## Arm C against A');
  expect(text).toContain('in front of the task');
  expect(text).toContain(`- ${near}: should not load it; loaded in 1 of 1 runs`);
  expect(text).not.toContain('Changed since');
});

test('iteration 2 of a changed skill says what changed since iteration 1', async () => {
  const before = (await startedTrials(checkout, name)).length;
  // the model is SCRIPTED and reads no skill: what another skill would make of it is another script
  const skill = 'skills-src/changelog-line/SKILL.md';
  await checkout.write(skill, `${await checkout.read(skill)}\nLeave out who gains nothing.\n`);
  await checkout.write(`data/cases/${talk}/scripts/plans/with/second.md`, '- Large exports take half the time.\n');
  const done = await checkout.nx(`${name}:benchmark`);
  expect(done.code, done.text).toBe(0);
  // the near miss without the skill is as it was: its record stays
  expect((await startedTrials(checkout, name)).slice(before).sort()).toEqual(
    [`${near}.B.1`, `${near}.C.1`, `${talk}.A.1`, `${talk}.B.1`, `${talk}.C.1`].sort(),
  );
  const text = await checkout.read('data/runs', name, 'iteration-2/benchmark.md');
  expect(text).toContain(`## Changed since iteration 1\n\n- ${talk}.B.1 follow-up: passed → failed\n`);
  const page = await checkout.read('data/runs', name, 'iteration-2/review.html');
  expect(page).toContain('1 verdict changed since iteration 1.');
  expect(page).toContain('<li>B1 follow-up: passed → failed</li>');
  expect(page.match(/data-changed="1"/g)).toHaveLength(1);
  expect(page).toContain('Arm C: the skill’s text in front of the task');
  // nothing changed since: no third iteration
  const again = await checkout.node(['workflows/dist/benchmark.js', name]);
  expect(again.text).toContain('iteration 2 (nothing changed)');
});
