import { sha256 } from './hash.js';

/** The content hash of a run that delivered neither an answer nor a change. */
export const nothingDelivered = sha256(`${sha256('')}\n${sha256('')}\n`);
