import { type Evidence, remember, remembered, update } from './desk-store.js';

/** Evidence and note of a row that has no mark yet: kept in the browser until there is one. */
export interface RowDraft {
  evidence: Evidence[];
  note: string;
}

const none: RowDraft = { evidence: [], note: '' };

export function readDraft(id: string): RowDraft {
  const text = remembered(`draft/${id}`);
  return text === null ? none : (JSON.parse(text) as RowDraft);
}

export function writeDraft(id: string, draft: RowDraft): void {
  const empty = draft.evidence.length === 0 && draft.note === '';
  remember(`draft/${id}`, empty ? null : JSON.stringify(draft));
  update({});
}
