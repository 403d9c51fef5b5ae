import { type Side, update } from './desk-store.js';
import { type ArtifactKind, Reader } from './readers.js';
import { placeOf, type Variant } from './scoring.js';
import { useStore } from './use-store.js';

/** What a variant delivered: each kind with its title and its key. */
export const artifacts: [ArtifactKind, string, string][] = [
  ['response', 'Response', 'r'],
  ['diff', 'Diff', 'd'],
  ['tests', 'Test output', 't'],
  ['documents', 'Documentation', 'o'],
];

const otherWords: Partial<Record<ArtifactKind, [string, string]>> = {
  response: ['Rendered', 'Source'],
  diff: ['Unified', 'Split'],
};

interface Props {
  variants: Variant[];
  side: Side;
  both: boolean;
  kind: ArtifactKind;
  /** Whether the kind is shown its other way (source, split). */
  other: boolean;
  disabled: boolean;
  /** The row that picked lines would be evidence for; null: none is open. */
  row: string | null;
  onSide: (side: Side) => void;
  onKind: (kind: ArtifactKind) => void;
  onTurn: () => void;
  onBoth: () => void;
  onAttach: () => void;
}

/** What the variants delivered, one or two side by side, and the lines picked in them. */
export function ReadingPane({
  variants,
  side,
  both,
  kind,
  other,
  disabled,
  row,
  onSide,
  onKind,
  onTurn,
  onBoth,
  onAttach,
}: Props) {
  const { picked } = useStore();
  const shown = both ? variants : variants.filter((each) => each.side === side);
  const words = otherWords[kind];
  return (
    <section class="reading" aria-label="What the variants delivered">
      <div class="bar">
        <div class="tabs" role="tablist" aria-label="What to read">
          {artifacts.map(([name, title, key]) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={kind === name}
              aria-controls="readers"
              aria-keyshortcuts={key}
              onClick={() => onKind(name)}
            >
              {title}
            </button>
          ))}
        </div>
        <div class="options">
          {words !== undefined && (
            <button type="button" class="quiet" onClick={onTurn} title={`Show it ${words[other ? 0 : 1].toLowerCase()}`}>
              {words[other ? 1 : 0]} <kbd>v</kbd>
            </button>
          )}
          <button type="button" class="quiet" onClick={onBoth} aria-pressed={both}>
            Side by side <kbd>b</kbd>
          </button>
        </div>
      </div>
      <div class={both ? 'readers both' : 'readers'} id="readers" role="tabpanel" aria-labelledby={`tab-${kind}`}>
        {shown.map((each) => (
          <div
            key={each.side}
            class={each.side === side ? 'reader present' : 'reader'}
            data-reader={each.side}
            onFocusCapture={() => onSide(each.side)}
          >
            <h2>
              <span class="badge">{each.side.toUpperCase()}</span> Variant {each.side.toUpperCase()}
              <Done variant={each} />
            </h2>
            {each.scored ? (
              <Reader
                kind={kind}
                side={each.side}
                path={each.key}
                other={other}
                picked={picked?.side === each.side ? picked.evidence : null}
                onPick={(evidence, lines) =>
                  update({
                    picked: { side: each.side, evidence, label: `${placeOf(evidence)}${lines > 1 ? `, ${lines} lines` : ''}` },
                  })
                }
              />
            ) : (
              <p class="none">This run delivered neither an answer nor a change. The lab scores it so.</p>
            )}
          </div>
        ))}
      </div>
      <div class="picked-bar" role="status">
        {picked === null ? (
          <span class="hint">
            Pick lines to use them as evidence: click a line number, or use the arrow keys in a text or diff.
          </span>
        ) : (
          <>
            <span>
              Picked in {picked.side.toUpperCase()}: <strong>{picked.label}</strong>
            </span>
            <button type="button" disabled={disabled} onClick={onAttach}>
              Use as evidence{row === null ? '' : ` for ${row}`} <kbd>e</kbd>
            </button>
            <button type="button" class="quiet" onClick={() => update({ picked: null })}>
              Clear
            </button>
          </>
        )}
      </div>
    </section>
  );
}

function Done({ variant }: { variant: Variant }) {
  const { marks } = useStore();
  const own = marks.progress.variants.find((each) => each.case === variant.case && each.content === variant.content);
  if (own === undefined) return null;
  return (
    <span class="counts">
      {own.done} of {own.total} marked
    </span>
  );
}
