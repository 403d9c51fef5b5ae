import { type Benchmark, type BenchmarkEval, type BenchmarkRun, meanOf } from './benchmark.js';
import type { EvalEffect } from './eval-effect.js';
import { countGrades, type PassCount, passRate } from './grade.js';
import { signFlipTest } from './statistics/case-test.js';
import { shiftOverCases } from './statistics/hodges-lehmann.js';
import { repeatsForMany } from './statistics/multiplicity.js';
import type { TriggerReport } from './trigger-rate.js';

/** benchmark.md: the table of the skills, what it does not say, every eval, the confusions of trigger evals. */
export function benchmarkMarkdown(benchmark: Benchmark, iteration: number, changes: string[] | null): string {
  const { evals, effects, triggers, further } = benchmark;
  return `${[
    `# ${benchmark.experiment}, iteration ${iteration}`,
    ...(benchmark.scripted ? ['', '**SCRIPTED: a script stood in for the model or the judge. Nothing here is measured.**'] : []),
    '',
    ...(benchmark.deliver === 'prompt' ? [toldLine, ''] : []),
    ...(effects.length === 0 ? [] : effectTable(effects, evals, ['with', 'without'])),
    ...caveats(benchmark),
    ...further.flatMap(({ arm, control, deliver, effects: own }) => [
      '',
      `## Arm ${arm} against ${control}`,
      '',
      ...(deliver === 'prompt' ? [toldLine, ''] : []),
      ...(own.length === 0 ? ['Nothing scored.'] : effectTable(own, evals, [arm, control])),
    ]),
    ...(changes === null
      ? []
      : [
          '',
          `## Changed since iteration ${iteration - 1}`,
          '',
          ...(changes.length === 0 ? ['Nothing.'] : changes.map((line) => `- ${line}`)),
        ]),
    ...(effects.length === 0 ? [] : ['', '## By eval', '', ...evalTable(evals)]),
    ...(triggers.length === 0 ? [] : ['', '## Activation', '', ...triggers.flatMap(triggerLines)]),
    ...further.flatMap(({ arm, triggers: own = [] }) =>
      own.length === 0 ? [] : ['', `## Activation in arm ${arm}`, '', ...own.flatMap(triggerLines)],
    ),
  ].join('\n')}\n`;
}

const toldLine =
  'The text of the skill stood **in front of the task** (`deliver: prompt`), and the agent listed no skill: this is what the text does once it is read.';

/** `sides`: how the arm and its control are called in the head. */
function effectTable(effects: EvalEffect[], evals: BenchmarkEval[], [arm, control]: [string, string]): string[] {
  return [
    `| Skill | Evals | ${cell(arm)} | ${cell(control)} | Difference (points) | Mean of evals (points) | 95 % interval | p (smallest possible) | For these evals | Tokens ${cell(arm)} / ${cell(control)} | Seconds |`,
    '| --- | --: | --: | --: | --: | --: | --: | --: | --- | --: | --: |',
    ...effects.map((effect) => {
      const own = evals.filter((one) => one.skill === effect.skill && isScored(one));
      const runs = (side: string) =>
        own.flatMap((one) => (side === 'with' || side === 'without' ? one[side] : (one.further[side] ?? one.without)));
      const mean = (side: string, key: 'tokens' | 'seconds', digits: number) =>
        meanOf(runs(side).map((run) => run[key]))?.toFixed(digits) ?? 'unknown';
      const { interval, runs: test } = effect;
      return `| ${[
        cell(effect.skill),
        own.length,
        shownCount(effect.with),
        shownCount(effect.without),
        signed(effect.points),
        signed(effect.meanPoints),
        interval === null
          ? 'none: too few runs'
          : `${signed(100 * interval.low)} to ${signed(100 * interval.high)}${interval.attained < 0.955 ? '' : ` (${(100 * interval.attained).toFixed(1)} %)`}`,
        test.p === null || test.smallestP === null ? 'unknown' : `${shownP(test.p)} (${shownP(test.smallestP)})`,
        effect.conclusion,
        `${mean(arm, 'tokens', 0)} / ${mean(control, 'tokens', 0)}`,
        `${mean(arm, 'seconds', 1)} / ${mean(control, 'seconds', 1)}`,
      ].join(' | ')} |`;
    }),
  ];
}

function shownP(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

function caveats({ evals, effects, timedOut, unscored, judge, invalid = [] }: Benchmark): string[] {
  const finished = (side: 'with' | 'without') => countGrades(evals.flatMap((one) => one[side]));
  const [withIt, without] = [finished('with'), finished('without')];
  const idle = evals.filter(
    (one) => !isScored(one) && runsOf(one).length > 0 && runsOf(one).every(({ trigger }) => trigger === null),
  );
  return [
    '',
    '- Differences are in percentage points, worked out from the counts. Assertions of one run go together, so that runs are the units of every test: p exchanges the labels of the runs within each eval, and "higher" and "lower" are said at .05 after Holm’s correction over the skills, of these evals alone. A few evals of a skill say nothing of other tasks.',
    ...needs(effects),
    ...(effects.some(({ interval }) => interval !== null)
      ? [
          '- An interval of few runs covers more than 95 % (the share stands behind it), so that it may hold 0 although p is small: what is said of these evals goes by p.',
        ]
      : []),
    ...together(effects),
    `- "not distinguishable" is no "no difference": that needs an equivalence margin declared before the runs.`,
    `- Timed out: ${timedOut.with} with, ${timedOut.without} without a skill. They pass none of their assertions above; without them: ${shownCount(withIt.finished)} with, ${shownCount(without.finished)} without${effects.length > 1 ? ' (all skills)' : ''}.`,
    `- Unscored: ${unscored} assertions, in no count. ${judge === null ? 'There is no judge: assertions without a check are unscored.' : `Judge: ${judge}.`}`,
    ...invalid.map(({ trial, problems }) => `- Left out of everything above: ${cell(trial)} (${cell(problems.join('; '))}).`),
    ...(idle.length === 0 ? [] : [`- Without a criterion, and so in no count: ${idle.map((one) => cell(one.case)).join(', ')}.`]),
  ];
}

/** An eval with assertions: others ask only whether the skill is loaded. */
function isScored(one: BenchmarkEval): boolean {
  return runsOf(one).some(({ assertions }) => assertions.length > 0);
}

function runsOf({ with: withIt, without, further }: BenchmarkEval): BenchmarkRun[] {
  return [...withIt, ...without, ...Object.values(further).flat()];
}

/** All evals together, for evals like these: evals are the units. */
function together(effects: EvalEffect[]): string[] {
  const all = effects.flatMap(({ byEval }) => byEval);
  const { p, smallestP } = signFlipTest(all);
  if (all.length < 2 || p === null || smallestP === null) return [];
  const { interval } = shiftOverCases(all);
  const range = interval === null ? 'no interval: it needs 6 evals' : `95 %: ${signed(interval.low)} to ${signed(interval.high)}`;
  return [
    `- All ${all.length} evals together, as a sample of evals like these: ${signed(meanOf(all))} points on average (${range} for the shift over evals); p ${shownP(p)}, at best ${shownP(smallestP)} (signs of the evals’ differences turned).`,
  ];
}

/** What no skill of this design could have shown, and what it would take. */
function needs(effects: EvalEffect[]): string[] {
  const known = effects.filter(({ runs }) => runs.smallestP !== null);
  const beyond = known.filter(({ runs }) => (runs.smallestP as number) * known.length > 0.05);
  if (beyond.length === 0) return [];
  const { repeats } = repeatsForMany(known.length);
  return [
    `- With so few runs ${beyond.length} of ${known.length} skills cannot reach .05 after the correction, whatever their effect: "not distinguishable" is all that can be said of them. One eval with ${repeats} repeats could; more evals need fewer.`,
  ];
}

function evalTable(evals: BenchmarkEval[]): string[] {
  return [
    '| Eval | Skill | With | Without |',
    '| --- | --- | --: | --: |',
    ...evals
      .filter(isScored)
      .map(
        (one) =>
          `| ${cell(one.case)} | ${cell(one.skill)} | ${shownCount(countGrades(one.with).all)} | ${shownCount(countGrades(one.without).all)} |`,
      ),
  ];
}

function triggerLines({ skill, precision, recall, confusions, ...counts }: TriggerReport): string[] {
  const rate = ({ value, k, n, interval }: TriggerReport['precision']) =>
    value === null || interval === null
      ? 'unknown (no run)'
      : `${(100 * value).toFixed(0)} % (${k} of ${n}; 95 %: ${(100 * interval.low).toFixed(0)} to ${(100 * interval.high).toFixed(0)} %)`;
  return [
    `### ${skill}`,
    '',
    `Precision ${rate(precision)}; recall ${rate(recall)}. Loaded rightly ${counts.truePositive}, wrongly ${counts.falsePositive}; left rightly ${counts.trueNegative}, wrongly ${counts.falseNegative}. Repeats of a prompt are not independent.`,
    '',
    ...confusions.map(
      (one) =>
        `- ${one.case}: ${one.should ? 'should load it' : 'should not load it'}; loaded in ${one.loaded} of ${one.runs} runs (${one.evidence.join('; ')})`,
    ),
    ...(confusions.length === 0 ? ['No confusion.'] : []),
    '',
  ];
}

function shownCount(count: PassCount): string {
  const rate = passRate(count);
  return rate === null ? 'unknown' : `${(100 * rate).toFixed(0)} % (${count.passed}/${count.total})`;
}

function signed(points: number | null): string {
  return points === null ? 'unknown' : `${points > 0 ? '+' : ''}${points.toFixed(1)}`;
}

/** A text as a cell of a table: nothing in it ends the cell or the line. */
function cell(text: string): string {
  return text.replace(/[|\\`<]/g, (sign) => `\\${sign}`).replace(/\s+/g, ' ');
}
