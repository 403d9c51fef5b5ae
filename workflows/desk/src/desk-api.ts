import {
  type Desk,
  type DeskVariant,
  type EvaluatorMarks,
  LabError,
  MarkEvent,
  mark,
  openGuesses,
  proposeFindings,
  readDeskLock,
  readMarks,
  SettingsError,
} from 'skill-trial';
import { z } from 'zod';
import type { Artifacts } from './artifact.js';
import type { CaseView, DeskState, MarksState, RubricView, VariantView } from './desk-view.js';
import { visibleLine } from './text-pages.js';

/** A request that the guard has let through. */
export interface DeskRequest {
  evaluator: string;
  params: Record<string, string | undefined>;
  query: URLSearchParams;
  /** Parsed JSON of a change; null where there is none. */
  body: unknown;
}

export interface DeskReply {
  status: number;
  body: unknown;
}

export type Route = [method: 'GET' | 'POST', path: string, answer: (request: DeskRequest) => Promise<DeskReply>];

const Change = z.strictObject({ seq: z.int().nonnegative(), event: MarkEvent });

/** What the page asks for while scoring, for one evaluator at a time: nobody's marks but their own. */
export function scoringRoutes(desk: Desk, artifacts: Artifacts): Route[] {
  const ok = (body: unknown): DeskReply => ({ status: 200, body });
  const variantOf = ({ params }: DeskRequest): DeskVariant =>
    desk.variants.find((one) => one.case === params.case && one.content === params.content) ??
    refuse('No such variant', 'a variant of this desk', 'another', 'read the desk again');
  const pageOf = ({ query }: DeskRequest) => Math.max(0, Number.parseInt(query.get('page') ?? '0', 10) || 0);
  return [
    ['GET', '/api/desk', async ({ evaluator }) => ok(deskState(desk, evaluator))],
    ['GET', '/api/marks', async ({ evaluator }) => ok(await marksState(desk, await readMarks(desk, evaluator)))],
    [
      'POST',
      '/api/marks',
      async ({ evaluator, body }) => {
        const change = Change.safeParse(body);
        if (!change.success) refuse('No such change', 'seq and event', z.prettifyError(change.error), 'load the page again');
        const { seq, event } = change.data as z.infer<typeof Change>;
        try {
          return ok(await marksState(desk, await mark(desk, evaluator, event, seq)));
        } catch (error) {
          if (!(error instanceof LabError)) throw error;
          const now = await readMarks(desk, evaluator);
          // another window wrote, or an answer of ours was lost: the page looks at what stands and decides
          if (now.seq !== seq) return { status: 409, body: await marksState(desk, now) };
          throw error;
        }
      },
    ],
    [
      'GET',
      '/api/variants/:case/:content/response',
      async (asked) => ok(await artifacts.response(variantOf(asked), pageOf(asked))),
    ],
    ['GET', '/api/variants/:case/:content/patch', async (asked) => ok(await artifacts.patch(variantOf(asked)))],
    [
      'GET',
      '/api/variants/:case/:content/patch-text',
      async (asked) => ok(await artifacts.patchText(variantOf(asked), pageOf(asked))),
    ],
    ['GET', '/api/variants/:case/:content/tests', async (asked) => ok(await artifacts.tests(variantOf(asked)))],
    [
      'GET',
      '/api/variants/:case/:content/documents',
      async (asked) => ok(await artifacts.documents(variantOf(asked), asked.query.get('path'), pageOf(asked))),
    ],
    ['GET', '/api/variants/:case/:content/claims', async (asked) => ok(await proposeFindings(variantOf(asked)))],
  ];
}

function deskState(desk: Desk, evaluator: string): DeskState {
  return {
    experiment: desk.lab.experiment.name,
    evaluator,
    pairs: desk.pairs.map(({ pair, case: name, x, y }) => ({ pair, case: name, x, y })),
    variants: desk.variants.map(({ case: name, content, proposals }): VariantView => ({ case: name, content, proposals })),
    cases: [...desk.lab.cases.values()].map((one): CaseView => {
      const rows = (kind: 'review' | 'tests' | 'documentation') =>
        one.rubricRows[kind].map(
          ({ id, requirement, weight, evidence_rule }): RubricView => ({
            id,
            requirement,
            weight,
            evidenceRule: evidence_rule,
            automatic: kind === 'tests' && id === one.rubrics?.control_row,
          }),
        );
      return {
        name: one.name,
        title: one.title,
        task: one.taskBytes.toString('utf8').split('\n').map(visibleLine).join('\n'),
        review: rows('review'),
        tests: rows('tests'),
        documentation: rows('documentation'),
      };
    }),
  };
}

async function marksState(desk: Desk, { seq, marks, progress }: EvaluatorMarks): Promise<MarksState> {
  const lock = await readDeskLock(desk.lab.root, desk.lab.experiment.name);
  return {
    locked: (lock?.rounds ?? []).flatMap((round) => round.variants.map(({ case: name, content }) => `${name}/${content}`)),
    seq,
    marks,
    progress,
    blocked: Object.fromEntries(
      desk.variants.map(({ case: name, content }) => [
        `${name}/${content}`,
        openGuesses(desk, marks, { case: name, content }).map(({ pair }) => pair),
      ]),
    ),
  };
}

function refuse(what: string, expected: string, found: string, next: string): never {
  throw new SettingsError(what, { expected, found, next });
}
