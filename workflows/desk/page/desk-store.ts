import type { Evidence, MarkEvent, SheetKind } from 'skill-trial';
import type { DeskState, MarksState } from '../src/desk-view.js';

export type { Evidence, MarkEvent, SheetKind };
export type Side = 'x' | 'y';

/** Lines picked in an artifact: what the next evidence will be. */
export interface Picked {
  side: Side;
  evidence: Evidence;
  /** In words, for the bar that shows it. */
  label: string;
}

export interface Store {
  desk: DeskState;
  marks: MarksState;
  /** Changes that the desk has not confirmed yet. */
  waiting: number;
  /** `offline`: the desk does not answer; `restarted`: it runs again and wants its new address. */
  link: 'online' | 'offline' | 'restarted';
  /** What was refused last, in plain words; null where nothing was. */
  refusal: string | null;
  picked: Picked | null;
}

export class Refusal extends Error {}

let store: Store | null = null;
const listeners = new Set<() => void>();

export function readStore(): Store {
  if (store === null) throw new Error('the desk is not open yet');
  return store;
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function update(part: Partial<Store>): void {
  store = { ...readStore(), ...part };
  for (const listener of listeners) listener();
}

/** Reads JSON from the desk; a Refusal carries its words. */
export async function ask<T>(path: string): Promise<T> {
  return answerOf<T>(await fetch(path, { credentials: 'same-origin' }));
}

/** Sends JSON to the desk and gives its answer. */
export async function tell<T>(path: string, body: unknown): Promise<T> {
  return answerOf<T>(await send(path, body));
}

function send(path: string, body: unknown): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function answerOf<T>(response: Response): Promise<T> {
  const body = await response.json();
  if (!response.ok) throw new Refusal(wordsOf(body));
  return body as T;
}

function wordsOf(body: { error?: string; expected?: string; next?: string }): string {
  return [body.error, body.expected && `Expected: ${body.expected}`, body.next && `Next: ${body.next}`]
    .filter(Boolean)
    .join('. ');
}

/** Opens the desk, and sends what an earlier window could not. */
export async function openStore(): Promise<void> {
  const [desk, marks] = await Promise.all([ask<DeskState>('/api/desk'), ask<MarksState>('/api/marks')]);
  store = { desk, marks, waiting: 0, link: 'online', refusal: null, picked: null };
  queue.push(...kept());
  void flush();
}

interface Change {
  event: MarkEvent;
  /** The length of the journal that it was last sent for; null: not sent yet. */
  sentFor: number | null;
}

const queue: Change[] = [];
let sending = false;

/** Takes one change of the evaluator's; it is kept in the browser until the desk has it on the disk. */
export function change(event: MarkEvent): void {
  if (readStore().link !== 'online') return; // the controls are off then; nothing may be taken that is not shown
  queue.push({ event, sentFor: null });
  keep();
  void flush();
}

/** The last change on its way that a test picks out: what the evaluator sees as done, though the desk has not confirmed it yet. */
export function onItsWay<Event extends MarkEvent>(is: (event: MarkEvent) => event is Event): Event | null {
  const found = queue.map(({ event }) => event).findLast(is);
  return found ?? null;
}

async function flush(): Promise<void> {
  if (sending) return;
  sending = true;
  while (queue.length > 0) {
    update({ waiting: queue.length });
    const next = queue[0] as Change;
    const seq = readStore().marks.seq;
    const again = next.sentFor;
    next.sentFor = seq;
    keep();
    const response = await send('/api/marks', { seq, event: next.event }).catch(() => null);
    if (response === null || response.status === 401) {
      next.sentFor = again ?? seq;
      update({ link: response === null ? 'offline' : 'restarted' });
      break;
    }
    const body = await response.json();
    if (response.status === 409) {
      const now = body as MarksState;
      update({ marks: now, link: 'online' });
      // sent before and its answer lost: exactly one change more is ours
      const landed = again !== null && now.seq === again + 1;
      const blind = next.event.kind === 'undo' || next.event.kind === 'redo';
      if (landed || blind)
        done(
          landed ? null : 'Another window changed the marks meanwhile, so nothing was undone. They are shown as they are now.',
        );
      else next.sentFor = null;
    } else if (response.ok) {
      update({ marks: body as MarksState, link: 'online' });
      done(null);
    } else done(wordsOf(body));
  }
  sending = false;
  update({ waiting: queue.length });
  if (queue.length > 0) setTimeout(() => void retry(), 1500);
}

function done(refusal: string | null): void {
  queue.shift();
  keep();
  update({ refusal, waiting: queue.length });
}

/** Tries again once the desk answers. */
async function retry(): Promise<void> {
  const marks = await ask<MarksState>('/api/marks').catch((error) => (error instanceof Refusal ? 'restarted' : 'offline'));
  if (typeof marks === 'string') {
    update({ link: marks as Store['link'] });
    setTimeout(() => void retry(), 1500);
    return;
  }
  const first = queue[0];
  if (first?.sentFor !== undefined && first.sentFor !== null && marks.seq === first.sentFor + 1) queue.shift();
  keep();
  update({ marks, link: 'online', waiting: queue.length });
  void flush();
}

/** A key of the browser's own memory, apart for each experiment and evaluator. */
export function memoryKey(name: string): string {
  const { experiment, evaluator } = readStore().desk;
  return `desk/${experiment}/${evaluator}/${name}`;
}

export function remember(name: string, value: string | null): void {
  if (value === null) localStorage.removeItem(memoryKey(name));
  else localStorage.setItem(memoryKey(name), value);
}

export function remembered(name: string): string | null {
  return localStorage.getItem(memoryKey(name));
}

function keep(): void {
  remember('changes', queue.length === 0 ? null : JSON.stringify(queue));
}

function kept(): Change[] {
  const text = remembered('changes');
  if (text === null) return [];
  const { seq } = readStore().marks;
  const changes = JSON.parse(text) as Change[];
  // the first may have reached the disk before the window went
  return changes.filter((one, index) => !(index === 0 && one.sentFor !== null && seq === one.sentFor + 1));
}
