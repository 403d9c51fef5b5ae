import {
  adjudicate,
  agreementRows,
  CellValue,
  type Desk,
  DisputePart,
  guessMeasure,
  listEvaluators,
  lockScoring,
  openDesk,
  readMarks,
  readStudy,
  SettingsError,
  scoringState,
  sheetsOf,
  unblind,
} from 'skill-trial';
import { z } from 'zod';
import type { DeskReply, DeskRequest, Route } from './desk-api.js';
import type { EvaluatorView, SettleState } from './desk-view.js';

const LockRequest = z.strictObject({ evaluators: z.array(z.string()).min(1) });
const VerdictRequest = z.strictObject({
  case: z.string(),
  content: z.string().nullable(),
  part: DisputePart,
  id: z.string(),
  value: CellValue,
  row: z.string().nullable().optional(),
  reason: z.string(),
});
const UnblindRequest = z.strictObject({ leaveOpen: z.boolean() });

/** What comes after the marks: lock, agreement, disputes, unblinding. What others said is shown only once it is locked. */
export function settleRoutes(desk: Desk): Route[] {
  const { lab } = desk;
  const state = async (): Promise<DeskReply> => ({ status: 200, body: await settleState(desk) });
  const read = <S extends z.ZodType>(schema: S, { body }: DeskRequest): z.output<S> => {
    const found = schema.safeParse(body);
    if (found.success) return found.data;
    throw new SettingsError('The request is not valid', {
      expected: 'what the page sends',
      found: z.prettifyError(found.error),
      next: 'load the page again',
    });
  };
  return [
    ['GET', '/api/settle', state],
    [
      'POST',
      '/api/lock',
      async (asked) => {
        await lockScoring(lab, read(LockRequest, asked).evaluators);
        return state();
      },
    ],
    [
      'POST',
      '/api/adjudications',
      async (asked) => {
        await adjudicate(lab, { ...read(VerdictRequest, asked), by: asked.evaluator });
        return state();
      },
    ],
    [
      'POST',
      '/api/unblinding',
      async (asked) => {
        await unblind(lab, read(UnblindRequest, asked));
        return state();
      },
    ],
  ];
}

async function settleState(desk: Desk): Promise<SettleState> {
  const { lab } = desk;
  const now = await openDesk(lab);
  const sheets = await sheetsOf(lab);
  const variants = now.variants.map(({ case: name, content }) => ({ case: name, content }));
  const { scoring, changes } = await scoringState(lab, variants, sheets);
  const evaluators = await Promise.all(
    (await listEvaluators(lab)).map(async (name): Promise<EvaluatorView> => {
      const { progress } = await readMarks(now, name);
      return { name, done: progress.done, total: progress.total };
    }),
  );
  const own = sheets.filter((sheet) => variants.some((one) => one.case === sheet.case && one.content === sheet.content));
  const locked = scoring.state !== 'open';
  const study = scoring.state === 'unblinded' && scoring.by === 'desk' ? await readStudy(lab) : null;
  return {
    state: scoring.by === 'desk' ? scoring.state : 'open',
    lockedAt: scoring.lockedAt,
    evaluators,
    scorers: locked ? [...new Set(own.map(({ scorer }) => scorer))].sort() : [],
    agreement: locked ? agreementRows(own, lab.experiment.seed) : [],
    disputes: locked ? scoring.disputes : [],
    changes,
    mapping: study === null ? [] : (await unblind(lab)).map(({ pair, x, y, arm }) => ({ pair, x, y, arm })),
    guesses: study === null ? null : await guessMeasure(study),
  };
}
