import { type Benchmark, type BenchmarkEval, meanOf } from './benchmark.js';
import type { EvalEffect } from './eval-effect.js';
import { countGrades, type PassCount, passRate } from './grade.js';
import type { TriggerReport } from './trigger-rate.js';

/** benchmark.md: the table of the skills, what it does not say, every eval, the confusions of trigger evals. */
export function benchmarkMarkdown(benchmark: Benchmark, iteration: number, changes: string[] | null): string {
  const { evals, effects, triggers } = benchmark;
  return `${[
    `# ${benchmark.experiment}, iteration ${iteration}`,
    ...(benchmark.scripted ? ['', '**SCRIPTED: a script stood in for the model or the judge. Nothing here is measured.**'] : []),
    '',
    ...(effects.length === 0 ? [] : effectTable(effects, evals)),
    ...caveats(benchmark),
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
  ].join('\n')}\n`;
}

function effectTable(effects: EvalEffect[], evals: BenchmarkEval[]): string[] {
  return [
    '| Skill | Evals | With | Without | Difference (points) | 95 % interval | For these evals | Tokens with / without | Seconds with / without |',
    '| --- | --: | --: | --: | --: | --: | --- | --: | --: |',
    ...effects.map((effect) => {
      const own = evals.filter(({ skill }) => skill === effect.skill);
      const mean = (side: 'with' | 'without', key: 'tokens' | 'seconds', digits: number) =>
        meanOf(own.flatMap((one) => one[side].map((run) => run[key])))?.toFixed(digits) ?? 'unknown';
      const { interval } = effect;
      return `| ${[
        cell(effect.skill),
        own.length,
        shownCount(effect.with),
        shownCount(effect.without),
        signed(effect.points),
        interval === null ? 'unknown' : `${signed(100 * interval.low)} to ${signed(100 * interval.high)}`,
        effect.conclusion,
        `${mean('with', 'tokens', 0)} / ${mean('without', 'tokens', 0)}`,
        `${mean('with', 'seconds', 1)} / ${mean('without', 'seconds', 1)}`,
      ].join(' | ')} |`;
    }),
  ];
}

function caveats({ evals, effects, timedOut, unscored, judge }: Benchmark): string[] {
  const finished = (side: 'with' | 'without') => countGrades(evals.flatMap((one) => one[side]));
  const [withIt, without] = [finished('with'), finished('without')];
  return [
    '',
    `- Differences are in percentage points, worked out from the counts. Intervals (Newcombe) hold for these evals only, and take each assertion as a draw of its own: assertions of one run go together, so they are too narrow. A few evals of a skill say nothing of other tasks.`,
    `- "not distinguishable" is no "no difference": that needs an equivalence margin declared before the runs.`,
    `- Timed out: ${timedOut.with} with, ${timedOut.without} without a skill. They pass none of their assertions above; without them: ${shownCount(withIt.finished)} with, ${shownCount(without.finished)} without${effects.length > 1 ? ' (all skills)' : ''}.`,
    `- Unscored: ${unscored} assertions, in no count. ${judge === null ? 'There is no judge: assertions without a check are unscored.' : `Judge: ${judge}.`}`,
  ];
}

function evalTable(evals: BenchmarkEval[]): string[] {
  return [
    '| Eval | Skill | With | Without |',
    '| --- | --- | --: | --: |',
    ...evals
      .filter((one) => [...one.with, ...one.without].some(({ assertions }) => assertions.length > 0))
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
