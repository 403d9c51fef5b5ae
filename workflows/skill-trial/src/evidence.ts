import { z } from 'zod';

/** A place in what a scorer was shown, and what stands there. */
export const Evidence = z.strictObject({
  /** `response.md`, or a path in the repository of the variant. */
  file: z.string().min(1),
  /** 1-based; null where the whole file is meant. */
  line: z.int().positive().nullable(),
  /** Which state of the repository the line is of; absent for the response and for a file outside the patch. */
  side: z.enum(['base', 'result']).optional(),
  quote: z.string(),
});
export type Evidence = z.infer<typeof Evidence>;

/** Evidence as one text, as the sheets hold it: `src/a.js:37 (base) "quote"; response.md:12 "quote"`. */
export function evidenceText(evidence: Evidence[], note = ''): string {
  const places = evidence.map(({ file, line, side, quote }) => {
    const place = `${file}${line === null ? '' : `:${line}`}${side === undefined ? '' : ` (${side})`}`;
    return quote.trim() === '' ? place : `${place} "${quote.trim().replace(/\s+/g, ' ')}"`;
  });
  return [...places, ...(note.trim() === '' ? [] : [note.trim()])].join('; ');
}
