import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { analyse, publishers, readAnalysis } from '../src/analyse.js';
import { Attestation } from '../src/attestation.js';
import { CallRecord } from '../src/call-record.js';
import { PrerequisiteError, RecordError, SettingsError } from '../src/errors.js';
import { freeze } from '../src/freeze.js';
import { openLab } from '../src/lab.js';
import { formatNotebook, type Notebook, NotebookError } from '../src/notebook.js';
import { rootPaths, runPaths } from '../src/paths.js';
import { prettyJson, readJson, sealRecord } from '../src/record.js';
import { TrialSpec } from '../src/spec.js';
import { Trajectory } from '../src/trajectory.js';
import { TrialRecord, type TrialStatus } from '../src/trial-record.js';
import { UsageRecord } from '../src/usage-record.js';
import { nothingDelivered } from '../src/variant-content.js';

vi.setConfig({ testTimeout: 240_000 });

const repository = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'analyse-'));
  await mkdir(join(root, 'notebooks'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A lab of which `analyse` needs no more than where things are. */
const place = () => ({ root, paths: rootPaths(root), run: runPaths(root, 'made-up'), experiment: { name: 'made-up' } });

async function notebook(name: string, cells: string[], aside = false): Promise<void> {
  const made: Notebook = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      kernelspec: { name: 'skill-trial', display_name: 'TypeScript (Skill Trial)' },
      ...(aside ? { skill_trial: { aside } } : {}),
    },
    cells: cells.map((source, index) => ({
      cell_type: 'code',
      id: `c-${index}`,
      metadata: {},
      source,
      outputs: [],
      execution_count: null,
    })),
  };
  await writeFile(join(root, 'notebooks', `${name}.ipynb`), formatNotebook(made));
}
const publishing = (names: string[], value = '[]') => [
  "import { publish } from 'skill-trial';",
  names.map((name) => `publish('${name}', ${value});`).join('\n'),
];
const all = Object.keys(publishers);

describe('analyse', () => {
  it('executes every notebook, keeps executed copies, and gives back what they published, a person’s own results apart', async () => {
    await notebook('1-all', [
      ...publishing(all),
      'console.log(process.env.SKILL_TRIAL_EXPERIMENT, process.env.SKILL_TRIAL_ROOT)',
    ]);
    await notebook('my-own', publishing(['my-result'], '{ n: 1 }'));
    await notebook('of-other-data', ['throw new Error("executed")'], true);
    const steps: string[] = [];
    const done = await analyse(place(), { onStep: (text) => steps.push(text) });
    expect(Object.keys(done.published).sort()).toEqual([...all].sort());
    expect(done.others).toMatchObject([{ name: 'my-result', notebook: 'my-own', value: { n: 1 } }]);
    expect(await readAnalysis(place())).toEqual(done);
    expect(steps).toEqual(['executing 2 notebooks', expect.stringMatching(/^1-all: /), expect.stringMatching(/^my-own: /)]);
    const copies = place().run.notebooks;
    expect((await readdir(copies)).sort()).toEqual(['1-all.ipynb', 'my-own.ipynb']);
    expect(await readFile(join(copies, '1-all.ipynb'), 'utf8')).toContain(`made-up ${root}`);
    expect(await readFile(join(root, 'notebooks', '1-all.ipynb'), 'utf8')).not.toContain('made-up');
  });

  it('names the notebook that should have published a missing result, and leaves nothing published', async () => {
    await notebook('1-some', publishing(all.filter((name) => name !== 'consistency')));
    const failure = await analyse(place()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RecordError);
    expect((failure as Error).message).toContain('"consistency" has not been published');
    expect((failure as Error).message).toContain('notebooks/3-consistency.ipynb');
    await expect(readAnalysis(place())).rejects.toThrow(/"trials" has not been published/);
  });

  it('refuses a result of the wrong shape, with the notebook that published it', async () => {
    await notebook('1-odd', [...publishing(all.filter((name) => name !== 'trials')), "publish('trials', [{ id: 1 }]);"]);
    const failure = await analyse(place()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SettingsError);
    expect((failure as Error).message).toMatch(/"trials", published by notebook 1-odd/);
  });

  it('stops at a failing notebook with cell and line, keeps its copy, and forgets an earlier analysis', async () => {
    await notebook('1-all', publishing(all));
    await analyse(place());
    await notebook('2-failing', ['console.log("so far")', 'const fine = 1;\nconst wrong: number = "text";']);
    const failure = await analyse(place()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NotebookError);
    expect((failure as Error).message).toContain('2-failing.ipynb, cell 2, line 2');
    expect(await readFile(join(place().run.notebooks, '2-failing.ipynb'), 'utf8')).toContain('so far');
    await expect(readAnalysis(place())).rejects.toThrow(RecordError);
  });

  it('refuses a folder without notebooks', async () => {
    await expect(analyse(place())).rejects.toThrow(PrerequisiteError);
  });
});

/** A record of a trial, with what the analysis reads. */
async function record(
  lab: Awaited<ReturnType<typeof openLab>>,
  name: string,
  { status = 'completed', problems = [], usage = true }: { status?: TrialStatus; problems?: string[]; usage?: boolean } = {},
): Promise<void> {
  const { hash, repeat, spec } = await readJson(lab.run.spec(name), TrialSpec);
  const draft = join(root, 'draft', name);
  await mkdir(draft, { recursive: true });
  const [startedAt, finishedAt] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:09.000Z'];
  const counted = { inputTotal: 100, inputUncached: 60, inputCached: 40, cacheCreation: 0, output: 5, reasoning: null };
  const files = {
    'trial.json': TrialRecord.parse({
      schemaVersion: 1,
      id: name,
      experiment: lab.experiment.name,
      case: spec.case,
      arm: spec.arm,
      repeat,
      attempt: 1,
      spec: hash,
      lock: JSON.parse(await readFile(lab.run.lock, 'utf8')).id,
      seed: 1,
      scripted: true,
      status,
      reason: '',
      exitCode: 0,
      signal: null,
      sweptProcesses: 0,
      agent: { name: spec.agent.name, package: spec.agent.package, version: spec.agent.version, argv: [] },
      sandbox: spec.sandbox,
      baseCommit: spec.baseCommit,
      startedAt,
      finishedAt,
      elapsedSeconds: 9,
      setupSeconds: 1,
      content: nothingDelivered,
      usageMismatches: [],
      provenance: { lab: '0', node: process.versions.node, checkout: null, dirty: null },
    }),
    'usage.json': UsageRecord.parse({
      mode: spec.arm,
      model: null,
      started_at: startedAt,
      finished_at: finishedAt,
      elapsed_seconds: 9,
      input_tokens_uncached: usage ? 60 : null,
      input_tokens_cached: usage ? 40 : null,
      output_tokens: usage ? 5 : null,
      peak_context_tokens: usage ? 105 : null,
      model_calls: 1,
      tool_calls: usage ? { number: 1, kinds: { read: 1 } } : null,
      usage_source: 'gateway',
    }),
    'attestation.json': Attestation.parse({
      schemaVersion: 1,
      mainRequests: 1,
      listed: spec.skills.map((skill) => skill.name),
      deliveredTask: spec.task,
      delivery: 'exact',
      tools: null,
      parameters: null,
      models: [],
      bodies: [],
      forbidden: [],
      problems,
    }),
    'trajectory.json': Trajectory.parse({
      response: '',
      model: null,
      startedAt: null,
      finishedAt: null,
      modelCalls: 1,
      toolCalls: [{ line: 1, name: 'read', arguments: {}, failed: null, resultBytes: null, resultLines: null }],
      usage: null,
      loaded: spec.skills.slice(0, 1).map((skill) => ({ skill: skill.name, line: 1, how: 'file-read' as const })),
      stop: null,
      error: null,
    }),
  };
  for (const [file, value] of Object.entries(files)) await writeFile(join(draft, file), prettyJson(value));
  const call: CallRecord = {
    schemaVersion: 1,
    seq: 1,
    at: '2026-01-01T00:00:02.000Z',
    api: 'openai-completions',
    kind: 'model-call',
    method: 'POST',
    path: '/v1/chat/completions',
    status: 200,
    startedMs: 2000,
    firstByteMs: 2500,
    endedMs: 3000,
    request: null,
    response: null,
    contentType: null,
    requestBytes: 1,
    responseBytes: 1,
    redactions: 0,
    model: 'scripted-1',
    usage: usage ? counted : null,
    stop: 'stop',
    complete: true,
    error: null,
    toolCalls: 1,
  };
  await writeFile(join(draft, 'calls.jsonl'), `${JSON.stringify(CallRecord.parse(call))}\n`);
  await sealRecord(draft, lab.run.trial(hash, repeat));
}

describe('the repository’s notebooks', () => {
  it('run on a study with missing, timed-out and invalid trials, three arms, and no scores', async () => {
    for (const part of ['data/cases/inventory', 'skills-src', 'notebooks', 'package.json'])
      await cp(join(repository, part), join(root, part), { recursive: true });
    await writeFile(join(root, 'nx.json'), '{}');
    const settings = await readFile(join(repository, 'data/experiments/inventory/experiment.yaml'), 'utf8');
    await mkdir(rootPaths(root).experiment('inventory'), { recursive: true });
    await writeFile(
      rootPaths(root).settings('inventory'),
      settings.replace(/^repeats:/m, '  C:\n    skills: [contract-doc-sync]\nrepeats:'),
    );
    await symlink(join(repository, 'node_modules'), join(root, 'node_modules'));
    const lab = await openLab(root, 'inventory');
    await freeze(lab);
    await rm(join(root, 'node_modules'));

    // frozen, and nothing run yet
    const before = await analyse(lab);
    expect(before.published.trials).toEqual([]);
    expect(before.published['rows-cost']).toHaveLength(12);
    // what a design can show is known before the first trial
    expect(before.figures.map((figure) => figure.name)).toEqual(['power']);

    await record(lab, 'inventory.A.1');
    await record(lab, 'inventory.B.1', { status: 'timed-out', usage: false });
    await record(lab, 'inventory.B.2', { problems: ['a made-up problem'] });
    await record(lab, 'inventory.C.1');
    const { published, figures, others } = await analyse(lab);
    expect(published.trials.map(({ id, status, valid, scoring }) => [id, status, valid, scoring])).toEqual([
      ['inventory.A.1', 'completed', true, 'pending'],
      ['inventory.B.1', 'timed-out', true, 'pending'],
      ['inventory.C.1', 'completed', true, 'pending'],
      ['inventory.B.2', 'completed', false, 'pending'],
    ]);
    const row = published['rows-cost'].find((one) => one.contrast === 'B-A' && one.metric === 'output_tokens');
    expect(row).toMatchObject({ a: 5, b: null, delta: null, nA: { used: 1, total: 3 }, nB: { used: 0, total: 3 } });
    expect(figures.map((figure) => figure.name)).toEqual(['trajectory', 'dumbbell', 'slopes', 'power']);
    expect(others.map((value) => value.name)).toEqual(['plan']);
    const copy = (name: string) => readFile(join(lab.run.notebooks, `${name}.ipynb`), 'utf8');
    expect(await copy('2-completeness-and-precision')).toContain('No figure: no valid run has been scored yet.');
    for (const name of new Set(Object.values(publishers))) {
      expect(await copy(name)).toContain('SCRIPTED MODEL');
      expect(await copy(name)).toContain('4 of 9 recorded, 1 invalid, 1 timed out, 4 not scored yet');
    }
  });
});
