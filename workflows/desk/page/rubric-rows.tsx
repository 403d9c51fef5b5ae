import type { CaseView, RubricView } from '../src/desk-view.js';
import { change, type SheetKind, type Side } from './desk-store.js';
import { EvidenceList } from './evidence-list.js';
import { SavedText } from './saved-text.js';
import { accept, markNow, notApplicable, proposalOf, setSupport, setValue, supportOf, type Variant } from './scoring.js';
import { useStore } from './use-store.js';

interface Props {
  one: CaseView;
  sheet: SheetKind;
  variants: Variant[];
  current: string | null;
  side: Side;
  disabled: boolean;
  onRow: (id: string) => void;
  onSide: (side: Side) => void;
}

/** The rows of a rubric: the present one open with both variants' marks, the others as one line each. */
export function RubricRows({ one, sheet, variants, current, side, disabled, onRow, onSide }: Props) {
  const skipped = sheet === 'review' ? notApplicable(one.name) : {};
  return (
    <ol class="rows">
      {one[sheet].map((row) => {
        const open = row.id === current;
        return (
          <li key={row.id} class={open ? 'row-card open' : 'row-card'} data-row={row.id}>
            <button type="button" class="head" aria-expanded={open} onClick={() => onRow(row.id)}>
              <span class="id">{row.id}</span>
              <span class="requirement">{row.requirement}</span>
              <span class="states">
                {row.id in skipped ? (
                  <span class="state skipped">n/a</span>
                ) : (
                  variants.map((variant) => <State key={variant.side} variant={variant} sheet={sheet} row={row} />)
                )}
              </span>
            </button>
            {open && (
              <div class="body">
                <p class="rule">
                  <strong>
                    {row.weight} {row.weight === 1 ? 'point' : 'points'}.
                  </strong>{' '}
                  {row.evidenceRule}
                </p>
                {row.automatic ? (
                  <p class="hint">The negative control fills this row.</p>
                ) : (
                  <>
                    {!(row.id in skipped) &&
                      variants.map((variant) => (
                        <SideMark
                          key={`${variant.key}/${sheet}/${row.id}/${variant.side}`}
                          variant={variant}
                          sheet={sheet}
                          row={row}
                          present={variant.side === side}
                          disabled={disabled || !variant.scored}
                          onSide={onSide}
                        />
                      ))}
                    {sheet === 'review' && (
                      <Applicability one={one} row={row} reason={skipped[row.id] ?? null} disabled={disabled} />
                    )}
                  </>
                )}
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function State({ variant, sheet, row }: { variant: Variant; sheet: SheetKind; row: RubricView }) {
  const name = variant.side.toUpperCase();
  if (row.automatic || !variant.scored) return <span class="state automatic">{name} auto</span>;
  const mark = markNow(variant, sheet, row.id);
  const words = mark === undefined ? 'open' : valueWords(mark.value);
  const kind =
    mark === undefined ? 'open' : mark.value === true || (typeof mark.value === 'number' && mark.value > 0) ? 'yes' : 'no';
  const short = mark === undefined ? '–' : typeof mark.value === 'number' ? String(mark.value) : mark.value ? '✓' : '✗';
  return (
    <span class={`state ${kind}`}>
      <span aria-hidden="true">
        {name} {short}
      </span>
      <span class="spoken">
        variant {name}: {words}
      </span>
    </span>
  );
}

export function valueWords(value: number | boolean | null): string {
  if (value === null) return 'cannot tell';
  if (typeof value === 'number') return `${value} ${value === 1 ? 'point' : 'points'}`;
  return value ? 'found' : 'not found';
}

interface SideProps {
  variant: Variant;
  sheet: SheetKind;
  row: RubricView;
  present: boolean;
  disabled: boolean;
  onSide: (side: Side) => void;
}

function SideMark({ variant, sheet, row, present, disabled, onSide }: SideProps) {
  const { picked } = useStore();
  const mark = markNow(variant, sheet, row.id);
  const support = supportOf(variant, sheet, row.id);
  const proposal = proposalOf(variant, sheet, row.id);
  const name = variant.side.toUpperCase();
  const id = `${variant.side}-${sheet}-${row.id}`;
  const values: [number | boolean, string][] =
    sheet === 'tests'
      ? Array.from({ length: Math.floor(row.weight) + 1 }, (_, points): [number, string] => [points, String(points)])
      : [
          [true, 'Found'],
          [false, 'Not found'],
        ];
  const own = picked?.side === variant.side ? picked : null;
  return (
    <fieldset class={present ? 'side-mark present' : 'side-mark'} onFocusCapture={() => onSide(variant.side)}>
      <legend>Variant {name}</legend>
      {!variant.scored ? (
        <p class="hint">Nothing was delivered; the lab scores it so.</p>
      ) : (
        <>
          <div class="choices">
            {values.map(([value, words]) => (
              <label key={words} class="choice">
                <input
                  type="radio"
                  name={id}
                  checked={mark?.value === value}
                  disabled={disabled}
                  onChange={() => setValue(variant, sheet, row.id, value)}
                />
                <span>{words}</span>
              </label>
            ))}
            {sheet === 'tests' && <span class="of">of {row.weight}</span>}
            {mark?.accepted && <span class="tag">from a check</span>}
          </div>
          {proposal !== null && mark?.accepted !== true && (
            <div class="proposal">
              <p>
                <strong>A check proposes: {valueWords(proposal.value)}.</strong> {proposal.reason}
              </p>
              {proposal.value !== null && !disabled && (
                <button type="button" onClick={() => accept(variant, proposal)}>
                  Accept <kbd>a</kbd>
                </button>
              )}
            </div>
          )}
          <EvidenceList
            evidence={support.evidence}
            disabled={disabled}
            onChange={(evidence) => setSupport(variant, sheet, row.id, { evidence })}
            onAdd={
              own === null ? null : () => setSupport(variant, sheet, row.id, { evidence: [...support.evidence, own.evidence] })
            }
          />
          {mark === undefined && (support.evidence.length > 0 || support.note !== '') && (
            <p class="hint">Kept in this browser until the row is marked.</p>
          )}
          {(present || support.note !== '') && (
            <SavedText
              id={`note/${variant.key}/${sheet}/${row.id}`}
              label={`Note on ${name}`}
              value={support.note}
              disabled={disabled}
              field={`note-${variant.side}`}
              rows={1}
              onSave={(note) => setSupport(variant, sheet, row.id, { note })}
            />
          )}
        </>
      )}
    </fieldset>
  );
}

function Applicability({
  one,
  row,
  reason,
  disabled,
}: {
  one: CaseView;
  row: RubricView;
  reason: string | null;
  disabled: boolean;
}) {
  const set = (applicable: boolean, note: string) =>
    change({ kind: 'applicability', case: one.name, row: row.id, applicable, note });
  return (
    <div class="applicability">
      <label class="check">
        <input
          type="checkbox"
          checked={reason !== null}
          disabled={disabled}
          onChange={(event) => set(!event.currentTarget.checked, '')}
        />
        <span>Not applicable to this case, in any variant</span>
      </label>
      {reason !== null && (
        <SavedText
          id={`why/${one.name}/${row.id}`}
          label="Why it does not apply"
          value={reason}
          disabled={disabled}
          rows={1}
          onSave={(note) => set(false, note)}
        />
      )}
    </div>
  );
}
