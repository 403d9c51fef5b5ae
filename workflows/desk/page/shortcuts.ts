import { useLayoutEffect, useRef } from 'preact/hooks';

/** Every shortcut with what it does, as the help lists it. */
export const shortcuts: [keys: string, what: string][] = [
  ['x  y', 'Go to variant X or Y: marks go there'],
  ['r  d  t  o', 'Read the response, the diff, the test output, the documentation'],
  ['v', 'Rendered or source; unified or split'],
  ['b', 'Both variants, or the present one alone'],
  ['[  ]', 'Sheet before, sheet after'],
  ['k  j', 'Row or finding before, after'],
  ['1  2', 'Review, documentation: found, not found'],
  ['3', 'Review: the row does not apply to this case'],
  ['0 – 9', 'Tests: that many points'],
  ['1  2  3  4', 'Findings: confirmed, unconfirmed, contradicted, style'],
  ['Backspace', 'Take the mark away'],
  ['e', 'Take the picked lines as evidence'],
  ['a', 'Accept what a check proposes'],
  ['n', 'Write a note (Escape leaves it)'],
  ['c', 'List the claims of the response as findings'],
  ['u  U', 'Undo, redo'],
  [',  .', 'Pair before, pair after'],
  ['↑ ↓ with Shift', 'In a text or diff: pick lines, pick more'],
  ['← →', 'In a diff: close or open the file'],
  ['?', 'This list'],
];

/** Single keys can be switched off: speech input may press them by accident. */
export const keysSetting = 'keys-off';

/** Calls what a key stands for, unless someone is typing or a dialog is open. */
export function useShortcuts(keys: Record<string, () => void>, on: boolean): void {
  // renewed with every drawing and not after it: keys that come fast must act on what the ones before them did
  const latest = useRef(keys);
  latest.current = keys;
  useLayoutEffect(() => {
    if (!on) return;
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target as Element;
      if (target.matches('textarea, select, input:not([type=radio]):not([type=checkbox])')) {
        if (event.key === 'Escape') (target as HTMLElement).blur();
        return;
      }
      if (document.querySelector('dialog[open]') !== null) return;
      const action = latest.current[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [on]);
}
