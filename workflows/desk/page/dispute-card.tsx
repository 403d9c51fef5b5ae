import { useState } from 'preact/hooks';
import type { Dispute } from 'skill-trial';
import { useStore } from './use-store.js';

type Value = Dispute['values'][number]['value'];

const parts: Record<Dispute['part'], string> = {
  review: 'Review',
  tests: 'Tests',
  documentation: 'Documentation',
  finding: 'Finding',
  applicability: 'Applicability',
};

interface Props {
  dispute: Dispute;
  disabled: boolean;
  onSettle: (verdict: object) => void;
}

/** One cell on which scorers differ: what each said with their evidence, and the decision with its reason. */
export function DisputeCard({ dispute, disabled, onSettle }: Props) {
  const { desk } = useStore();
  const { case: name, content, part, id, values, settled } = dispute;
  const [value, setValue] = useState<Value | null>(settled?.value ?? null);
  const [reason, setReason] = useState(settled?.reason ?? '');
  const one = desk.cases.find((each) => each.name === name);
  const row = part === 'finding' ? undefined : one?.[part === 'applicability' ? 'review' : part].find((each) => each.id === id);
  const index = desk.pairs.findIndex(({ x, y }) => x === content || y === content);
  const pair = desk.pairs[index];
  const options = [...new Map(values.map((each) => [String(each.value), each.value])).values()];
  const field = `${content ?? name}-${part}-${id}`;
  return (
    <article class="card dispute" data-dispute={`${part} ${id}`}>
      <h3>
        {parts[part]} {part === 'finding' ? '' : id}
        {pair !== undefined && (
          <a class="counts" href={`#/pair/${pair.pair}`}>
            Pair {index + 1}, variant {pair.x === content ? 'X' : 'Y'}
          </a>
        )}
        {settled !== null && <span class="tag">settled by {settled.by}</span>}
      </h3>
      <p>{row?.requirement ?? values.find(({ evidence }) => evidence !== '')?.evidence ?? id}</p>
      <dl class="said">
        {values.map((each) => (
          <div key={each.scorer}>
            <dt>{each.scorer}</dt>
            <dd>
              <strong>
                {said(part, each.value)}
                {each.row === null ? '' : ` (row ${each.row})`}
              </strong>
              {each.evidence !== '' && <span class="quote">{each.evidence}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (value !== null) onSettle({ case: name, content, part, id, value, reason });
        }}
      >
        <fieldset class="plain" disabled={disabled}>
          <legend class="spoken">The decision</legend>
          <div class="choices">
            {options.map((each) => (
              <label key={String(each)} class="choice">
                <input type="radio" name={field} checked={value === each} onChange={() => setValue(each)} />
                <span>{said(part, each)}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <label class="saved-text">
          <span>Reason</span>
          <textarea rows={2} value={reason} disabled={disabled} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
        <button type="submit" class="strong" disabled={disabled || value === null || reason.trim() === ''}>
          {settled === null ? 'Settle' : 'Settle anew'}
        </button>
      </form>
    </article>
  );
}

function said(part: Dispute['part'], value: Value): string {
  if (typeof value === 'number') return `${value} ${value === 1 ? 'point' : 'points'}`;
  if (typeof value === 'string') return value === 'absent' ? 'not listed' : value;
  if (part === 'applicability') return value ? 'applies' : 'does not apply';
  return value ? 'found' : 'not found';
}
