/** The runs of an experiment as columns: all that the comparison of arms and its tests need, in about 140 bytes a run. */
import { MetricId } from './metric.js';
import type { TrialResult } from './result.js';

/** One run as a row of the table. */
export interface Run {
  arm: string;
  case: string;
  valid: boolean;
  /** The wall clock or another limit ended it before it was done. */
  cutOff: boolean;
  /** A skill was loaded in it. */
  loaded: boolean;
  /** Null: unknown. */
  values: Record<MetricId, number | null>;
}

/** Many runs, column by column: `arm` and `case` hold places in `arms` and `cases`, the marks 0 or 1. */
export interface RunColumns extends Record<Mark, number[]> {
  arms: string[];
  cases: string[];
  arm: number[];
  case: number[];
  values: Record<MetricId, (number | null)[]>;
}

/** Names the saved record that a row's value of a metric comes from. */
export type EvidenceOf = (row: number, metric: MetricId) => string;

type Mark = 'valid' | 'cutOff' | 'loaded';
const marks: Record<Mark, number> = { valid: 1, cutOff: 2, loaded: 4 };

/** Rows are added one by one and read by arm and case; within a case they stay in the order of adding. */
export class RunTable {
  length = 0;
  readonly #evidence: EvidenceOf;
  readonly #arms = new Map<string, number>();
  readonly #cases = new Map<string, number>();
  #arm = new Uint16Array(64);
  #case = new Uint32Array(64);
  #mark = new Uint8Array(64);
  #values = new Map(MetricId.options.map((id) => [id, new Float64Array(64)]));
  /** Rows by arm, then case; `starts` says where each pair begins. Null: not sorted since the last row. */
  #sorted: { rows: Uint32Array; starts: Uint32Array } | null = null;

  constructor(evidence: EvidenceOf) {
    this.#evidence = evidence;
  }

  static of(results: TrialResult[]): RunTable {
    const table = new RunTable((row, metric) => (results[row] as TrialResult).evidence[metric]);
    for (const result of results) table.add(runOf(result));
    return table;
  }

  add(run: Run): void {
    this.addColumns({
      arms: [run.arm],
      cases: [run.case],
      arm: [0],
      case: [0],
      valid: [run.valid ? 1 : 0],
      cutOff: [run.cutOff ? 1 : 0],
      loaded: [run.loaded ? 1 : 0],
      values: Object.fromEntries(MetricId.options.map((id) => [id, [run.values[id]]])) as RunColumns['values'],
    });
  }

  /** Makes place for so many rows in all: columns that grow are copied. */
  reserve(size: number): void {
    if (size <= this.#arm.length) return;
    this.#arm = grown(this.#arm, new Uint16Array(size));
    this.#case = grown(this.#case, new Uint32Array(size));
    this.#mark = grown(this.#mark, new Uint8Array(size));
    for (const [id, column] of this.#values) this.#values.set(id, grown(column, new Float64Array(size)));
  }

  /** Adds many rows without an object for each. */
  addColumns({ arms, cases, values, ...columns }: RunColumns): void {
    const [from, count] = [this.length, columns.arm.length];
    if (from + count > this.#arm.length) this.reserve(Math.max(from + count, 2 * this.#arm.length));
    this.length += count;
    this.#sorted = null;
    const armNumbers = arms.map((name) => numbered(this.#arms, name));
    const caseNumbers = cases.map((name) => numbered(this.#cases, name));
    for (let at = 0; at < count; at++) {
      this.#arm[from + at] = armNumbers[columns.arm[at] as number] as number;
      this.#case[from + at] = caseNumbers[columns.case[at] as number] as number;
      this.#mark[from + at] =
        (columns.valid[at] as number) * marks.valid +
        (columns.cutOff[at] as number) * marks.cutOff +
        (columns.loaded[at] as number) * marks.loaded;
    }
    for (const [id, column] of this.#values) {
      const given = values[id];
      for (let at = 0; at < count; at++) column[from + at] = given[at] ?? Number.NaN;
    }
  }

  /** The rows of an arm, those of one case or of all of them case by case. */
  rowsOf(arm: string, one?: string): Uint32Array {
    const at = this.#arms.get(arm);
    const first = one === undefined ? 0 : this.#cases.get(one);
    if (at === undefined || first === undefined) return new Uint32Array();
    this.#sorted ??= this.#sort();
    const { rows, starts } = this.#sorted;
    const from = at * this.#cases.size + first;
    return rows.subarray(starts[from], starts[from + (one === undefined ? this.#cases.size : 1)]);
  }

  /** A metric's value in each of some rows; null where unknown. */
  values(metric: MetricId, rows: Uint32Array): (number | null)[] {
    const column = this.#values.get(metric) as Float64Array;
    const values: (number | null)[] = [];
    for (let at = 0; at < rows.length; at++) {
      const value = column[rows[at] as number] as number;
      values.push(Number.isNaN(value) ? null : value);
    }
    return values;
  }

  /** The known values of a metric in each case that an arm has a run of, in the order of adding. */
  byCase(metric: MetricId, arm: string): Map<string, Float64Array> {
    const column = this.#values.get(metric) as Float64Array;
    // one array for all cases: thousands of small ones keep the garbage collector busy
    const all = new Float64Array(this.rowsOf(arm).length);
    const found = new Map<string, Float64Array>();
    let end = 0;
    for (const name of this.#cases.keys()) {
      const [rows, start] = [this.rowsOf(arm, name), end];
      for (let at = 0; at < rows.length; at++) {
        const value = column[rows[at] as number] as number;
        if (!Number.isNaN(value)) all[end++] = value;
      }
      if (rows.length > 0) found.set(name, all.subarray(start, end));
    }
    return found;
  }

  /** Those of some rows whose value of a metric is known. */
  told(metric: MetricId, rows: Uint32Array): Uint32Array {
    const column = this.#values.get(metric) as Float64Array;
    return rows.filter((row) => !Number.isNaN(column[row]));
  }

  /** The known values of a metric in some rows, in their order. */
  known(metric: MetricId, rows: Uint32Array): Float64Array {
    const column = this.#values.get(metric) as Float64Array;
    const known = new Float64Array(rows.length);
    let length = 0;
    for (let at = 0; at < rows.length; at++) {
      const value = column[rows[at] as number] as number;
      if (!Number.isNaN(value)) known[length++] = value;
    }
    return known.subarray(0, length);
  }

  /** Those of some rows that carry a mark. */
  marked(mark: Mark, rows: Uint32Array): Uint32Array {
    return this.#whose(mark, true, rows);
  }

  /** Those that do not. */
  unmarked(mark: Mark, rows: Uint32Array): Uint32Array {
    return this.#whose(mark, false, rows);
  }

  count(mark: Mark, rows: Uint32Array): number {
    return this.marked(mark, rows).length;
  }

  has(mark: Mark, row: number): boolean {
    return ((this.#mark[row] as number) & marks[mark]) !== 0;
  }

  /** The saved records that the known values of a metric come from, each once. */
  evidence(metric: MetricId, rows: Uint32Array): string[] {
    const column = this.#values.get(metric) as Float64Array;
    const found = new Set<string>();
    let last: string | null = null;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number;
      if (Number.isNaN(column[row])) continue;
      const record = this.#evidence(row, metric);
      // a file of a million runs is one record
      if (record !== last) found.add(record);
      last = record;
    }
    return [...found];
  }

  #whose(mark: Mark, carried: boolean, rows: Uint32Array): Uint32Array {
    const found = new Uint32Array(rows.length);
    let length = 0;
    for (let at = 0; at < rows.length; at++)
      if (this.has(mark, rows[at] as number) === carried) found[length++] = rows[at] as number;
    return found.subarray(0, length);
  }

  /** A counting sort: linear in the rows. */
  #sort(): { rows: Uint32Array; starts: Uint32Array } {
    const [arm, one, width] = [this.#arm, this.#case, this.#cases.size];
    const place = (row: number) => (arm[row] as number) * width + (one[row] as number);
    const starts = new Uint32Array(this.#arms.size * this.#cases.size + 1);
    for (let row = 0; row < this.length; row++) starts[place(row) + 1] = (starts[place(row) + 1] as number) + 1;
    for (let at = 1; at < starts.length; at++) starts[at] = (starts[at] as number) + (starts[at - 1] as number);
    const next = starts.slice();
    const rows = new Uint32Array(this.length);
    for (let row = 0; row < this.length; row++) {
      const at = next[place(row)] as number;
      rows[at] = row;
      next[place(row)] = at + 1;
    }
    return { rows, starts };
  }
}

/** What the table keeps of a result. */
export function runOf(result: TrialResult): Run {
  return {
    arm: result.arm,
    case: result.case,
    valid: result.valid,
    cutOff: result.status === 'timed-out' || result.status === 'limit',
    loaded: result.activation.some((row) => row.loaded),
    values: result.values,
  };
}

function numbered(names: Map<string, number>, name: string): number {
  const known = names.get(name);
  if (known !== undefined) return known;
  names.set(name, names.size);
  return names.size - 1;
}

function grown<T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
