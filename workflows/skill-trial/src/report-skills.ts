import { contrastName } from './comparison.js';
import { contrasts } from './experiment.js';
import { namesOf } from './lab.js';
import { formatDelta, formatPoints, formatValue } from './number-format.js';
import type { Report } from './report.js';
import { type Block, details, heading, list, mark, type Section, table, text } from './report-document.js';
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
      blocks: [...report.skills.flatMap(contrastBlocks), ...verdictBlocks(report), ...interferenceBlocks(report)],
    },
  ];
}

/** What the hidden tests said of each variant: nothing that did not run is left out of the count. */
function verdictBlocks({ verdicts, trials }: Report): Block[] {
  if (verdicts.length === 0) return [];
  const whose = ({ content, case: one }: (typeof verdicts)[number]) =>
    trials.flatMap((trial) => (trial.content === content && trial.case === one ? [trial.id] : [])).join(', ');
  return [
    details('What the hidden tests said of each variant', [
      text(
        'A test has passed when it passed in every run of the same tree. Skipped, expected to fail and missing (not run, or not collected) count as not passed.',
      ),
      table(
        'The hidden tests of each variant',
        ['Trials', 'Requirement', '#Runs', '#Tests', '#Passed', '#Failed', '#Skipped', '#Expected to fail', '#Missing', 'Flaky'],
        verdicts.map((row) => [
          whose(row),
          mark(row.success, 'met', 'not met'),
          ...[row.runs, row.total, row.passed, row.failed, row.skipped, row.expectedToFail, row.missing].map(String),
          row.flaky.join('; ') || 'none',
        ]),
      ),
    ]),
  ];
}

const ofTotal = ({ passed, total }: { passed: number; total: number }) => `${passed} of ${total}`;
const plain = (value: number | null, digits = 2) => (value === null ? 'not available' : value.toFixed(digits));

/** One contrast: the skills, the averages over them, and what changed where. */
export function contrastBlocks({ contrast, rows, chances, averages, needed }: SkillEffects): Block[] {
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
      rows.map((row) => [
        row.skill,
        ofTotal(row.met.without),
        ofTotal(row.met.with),
        formatPoints(row.deltaMet),
        ofTotal(row.items.without),
        ofTotal(row.items.with),
        formatPoints(row.deltaItems),
        row.rho === null ? 'not available' : formatDelta(row.rho, 'fraction').replace(' pp', ' %'),
        row.efficiency.guarded === null ? row.efficiency.label : `${plain(row.efficiency.guarded)} (${row.efficiency.label})`,
        plain(row.efficiency.bare),
        `${row.gained.length} / ${row.lost.length}`,
        plain(row.p, 3),
        plain(row.pHolm, 3),
        plain(row.pBh, 3),
      ]),
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
