import { useState } from 'preact/hooks';
import type { FindingMark } from 'skill-trial';
import type { CaseView } from '../src/desk-view.js';
import { ask, change, type Side, update } from './desk-store.js';
import { FindingBody } from './finding-body.js';
import { addFinding, findingNow, marksOf, type Variant } from './scoring.js';
import { useStore } from './use-store.js';

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
