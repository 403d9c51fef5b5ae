import { z } from 'zod';
import { DefectMatrix } from './defect-matrix.js';
import { DocumentationCheck } from './documentation-check.js';
import { PatchSize } from './patch-size.js';
import { RequirementResult } from './requirement-result.js';
import { CheckRecord } from './variant-checks.js';

/** What one variant's final code and tests do, without anybody's opinion. Every field is derived from records, which `records` names. */
export const VariantBehaviour = z.strictObject({
  content: z.string().regex(/^[0-9a-f]{64}$/),
  case: z.string(),
  /** By the case's hidden tests; [] where it has none. */
  requirements: z.array(RequirementResult),
  /** Requirements that hold, and how many have a hidden test. */
  holds: z.int().nonnegative(),
  of: z.int().nonnegative(),
  /** Null: the case has no solution or no mutants. */
  defects: DefectMatrix.nullable(),
  documentation: DocumentationCheck,
  patch: PatchSize,
  records: z.record(z.string(), CheckRecord),
});
export type VariantBehaviour = z.infer<typeof VariantBehaviour>;

/** behaviour.json */
export const Behaviour = z.strictObject({ schemaVersion: z.literal(1), variants: z.array(VariantBehaviour) });
export type Behaviour = z.infer<typeof Behaviour>;
