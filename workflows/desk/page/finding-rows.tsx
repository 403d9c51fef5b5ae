import { useState } from 'preact/hooks';
import type { FindingMark, FindingStatus } from 'skill-trial';
import type { CaseView } from '../src/desk-view.js';
import { ask, change, type Side, update } from './desk-store.js';
import { EvidenceList } from './evidence-list.js';
import { SavedText } from './saved-text.js';
import { addFinding, findingNow, marksOf, setFinding, type Variant } from './scoring.js';
import { useStore } from './use-store.js';

export const statuses: FindingStatus[] = ['confirmed', 'unconfirmed', 'contradicted', 'style'];

interface Props {
  one: CaseView;
  variants: Variant[];
  side: Side;
  current: string | null;
  disabled: boolean;
  onFinding: (side: Side, id: string) => void;
}

/** Every claim of each response, to be classified, edited, merged and linked. */
export function FindingRows({ one, variants, side, current, disabled, onFinding }: Props) {
  return (
    <>
      {variants.map((variant) => (
        <FindingGroup
          key={variant.side}
          one={one}
          variant={variant}
          current={variant.side === side ? current : null}
          disabled={disabled || !variant.scored}
          onFinding={(id) => onFinding(variant.side, id)}
        />
      ))}
    </>
  );
}

/** Asks for the claims of a response and takes them as its starting list. */
export async function listClaims(variant: Variant): Promise<void> {
  const path = `/api/variants/${variant.case}/${variant.content}/claims`;
  const { findings, cut } = await ask<{ findings: FindingMark[]; cut: boolean }>(path);
  change({ kind: 'claims', case: variant.case, content: variant.content, findings });
  if (cut) update({ refusal: 'The response was too long to list every claim: add the missing ones by hand.' });
}

interface GroupProps {
  one: CaseView;
  variant: Variant;
  current: string | null;
  disabled: boolean;
  onFinding: (id: string) => void;
}

function FindingGroup({ one, variant, current, disabled, onFinding }: GroupProps) {
  const { picked } = useStore();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const marks = marksOf(variant);
  const name = variant.side.toUpperCase();
  const own = picked?.side === variant.side ? [picked.evidence] : [];
  const open = marks.findings.filter(({ status }) => status === null).length;
  return (
    <section class="findings" aria-label={`Findings of variant ${name}`}>
      <h3>
        Variant {name}
        <span class="counts">
          {!variant.scored
            ? 'nothing delivered'
            : marks.claimsListed
              ? `${marks.findings.length} findings, ${open} to classify`
              : 'claims not listed yet'}
        </span>
      </h3>
      {variant.scored && !disabled && (
        <div class="tools">
          {!marks.claimsListed && (
            <button type="button" class="strong" onClick={() => void listClaims(variant)}>
              List the claims <kbd>c</kbd>
            </button>
          )}
          <button type="button" class="quiet" onClick={() => addFinding(variant, own)}>
            Add a finding
          </button>
        </div>
      )}
      <ol class="rows">
        {marks.findings.map((recorded) => {
          const finding = findingNow(variant, recorded);
          const isOpen = finding.id === current;
          return (
            <li key={finding.id} class={isOpen ? 'row-card open' : 'row-card'} data-finding={`${variant.side}-${finding.id}`}>
              <div class="finding-head">
                {!disabled && (
                  <input
                    type="checkbox"
                    aria-label={`Choose for merging: ${finding.claim.slice(0, 80)}`}
                    checked={chosen.has(finding.id)}
                    onChange={() => {
                      const next = new Set(chosen);
                      if (!next.delete(finding.id)) next.add(finding.id);
                      setChosen(next);
                    }}
                  />
                )}
                <button type="button" class="head" aria-expanded={isOpen} onClick={() => onFinding(finding.id)}>
                  <span class="requirement">{finding.claim}</span>
                  <span class={`state ${finding.status ?? 'open'}`}>{finding.status ?? 'open'}</span>
                </button>
              </div>
              {isOpen && (
                <FindingBody
                  one={one}
                  variant={variant}
                  finding={finding}
                  disabled={disabled}
                  others={[...chosen].filter((id) => id !== finding.id && marks.findings.some((other) => other.id === id))}
                  onMerged={() => setChosen(new Set())}
                />
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

interface BodyProps {
  one: CaseView;
  variant: Variant;
  finding: FindingMark;
  disabled: boolean;
  others: string[];
  onMerged: () => void;
}

function FindingBody({ one, variant, finding, disabled, others, onMerged }: BodyProps) {
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
function LinkedWith({ one, variant, finding, disabled }: Omit<BodyProps, 'others' | 'onMerged'>) {
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
