import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeBase } from '../src/base.js';
import { PrerequisiteError } from '../src/errors.js';
import { Grading } from '../src/grade.js';
import { gatherGrading, runGrading } from '../src/grade-run.js';
import { sha256 } from '../src/hash.js';
import { caseOf, type Lab, openLab } from '../src/lab.js';
import { runPaths } from '../src/paths.js';
import { readJson } from '../src/record.js';
import { Trajectory } from '../src/trajectory.js';
import type { SavedTrial } from '../src/trial-record.js';
import { failure } from './fixture.js';

// One assertion of this eval has a check ("no function is named"), the other goes to a judge.
const [name, one] = ['runtime-evals', 'eval-changelog-line-for-users'];
const root = fileURLToPath(new URL('../../..', import.meta.url));
let scratch: string;
let lab: Lab;

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'skill-trial-grade-'));
  lab = { ...(await openLab(root, name)), run: runPaths(scratch, name) };
  await mkdir(lab.run.run, { recursive: true });
});
afterEach(() => rm(scratch, { recursive: true, force: true }));

/** A recorded run of the eval with this answer. */
async function trial(arm: string, response: string, status = 'completed'): Promise<SavedTrial> {
  const folder = join(scratch, `${arm}-${sha256(response).slice(0, 8)}`);
  await mkdir(folder);
  await writeFile(join(folder, 'response.md'), response);
  await writeFile(join(folder, 'patch.diff'), '');
  const trajectory = Trajectory.parse({
    response,
    model: null,
    startedAt: null,
    finishedAt: null,
    modelCalls: null,
    toolCalls: [],
    usage: null,
    loaded: arm === 'B' ? [{ skill: 'changelog-line', line: 4, how: 'file-read' }] : [],
    stop: null,
    error: null,
  });
  await writeFile(join(folder, 'trajectory.json'), JSON.stringify(trajectory));
  const base = await makeBase(caseOf(lab, one), lab.run.bases);
  return {
    folder,
    record: { id: `${one}.${arm}.1`, case: one, arm, repeat: 1, content: sha256(response), status, baseCommit: base.commit },
    trajectory,
    attestation: { bodies: [] },
  } as never as SavedTrial;
}

const withJudge = (model: Lab['experiment']['model'] | null): Lab => ({
  ...lab,
  experiment: { ...lab.experiment, judge: model === null ? undefined : { model, tries: 2, cost_usd: null } },
});
const answer = '- Dates may be given with week numbers, which are accepted as 2026-W05.\n';

test('a real judge is asked only after a yes: without one no request is made and nothing is written', async () => {
  let requests = 0;
  const server = createServer((_, res) => {
    requests += 1;
    res.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const real = withJudge({
      id: 'real',
      api: 'openai-completions',
      base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      parameters: {},
    });
    const trials = [await trial('B', answer)];
    await failure(PrerequisiteError, () => runGrading(real, trials, { consent: false }));
    expect(requests).toBe(0);
    expect(await readdir(lab.run.run)).toEqual(['bases']);
    // with a yes it is asked; what it says cannot be read, and that is neither a pass nor a failure
    const grading = await runGrading(real, trials, { consent: true });
    expect(requests).toBeGreaterThan(0);
    expect(grading).toMatchObject({ judge: 'judge-real', judgeScripted: false });
    expect(grading?.trials[0]?.assertions).toMatchObject([
      { id: 'no-function', by: 'check', passed: true },
      { id: 'what', by: 'judge', passed: null },
    ]);
  } finally {
    server.close();
  }
});

test('a judge reads the name of a skill where the task says it as well, and nowhere else', async () => {
  const bodies: string[] = [];
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    bodies.push(body);
    res.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const real = withJudge({ id: 'real', api: 'openai-completions', base_url, parameters: {} });
    const asked = async (task: string) => {
      const cases = new Map([...lab.cases, [one, { ...caseOf(lab, one), taskBytes: Buffer.from(task) }]]);
      bodies.length = 0;
      await runGrading({ ...real, cases }, [await trial('B', `${task} As a changelog line: dates.`)], { consent: true });
      return bodies[0] ?? '';
    };
    expect(await asked('Write a changelog line.')).toContain('As a changelog line: dates.');
    expect(await asked('Announce it.')).toContain('As a [redacted]: dates.');
  } finally {
    server.close();
  }
});

test('a SCRIPTED judge needs no yes; its grades are read again from what it said', async () => {
  const scripted = withJudge({ id: 'stand-in', api: 'openai-completions', scripted: 'words', parameters: {} });
  const trials = [await trial('A', '- parseDate() now accepts week numbers.\n'), await trial('B', answer)];
  const grading = await runGrading(scripted, trials, { consent: false });
  expect(grading).toMatchObject({ judge: 'judge-stand-in', judgeScripted: true });
  expect(grading?.trials.map(({ assertions }) => assertions[0]?.passed)).toEqual([false, true]);
  expect(grading?.trials.every(({ assertions }) => assertions[1]?.passed !== null)).toBe(true);
  // an arm without the skill is not asked whether it loads it
  expect(grading?.trials.map(({ trigger }) => trigger)).toEqual([null, { should: true, did: true, evidence: 'events.jsonl:4' }]);
  expect(await readJson(lab.run.grading, Grading)).toEqual(grading);
  expect(await gatherGrading(scripted, trials)).toEqual(grading);
});

test('without a judge an assertion without a check is unscored, with the reason', async () => {
  const grading = await runGrading(withJudge(null), [await trial('B', answer)], { consent: false });
  expect(grading?.judge).toBeNull();
  expect(grading?.trials[0]?.assertions[1]).toMatchObject({
    by: 'judge',
    passed: null,
    evidence: 'no judge is set in experiment.yaml',
  });
});

test('a run that timed out is graded as one: no assertion of it is looked at, and no judge is asked', async () => {
  const scripted = withJudge({ id: 'stand-in', api: 'openai-completions', scripted: 'words', parameters: {} });
  const grading = await runGrading(scripted, [await trial('B', answer, 'timed-out')], { consent: false });
  expect(grading?.trials[0]).toMatchObject({ timedOut: true, records: [] });
  expect(grading?.trials[0]?.assertions.map(({ passed, evidence }) => [passed, evidence])).toEqual([
    [null, 'the run timed out'],
    [null, 'the run timed out'],
  ]);
});
