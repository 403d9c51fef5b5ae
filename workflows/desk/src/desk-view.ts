// What the server sends to the page. Model output arrives here as plain text and small trees, never as HTML.
import type { AgreementRow, Dispute, GuessMeasure, Marks, Progress, Proposal } from 'skill-trial';

/** A piece of text, with the class of its syntax colour where it has one. */
export type Span = [text: string] | [text: string, style: string];

/** A block or phrase of rendered Markdown; `lines` are the 1-based source lines of a block at the top. */
export interface MarkdownNode {
  tag: string;
  kids: (MarkdownNode | string)[];
  style?: string;
  lines?: [first: number, last: number];
  start?: number;
}

/** A part of a long text that is cut into pages at line ends. */
export interface TextPage {
  page: number;
  pages: number;
  bytes: number;
  firstLine: number;
  lines: string[];
  /** What a reader has to know of this text: that it is cut, that bytes are no UTF-8, that controls are shown. */
  notices: string[];
}

export interface ResponsePage extends TextPage {
  blocks: MarkdownNode[];
}

export interface PatchLine {
  kind: 'same' | 'added' | 'removed';
  /** Line number in the starting state; null for an added line. */
  base: number | null;
  /** Line number in the variant; null for a removed line. */
  result: number | null;
  spans: Span[];
}

export interface PatchFile {
  path: string;
  /** Where the file lay before; null unless it moved. */
  from: string | null;
  change: 'added' | 'removed' | 'moved' | 'changed';
  /** Said in place of lines: a binary file, a change of mode alone. */
  remark: string | null;
  added: number;
  removed: number;
  hunks: { header: string; lines: PatchLine[] }[];
}

export interface PatchView {
  files: PatchFile[];
  bytes: number;
  notices: string[];
}

export interface TestRun {
  title: string;
  outcome: string;
  tests: { file: string; name: string; outcome: string; message: string | null }[];
}

export interface DocumentPage {
  path: string;
  change: 'added' | 'removed' | 'changed';
  text: ResponsePage;
}

export interface RubricView {
  id: string;
  requirement: string;
  weight: number;
  evidenceRule: string;
  /** Filled by the negative control: shown, not scored. */
  automatic: boolean;
}

export interface PairView {
  pair: string;
  case: string;
  /** Content hash of each side's variant. */
  x: string;
  y: string;
}

export interface CaseView {
  name: string;
  title: string;
  task: string;
  review: RubricView[];
  tests: RubricView[];
  documentation: RubricView[];
}

export interface VariantView {
  case: string;
  content: string;
  proposals: Proposal[];
}

export interface DeskState {
  experiment: string;
  evaluator: string;
  pairs: PairView[];
  /** A side whose content is not among them delivered nothing, and the lab scores it so. */
  variants: VariantView[];
  cases: CaseView[];
}

/** The evaluator's own marks; `seq` counts their changes. */
export interface MarksState {
  seq: number;
  marks: Marks;
  progress: Progress;
  /** Pairs to be guessed before a variant may be marked, by `<case>/<content>`. */
  blocked: Record<string, string[]>;
  /** Variants that are locked, as `<case>/<content>`. */
  locked: string[];
}

/** An evaluator as the others may see them: how far they are, and nothing of what they said. */
export interface EvaluatorView {
  name: string;
  done: number;
  total: number;
}

/** What comes after the marks. Everything about others is empty until scoring is locked, the mapping until it is unblinded. */
export interface SettleState {
  state: 'open' | 'locked' | 'unblinded';
  lockedAt: string | null;
  evaluators: EvaluatorView[];
  /** Names whose marks the lock holds. */
  scorers: string[];
  agreement: AgreementRow[];
  disputes: Dispute[];
  /** What no longer is as it was locked. */
  changes: string[];
  mapping: OpenedPair[];
  guesses: GuessMeasure | null;
}

/** A pair with its mapping opened. */
export interface OpenedPair {
  pair: string;
  x: string;
  y: string;
  arm: 'x' | 'y';
}
