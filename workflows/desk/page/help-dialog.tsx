import { useEffect, useRef } from 'preact/hooks';
import { ScrollRegion } from './scroll-region.js';
import { shortcuts } from './shortcuts.js';

interface Props {
  keys: boolean;
  onKeys: (on: boolean) => void;
  onClose: () => void;
}

/** The shortcuts, and the switch that turns single keys off. */
export function HelpDialog({ keys, onKeys, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[data-first]')?.focus();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">Keys</h2>
      <ScrollRegion kind="keys" name="List of keys">
        <dl>
          {shortcuts.map(([names, what]) => (
            <div key={names}>
              <dt>
                <kbd>{names}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </ScrollRegion>
      <label class="check">
        <input type="checkbox" checked={keys} onChange={(event) => onKeys(event.currentTarget.checked)} />
        <span>Single keys do what the list says</span>
      </label>
      <button type="button" class="strong" data-first onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
