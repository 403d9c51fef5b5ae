import type { TopLevelSpec } from 'vega-lite';
import { describe, expect, it } from 'vitest';
import { costMetrics } from '../src/analysis.js';
import { compareArms } from '../src/comparison.js';
import { renderFigure } from '../src/figure.js';
import { completenessFigure } from '../src/figures/completeness.js';
import { consistencyFigure } from '../src/figures/consistency.js';
import { dumbbellFigure } from '../src/figures/dumbbell.js';
import { efficiencyFigure } from '../src/figures/efficiency.js';
import { powerFigure } from '../src/figures/power.js';
import { precisionFigure } from '../src/figures/precision.js';
import { rubricFigure } from '../src/figures/rubric.js';
import { slopesFigure } from '../src/figures/slopes.js';
import { trajectoryFigure } from '../src/figures/trajectory.js';
import { type MetricId, metrics } from '../src/metric.js';
import type { TrialResult } from '../src/result.js';
import type { Timeline } from '../src/timeline.js';

const everything = (value: number | null) =>
  Object.fromEntries(metrics.map(({ id }) => [id, value])) as Record<MetricId, number | null>;

/** A run with all that the figures read. `value` is every metric's. */
function run(arm: string, repeat: number, value: number | null = 0.5, change: Partial<TrialResult> = {}): TrialResult {
  return {
    id: `shop.${arm}.${repeat}`,
    case: 'shop',
    arm,
    repeat,
    status: 'completed',
    valid: true,
    activation: [],
    values: everything(value),
    evidence: Object.fromEntries(metrics.map(({ id }) => [id, 'a record'])),
    rows: [
      { id: 'R1', weight: 3, applicable: true, found: repeat > 1, evidence: '' },
      { id: 'R2', weight: 1, applicable: false, found: false, evidence: '' },
    ],
    findings: [
      { key: 'no-rollback', claim: 'x', status: repeat > 1 ? 'confirmed' : 'contradicted', row: 'R1', evidence: '' },
      {
        key: 'a-long-key-that-a-scorer-chose-because-it-tells-the-finding-apart-from-all-others',
        claim: 'x',
        status: 'style',
        row: null,
        evidence: '',
      },
    ],
    precision: {
      confirmed: repeat - 1,
      contradicted: repeat > 1 ? 0 : 1,
      checkable: Math.max(1, repeat - 1),
      value: repeat > 1 ? 1 : 0,
    },
    ...change,
  } as unknown as TrialResult;
}

const unscored: Partial<TrialResult> = { rows: [], findings: null, precision: null };
const normal = ['A', 'B'].flatMap((arm) => [1, 2, 3].map((repeat) => run(arm, repeat, repeat / 4)));
const withNulls = [
  ...normal,
  run('A', 4, null, unscored),
  run('B', 4, null, { ...unscored, valid: false, rows: [] }),
  run('B', 5, 0.9, { status: 'timed-out' }),
];
const threeArms = ['A', 'B', 'older-set'].flatMap((arm) => [1, 2].map((repeat) => run(arm, repeat, repeat / 3)));
const many = ['A', 'B'].flatMap((arm) => Array.from({ length: 30 }, (_, index) => run(arm, index + 1, (index % 10) / 10)));
const pair = [{ arm: 'B', control: 'A' }];
const twoPairs = [...pair, { arm: 'older-set', control: 'A' }];
const pairsOf = (runs: TrialResult[]) => (runs.some((one) => one.arm === 'older-set') ? twoPairs : pair);

function timeline(one: Pick<TrialResult, 'id' | 'case' | 'arm' | 'repeat' | 'status'>, change: Partial<Timeline> = {}): Timeline {
  const { id, arm, repeat, status } = one;
  return {
    id,
    case: one.case,
    arm,
    repeat,
    status,
    elapsedSeconds: 4,
    calls: [1, 2].map((call) => ({
      call,
      start: call,
      end: call + 0.5,
      promptTokens: 1000 * call,
      outputTokens: 10,
      error: null,
    })),
    tools: [
      { name: 'read', call: 1, at: 1.5, failed: false },
      { name: 'read', call: 1, at: 1.5, failed: true },
      { name: 'bash', call: 2, at: 2.5, failed: null },
    ],
    loads: arm === 'A' ? [] : [{ skill: 'some-skill', at: 2 }],
    matched: true,
    ...change,
  };
}

const figures: { name: string; draw: (runs: TrialResult[]) => TopLevelSpec | null; says: RegExp; one: RegExp }[] = [
  {
    name: 'completeness',
    draw: (runs) => completenessFigure(runs),
    says: />median 50 % \(3 of 3 runs\)</,
    one: />median 50 % \(1 of 1 run\)</,
  },
  { name: 'rubric', draw: (runs) => rubricFigure(runs), says: />✗</, one: />n\/a</ },
  { name: 'precision', draw: (runs) => precisionFigure(runs), says: />✓ 2</, one: />✗ 1</ },
  { name: 'consistency', draw: (runs) => consistencyFigure(runs), says: />✓</, one: />no-rollback</ },
  {
    name: 'slopes',
    draw: (runs) => slopesFigure(runs, pairsOf(runs), costMetrics),
    says: />Elapsed time \(s\)</,
    one: />Tool calls \(calls\)</,
  },
  {
    name: 'dumbbell',
    draw: (runs) => dumbbellFigure(compareArms(runs, pairsOf(runs), costMetrics, {})),
    says: />×1\.00 {1,2}\(1 → 1 tokens\)</,
    one: /^null$/,
  },
  {
    name: 'trajectory',
    draw: (runs) => trajectoryFigure(runs.filter((one) => one.values.elapsed_seconds !== null).map((one) => timeline(one))),
    says: />2 \(1 ✗\)</,
    one: />shop\.A\.1: 2 model calls, 4\.0 s, completed</,
  },
];

describe.each(figures)('the figure $name', ({ draw, says, one }) => {
  const svg = async (runs: TrialResult[]) => {
    const spec = draw(runs);
    return spec === null ? 'null' : renderFigure(spec);
  };

  it('draws the usual study, with a title, a description in words and a width near 640', async () => {
    const spec = draw(normal);
    expect(spec?.description).toMatch(/\w+.*[.]$/);
    const picture = await svg(normal);
    expect(picture).toMatch(says);
    expect(picture).toMatch(/>[A-Z][^<]*\?<|>Time and tokens, run by run</);
    const width = Number(/ width="([\d.]+)"/.exec(picture)?.[1]);
    expect(width).toBeGreaterThan(400);
    expect(width).toBeLessThan(720);
  });

  it('draws unknown values, invalid runs and runs cut short', async () => {
    expect(await svg(withNulls)).toMatch(/^<svg /);
  });

  it('draws one run, or says that one is not enough', async () => {
    expect(await svg([run('A', 1)])).toMatch(one);
  });

  it('draws three arms, and sixty runs', async () => {
    expect(await svg(threeArms)).toMatch(/^<svg /);
    expect(await svg(many)).toMatch(/^<svg /);
  });

  it('is null without a run, and without a value', () => {
    expect(draw([])).toBeNull();
    expect(draw([run('A', 1, null, unscored), run('B', 1, null, unscored)])).toBeNull();
  });

  it('has its data inline, as JSON', () => {
    const spec = draw(normal);
    expect(JSON.parse(JSON.stringify(spec))).toEqual(spec);
    expect(JSON.stringify(spec)).not.toContain('"url"');
  });
});

describe('what the figures say of what they leave out', () => {
  it('counts runs without a value, and marks those cut short', async () => {
    const picture = await renderFigure(completenessFigure(withNulls) as TopLevelSpec);
    expect(picture).toContain('Not shown: 2 runs without a value (1 invalid).');
    expect(picture).toContain('A hollow mark is a run that was cut short.');
  });

  it('names metrics that have no value, and ratios that cannot be formed', async () => {
    const noTokens = normal.map((one) => ({ ...one, values: { ...one.values, output_tokens: null } }));
    expect(JSON.stringify(slopesFigure(noTokens, pair, costMetrics)?.title)).toContain('No values: Output (tokens).');
    const title = JSON.stringify(dumbbellFigure(compareArms(noTokens, pair, costMetrics, {}))?.title);
    expect(title).toContain('Output');
  });

  it('shows 0 as 0, apart from unknown: a control of 0 has no ratio, and a run of 0 a mark', async () => {
    const zero = normal.map((one) => ({ ...one, values: everything(0) }));
    expect(dumbbellFigure(compareArms(zero, pair, costMetrics, {}))).toBeNull();
    expect(await renderFigure(completenessFigure(zero) as TopLevelSpec)).toContain('>median 0 % (3 of 3 runs)<');
  });

  it('counts by arm where the runs are many', async () => {
    expect(await renderFigure(consistencyFigure(many) as TopLevelSpec)).toContain('>29/30<');
    expect(await renderFigure(rubricFigure(many) as TopLevelSpec)).toContain('>29/30<');
    expect(await renderFigure(precisionFigure(many) as TopLevelSpec)).toContain('>A (30 runs)<');
  });

  it('a trial without model calls, an unknown prompt, a tool call out of place, a skill loaded at an unknown time', async () => {
    const odd = [
      timeline(run('A', 1), { calls: [] }),
      timeline(run('B', 1, 1, { status: 'timed-out' }), {
        calls: [{ call: 1, start: 1, end: 2, promptTokens: null, outputTokens: null, error: 'timeout' }],
        tools: [{ name: 'read', call: null, at: null, failed: null }],
        loads: [{ skill: 'some-skill', at: null }],
        matched: false,
      }),
    ];
    const spec = trajectoryFigure(odd) as TopLevelSpec;
    const title = (spec.title as { subtitle: string[] }).subtitle.join(' ');
    for (const part of [
      '1 trial without a model call',
      '1 model call with an unknown prompt',
      '2 marks of tool calls and loads',
      'may be wrong in: shop.B.1',
    ])
      expect(title).toContain(part);
    expect(await renderFigure(spec)).toContain('>shop.B.1: 1 model call, 4.0 s, timed out<');
  });

  it('the twelve first of many trials, and the commonest kinds of tool', async () => {
    const kinds = 'abcdefghij'.split('').map((name, index) => ({ name, call: 1, at: index / 5, failed: false }));
    const spec = trajectoryFigure(many.map((one) => timeline(one, { tools: kinds }))) as TopLevelSpec;
    expect(JSON.stringify(spec.title)).toContain('The first 12 of 60 trials.');
    expect(await renderFigure(spec)).toContain('>other<');
  });
});

describe('figures that are not of runs', () => {
  it('power: the same simulated points each time, rising with repeats, 0 where the design cannot reject', async () => {
    const spec = powerFigure({ cases: 1, repeats: 3 });
    const { values } = (spec as unknown as { data: { values: { repeats: number; effect: string; power: number }[] } }).data;
    expect(values.filter((row) => row.repeats < 4).every((row) => row.power === 0)).toBe(true);
    expect(values.find((row) => row.repeats === 8 && row.effect === '3 SD')?.power).toBeGreaterThan(0.95);
    expect(powerFigure({ cases: 1, repeats: 3 })).toEqual(spec);
    expect(await renderFigure(spec)).toContain('What could one case show');
  });

  it('efficiency: rows without a cost are left out, negative costs are named and never a ratio; null without a row', async () => {
    const row = { skill: 'x', n: 10, passedWith: 8, passedWithout: 5, tokensWith: 50, tokensWithout: 100 };
    const spec = efficiencyFigure([row, { ...row, skill: 'y', tokensWith: null }], 'A source.');
    expect(spec?.description).toContain('dominates: 1. x: 30.0 pp, tokens -50 %');
    expect(spec?.description).not.toContain('y:');
    expect(await renderFigure(spec as TopLevelSpec)).toContain('A source.');
    expect(efficiencyFigure([{ ...row, tokensWith: null }], '')).toBeNull();
  });
});
