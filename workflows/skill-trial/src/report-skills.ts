import { contrastName } from './comparison.js';
import { contrasts } from './experiment.js';
import { namesOf } from './lab.js';
import { formatDelta, formatPoints, formatValue } from './number-format.js';
import { runPaths } from './paths.js';
import type { Report } from './report.js';
import { type Account, accountBlocks, counted, skillAccounts } from './report-account.js';
import { type Block, heading, list, type Section, table, text } from './report-document.js';
import { verdictBlocks } from './report-verdicts.js';
import { type SkillEffects, type SkillRun, skillEffects } from './skill-effect.js';
import type { Study } from './study.js';

/**
 * One table for each contrast that tells with from without, over the cases with a verifier; [] where no case has one, or while scoring
 * withholds verdicts. A control that has a skill of the arm's by name (a smaller set, a placebo, an older version, another model) is
 * not "without" it.
 */
export function skillEffectsOf(study: Study): SkillEffects[] {
  const { lab, results } = study;
  const measured = [...lab.cases.values()].filter((one) => one.verifier !== undefined).map((one) => one.name);
  if (measured.length === 0 || study.scores?.scoring.state !== 'unblinded') return [];
  const { arms } = lab.experiment;
  const telling = contrasts(lab.experiment).filter(({ arm, control }) => {
    const given = arms[arm]?.skills ?? [];
    return given.length > 0 && !given.some((skill) => arms[control]?.skills.includes(skill));
  });
  return telling.map((contrast) => {
    const runs = results
      .filter((result) => result.valid && measured.includes(result.case) && [contrast.arm, contrast.control].includes(result.arm))
      .flatMap(({ case: name, arm, verdict, values }): SkillRun[] => {
        if (verdict === null) return [];
        const parts = [values.input_tokens_uncached, values.input_tokens_cached, values.output_tokens];
        return [
          {
            skill: namesOf(lab, contrast.arm, name).join(' + '),
            category: lab.cases.get(name)?.requirement?.category ?? null,
            case: name,
            withSkill: arm === contrast.arm,
            met: verdict.success,
            items: verdict.raw,
            tokens: parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0),
          },
        ];
      });
    return skillEffects(contrastName(contrast), runs);
  });
}

/** Skill by skill, with what the bare ratio of the benchmark's paper would have said. */
export function skillsSection(report: Report): Section[] {
  if (report.skills.length === 0 && report.verdicts.length === 0) return [];
  return [
    {
      id: 'skills',
      title: 'Skill by skill',
      blocks: [
        ...report.skills.flatMap((own) => effectBlocks(own, accountsOf(report, own))),
        ...verdictBlocks(report),
        ...interferenceBlocks(report),
      ],
    },
  ];
}

const ofTotal = ({ passed, total }: { passed: number; total: number }) => `${passed} of ${total}`;
const plain = (value: number | null, digits = 2) => (value === null ? 'not available' : value.toFixed(digits));

/** The runs behind each row: those of the cases on which the arm was given just these skills. */
function accountsOf(report: Report, { contrast, rows }: SkillEffects): Map<string, Account> {
  const given = (trial: Report['trials'][number]) => trial.activation.flatMap((one) => (one.given ? [one.skill] : [])).sort();
  return skillAccounts(report, contrast, {
    kind: 'requirements',
    skills: rows.map(({ skill }) => skill),
    casesOf: (skill) => {
      const wanted = skill.split(' + ').sort().join();
      return [...new Set(report.trials.flatMap((trial) => (given(trial).join() === wanted ? [trial.case] : [])))];
    },
    say: (trial) => {
      const verdict = report.verdicts.find((one) => one.content === trial.content && one.case === trial.case);
      if (verdict === undefined) return 'no verdict';
      return `${verdict.success === null ? 'cannot tell' : verdict.success ? 'met' : 'not met'}, ${ofTotal(verdict)} tests`;
    },
    more: [runPaths('', report.experiment).verdicts],
  });
}

/** One contrast, without the runs behind it. */
export function contrastBlocks(effects: SkillEffects): Block[] {
  return effectBlocks(effects, new Map());
}

/** One contrast: the skills, the averages over them, and what changed where. */
function effectBlocks({ contrast, rows, chances, averages, needed }: SkillEffects, accounts: Map<string, Account>): Block[] {
  const least = Math.min(...rows.flatMap(({ smallestP }) => (smallestP === null ? [] : [smallestP])));
  return [
    heading(`${contrast}: what each skill changed`),
    text(
      'A requirement is met when every test that fails on the untouched repository passes, and every test that passed there still does. Items are all expected tests, those that pass on the untouched repository among them: the pass rate as the benchmark’s paper counts it.',
    ),
    table(
      `What each skill changed (${contrast})`,
      [
        'Skill',
        'Met without',
        'Met with',
        'Change',
        'Items without',
        'Items with',
        'ΔP',
        'Tokens ρ',
        'Cost efficiency',
        'Bare ΔP/ρ',
        'Better / worse cases',
        'p',
        'p (Holm)',
        'p (BH)',
      ],
      rows.map((row) => {
        const cells: [string, string][] = [
          [ofTotal(row.met.without), 'runs of the control that meet the requirement, of those that can tell'],
          [ofTotal(row.met.with), 'runs with the skill that meet the requirement, of those that can tell'],
          [formatPoints(row.deltaMet), 'share met with − share met without, from counts'],
          [ofTotal(row.items.without), 'expected tests that pass, over all runs of the control'],
          [ofTotal(row.items.with), 'expected tests that pass, over all runs with the skill'],
          [formatPoints(row.deltaItems), 'ΔP = share of tests with − without, from counts'],
          [
            row.rho === null ? 'not available' : formatDelta(row.rho, 'fraction').replace(' pp', ' %'),
            'ρ = (mean tokens of a run with − without) / without',
          ],
          [
            row.efficiency.guarded === null ? row.efficiency.label : `${plain(row.efficiency.guarded)} (${row.efficiency.label})`,
            'ΔP/ρ, where both are positive',
          ],
          [plain(row.efficiency.bare), 'ΔP/ρ, whatever their signs'],
          [
            `${row.gained.length} / ${row.lost.length}`,
            'cases with a larger and with a smaller share of runs that meet the requirement',
          ],
          [plain(row.p, 3), 'share of the ways to exchange arm labels within each case that differ as much'],
          [plain(row.pHolm, 3), 'p after Holm’s correction over the skills of this table'],
          [plain(row.pBh, 3), 'p after Benjamini and Hochberg’s correction over the skills of this table'],
        ];
        return [row.skill, ...cells.map(([words, formula]) => counted(accounts.get(row.skill), words, formula))];
      }),
    ),
    text(
      `ρ is the increase of a run’s mean tokens. Cost efficiency is ΔP/ρ and is printed only where both are positive: with fewer tokens the bare ratio would turn its sign, and put a skill that gains and saves last; it stands in a column of its own. With ${rows.length === 1 ? 'one skill' : `${rows.length} skills`} the smallest p has to reach ${needed.p.toFixed(5)} under Holm’s correction, which takes at least ${needed.repeats} runs an arm on one case; this design reaches ${Number.isFinite(least) ? least.toFixed(3) : 'none'} at best.`,
    ),
    table(
      `Averages (${contrast})`,
      [
        'Of',
        'Skills',
        'Mean of rates',
        'All items together',
        'Ratio of token sums',
        'Weighted by items',
        'Mean of ratios',
        'Median of ratios',
      ],
      averages.map(({ of, skills, macro, micro, rho }) => [
        of,
        String(skills),
        `${formatValue(macro.without, 'fraction')} → ${formatValue(macro.with, 'fraction')}`,
        `${formatValue(micro.without, 'fraction')} → ${formatValue(micro.with, 'fraction')}`,
        ...[rho.ratioOfSums, rho.weightedRatioOfSums, rho.meanOfRatios, rho.medianOfRatios].map((value) =>
          value === null ? 'not available' : formatDelta(value, 'fraction').replace(' pp', ' %'),
        ),
      ]),
    ),
    ...chanceBlocks(contrast, chances),
    ...lists(rows),
    ...accountBlocks(contrast, accounts),
  ];
}

function chanceBlocks(contrast: string, chances: SkillEffects['chances']): Block[] {
  if (chances.length === 0) return [];
  const both = (side: SkillEffects['chances'][number]['with']) => [
    formatValue(side.any, 'fraction'),
    formatValue(side.all, 'fraction'),
  ];
  return [
    table(
      `If the task is given k times: met by any run (pass@k), by all (pass^k) (${contrast})`,
      ['#k', '#Cases', '#Any, without', '#All, without', '#Any, with', '#All, with'],
      chances.map(({ k, cases, without, with: having }) => [String(k), String(cases), ...both(without), ...both(having)]),
    ),
  ];
}

/** A net of zero can hide cases that were gained and others that were lost. */
function lists(rows: SkillEffects['rows']): Block[] {
  const changed = rows.flatMap(({ skill, gained, lost }) => [
    ...gained.map((name) => `${name}: better with ${skill}`),
    ...lost.map((name) => `${name}: worse with ${skill}`),
  ]);
  return changed.length === 0 ? [] : [list(changed)];
}

function interferenceBlocks({ interference }: Report): Block[] {
  if (interference.length === 0) return [];
  return [
    heading('Where a skill may have got in the way'),
    text(
      'Names and lines out of a skill’s own examples that neither the repository nor the task has, and files outside those the requirement names. Hints to look at: a name may be the right one.',
    ),
    list(
      interference.flatMap(({ trial, found }) => found.map(({ kind, what, file }) => `${trial}: ${kind} in ${file}: ${what}`)),
    ),
  ];
}
