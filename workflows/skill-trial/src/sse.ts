import { createParser } from 'eventsource-parser';

/** One server-sent event: its name (null where unnamed) and its data. */
export interface SseEvent {
  event: string | null;
  data: string;
}

/** The events of a recorded stream. A last event without its closing blank line is left out: it was cut short. */
export function readEvents(raw: Uint8Array): SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event: event ?? null, data }) });
  parser.feed(new TextDecoder().decode(raw));
  return events;
}

/** The text of one event. Data must hold no line break; JSON never does. */
export function writeEvent(event: SseEvent): string {
  return `${event.event === null ? '' : `event: ${event.event}\n`}data: ${event.data}\n\n`;
}

/** Whether a body is an event stream, by its content type, or by its first bytes where a server labels a stream wrongly. */
export function isEventStream(raw: Uint8Array, contentType: string): boolean {
  if (contentType.includes('event-stream')) return true;
  return /^\s*(?:data|event|:)\s*:?/.test(new TextDecoder().decode(raw.subarray(0, 16)));
}
