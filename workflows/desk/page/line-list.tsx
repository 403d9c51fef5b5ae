import { useEffect, useRef, useState } from 'preact/hooks';
import { useVirtual } from './use-virtual.js';

interface Props {
  name: string;
  id: string;
  lines: string[];
  firstLine: number;
  picked: [number, number] | null;
  onPick: (first: number, last: number) => void;
}

/** A text line by line, a list to pick from: arrows move, Shift extends. Only the lines near the view are drawn. */
export function LineList({ name, id, lines, firstLine, picked, onPick }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtual(lines.length, scroller, 21);
  const [active, setActive] = useState(0);
  const [anchor, setAnchor] = useState(0);
  useEffect(() => setActive(0), [lines]);
  const pick = (index: number, extend: boolean) => {
    const to = Math.min(Math.max(index, 0), lines.length - 1);
    const from = extend ? anchor : to;
    setActive(to);
    setAnchor(from);
    virtual.scrollToIndex(to, { align: 'auto' });
    onPick(firstLine + Math.min(from, to), firstLine + Math.max(from, to));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 25, PageUp: -25, Home: -lines.length, End: lines.length }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    pick(active + step, event.shiftKey);
  };
  const shown = virtual.getVirtualItems();
  return (
    <div
      class="lines"
      ref={scroller}
      role="listbox"
      aria-multiselectable="true"
      aria-label={`${name}, ${lines.length} lines`}
      aria-activedescendant={shown.some(({ index }) => index === active) ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div class="space" role="presentation" style={{ height: `${virtual.getTotalSize()}px` }}>
        {shown.map(({ index, start }) => {
          const number = firstLine + index;
          const isPicked = picked !== null && number >= picked[0] && number <= picked[1];
          return (
            // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the list has the focus and the keys; it names its active line
            <div
              key={index}
              id={`${id}-${index}`}
              data-index={index}
              ref={(element) => virtual.measureElement(element)}
              class={`line${isPicked ? ' picked' : ''}${index === active ? ' active' : ''}`}
              role="option"
              aria-selected={isPicked}
              aria-posinset={index + 1}
              aria-setsize={lines.length}
              style={{ transform: `translateY(${start}px)` }}
              onClick={(event) => pick(index, event.shiftKey)}
            >
              <span class="number" aria-hidden="true">
                {number}
              </span>
              <span class="text">{lines[index] || '\u200b'}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
