import { useEffect, useState } from 'preact/hooks';
import type { PairView } from '../src/desk-view.js';
import { change, type Side, update } from './desk-store.js';
import { FindingRows, listClaims, statuses } from './finding-rows.js';
import { GuessPanel } from './guess-panel.js';
import { type ArtifactKind, Reader } from './readers.js';
import { RubricRows } from './rubric-rows.js';
import {
  accept,
  addFinding,
  findingNow,
  marksOf,
  notApplicable,
  placeOf,
  proposalOf,
  type SheetName,
  setFinding,
  setSupport,
  setValue,
  sheets,
  sheetTitles,
  supportOf,
  type Variant,
} from './scoring.js';
import { useShortcuts } from './shortcuts.js';
import { useStore } from './use-store.js';

const artifacts: [ArtifactKind, string, string][] = [
  ['response', 'Response', 'r'],
  ['diff', 'Diff', 'd'],
  ['tests', 'Test output', 't'],
  ['documents', 'Documentation', 'o'],
];

const otherWords: Partial<Record<ArtifactKind, [string, string]>> = {
  response: ['Rendered', 'Source'],
  diff: ['Unified', 'Split'],
};

/** Two blinded variants side by side, and the rubric beside them. */
export function PairPage({ pair, keys, locked }: { pair: PairView; keys: boolean; locked: boolean }) {
  const store = useStore();
  const { desk, marks, picked } = store;
  const one = desk.cases.find(({ name }) => name === pair.case);
  const [side, setSide] = useState<Side>('x');
  const [both, setBoth] = useState(() => matchMedia('(min-width: 900px)').matches);
  const [kind, setKind] = useState<ArtifactKind>('response');
  const [others, setOthers] = useState<Partial<Record<ArtifactKind, boolean>>>({});
  const [sheet, setSheet] = useState<SheetName>('review');
  const [rows, setRows] = useState<Partial<Record<SheetName | Side, string>>>({});
  useEffect(() => update({ picked: null }), [pair.pair]);
  if (one === undefined) return <p class="none">This pair has no case.</p>;

  const variants = (['x', 'y'] as const).map((name): Variant => {
    const content = pair[name];
    const known = desk.variants.find((variant) => variant.case === pair.case && variant.content === content);
    return {
      side: name,
      case: pair.case,
      content,
      key: `${pair.case}/${content}`,
      scored: known !== undefined,
      proposals: known?.proposals ?? [],
    };
  });
  const variant = variants.find((each) => each.side === side) as Variant;
  const blocking = [...new Set(variants.flatMap(({ key }) => marks.blocked[key] ?? []))];
  const off = locked || store.link !== 'online';
  const findings = marksOf(variant).findings;
  const current =
    sheet === 'findings'
      ? (rows[side] ?? findings[0]?.id ?? null)
      : (rows[sheet] ?? one[sheet].find((row) => !row.automatic)?.id ?? null);
  const finding = sheet === 'findings' ? findings.find(({ id }) => id === current) : undefined;
  const row =
    sheet === 'findings'
      ? undefined
      : one[sheet].find(
          ({ id }) => id === current && !(sheet === 'tests' && one.tests.some((each) => each.id === id && each.automatic)),
        );

  const move = (by: number) => {
    const ids = sheet === 'findings' ? findings.map(({ id }) => id) : one[sheet].map(({ id }) => id);
    const next = ids[Math.min(Math.max(ids.indexOf(current ?? '') + by, 0), ids.length - 1)];
    if (next !== undefined) open(sheet === 'findings' ? side : sheet, next);
  };
  const open = (list: SheetName | Side, id: string) => {
    setRows({ ...rows, [list]: id });
    requestAnimationFrame(() => document.querySelector('.row-card.open')?.scrollIntoView({ block: 'nearest' }));
  };
  const value = (digit: number) => {
    if (off || blocking.length > 0 || !variant.scored) return;
    if (finding !== undefined) {
      const status = statuses[digit - 1];
      if (status !== undefined) setFinding(variant, finding, { status });
    } else if (row !== undefined && sheet === 'tests') {
      if (digit <= row.weight) setValue(variant, 'tests', row.id, digit);
    } else if (row !== undefined && sheet !== 'findings') {
      if (digit === 1 || digit === 2) setValue(variant, sheet, row.id, digit === 1);
      else if (digit === 3 && sheet === 'review')
        change({ kind: 'applicability', case: one.name, row: row.id, applicable: row.id in notApplicable(one.name), note: '' });
    }
  };
  const attach = () => {
    if (off || blocking.length > 0 || picked === null) return;
    const target = variants.find((each) => each.side === picked.side) as Variant;
    setSide(picked.side);
    if (sheet === 'findings') {
      if (picked.side === side && finding !== undefined)
        setFinding(target, finding, { evidence: [...findingNow(target, finding).evidence, picked.evidence] });
      else addFinding(target, [picked.evidence]);
    } else if (row !== undefined)
      setSupport(target, sheet, row.id, { evidence: [...supportOf(target, sheet, row.id).evidence, picked.evidence] });
  };
  const goTo = (next: Side) => {
    setSide(next);
    const text = () => document.querySelector<HTMLElement>(`[data-reader=${next}] [tabindex="0"]`);
    // at once where it is shown already: the next key may come before the next frame
    if (text() === null) requestAnimationFrame(() => text()?.focus());
    else text()?.focus();
  };
  const step = (by: number) => {
    const next = desk.pairs[desk.pairs.findIndex((each) => each.pair === pair.pair) + by];
    if (next !== undefined) location.hash = `#/pair/${next.pair}`;
  };
  const turn = () => setOthers({ ...others, [kind]: !(others[kind] ?? false) });
  const sheetBy = (by: number) => setSheet(sheets[(sheets.indexOf(sheet) + by + sheets.length) % sheets.length] as SheetName);
  useShortcuts(
    {
      ...Object.fromEntries(artifacts.map(([name, , key]) => [key, () => setKind(name)])),
      ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [String(digit), () => value(digit)])),
      x: () => goTo('x'),
      y: () => goTo('y'),
      v: turn,
      b: () => setBoth(!both),
      '[': () => sheetBy(-1),
      ']': () => sheetBy(1),
      j: () => move(1),
      k: () => move(-1),
      e: attach,
      n: () => document.querySelector<HTMLElement>(`[data-field=note-${side}]`)?.focus(),
      c: () => {
        setSheet('findings');
        if (!off && blocking.length === 0 && variant.scored && !marksOf(variant).claimsListed) void listClaims(variant);
      },
      a: () => {
        const proposal = row === undefined || sheet === 'findings' ? null : proposalOf(variant, sheet, row.id);
        if (!off && blocking.length === 0 && proposal !== null) accept(variant, proposal);
      },
      Backspace: () => {
        if (off) return;
        if (finding !== undefined) setFinding(variant, finding, { status: null });
        else if (row !== undefined && sheet !== 'findings') setValue(variant, sheet, row.id, null);
      },
      ',': () => step(-1),
      '.': () => step(1),
    },
    keys,
  );

  const shown = both ? variants : [variant];
  const words = otherWords[kind];
  return (
    <main class="pair-page">
      <h1 class="spoken">Pair {desk.pairs.findIndex((each) => each.pair === pair.pair) + 1}</h1>
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
                onClick={() => setKind(name)}
              >
                {title}
              </button>
            ))}
          </div>
          <div class="options">
            {words !== undefined && (
              <button type="button" class="quiet" onClick={turn} title={`Show it ${words[others[kind] ? 0 : 1].toLowerCase()}`}>
                {words[others[kind] ? 1 : 0]} <kbd>v</kbd>
              </button>
            )}
            <button type="button" class="quiet" onClick={() => setBoth(!both)} aria-pressed={both}>
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
              onFocusCapture={() => setSide(each.side)}
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
                  other={others[kind] ?? false}
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
              <button type="button" disabled={off || blocking.length > 0} onClick={attach}>
                Use as evidence{row === undefined ? '' : ` for ${row.id}`} <kbd>e</kbd>
              </button>
              <button type="button" class="quiet" onClick={() => update({ picked: null })}>
                Clear
              </button>
            </>
          )}
        </div>
      </section>
      <aside class="scoring" aria-label="Rubric and marks">
        {blocking.length > 0 && !locked ? (
          <GuessPanel
            key={pair.pair}
            pair={pair.pair}
            disabled={off}
            others={blocking
              .filter((name) => name !== pair.pair)
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
                    onClick={() => setSheet(name)}
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
                  disabled={off}
                  onFinding={(name, id) => {
                    setSide(name);
                    open(name, id);
                  }}
                />
              ) : (
                <RubricRows
                  one={one}
                  sheet={sheet}
                  variants={variants}
                  current={current}
                  side={side}
                  disabled={off}
                  onRow={(id) => open(sheet, id)}
                  onSide={setSide}
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
    </main>
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
