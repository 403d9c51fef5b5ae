import { useMemo, useRef, useState } from 'preact/hooks';
import type { PatchFile, PatchLine, Span } from '../src/desk-view.js';
import type { Evidence } from './desk-store.js';
import { linesOf, type PatchRow, patchRows, textOf } from './patch-rows.js';
import { useVirtual } from './use-virtual.js';

interface Props {
  name: string;
  id: string;
  files: PatchFile[];
  split: boolean;
  picked: Evidence | null;
  onPick: (evidence: Evidence, lines: number) => void;
}

/** A patch as a tree: files that open and close, lines to pick from. Only the rows near the view are drawn. */
export function PatchTree({ name, id, files, split, picked, onPick }: Props) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => patchRows(files, closed, split), [files, closed, split]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtual(rows.length, scroller, 21);
  const [active, setActive] = useState(0);
  const [range, setRange] = useState<[number, number] | null>(null);
  const [anchor, setAnchor] = useState(0);
  const toggle = (path: string, open?: boolean) => {
    const next = new Set(closed);
    if (open ?? next.has(path)) next.delete(path);
    else next.add(path);
    setClosed(next);
    setRange(null);
  };
  const go = (index: number, extend: boolean, prefer: 'base' | 'result' | null = null) => {
    const to = Math.min(Math.max(index, 0), rows.length - 1);
    const row = rows[to];
    setActive(to);
    virtual.scrollToIndex(to, { align: 'auto' });
    if (row === undefined || linesOf(row).length === 0) return;
    const from = extend && rows[anchor]?.file === row.file ? anchor : to;
    setAnchor(from);
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    setRange([low, high]);
    const lines = rows.slice(low, high + 1).flatMap((one) => preferred(one, prefer));
    const first = lines[0];
    if (first === undefined) return;
    const side = first.result === null || (prefer === 'base' && first.base !== null) ? 'base' : 'result';
    const quote = lines.map(textOf).join('\n').slice(0, 1000);
    onPick({ file: row.file.path, line: (side === 'base' ? first.base : first.result) as number, side, quote }, lines.length);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[active];
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 25, PageUp: -25, Home: -rows.length, End: rows.length }[event.key];
    if (step !== undefined) go(active + step, event.shiftKey);
    else if (row?.kind === 'file' && (event.key === 'Enter' || event.key === ' ')) toggle(row.file.path);
    else if (row?.kind === 'file' && (event.key === 'ArrowLeft' || event.key === 'ArrowRight'))
      toggle(row.file.path, event.key === 'ArrowRight');
    else if (row !== undefined && event.key === 'ArrowLeft')
      go(
        rows.findIndex((one) => one.kind === 'file' && one.file === row.file),
        false,
      );
    else return;
    event.preventDefault();
  };
  const shown = virtual.getVirtualItems();
  const all = closed.size < files.length;
  return (
    <>
      <div class="tools">
        <span>
          {files.length} {files.length === 1 ? 'file' : 'files'}
        </span>
        <button type="button" class="quiet" onClick={() => setClosed(all ? new Set(files.map(({ path }) => path)) : new Set())}>
          {all ? 'Close all' : 'Open all'}
        </button>
      </div>
      <div
        class={split ? 'lines patch split' : 'lines patch'}
        ref={scroller}
        role="tree"
        aria-multiselectable="true"
        aria-label={`${name}, ${files.length} files`}
        aria-activedescendant={shown.some(({ index }) => index === active) ? `${id}-${active}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div class="space" role="presentation" style={{ height: `${virtual.getTotalSize()}px` }}>
          {shown.map(({ index, start }) => {
            const row = rows[index] as PatchRow;
            const isPicked =
              picked !== null && range !== null && index >= range[0] && index <= range[1] && linesOf(row).length > 0;
            return (
              // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the tree has the focus and the keys; it names its active row
              <div
                key={index}
                id={`${id}-${index}`}
                data-index={index}
                ref={(element) => virtual.measureElement(element)}
                class={`row ${classOf(row)}${isPicked ? ' picked' : ''}${index === active ? ' active' : ''}`}
                role="treeitem"
                aria-level={row.kind === 'file' ? 1 : 2}
                aria-expanded={row.kind === 'file' ? row.open : undefined}
                aria-selected={isPicked}
                style={{ transform: `translateY(${start}px)` }}
                onClick={(event) => {
                  if (row.kind === 'file') {
                    setActive(index);
                    toggle(row.file.path);
                  } else go(index, event.shiftKey, sideAt(event.target));
                }}
              >
                {content(row)}
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

/** The lines that a pick of this row means: of a changed pair the one that was pointed at, else the new one. */
function preferred(row: PatchRow, prefer: 'base' | 'result' | null): PatchLine[] {
  if (row.kind !== 'pair') return linesOf(row);
  const line = prefer === 'base' ? (row.base ?? row.result) : (row.result ?? row.base);
  return line === null ? [] : [line];
}

function sideAt(target: EventTarget | null): 'base' | 'result' | null {
  const half = (target as Element | null)?.closest('[data-half]')?.getAttribute('data-half');
  return half === 'base' || half === 'result' ? half : null;
}

function classOf(row: PatchRow): string {
  return row.kind === 'line' ? `line ${row.line.kind}` : row.kind;
}

const changes = { added: 'new', removed: 'removed', moved: 'moved', changed: '' };

function content(row: PatchRow) {
  switch (row.kind) {
    case 'file':
      return (
        <>
          <span class="twist" aria-hidden="true">
            {row.open ? '▾' : '▸'}
          </span>
          <span class="path">
            {row.file.from === null ? '' : `${row.file.from} → `}
            {row.file.path}
          </span>
          {changes[row.file.change] !== '' && <span class="tag">{changes[row.file.change]}</span>}
          <span class="plus">+{row.file.added}</span>
          <span class="minus">−{row.file.removed}</span>
        </>
      );
    case 'remark':
      return <span class="words">{row.words}</span>;
    case 'hunk':
      return <span class="words">{row.header}</span>;
    case 'line':
      return (
        <>
          <span class="number">{row.line.base ?? ''}</span>
          <span class="number">{row.line.result ?? ''}</span>
          <LineText line={row.line} />
        </>
      );
    case 'pair':
      return (
        <>
          <Half line={row.base} half="base" />
          <Half line={row.result} half="result" />
        </>
      );
  }
}

function Half({ line, half }: { line: PatchLine | null; half: 'base' | 'result' }) {
  if (line === null) return <span class="half blank" data-half={half} />;
  return (
    <span class={`half ${line.kind}`} data-half={half}>
      <span class="number">{line[half] ?? ''}</span>
      <LineText line={line} />
    </span>
  );
}

const signs = { same: ' ', added: '+', removed: '−' };
const spoken = { same: '', added: 'added: ', removed: 'removed: ' };

function LineText({ line }: { line: PatchLine }) {
  return (
    <>
      <span class="sign" aria-hidden="true">
        {signs[line.kind]}
      </span>
      <span class="text">
        {line.kind === 'same' ? null : <span class="spoken">{spoken[line.kind]}</span>}
        {line.spans.map(([text, style]: Span) => (style === undefined ? text : <span class={style}>{text}</span>))}
      </span>
    </>
  );
}
