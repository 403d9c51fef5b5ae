import type { FindingMark, FindingStatus } from 'skill-trial';
import type { CaseView } from '../src/desk-view.js';
import { change } from './desk-store.js';
import { EvidenceList } from './evidence-list.js';
import { SavedText } from './saved-text.js';
import { findingNow, setFinding, type Variant } from './scoring.js';
import { useStore } from './use-store.js';

export const statuses: FindingStatus[] = ['confirmed', 'unconfirmed', 'contradicted', 'style'];

interface Props {
  one: CaseView;
  variant: Variant;
  finding: FindingMark;
  disabled: boolean;
  others: string[];
  onMerged: () => void;
}

/** One finding, open: what it is, its row, its evidence, and what it is the same as. */
export function FindingBody({ one, variant, finding, disabled, others, onMerged }: Props) {
  const { picked } = useStore();
  const own = picked?.side === variant.side ? picked : null;
  const id = `${variant.key}/finding/${finding.id}`;
  const place = { case: variant.case, content: variant.content };
  return (
    <div class="body">
      <fieldset class="plain">
        <legend class="spoken">What the finding is</legend>
        <div class="choices">
          {statuses.map((status) => (
            <label key={status} class="choice">
              <input
                type="radio"
                name={`status-${variant.side}-${finding.id}`}
                checked={finding.status === status}
                disabled={disabled}
                onChange={() => setFinding(variant, finding, { status })}
              />
              <span>{status}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <SavedText
        id={`claim/${id}`}
        label="Claim"
        value={finding.claim}
        disabled={disabled}
        onSave={(claim) => claim.trim() !== '' && setFinding(variant, finding, { claim: claim.trim() })}
      />
      <div class="fields">
        <label>
          <span>Rubric row</span>
          <select
            disabled={disabled}
            value={finding.row ?? ''}
            onChange={(event) => setFinding(variant, finding, { row: event.currentTarget.value || null })}
          >
            <option value="">beyond the rubric</option>
            {one.review.map((row) => (
              <option key={row.id} value={row.id}>
                {row.id} {row.requirement}
              </option>
            ))}
          </select>
        </label>
        <LinkedWith one={one} variant={variant} finding={finding} disabled={disabled} />
      </div>
      <EvidenceList
        evidence={finding.evidence}
        disabled={disabled}
        onChange={(evidence) => setFinding(variant, finding, { evidence })}
        onAdd={
          own === null
            ? null
            : () => setFinding(variant, finding, { evidence: [...findingNow(variant, finding).evidence, own.evidence] })
        }
      />
      <SavedText
        id={`note/${id}`}
        label="Note"
        value={finding.note}
        disabled={disabled}
        field={`note-${variant.side}`}
        rows={1}
        onSave={(note) => setFinding(variant, finding, { note })}
      />
      {!disabled && (
        <div class="tools">
          {others.length > 0 && (
            <button
              type="button"
              onClick={() => {
                change({ kind: 'merge-findings', ...place, into: finding.id, from: others });
                onMerged();
              }}
            >
              Merge the {others.length} chosen into this
            </button>
          )}
          <button type="button" class="quiet" onClick={() => change({ kind: 'remove-finding', ...place, id: finding.id })}>
            Remove
          </button>
        </div>
      )}
    </div>
  );
}

/** Links a finding with the same one of another variant: both then carry one key, and consistency counts them as one. */
function LinkedWith({ one, variant, finding, disabled }: Omit<Props, 'others' | 'onMerged'>) {
  const { desk, marks } = useStore();
  const places = desk.pairs.flatMap((pair, index) =>
    pair.case === one.name
      ? [
          { content: pair.x, name: `pair ${index + 1} X` },
          { content: pair.y, name: `pair ${index + 1} Y` },
        ]
      : [],
  );
  const seen = new Set<string>();
  const options = places.flatMap(({ content, name }) => {
    if (content === variant.content || seen.has(content)) return [];
    seen.add(content);
    return (marks.marks.variants[`${one.name}/${content}`]?.findings ?? []).map(({ key, claim }) => ({
      key,
      words: `${name}: ${claim}`,
    }));
  });
  const linked = options.some(({ key }) => key === finding.key);
  return (
    <label>
      <span>Same finding as</span>
      <select
        disabled={disabled}
        value={linked ? finding.key : ''}
        onChange={(event) =>
          setFinding(variant, finding, { key: event.currentTarget.value || `${variant.content.slice(0, 8)}-${finding.id}` })
        }
      >
        <option value="">no other</option>
        {options.map(({ key, words }, index) => (
          <option key={`${key} ${index}`} value={key}>
            {words.slice(0, 120)}
          </option>
        ))}
      </select>
    </label>
  );
}
