import { z } from 'zod';
import type { Experiment } from './experiment.js';
import { trialSeed } from './spec.js';
import { trialName } from './trial-name.js';

/** One line of schedule.jsonl; position from 1. With order: parallel the position says nothing about time. */
export const ScheduleLine = z.strictObject({
  schemaVersion: z.literal(1),
  position: z.int().positive(),
  trial: z.string(),
  case: z.string(),
  arm: z.string(),
  repeat: z.int().positive(),
  /** Trials that share a block ran one after the other; null when the order is parallel. */
  block: z.string().nullable(),
});
export type ScheduleLine = z.infer<typeof ScheduleLine>;

/**
 * The order in which trials run, settled by the experiment's settings alone, so that a resumed run follows the same one.
 * alternate: blocks of one case and repeat; the arms' order turns from repeat to repeat and from case to case (A B, B A, A B …), so
 * that no case has one order only, and one block alone is A then B. seeded: the arms of each block drawn from the seed. parallel: no order.
 */
export function makeSchedule(experiment: Pick<Experiment, 'cases' | 'arms' | 'repeats' | 'order' | 'seed'>): ScheduleLine[] {
  const arms = Object.keys(experiment.arms);
  const lines: Omit<ScheduleLine, 'position'>[] = [];
  for (let repeat = 1; repeat <= experiment.repeats; repeat++) {
    for (const [index, one] of experiment.cases.entries()) {
      const block = `${one}.${repeat}`;
      const order =
        experiment.order === 'seeded'
          ? drawn(arms, experiment.seed, block)
          : (index + repeat - 1) % 2 === 1
            ? [...arms].reverse()
            : arms;
      for (const arm of experiment.order === 'parallel' ? arms : order) {
        const trial = { case: one, arm, repeat };
        lines.push({
          schemaVersion: 1,
          trial: trialName(trial),
          ...trial,
          block: experiment.order === 'parallel' ? null : block,
        });
      }
    }
  }
  return lines.map((line, index) => ({ ...line, position: index + 1 }));
}

/** Arms in an order drawn from the seed: sorted by a number drawn for each name in this block. */
function drawn(arms: string[], seed: number, block: string): string[] {
  return [...arms].sort((a, b) => trialSeed(seed, `${block}/${a}`) - trialSeed(seed, `${block}/${b}`));
}

/** The names of one arm's trials in schedule order; all of them without an arm. */
export function trialsOfArm(experiment: Parameters<typeof makeSchedule>[0], arm?: string): string[] {
  return makeSchedule(experiment).flatMap((line) => (arm === undefined || line.arm === arm ? [line.trial] : []));
}
