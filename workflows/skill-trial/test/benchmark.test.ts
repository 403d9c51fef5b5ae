import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { pi } from '../src/agents/pi.js';
import { type Benchmark, makeBenchmark } from '../src/benchmark.js';
import { benchmarkChanges } from '../src/benchmark-change.js';
import { exportBenchmark } from '../src/benchmark-export.js';
import { benchmarkMarkdown } from '../src/benchmark-markdown.js';
import { readBenchmark } from '../src/benchmark-reading.js';
import { EvalCheck } from '../src/eval.js';
import { type RunOutput, runCheck } from '../src/eval-check.js';
import { evalEffects, pointsOf, sortEffects } from '../src/eval-effect.js';
import { countGrades, passRate, type TrialGrade } from '../src/grade.js';
import { readEvalTable } from '../src/published-tables.js';
import { reviewPage } from '../src/review-page.js';
import type { Study } from '../src/study.js';
import { triggerReports } from '../src/trigger-rate.js';
import { trialResult } from './fixture.js';
import { makeBenchmarkFixture, run } from './fixtures/benchmark.js';

describe('counts', () => {
  const graded = (passed: (boolean | null)[], timedOut = false) =>
    ({
      timedOut,
      assertions: passed.map((one, index) => ({
        id: `${index}`,
        text: 't',
        kind: 'quality',
        by: 'check',
        passed: one,
        evidence: '',
      })),
    }) as TrialGrade;

  test('unscored is in no count; a run that timed out passes none, and is shown without as well', () => {
    const counts = countGrades([graded([true, false, null]), graded([null, null], true)]);
    expect(counts).toEqual({
      all: { passed: 1, total: 4 },
      finished: { passed: 1, total: 2 },
      unscored: 1,
      timedOut: 1,
      runs: 2,
    });
  });

  test('nothing scored has no rate', () => {
    expect(passRate(countGrades([graded([null])]).all)).toBeNull();
    expect(passRate(countGrades([]).all)).toBeNull();
  });
});

describe('effects', () => {
  /** Runs of which `passed` of `total` assertions hold each. */
  const runs = (...shares: [number, number][]) =>
    shares.map(([passed, total]) => ({
      timedOut: false,
      assertions: Array.from({ length: total }, (_, index) => ({
        id: `${index}`,
        text: 't',
        kind: 'quality' as const,
        by: 'check' as const,
        passed: index < passed,
        evidence: '',
      })),
    }));

  test('runs are the units: ten assertions of one run more are still one run', () => {
    const [effect] = evalEffects([
      {
        skill: 's',
        evals: [
          { with: runs([10, 10]), without: runs([0, 10]) },
          { with: runs([1, 2]), without: runs([1, 2]) },
        ],
      },
    ]);
    // 11 of 12 against 1 of 12; by eval 100 and 0; two of four labellings are as extreme
    expect(effect).toMatchObject({
      with: { passed: 11, total: 12 },
      without: { passed: 1, total: 12 },
      byEval: [100, 0],
      meanPoints: 50,
      runs: { p: 1, smallestP: 0.5, holm: 1 },
      evals: { p: 1, smallestP: 0.5 },
      interval: null,
      conclusion: 'not distinguishable',
    });
    expect(effect?.points).toBeCloseTo((100 * 10) / 12, 9);
  });

  test('four against four of one eval reach 2/70, and Holm asks for more of two skills', () => {
    const clear = { with: runs([2, 2], [2, 2], [2, 2], [2, 2]), without: runs([0, 2], [0, 2], [0, 2], [0, 2]) };
    const [alone] = evalEffects([{ skill: 's', evals: [clear] }]);
    expect(alone).toMatchObject({ conclusion: 'higher', meanPoints: 100, runs: { smallestP: 2 / 70 } });
    expect(alone?.runs.p).toBeCloseTo(2 / 70, 12);
    const both = evalEffects([
      { skill: 's', evals: [clear] },
      { skill: 't', evals: [clear] },
    ]);
    expect(both.map(({ conclusion, runs: { holm } }) => [conclusion, holm?.toFixed(4)])).toEqual([
      ['not distinguishable', '0.0571'],
      ['not distinguishable', '0.0571'],
    ]);
    const worse = evalEffects([{ skill: 's', evals: [{ with: clear.without, without: clear.with }] }]);
    expect(worse[0]?.conclusion).toBe('lower');
  });

  test('"no difference" needs a margin that was declared, and runs enough for an interval', () => {
    const same = { with: runs([1, 2], [1, 2], [1, 2]), without: runs([1, 2], [1, 2], [1, 2]) };
    expect(evalEffects([{ skill: 's', evals: [same] }])[0]?.conclusion).toBe('not distinguishable');
    expect(evalEffects([{ skill: 's', evals: [same] }], 0.1)[0]?.conclusion).toBe('no difference');
    const once = { with: runs([1, 2]), without: runs([1, 2]) };
    expect(evalEffects([{ skill: 's', evals: [once] }], 0.1)[0]?.conclusion).toBe('not distinguishable');
  });

  test('an eval scored on one side only is in the counts and in no comparison', () => {
    const [effect] = evalEffects([{ skill: 's', evals: [{ with: runs([1, 2]), without: runs([0, 0]) }] }]);
    expect(effect).toMatchObject({
      with: { passed: 1, total: 2 },
      without: { passed: 0, total: 0 },
      points: null,
      byEval: [],
      meanPoints: null,
      runs: { p: null, smallestP: null, holm: null },
      conclusion: 'unknown',
    });
  });

  test('the published table of 25 skills, from counts: four printed differences are those of neither', async () => {
    const rows = await readEvalTable(fileURLToPath(new URL('../../../data/published/pi-skill-evals.csv', import.meta.url)));
    const effects = rows.map((row) => ({
      skill: row.skill,
      with: { passed: row.passedWith, total: row.n },
      without: { passed: row.passedWithout, total: row.n },
      ...pointsOf({ passed: row.passedWith, total: row.n }, { passed: row.passedWithout, total: row.n }),
    }));
    expect(effects.map(({ with: one }) => Math.round((100 * one.passed) / one.total))).toEqual(
      rows.map((row) => row.withPercent),
    );
    expect(effects.map(({ without: one }) => Math.round((100 * one.passed) / one.total))).toEqual(
      rows.map((row) => row.withoutPercent),
    );
    const differs = rows.filter((row, index) => effects[index]?.pointsOfShown !== row.printedDifference).map((row) => row.skill);
    expect(differs.sort()).toEqual(['design', 'design-md-style-apply', 'research', 'show-first']);
    // they are the differences of the counts, rounded once
    expect(rows.every((row, index) => Math.round(effects[index]?.points as number) === row.printedDifference)).toBe(true);
    const sorted = sortEffects(effects);
    expect([sorted[0]?.skill, sorted.at(-1)?.skill]).toEqual(['governance-fanout', 'domain-modeling']);
    expect([20, 4, 1]).toEqual(
      [1, 0, -1].map((sign) => effects.filter(({ points }) => Math.sign(points as number) === sign).length),
    );
  });
});

test('the table counts scored evals, says what so few runs cannot show, and what all evals show together', () => {
  const benchmark = makeBenchmarkFixture();
  const trigger = { ...(benchmark.evals[0] as Benchmark['evals'][number]), case: 'tea-3', with: [], without: [] };
  const text = benchmarkMarkdown({ ...benchmark, evals: [...benchmark.evals, trigger] }, 1, null);
  expect(text).toContain(
    '| tea | 2 | 50 % (2/4) | 20 % (1/5) | +30.0 | +25.0 | none: too few runs | 1.000 (0.500) | not distinguishable |',
  );
  expect(text).toContain('With so few runs 1 of 1 skills cannot reach .05');
  expect(text).toContain(
    'All 2 evals together, as a sample of evals like these: +25.0 points on average (no interval: it needs 6 evals',
  );
});

describe('trigger evals', () => {
  test('precision and recall over runs, and what came out wrong', () => {
    const grade = (name: string, repeat: number, should: boolean, did: boolean) =>
      ({
        ...run({ case: name, repeat }),
        trial: `${name}.B.${repeat}`,
        trigger: { should, did, evidence: 'events.jsonl:3' },
      }) as TrialGrade;
    const [report] = triggerReports([
      grade('a', 1, true, true),
      grade('a', 2, true, false),
      grade('b', 1, false, true),
      grade('b', 2, false, false),
      grade('c', 1, true, true),
    ]);
    expect(report).toMatchObject({
      truePositive: 2,
      falsePositive: 1,
      falseNegative: 1,
      trueNegative: 1,
      precision: { k: 2, n: 3 },
      recall: { k: 2, n: 3 },
    });
    expect(report?.confusions.map(({ case: name, loaded, runs }) => [name, loaded, runs])).toEqual([
      ['a', 1, 2],
      ['b', 1, 2],
    ]);
    expect(triggerReports([grade('b', 1, false, false)])[0]?.precision).toMatchObject({ value: null, interval: null });
  });
});

test('trigger rates are those of one arm, and of its valid trials alone', () => {
  const trial = (arm: string, repeat: number, did: boolean, valid = true) => ({
    grade: {
      ...run({ case: 'tea-1', arm, repeat, trial: `tea-1.${arm}.${repeat}` }),
      trigger: { should: true, did, evidence: 'events.jsonl:3' },
    },
    result: trialResult({ case: 'tea-1', arm, repeat, valid }),
  });
  const trials = [trial('B', 1, true), trial('B', 2, false, false), trial('P', 1, false), trial('P', 2, false)];
  const study = {
    lab: {
      experiment: {
        name: 'x',
        cases: ['tea-1'],
        arms: { A: { skills: [] }, B: { skills: ['tea'] }, P: { skills: ['tea'], placebo: 'B' } },
        model: { id: 'm' },
        repeats: 2,
        decision: {},
      },
      cases: new Map([
        ['tea-1', { eval: { skill: 'tea', follow_ups: ['And now?'] }, title: 'Tea', taskBytes: Buffer.from('Brew') }],
      ]),
    },
    grading: { judge: null, judgeScripted: false, trials: trials.map(({ grade }) => grade) },
    results: trials.map(({ result }) => result),
  } as unknown as Study;
  const { triggers, further, ...rest } = makeBenchmark(study, new Map(), new Map(), new Map([['tea-1.P.1', 140]]));
  // what does not count is named with its reason
  const left = study.results.filter(({ valid }) => !valid).map(({ id, problems }) => ({ trial: id, problems }));
  expect(left).toHaveLength(1);
  expect(rest.invalid).toEqual(left);
  expect(rest.evals[0]?.followUps).toEqual(['And now?']);
  // the provider did not say how much of the prompt was cached: what was used in all is known all the same
  expect(rest.evals[0]?.further.P?.map(({ tokens }) => tokens)).toEqual([140, null]);
  const page = reviewPage({ ...rest, triggers, further }, 1, null);
  expect(page).toContain('Follow-up 1');
  expect(page).toContain(`Left out: ${left[0]?.trial}`);
  expect(benchmarkMarkdown({ ...rest, triggers, further }, 1, null)).toContain(
    `- Left out of everything above: ${left[0]?.trial}`,
  );
  expect(triggers).toMatchObject([{ skill: 'tea', truePositive: 1, falseNegative: 0, recall: { k: 1, n: 1 }, confusions: [] }]);
  // a further arm has a report of its own
  expect(further).toMatchObject([{ arm: 'P', triggers: [{ skill: 'tea', truePositive: 0, falseNegative: 2 }] }]);
  expect(benchmarkMarkdown({ ...rest, triggers, further }, 1, null)).toContain('## Activation in arm P');
});

test('an interval of few runs says how much it covers, since it may hold 0 although p is small', () => {
  const { effects, ...rest } = makeBenchmarkFixture();
  const interval = { low: -0.5, high: 1, level: 0.95, attained: 0.9921875, method: 'hodges-lehmann' as const };
  const text = benchmarkMarkdown({ ...rest, effects: effects.map((effect) => ({ ...effect, interval })) }, 1, null);
  expect(text).toContain('| -50.0 to +100.0 (99.2 %) |');
  expect(text).toContain('it may hold 0 although p is small');
});

describe('checks', () => {
  const output = (parts: Partial<RunOutput> = {}): RunOutput => ({
    response: 'The cup is hot.\n```json\n{"a": [{"b": 2}]}\n```',
    status: 'completed',
    trajectory: {
      toolCalls: [{ name: 'bash', line: 4 }] as never,
      loaded: [{ skill: 'tea', line: 2, how: 'file-read' }] as never,
    },
    tree: null,
    run: async () => ({ exitCode: 3, timedOut: false, stdout: 'no cup', tail: 'no cup' }),
    ...parts,
  });

  test.each([
    [{ type: 'output-text', values: ['hot', 'cold'] }, false],
    [{ type: 'output-text', values: ['hot', 'cold'], of: 'any' }, true],
    [{ type: 'output-text', values: ['COLD'], of: 'none', ignore_case: true }, true],
    [{ type: 'output-text', values: ['CUP'], ignore_case: true }, true],
    [{ type: 'output-pattern', pattern: '^The' }, true],
    [{ type: 'output-pattern', pattern: 'hot', expect: 'no-match' }, false],
    [{ type: 'json', path: 'a[0].b', equals: 2 }, true],
    [{ type: 'json', path: 'a[1]' }, false],
    [{ type: 'json', file: 'x.json', path: 'a' }, false],
    [{ type: 'file', path: 'x' }, false],
    [{ type: 'file', path: 'x', expect: 'absent' }, true],
    [{ type: 'command', command: 'x', exit: 3 }, true],
    [{ type: 'command', command: 'x' }, false],
    [{ type: 'tool', tool: 'Bash' }, true],
    [{ type: 'tool', tool: 'edit', expect: 'not-used' }, true],
    [{ type: 'activation', skill: 'tea' }, true],
    [{ type: 'activation', skill: 'tea', expect: 'not-loaded' }, false],
    [{ type: 'completed' }, true],
  ])('%j is %s', async (check, expected) => {
    expect((await runCheck(EvalCheck.parse(check), output())).passed).toBe(expected);
  });

  test('files of the final tree', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'checks-'));
    try {
      await writeFile(join(folder, 'a.txt'), 'green tea');
      const tree = { folder, paths: ['a.txt', 'docs/b.md'] };
      const say = async (check: object) => (await runCheck(EvalCheck.parse(check), output({ tree }))).passed;
      expect(await say({ type: 'file', path: '**/*.md' })).toBe(true);
      expect(await say({ type: 'file-text', path: 'a.txt', contains: ['green'], lacks: ['black'] })).toBe(true);
      expect(await say({ type: 'file-text', path: 'a.txt', matches: '^tea' })).toBe(false);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('a command that does not end is unscored, not failed', async () => {
    const hanging = output({ run: async () => ({ exitCode: null, timedOut: true, stdout: '', tail: '' }) });
    expect((await runCheck(EvalCheck.parse({ type: 'command', command: 'x' }), hanging)).passed).toBeNull();
  });

  test.each([
    ['{"score":1,"details":"ok"}', 1, true],
    ['{"score":0.5}', 0, false],
    ['checking\n{"score":1}\n', 1, true],
    ['{\n "score": 0,\n "details": "no cup"\n}', 0, false],
    ['all good', 0, null],
    ['', 1, null],
  ])(
    'a grader that prints %j with exit status %i gives %s by its score; without one there is no verdict',
    async (stdout, exitCode, expected) => {
      const printing = output({ run: async () => ({ exitCode, timedOut: false, stdout, tail: '' }) });
      const check = EvalCheck.parse({ type: 'command', command: 'x', min_score: 1 });
      expect((await runCheck(check, printing)).passed).toBe(expected);
    },
  );
});

describe('the way out and back', () => {
  const benchmark = makeBenchmarkFixture();

  test.each(['skill-creator', 'agentskills', 'pi'] as const)('%s: the counts come back', (dialect) => {
    const files = exportBenchmark(benchmark, dialect, 1, '2026-01-01T00:00:00.000Z');
    const back = readBenchmark(files['tea/benchmark.json'] as string, 'benchmark.json');
    expect(back.skill).toBe('tea');
    expect(back.configurations.with_skill?.count).toEqual(benchmark.effects[0]?.with);
    expect(back.configurations.without_skill?.count).toEqual(benchmark.effects[0]?.without);
    expect(back.configurations.with_skill?.tokens).toBe(100);
    expect(back.configurations.without_skill?.tokens).toBeNull();
    const grading = Object.entries(files).find(
      ([path]) => path.endsWith('with_skill/run-1/grading.json') || path.endsWith('with_skill/grading.json'),
    );
    const value = JSON.parse(String(grading?.[1] ?? '{}'));
    expect(value[dialect === 'agentskills' ? 'assertion_results' : 'expectations'][0]).toMatchObject({
      text: 'Cup is full',
      passed: true,
      evidence: 'yes',
    });
    expect(value.summary).toEqual({ passed: 1, failed: 1, total: 2, pass_rate: 0.5 });
  });

  describe('skill-creator’s viewer and aggregation', () => {
    const at = '2026-01-01T00:00:00.000Z';
    const read = (files: Record<string, unknown>, path: string) => JSON.parse(String(files[path]));

    test('find the prompt beside each run and above it, the time and tokens in timing.json alone', () => {
      const files = exportBenchmark(benchmark, 'skill-creator', 1, at);
      const run = 'tea/eval-1/with_skill/run-1';
      const metadata = { eval_id: 1, eval_name: 'brew', prompt: 'Brew' };
      expect(read(files, `${run}/eval_metadata.json`)).toEqual(metadata);
      expect(read(files, 'tea/eval-1/eval_metadata.json')).toEqual(metadata);
      expect(read(files, `${run}/grading.json`).timing).toBeUndefined();
      expect(read(files, `${run}/timing.json`)).toEqual({ total_tokens: 100, duration_ms: 2000, total_duration_seconds: 2 });
    });

    test('stop at no null: what is unknown is left out, in a summary the whole statistic', () => {
      const files = exportBenchmark(benchmark, 'skill-creator', 1, at);
      expect(read(files, 'tea/eval-2/without_skill/run-1/timing.json')).toEqual({ duration_ms: 2000, total_duration_seconds: 2 });
      const { run_summary: summary } = read(files, 'tea/benchmark.json');
      expect(summary.without_skill.tokens).toBeNull();
      expect(summary.with_skill.tokens).toEqual({ mean: 100, stddev: 0, min: 100, max: 100 });
      expect(summary.delta).toEqual({ pass_rate: '+0.25', time_seconds: '+0.0', tokens: null });
      const unscored = structuredClone(benchmark);
      for (const one of unscored.evals) for (const run of [...one.with, ...one.without]) run.assertions = [];
      const none = exportBenchmark(unscored, 'skill-creator', 1, at);
      expect(read(none, 'tea/eval-1/with_skill/run-1/grading.json').summary).toEqual({ passed: 0, failed: 0, total: 0 });
      expect(read(none, 'tea/benchmark.json').run_summary.with_skill.pass_rate).toBeNull();
    });

    test('sort by ids of one type', () => {
      const ids = (...given: (string | number | null)[]) => {
        const changed = { ...benchmark, evals: benchmark.evals.map((one, index) => ({ ...one, id: given[index] ?? null })) };
        return read(exportBenchmark(changed, 'skill-creator', 1, at), 'tea/benchmark.json').metadata.evals_run;
      };
      expect([ids(4, 2), ids(null, null), ids('a', 'b'), ids(4, 'b'), ids('a', null)]).toEqual([
        [4, 2],
        [1, 2],
        ['a', 'b'],
        ['4', 'b'],
        ['a', '2'],
      ]);
    });

    test('show what a run left in its workspace beside its answer', () => {
      const made = structuredClone(benchmark);
      const files = [
        { path: 'settings.json', kind: 'added' as const, text: '{}\n', binary: null },
        { path: 'img/dot.png', kind: 'added' as const, text: null, binary: Buffer.from([0x89, 0xff]).toString('base64') },
        { path: 'old.txt', kind: 'deleted' as const, text: null, binary: null },
      ];
      Object.assign(made.evals[0]?.with[0] as object, { files });
      const outputs = (from: Record<string, unknown>) =>
        Object.entries(from).flatMap(([path, content]) => {
          const name = /^tea\/eval-1\/with_skill\/run-1\/outputs\/(.+)$/.exec(path)?.[1];
          return name === undefined ? [] : [[name, content]];
        });
      expect(outputs(exportBenchmark(made, 'skill-creator', 1, at))).toEqual([
        ['settings.json', '{}\n'],
        ['img/dot.png', Buffer.from([0x89, 0xff])],
        ['response.md', 'The cup is full.'],
      ]);
      Object.assign(files[0] as object, { path: 'response.md' });
      expect(Object.fromEntries(outputs(exportBenchmark(made, 'skill-creator', 1, at)))).toMatchObject({
        'response.md': '{}\n',
        'final-answer.md': 'The cup is full.',
      });
    });

    test('put the answer where no file and no folder of the run is, and name what is left out with its size', () => {
      const made = structuredClone(benchmark);
      const one = (path: string) => ({ path, kind: 'added' as const, text: path, binary: null });
      const large = { path: 'dump.sql', kind: 'added' as const, text: null, binary: null, bytesLeftOut: 3_000_000 };
      const [given] = made.evals[0]?.with ?? [];
      Object.assign(given as object, {
        files: [one('final-answer-2.md/x'), one('final-answer.md'), one('response.md/notes.txt'), large],
        moreFiles: 7,
      });
      const files = exportBenchmark(made, 'skill-creator', 1, at);
      const below = 'tea/eval-1/with_skill/run-1/outputs/';
      const names = Object.keys(files).filter((path) => path.startsWith(below));
      expect(names.map((path) => path.slice(below.length)).sort()).toEqual([
        'final-answer-2.md/x',
        'final-answer-3.md',
        'final-answer.md',
        'response.md/notes.txt',
      ]);
      for (const name of names)
        expect(
          names.filter((other) => other.startsWith(`${name}/`)),
          name,
        ).toEqual([]);
      const notes = read(files, 'tea/eval-1/with_skill/run-1/grading.json').user_notes_summary.needs_review;
      expect(notes).toContain('too large to be kept here: dump.sql (3000000 bytes)');
      expect(notes).toContain('7 more files were left than are named here');
    });
  });

  test.each([
    ['a fraction', { run_summary: { with_skill: { pass_rate: { mean: 0.75 } } } }, 0.75],
    ['per cent', { run_summary: { with_skill: { pass_rate: 75, tokens: 0 } } }, 0.75],
    ['a count', { summary: { with_skill: { pass_rate: '3/4' } } }, 0.75],
    ['a text', { configurations: [{ name: 'with_skill', pass_rate: '75%' }] }, 0.75],
    ['runs alone', { runs: [{ configuration: 'with_skill', result: { passed: 3, total: 4, tokens: 0 } }] }, 0.75],
  ])('a rate as %s', (_, value, rate) => {
    expect(readBenchmark(`\uFEFF${JSON.stringify(value)}`, 'b.json').configurations.with_skill).toMatchObject({
      rate,
      tokens: null,
    });
  });

  test('what changed since the iteration before, assertion by assertion', () => {
    const now: Benchmark = structuredClone(benchmark);
    const hot = now.evals[0]?.with[0]?.assertions[1];
    if (hot === undefined) throw new TypeError('the fixture has no such assertion');
    hot.passed = true;
    expect(benchmarkChanges(benchmark, now)).toEqual([
      { case: 'tea-1', arm: 'B', repeat: 1, assertion: 'hot', before: 'failed', now: 'passed' },
    ]);
    expect(benchmarkChanges(benchmark, benchmark)).toEqual([]);
  });

  test('the table says what it does not say', () => {
    const text = benchmarkMarkdown(benchmark, 2, []);
    expect(text).toContain('SCRIPTED');
    expect(text).toContain('not distinguishable');
    expect(text).toContain('A few evals of a skill say nothing of other tasks');
    expect(text).toContain('Timed out: 0 with, 1 without');
  });
});

describe('follow-ups', () => {
  test('pi is given them in one session, and refuses what it would take for an option', () => {
    const request = {
      program: { package: 'p', version: '1', folder: '/m', argv: () => ['node', 'cli.js'] },
      modules: '/m',
      view: { workspace: '/w', home: '/h', tmp: '/t', skills: '/s', gatewayPort: 1 },
      model: { id: 'm', api: 'openai-completions', parameters: {} },
      mcp: [],
      skills: ['tea'],
    } as never;
    expect(pi.launch({ ...(request as object), followUps: ['More', 'Stop'] } as never).argv.slice(-5)).toEqual([
      '--skill',
      '/s/tea',
      '',
      'More',
      'Stop',
    ]);
    expect(pi.launch(request).argv.at(-1)).toBe('/s/tea');
    expect(pi.followUpProblem?.('-x')).toContain('option');
    expect(pi.followUpProblem?.('More')).toBeNull();
    expect(pi.followUpProblem?.('é'.repeat(65_535))).toBeNull();
    expect(pi.followUpProblem?.('é'.repeat(65_536))).toContain('131072 bytes');
  });
});
