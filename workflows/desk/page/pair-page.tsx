import { useEffect, useState } from 'preact/hooks';
import type { PairView } from '../src/desk-view.js';
import { change, type Side, update } from './desk-store.js';
import { statuses } from './finding-body.js';
import { listClaims } from './finding-rows.js';
import type { ArtifactKind } from './readers.js';
import { artifacts, ReadingPane } from './reading-pane.js';
import {
  accept,
  addFinding,
  findingNow,
  marksOf,
  notApplicable,
  proposalOf,
  type SheetName,
  setFinding,
  setSupport,
  setValue,
  sheets,
  supportOf,
  type Variant,
} from './scoring.js';
import { ScoringPane } from './scoring-pane.js';
import { useShortcuts } from './shortcuts.js';
import { useStore } from './use-store.js';

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

  return (
    <main class="pair-page">
      <h1 class="spoken">Pair {desk.pairs.findIndex((each) => each.pair === pair.pair) + 1}</h1>
      <ReadingPane
        variants={variants}
        side={side}
        both={both}
        kind={kind}
        other={others[kind] ?? false}
        disabled={off || blocking.length > 0}
        row={row?.id ?? null}
        onSide={setSide}
        onKind={setKind}
        onTurn={turn}
        onBoth={() => setBoth(!both)}
        onAttach={attach}
      />
      <ScoringPane
        pair={pair.pair}
        one={one}
        variants={variants}
        side={side}
        sheet={sheet}
        current={current}
        blocking={locked ? [] : blocking}
        disabled={off}
        onSheet={setSheet}
        onSide={setSide}
        onRow={(id) => open(sheet as SheetName, id)}
        onFinding={(name, id) => {
          setSide(name);
          open(name, id);
        }}
      />
    </main>
  );
}
