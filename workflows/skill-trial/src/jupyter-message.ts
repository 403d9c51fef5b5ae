/** Jupyter's messages: signed frames on the wire, and what the messages of one cell add up to. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';

const Header = z.object({ msg_type: z.string() });
const Parent = z.object({ msg_id: z.string().optional() });
const Stream = z.object({ name: z.enum(['stdout', 'stderr']), text: z.string() });
const Display = z.object({
  data: z.record(z.string(), z.unknown()),
  metadata: z.record(z.string(), z.unknown()).default({}),
  transient: z.object({ display_id: z.string().optional() }).default({}),
});
const Raised = z.object({ ename: z.string(), evalue: z.string(), traceback: z.array(z.string()) });
const Reply = z.object({ status: z.string() });
const Status = z.object({ execution_state: z.string() });

/** What a cell shows: one thing in several representations, by mime type. */
export interface DisplayBundle {
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

/** One thing a cell emitted. Neighbouring pieces of one stream are joined, so that timing does not show. */
export type Emitted =
  | { type: 'stream'; name: 'stdout' | 'stderr'; text: string }
  | ({ type: 'display' } & DisplayBundle)
  | { type: 'error'; ename: string; evalue: string; traceback: string[] };

/** What executing one cell gave. A cell that fails is an outcome; only a kernel that cannot go on throws. */
export interface Execution {
  status: 'ok' | 'error';
  stdout: string;
  stderr: string;
  outputs: DisplayBundle[];
  /** Everything above in the order it was emitted. */
  emitted: Emitted[];
}

/** A message as it came: its type, the request it answers, and its content, not yet checked. */
export interface ReceivedMessage {
  type: string;
  request: string | undefined;
  content: unknown;
}

const delimiter = '<IDS|MSG>';

function signature(key: string, parts: (string | Buffer)[]): string {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
}

/** The frames of a request, signed with the connection's key. */
export function encodeMessage(key: string, message: { id: string; session: string; type: string; content: object }): string[] {
  const header = {
    msg_id: message.id,
    msg_type: message.type,
    session: message.session,
    username: 'skill-trial',
    date: new Date().toISOString(),
    version: '5.3',
  };
  const parts = [header, {}, {}, message.content].map((part) => JSON.stringify(part));
  return [delimiter, signature(key, parts), ...parts];
}

/** The message in these frames, or null where they are none or not signed with the key. */
export function decodeMessage(key: string, frames: Buffer[]): ReceivedMessage | null {
  const start = frames.findIndex((frame) => frame.toString() === delimiter);
  const parts = frames.slice(start + 2);
  const [header, parent, , content] = parts;
  if (start < 0 || !header || !parent || !content) return null;
  if (frames[start + 1]?.toString() !== signature(key, parts)) return null;
  return {
    type: Header.parse(JSON.parse(header.toString())).msg_type,
    request: Parent.parse(JSON.parse(parent.toString())).msg_id,
    content: JSON.parse(content.toString()),
  };
}

/** Gathers the messages that answer one request into an {@link Execution}. */
export class CellOutcome {
  readonly execution: Execution = { status: 'ok', stdout: '', stderr: '', outputs: [], emitted: [] };
  readonly #displays = new Map<string, DisplayBundle>();
  #replied = false;
  #idle = false;

  /** Adds a message; true once the request is answered in full. */
  take({ type, content }: ReceivedMessage): boolean {
    if (type === 'stream') this.#stream(Stream.parse(content));
    else if (type === 'display_data' || type === 'execute_result' || type === 'update_display_data')
      this.#display(Display.parse(content));
    else if (type === 'error') this.#error(Raised.parse(content));
    else if (type === 'status') this.#idle ||= Status.parse(content).execution_state === 'idle';
    else if (type === 'kernel_info_reply') this.#replied = true;
    else if (type === 'execute_reply') {
      this.#replied = true;
      // tslab sends no "error" message: a failed cell is this status and text on stderr.
      if (Reply.parse(content).status !== 'ok') this.execution.status = 'error';
    }
    // The reply may overtake the last output; "idle" follows it on the same channel.
    return this.#replied && this.#idle;
  }

  #stream({ name, text }: z.infer<typeof Stream>): void {
    const { emitted } = this.execution;
    const last = emitted.at(-1);
    this.execution[name] += text;
    if (last?.type === 'stream' && last.name === name) last.text += text;
    else emitted.push({ type: 'stream', name, text });
  }

  #display({ data, metadata, transient }: z.infer<typeof Display>): void {
    const shown = this.#displays.get(transient.display_id ?? '');
    if (shown) {
      Object.assign(shown, { data, metadata });
      return;
    }
    const bundle = { type: 'display' as const, data, metadata };
    this.execution.outputs.push(bundle);
    this.execution.emitted.push(bundle);
    if (transient.display_id) this.#displays.set(transient.display_id, bundle);
  }

  #error(raised: z.infer<typeof Raised>): void {
    this.execution.emitted.push({ type: 'error', ...raised });
    this.execution.stderr += `${raised.ename}: ${raised.evalue}\n`;
  }
}
