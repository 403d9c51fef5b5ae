import type { CaseView } from '../src/desk-view.js';
import type { Side } from './desk-store.js';
import { FindingRows } from './finding-rows.js';
import { GuessPanel } from './guess-panel.js';
import { RubricRows } from './rubric-rows.js';
import { type SheetName, sheets, sheetTitles, type Variant } from './scoring.js';
import { useStore } from './use-store.js';

interface Props {
  pair: string;
  one: CaseView;
  variants: Variant[];
  side: Side;
  sheet: SheetName;
  current: string | null;
  /** Pairs whose guess has to be given first; none where scoring is locked. */
  blocking: string[];
  disabled: boolean;
  onSheet: (sheet: SheetName) => void;
  onSide: (side: Side) => void;
  onRow: (id: string) => void;
  onFinding: (side: Side, id: string) => void;
}

/** The rubric and its marks; the question which arm is which, as long as that is to be asked first. */
export function ScoringPane({
  pair,
  one,
  variants,
  side,
  sheet,
  current,
  blocking,
  disabled,
  onSheet,
  onSide,
  onRow,
  onFinding,
}: Props) {
  const { desk } = useStore();
  return (
    <aside class="scoring" aria-label="Rubric and marks">
      {blocking.length > 0 ? (
        <GuessPanel
          key={pair}
          pair={pair}
          disabled={disabled}
          others={blocking
            .filter((name) => name !== pair)
            .map((name) => ({ pair: name, name: `Pair ${desk.pairs.findIndex((each) => each.pair === name) + 1}` }))}
        />
      ) : (
        <>
          <div class="bar">
            <div class="tabs" role="tablist" aria-label="Sheets">
              {sheets.map((name) => (
                <button
                  key={name}
                  type="button"
                  role="tab"
                  id={`sheet-${name}`}
                  aria-selected={sheet === name}
                  aria-controls="sheet"
                  onClick={() => onSheet(name)}
                >
                  {sheetTitles[name]}
                </button>
              ))}
            </div>
          </div>
          <div class="sheet" id="sheet" role="tabpanel" aria-labelledby={`sheet-${sheet}`}>
            {sheet === 'findings' ? (
              <FindingRows
                one={one}
                variants={variants}
                side={side}
                current={current}
                disabled={disabled}
                onFinding={onFinding}
              />
            ) : (
              <RubricRows
                one={one}
                sheet={sheet}
                variants={variants}
                current={current}
                side={side}
                disabled={disabled}
                onRow={onRow}
                onSide={onSide}
              />
            )}
            <details class="task">
              <summary>The task</summary>
              <p>{one.task}</p>
            </details>
          </div>
        </>
      )}
    </aside>
  );
}
