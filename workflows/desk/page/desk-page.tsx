import { useEffect, useState } from 'preact/hooks';
import type { PairView } from '../src/desk-view.js';
import { change, remember, remembered, type Store, update } from './desk-store.js';
import { HelpDialog } from './help-dialog.js';
import { Overview } from './overview.js';
import { PairPage } from './pair-page.js';
import { SettlePage } from './settle-page.js';
import { keysSetting, useShortcuts } from './shortcuts.js';
import { useStore } from './use-store.js';

/** The desk: its bar, and the page that the address names. */
export function DeskPage() {
  const store = useStore();
  const { desk, marks } = store;
  const [hash, setHash] = useState(location.hash);
  const [help, setHelp] = useState(false);
  const [keys, setKeys] = useState(() => remembered(keysSetting) === null);
  useEffect(() => {
    const listen = () => setHash(location.hash);
    addEventListener('hashchange', listen);
    return () => removeEventListener('hashchange', listen);
  }, []);
  useEffect(() => {
    const listen = (event: BeforeUnloadEvent) => {
      if (store.waiting > 0) event.preventDefault();
    };
    addEventListener('beforeunload', listen);
    return () => removeEventListener('beforeunload', listen);
  }, [store.waiting]);
  const undo = () => marks.marks.canUndo && change({ kind: 'undo' });
  const redo = () => marks.marks.canRedo && change({ kind: 'redo' });
  useShortcuts({ '?': () => setHelp(true), u: undo, U: redo }, keys);
  const named = /^#\/pair\/(pair-[0-9a-f]+)$/.exec(hash)?.[1];
  const index = desk.pairs.findIndex(({ pair }) => pair === named);
  const pair = desk.pairs[index];
  const off = store.link !== 'online';
  return (
    <>
      <header class="top">
        <a class="home" href="#/">
          Scoring desk
        </a>
        <span class="experiment">{desk.experiment}</span>
        {pair !== undefined && (
          <nav class="steps" aria-label="Pairs">
            <PairLink to={desk.pairs[index - 1]?.pair} words="Pair before" sign="‹" />
            <span>
              Pair {index + 1} of {desk.pairs.length}
            </span>
            <PairLink to={desk.pairs[index + 1]?.pair} words="Pair after" sign="›" />
          </nav>
        )}
        <a class="to-settle" href="#/settle" aria-current={hash === '#/settle' ? 'page' : undefined}>
          Lock and settle
        </a>
        <span class="grow" />
        <Saved />
        <span class="who">
          as <strong>{desk.evaluator}</strong>
        </span>
        <button type="button" class="quiet" disabled={off || !marks.marks.canUndo} onClick={undo}>
          Undo
        </button>
        <button type="button" class="quiet" disabled={off || !marks.marks.canRedo} onClick={redo}>
          Redo
        </button>
        <button type="button" class="quiet" onClick={() => setHelp(true)} aria-keyshortcuts="?">
          Keys <kbd>?</kbd>
        </button>
      </header>
      {store.link !== 'online' && (
        <p class="alarm" role="alert">
          {store.link === 'offline'
            ? 'The desk does not answer. Your last change is kept in this browser and is sent when it runs again.'
            : 'The desk was started anew. Open the address that it printed, in this browser: your last change is kept and will be sent.'}
        </p>
      )}
      {pair !== undefined && pairLocked(store, pair) && (
        <p class="alarm">Scoring is locked: the marks can be read, and no longer changed.</p>
      )}
      {store.refusal !== null && (
        <p class="alarm" role="alert">
          {store.refusal}{' '}
          <button type="button" class="quiet" onClick={() => update({ refusal: null })}>
            Close
          </button>
        </p>
      )}
      {hash === '#/settle' ? (
        <SettlePage />
      ) : pair === undefined ? (
        <Overview />
      ) : (
        <PairPage key={pair.pair} pair={pair} keys={keys} locked={pairLocked(store, pair)} />
      )}
      {help && (
        <HelpDialog
          keys={keys}
          onKeys={(on) => {
            remember(keysSetting, on ? null : 'off');
            setKeys(on);
          }}
          onClose={() => setHelp(false)}
        />
      )}
    </>
  );
}

/** Whether every mark of a pair is locked. */
function pairLocked({ desk, marks }: Store, { case: name, x, y }: PairView): boolean {
  const scored = [x, y].filter((content) => desk.variants.some((each) => each.case === name && each.content === content));
  return scored.every((content) => marks.locked.includes(`${name}/${content}`));
}

function Saved() {
  const { waiting, link, marks } = useStore();
  const words = link !== 'online' ? 'Not saved' : waiting > 0 ? 'Saving …' : marks.seq === 0 ? 'Nothing to save yet' : 'Saved';
  return (
    <span class={link !== 'online' ? 'saved bad' : waiting > 0 ? 'saved busy' : 'saved'} role="status">
      {words}
    </span>
  );
}

function PairLink({ to, words, sign }: { to: string | undefined; words: string; sign: string }) {
  if (to === undefined) return <span class="step blank" aria-hidden="true" />;
  return (
    <a class="step" href={`#/pair/${to}`} aria-label={words}>
      {sign}
    </a>
  );
}
