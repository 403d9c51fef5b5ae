import { z } from 'zod';

const Positive = z.number({ message: 'a positive number' }).positive('a positive number');

/** The acceptance rule, declared before any run (decision 0019, part 10). */
export const DecisionRule = z.strictObject({
  primary: z
    .enum(['review_completeness', 'test_quality', 'documentation', 'requirement_met', 'requirement_partial', 'assertions_passed'])
    .default('review_completeness'),
  /** The smallest change of the primary metric's median that counts, in the metric's own unit. */
  min_improvement: z.number().nonnegative().default(0.1),
  /** The largest share of checkable findings that may be contradicted in the arm with skills. */
  max_false_findings: z.number().min(0).max(1).default(0.2),
  /** The largest ratio of medians, arm over control. */
  max_elapsed_ratio: Positive.default(3),
  max_uncached_input_ratio: Positive.default(3),
  /** What counts as no difference of the primary metric, in its own unit; without it "no difference" is never concluded. */
  equivalence_margin: Positive.optional(),
  tested_class: z.string().min(1),
  untested_class: z.string().min(1),
});
export type DecisionRule = z.infer<typeof DecisionRule>;
