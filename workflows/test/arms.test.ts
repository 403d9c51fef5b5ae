import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRequests } from '../skill-trial/src/recorded-requests.js';
import type { Report } from '../skill-trial/src/report.js';
import { readSkill } from '../skill-trial/src/skill.js';
import { plain } from '../skill-trial/src/skill-occurrence.js';
import { readTrial } from '../skill-trial/src/trial-record.js';
import { Checkout } from './checkout.js';

// One run of the inventory case with every kind of arm there is: the real pi, real git and a SCRIPTED model.
const name = 'inventory-arms';
const [review, design] = ['evidence-code-review', 'behavior-test-design'];
const arms = ['A', 'B', 'placebo', 'before', 'other-model', `B-without-${review}`, `B-without-${design}`];
const file = `skills-src/${review}/SKILL.md`;
/** A sentence of the skill as it is, and what stood in its place at the tag `before`. */
const [now, then] = ['A suspicion becomes a finding only when', 'Whatever looks odd is written down as soon as'];
const git = (folder: string, ...words: string[]) =>
  promisify(execFile)('git', ['-C', folder, '-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...words]);
let checkout: Checkout;
let report: Report;

beforeAll(async () => {
  checkout = await Checkout.make();
  const present = await checkout.read(file);
  await checkout.write(file, present.replace(now, then));
  await git(checkout.root, 'init', '-q');
  await git(checkout.root, 'add', 'skills-src');
  await git(checkout.root, 'commit', '-q', '-m', 'before');
  await git(checkout.root, 'tag', 'before');
  await checkout.write(file, present);
  await checkout.configure(name, {
    arms: {
      A: { skills: [] },
      B: { skills: [review, design], control: ['A', 'placebo'] },
      placebo: { placebo: 'B', control: 'A' },
      before: { skills: [review, design], skills_from: 'before', control: 'B' },
      'other-model': {
        skills: [review, design],
        control: 'B',
        model: { id: 'scripted-2', api: 'openai-completions', scripted: 'by-arm' },
      },
    },
    ablation: { arm: 'B', leave_one_out: true },
    stability_runs: 1,
  });
  const done = await checkout.start([name]);
  expect(done.code, done.text).toBe(0);
  report = await checkout.json('reports', name, 'report.json');
});
afterAll(() => checkout[Symbol.asyncDispose]());

/** All that the gateway recorded of what a trial's agent told the model, white space made even. */
async function told(arm: string): Promise<string> {
  const requests = await readRequests(checkout.path('data/runs', name, 'receipts', `inventory.${arm}.1`));
  return plain(requests.flatMap(({ request }) => request?.turns.map(({ text }) => text) ?? []).join('\n'));
}

test('each arm’s requests hold the text of its own skills and of no other arm’s', async () => {
  const body = async (folder: string) => (await readSkill(checkout.path(folder))).body;
  const placebo = await body(`data/runs/${name}/skills/placebo/${review}`);
  const line = (text: string) => plain(text.split('\n').find((one) => one.length > 60) as string);
  const signs: Record<string, string> = {
    now,
    then,
    design: line(await body(`skills-src/${design}`)),
    placebo: line(placebo),
  };
  const expected: Record<string, string[]> = {
    A: [],
    B: ['design', 'now'],
    placebo: ['placebo'],
    before: ['design', 'then'],
    'other-model': ['design', 'now'],
    [`B-without-${review}`]: ['design'],
    [`B-without-${design}`]: ['now'],
  };
  for (const arm of arms) {
    const text = await told(arm);
    const found = Object.keys(signs).filter((sign) => text.includes(plain(signs[sign] as string)));
    expect(found.sort(), arm).toEqual(expected[arm]);
  }
});

test('each arm lists what it has, loads it, and asks its own model', async () => {
  const both = [review, design];
  const given: Record<string, string[]> = { A: [], [`B-without-${review}`]: [design], [`B-without-${design}`]: [review] };
  for (const arm of arms) {
    const { attestation, record } = await readTrial(checkout.path('data/runs', name, 'receipts', `inventory.${arm}.1`));
    const skills = given[arm] ?? both;
    expect(attestation.problems, arm).toEqual([]);
    expect(record.status, arm).toBe('completed');
    expect(attestation.listed.toSorted(), arm).toEqual(skills.toSorted());
    expect(attestation.bodies.map(({ skill }) => skill).sort(), arm).toEqual(skills.toSorted());
    expect(attestation.models, arm).toEqual([arm === 'other-model' ? 'scripted-2' : 'scripted-1']);
  }
});

test('the lock holds the hash of each arm’s own skills; those of the skill sets in use are no others', async () => {
  const hashes = Object.entries(report.conditions.skills).map(([key, { sha256 }]) => [key, sha256] as const);
  expect(hashes.map(([key]) => key).sort()).toEqual(
    [review, design, ...['placebo', 'before'].flatMap((arm) => [`${arm}/${review}`, `${arm}/${design}`])].sort(),
  );
  const of = Object.fromEntries(hashes);
  expect(of[`before/${review}`]).not.toBe(of[review]);
  // what was the same at the tag is the same
  expect(of[`before/${design}`]).toBe(of[design]);
  for (const [key, hash] of hashes.filter(([one]) => one.includes('/')))
    expect((await readSkill(checkout.path('data/runs', name, 'skills', key))).sha256, key).toBe(hash);
});

test('every contrast has its own control, and all twelve points hold', () => {
  expect(report.decision.contrasts.map(({ contrast }) => contrast)).toEqual([
    'B-A',
    'B-placebo',
    'placebo-A',
    'before-B',
    'other-model-B',
    `B-without-${review}-B`,
    `B-without-${design}-B`,
  ]);
  expect(report.trials.map(({ arm }) => arm).sort()).toEqual(arms.toSorted());
  expect(report.verification.filter(({ holds }) => holds !== true)).toEqual([]);
});

test('a bundle is verified with the skills it carries, below a repository that knows another revision of that name', async () => {
  const made = await checkout.node(['workflows/dist/bundle.js', name]);
  expect(made.code, made.text).toBe(0);
  const other = await mkdtemp(join(tmpdir(), 'skill-trial-other-repository-'));
  try {
    await mkdir(join(other, 'skills-src', review), { recursive: true });
    await writeFile(join(other, file), `---\nname: ${review}\ndescription: Another one.\n---\nNothing of it.\n`);
    await git(other, 'init', '-q');
    await git(other, 'add', '.');
    await git(other, 'commit', '-q', '-m', 'another repository');
    await git(other, 'tag', 'before');
    const bundle = join(other, 'bundle.zip');
    await cp(checkout.path('reports', name, `${name}-bundle.zip`), bundle);
    // where the bundle is unpacked
    const done = await checkout.node(['workflows/dist/8-verify.js', '--bundle', bundle], { TMPDIR: other });
    expect(done.code, done.text).toBe(0);
    expect(done.text).toContain('every number was derived again');
  } finally {
    await rm(other, { recursive: true, force: true });
  }
});
