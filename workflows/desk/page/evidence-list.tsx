import type { Evidence } from './desk-store.js';
import { placeOf } from './scoring.js';

interface Props {
  evidence: Evidence[];
  disabled: boolean;
  onChange: (evidence: Evidence[]) => void;
  /** Adds the picked lines; null where none of this variant are picked. */
  onAdd: (() => void) | null;
}

/** The evidence of a row or finding: place and quote, each removable. */
export function EvidenceList({ evidence, disabled, onChange, onAdd }: Props) {
  return (
    <div class="evidence">
      {evidence.length > 0 && (
        <ul>
          {evidence.map((one, index) => (
            <li key={`${placeOf(one)} ${index}`}>
              <span class="place">{placeOf(one)}</span>
              <span class="quote">{one.quote.trim()}</span>
              {!disabled && (
                <button
                  type="button"
                  class="quiet icon"
                  aria-label={`Remove evidence ${placeOf(one)}`}
                  onClick={() => onChange(evidence.filter((_, other) => other !== index))}
                >
                  ×
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {onAdd !== null && !disabled && (
        <button type="button" class="quiet" onClick={onAdd}>
          Add the picked lines <kbd>e</kbd>
        </button>
      )}
    </div>
  );
}
