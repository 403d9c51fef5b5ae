import { useEffect, useState } from 'preact/hooks';
import type { MarksState, SettleState } from '../src/desk-view.js';
import { AgreementTable } from './agreement-table.js';
import { ask, tell, update } from './desk-store.js';
import { DisputeCard } from './dispute-card.js';
import { ScrollRegion } from './scroll-region.js';
import { useStore } from './use-store.js';

/** What comes after the marks, one step after the other: lock, agreement, disputes, unblinding. */
export function SettlePage() {
  const [settled, setSettled] = useState<SettleState | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    ask<SettleState>('/api/settle').then(setSettled, (error: Error) => update({ refusal: error.message }));
  }, []);
  if (settled === null) return <main class="settle">Reading …</main>;
  const act = async (path: string, body: unknown) => {
    setBusy(true);
    try {
      setSettled(await tell<SettleState>(path, body));
      update({ refusal: null, marks: await ask<MarksState>('/api/marks') });
    } catch (error) {
      update({ refusal: (error as Error).message });
    }
    setBusy(false);
  };
  const open = settled.disputes.filter((dispute) => dispute.settled === null);
  return (
    <main class="settle">
      <h1>Lock and settle</h1>
      <ol class="stages" aria-label="Stages">
        {(['open', 'locked', 'unblinded'] as const).map((name) => (
          <li key={name} aria-current={settled.state === name ? 'step' : undefined}>
            {{ open: 'Scoring', locked: 'Locked: agreement and disputes', unblinded: 'Unblinded' }[name]}
          </li>
        ))}
      </ol>
      {settled.changes.length > 0 && (
        <section class="card">
          <h2 class="bad-words">Something is not as it was locked</h2>
          <ul class="plain-list">
            {settled.changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
        </section>
      )}
      {settled.state === 'open' && (
        <LockCard settled={settled} busy={busy} onLock={(evaluators) => act('/api/lock', { evaluators })} />
      )}
      {settled.state === 'unblinded' && <Opened settled={settled} />}
      {settled.state !== 'open' && (
        <>
          <AgreementTable rows={settled.agreement} scorers={settled.scorers} />
          <section aria-labelledby="disputes">
            <h2 id="disputes">
              Disputes{' '}
              <span class="counts">
                {settled.disputes.length === 0 ? 'none' : `${open.length} of ${settled.disputes.length} open`}
              </span>
            </h2>
            {settled.disputes.length > 0 && (
              <p class="hint">Each decision is recorded with its reason and your name. The marks themselves stay as they are.</p>
            )}
            <div class="disputes">
              {settled.disputes.map((dispute) => (
                <DisputeCard
                  key={`${dispute.content} ${dispute.part} ${dispute.id}`}
                  dispute={dispute}
                  disabled={busy || settled.state === 'unblinded'}
                  onSettle={(verdict) => act('/api/adjudications', verdict)}
                />
              ))}
            </div>
          </section>
        </>
      )}
      {settled.state === 'locked' && (
        <UnblindCard open={open.length} busy={busy} onUnblind={(leaveOpen) => act('/api/unblinding', { leaveOpen })} />
      )}
    </main>
  );
}

function LockCard({ settled, busy, onLock }: { settled: SettleState; busy: boolean; onLock: (evaluators: string[]) => void }) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [sure, setSure] = useState(false);
  const chosen = settled.evaluators.filter(({ name }) => !left.has(name));
  const unfinished = chosen.filter(({ done, total }) => done < total);
  return (
    <section class="card" aria-labelledby="lock">
      <h2 id="lock">Lock scoring</h2>
      <p>
        After the lock no mark changes any more: the sheets are written and hashed. Only then does anyone see what the others
        said. Every variant has to be marked whole.
      </p>
      {settled.evaluators.length === 0 ? (
        <p class="hint">Nobody has marked anything yet.</p>
      ) : (
        <fieldset class="plain choice-list">
          <legend>Whose marks to lock</legend>
          {settled.evaluators.map(({ name, done, total }) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={!left.has(name)}
                onChange={() => {
                  const next = new Set(left);
                  if (!next.delete(name)) next.add(name);
                  setLeft(next);
                }}
              />
              <span>
                {name}{' '}
                <span class="counts">
                  {done} of {total} marked
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <label class="check">
        <input type="checkbox" checked={sure} onChange={(event) => setSure(event.currentTarget.checked)} />
        <span>I know that this cannot be taken back</span>
      </label>
      {unfinished.length > 0 && <p class="hint">Not finished: {unfinished.map(({ name }) => name).join(', ')}.</p>}
      <div>
        <button
          type="button"
          class="strong"
          disabled={busy || !sure || chosen.length === 0 || unfinished.length > 0}
          onClick={() => onLock(chosen.map(({ name }) => name))}
        >
          Lock scoring
        </button>
      </div>
    </section>
  );
}

function UnblindCard({ open, busy, onUnblind }: { open: number; busy: boolean; onUnblind: (leaveOpen: boolean) => void }) {
  const [leaveOpen, setLeaveOpen] = useState(false);
  const [sure, setSure] = useState(false);
  return (
    <section class="card" aria-labelledby="unblind">
      <h2 id="unblind">Unblind</h2>
      <p>Opens which variant had skills, and records that. After it no dispute can be settled any more.</p>
      {open > 0 && (
        <label class="check">
          <input type="checkbox" checked={leaveOpen} onChange={(event) => setLeaveOpen(event.currentTarget.checked)} />
          <span>
            Leave {open} {open === 1 ? 'dispute' : 'disputes'} open: these cells stay without a value
          </span>
        </label>
      )}
      <label class="check">
        <input type="checkbox" checked={sure} onChange={(event) => setSure(event.currentTarget.checked)} />
        <span>I know that this cannot be taken back</span>
      </label>
      <div>
        <button
          type="button"
          class="strong"
          disabled={busy || !sure || (open > 0 && !leaveOpen)}
          onClick={() => onUnblind(leaveOpen)}
        >
          Unblind
        </button>
      </div>
    </section>
  );
}

function Opened({ settled }: { settled: SettleState }) {
  const { desk } = useStore();
  const { guesses } = settled;
  return (
    <section class="card" aria-labelledby="mapping">
      <h2 id="mapping">The mapping</h2>
      <ScrollRegion kind="wide" name="Table of the mapping">
        <table>
          <thead>
            <tr>
              <th scope="col">Pair</th>
              <th scope="col">Variant X</th>
              <th scope="col">Variant Y</th>
              <th scope="col">With skills</th>
            </tr>
          </thead>
          <tbody>
            {settled.mapping.map((row) => (
              <tr key={row.pair}>
                <th scope="row">Pair {desk.pairs.findIndex(({ pair }) => pair === row.pair) + 1}</th>
                <td>{row.x}</td>
                <td>{row.y}</td>
                <td>variant {row.arm.toUpperCase()}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {guesses === null ? (
        <p class="hint">Nobody gave a guess.</p>
      ) : (
        <>
          <p>
            <strong>Guesses:</strong>{' '}
            {guesses.accuracy === null
              ? 'nobody named a side'
              : `${guesses.correct} of ${guesses.guesses} named the right side (${Math.round(guesses.accuracy * 100)} %, 95 % interval ${Math.round((guesses.low ?? 0) * 100)} to ${Math.round((guesses.high ?? 0) * 100)} %)`}
            {guesses.cannotTell > 0 && `; ${guesses.cannotTell} could not tell`}.
          </p>
          <p class="hint">{guesses.caution}</p>
        </>
      )}
    </section>
  );
}
