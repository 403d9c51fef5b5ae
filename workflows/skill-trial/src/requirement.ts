import { z } from 'zod';

/** What kind of work a task asks for. */
export const TaskType = z.enum(['feature', 'fix', 'repair', 'refactor', 'test']);
export type TaskType = z.infer<typeof TaskType>;

/** What a requirement-driven case says of its task, beside the document that the agent gets. */
export const Requirement = z.strictObject({
  type: TaskType,
  /** The group its skill is reported under. */
  category: z.string().min(1).optional(),
  /** Acceptance criteria; tests name the ones they verify, as [AC-1] or AC_1 in their titles. */
  criteria: z
    .array(z.strictObject({ id: z.string().regex(/^[A-Z]+-?[0-9]+$/, 'an id such as AC-1'), text: z.string().min(1) }))
    .min(1)
    .refine((rows) => new Set(rows.map(({ id }) => id)).size === rows.length, 'each id once'),
  /** Each criterion has to be named by a test, and each test to name one or to call itself a regression. false: gaps are only told. */
  traced: z.boolean().default(true),
  /** Files the document says will be made or changed (globs): others are unrequested. */
  files: z.array(z.string().min(1)).optional(),
});
export type Requirement = z.infer<typeof Requirement>;
