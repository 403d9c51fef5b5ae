import { z } from 'zod';
import { permutationTest } from './permutation.js';
import { discordance } from './statistics/discordance.js';
import { costEfficiency, costIncrease, costIncreases, type EfficiencyRow, passDifference } from './statistics/efficiency.js';
import { adjustP, repeatsForMany } from './statistics/multiplicity.js';
import { passAtK, passHatK } from './statistics/pass-at-k.js';
import { summarise } from './summary.js';

const count = z.int().nonnegative();
const number = z.number().nullable();
const Counts = z.strictObject({ passed: count, total: count });

/** One skill with what it changed on the cases it is paired with. Nulls: nothing to divide by, or a cost that is unknown. */
export const SkillEffect = z.strictObject({
  skill: z.string(),
  category: z.string().nullable(),
  cases: count,
  /** Runs whose requirement is met, of the runs that can tell, without and with the skill. */
  met: z.strictObject({ without: Counts, with: Counts }),
  /** Expected tests that pass, over all runs: the pass rate as the benchmark's paper counts it. */
  items: z.strictObject({ without: Counts, with: Counts }),
  /** Percentage points, from counts. */
  deltaMet: number,
  deltaItems: number,
  /** Mean tokens of a run; null where one run's count is unknown. */
  tokens: z.strictObject({ without: number, with: number }),
  /** ρ, a fraction. */
  rho: number,
  /** ΔP/ρ by ΔP of the items, only where both are positive; the label says what holds elsewhere. */
  efficiency: z.strictObject({ label: z.string(), guarded: number, bare: number }),
  /** Cases better and worse with the skill: a net of zero can hide both. */
  gained: z.array(z.string()),
  lost: z.array(z.string()),
  /** Permutation of arm labels within cases, on whether the requirement is met; the smallest p that the design can reach beside it. */
  p: number,
  smallestP: number,
  /** Corrected over the skills of this table: Holm (any false finding), Benjamini and Hochberg (the share of false ones). */
  pHolm: number,
  pBh: number,
});
export type SkillEffect = z.infer<typeof SkillEffect>;

/** The chance that a requirement is met by any (pass@k) and by all (pass^k) of k runs, the mean over cases that have k runs that can tell. */
const Chances = z.strictObject({ any: number, all: number });

export const SkillEffects = z.strictObject({
  contrast: z.string(),
  rows: z.array(SkillEffect),
  chances: z.array(z.strictObject({ k: count, cases: count, without: Chances, with: Chances })),
  averages: z.array(
    z.strictObject({
      /** `all`, or a category. */
      of: z.string(),
      skills: count,
      /** Mean of the skills' pass rates (macro) and the rate of all items together (micro), as fractions. */
      macro: z.strictObject({ without: number, with: number }),
      micro: z.strictObject({ without: number, with: number }),
      /** The increase of tokens in its readings: they may differ by a factor of four. */
      rho: z.strictObject({ ratioOfSums: number, weightedRatioOfSums: number, meanOfRatios: number, medianOfRatios: number }),
    }),
  ),
  /** What the first of these tests must reach under Holm's correction, and the fewest runs an arm that can. */
  needed: z.strictObject({ p: z.number(), repeats: count }),
});
export type SkillEffects = z.infer<typeof SkillEffects>;

/** One run of a paired case. */
export interface SkillRun {
  skill: string;
  category: string | null;
  case: string;
  withSkill: boolean;
  met: boolean | null;
  items: { passed: number; total: number };
  tokens: number | null;
}

/** The table of one contrast, skills in the order of their names. */
export function skillEffects(contrast: string, runs: SkillRun[]): SkillEffects {
  const skills = [...new Set(runs.map(({ skill }) => skill))].sort();
  const rows = skills.map((skill) =>
    effectOf(
      skill,
      runs.filter((run) => run.skill === skill),
    ),
  );
  return effectTable(contrast, rows, chancesOf(runs));
}

/** The table over skills that were measured apart: corrected p values and averages are those of all its rows together. */
export function effectTable(contrast: string, effects: SkillEffect[], chances: SkillEffects['chances']): SkillEffects {
  const p = effects.map((row) => row.p);
  const [holm, bh] = [adjustP(p, 'holm'), adjustP(p, 'bh')];
  const { needed, repeats } = repeatsForMany(Math.max(1, effects.length));
  const rows = effects.map((row, index) => ({ ...row, pHolm: holm[index] ?? null, pBh: bh[index] ?? null }));
  const categories = [...new Set(rows.flatMap(({ category }) => (category === null ? [] : [category])))].sort();
  return {
    contrast,
    rows,
    chances,
    averages: [
      average('all', rows),
      ...(categories.length < 2
        ? []
        : categories.map((one) =>
            average(
              one,
              rows.filter((row) => row.category === one),
            ),
          )),
    ],
    needed: { p: needed, repeats },
  };
}

function effectOf(skill: string, runs: SkillRun[]): SkillEffect {
  const [without, having] = [runs.filter((run) => !run.withSkill), runs.filter((run) => run.withSkill)];
  const met = (own: SkillRun[]) => {
    const told = own.filter((run) => run.met !== null);
    return { passed: told.filter((run) => run.met).length, total: told.length };
  };
  const items = (own: SkillRun[]) => ({
    passed: sum(own.map((run) => run.items.passed)),
    total: sum(own.map((run) => run.items.total)),
  });
  const tokens = (own: SkillRun[]) =>
    own.some((run) => run.tokens === null) ? null : summarise(own.map((run) => run.tokens)).mean;
  const names = [...new Set(runs.map((run) => run.case))].sort();
  const value = (run: SkillRun) => (run.met === null ? null : Number(run.met));
  const byCase = names.map((name) => ({
    name,
    a: without.filter((run) => run.case === name).map(value),
    b: having.filter((run) => run.case === name).map(value),
  }));
  const { gained, lost } = discordance(byCase);
  const { p, smallestP } = permutationTest(byCase);
  const cost = { tokensWithout: tokens(without), tokensWith: tokens(having) };
  const [rho, deltaItems] = [costIncrease(cost), difference(items(without), items(having))];
  return {
    skill,
    category: runs[0]?.category ?? null,
    cases: names.length,
    met: { without: met(without), with: met(having) },
    items: { without: items(without), with: items(having) },
    deltaMet: difference(met(without), met(having)),
    deltaItems,
    tokens: { without: cost.tokensWithout, with: cost.tokensWith },
    rho,
    efficiency: costEfficiency(deltaItems, rho),
    gained,
    lost,
    p,
    smallestP,
    pHolm: null,
    pBh: null,
  };
}

function chancesOf(runs: SkillRun[]): SkillEffects['chances'] {
  const names = [...new Set(runs.map((run) => run.case))];
  const tallies = names.flatMap((name) => {
    const side = (withSkill: boolean) => {
      const told = runs.filter((run) => run.case === name && run.withSkill === withSkill && run.met !== null);
      return { n: told.length, met: told.filter((run) => run.met).length };
    };
    return [{ without: side(false), with: side(true) }];
  });
  const most = Math.max(0, ...tallies.map((one) => Math.min(one.without.n, one.with.n)));
  return Array.from({ length: most }, (_, index) => index + 1).map((k) => {
    const able = tallies.filter((one) => one.without.n >= k && one.with.n >= k);
    const mean = (which: 'without' | 'with', chance: typeof passAtK) =>
      summarise(able.map((one) => chance(one[which].n, one[which].met, k))).mean;
    const side = (which: 'without' | 'with') => ({ any: mean(which, passAtK), all: mean(which, passHatK) });
    return { k, cases: able.length, without: side('without'), with: side('with') };
  });
}

type Counted = z.infer<typeof Counts>;

/** Percentage points between two rates; of equal totals from the counts, so that nothing is rounded before. */
function difference(without: Counted, having: Counted): number | null {
  if (without.total === 0 || having.total === 0) return null;
  if (without.total === having.total)
    return passDifference({ n: without.total, passedWith: having.passed, passedWithout: without.passed });
  return 100 * (having.passed / having.total - without.passed / without.total);
}

function average(of: string, rows: SkillEffect[]): SkillEffects['averages'][number] {
  const rate = ({ passed, total }: Counted) => (total === 0 ? null : passed / total);
  const side = (which: 'without' | 'with') => rows.map((row) => row.items[which]);
  const micro = (which: 'without' | 'with') =>
    rate({ passed: sum(side(which).map(({ passed }) => passed)), total: sum(side(which).map(({ total }) => total)) });
  const cost = rows.map(
    (row): EfficiencyRow => ({
      n: row.items.with.total,
      passedWith: row.items.with.passed,
      passedWithout: row.items.without.passed,
      tokensWith: row.tokens.with,
      tokensWithout: row.tokens.without,
    }),
  );
  return {
    of,
    skills: rows.length,
    macro: { without: summarise(side('without').map(rate)).mean, with: summarise(side('with').map(rate)).mean },
    micro: { without: micro('without'), with: micro('with') },
    rho: costIncreases(cost),
  };
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
