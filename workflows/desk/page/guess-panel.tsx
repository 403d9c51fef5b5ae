import { useState } from 'preact/hooks';
import { change } from './desk-store.js';
import { useStore } from './use-store.js';

type Guess = 'x' | 'y' | 'none';

const answers: [Guess, string][] = [
  ['x', 'Variant X'],
  ['y', 'Variant Y'],
  ['none', 'I cannot tell'],
];

/** The one question before a pair is scored. It is asked once, and its answer is shown to nobody before the end. */
export function GuessPanel({
  pair,
  others,
  disabled,
}: {
  pair: string;
  others: { pair: string; name: string }[];
  disabled: boolean;
}) {
  const { marks } = useStore();
  const [guess, setGuess] = useState<Guess | null>(null);
  const given = pair in marks.marks.guesses;
  return (
    <section class="guess" aria-labelledby="guess-title">
      <h2 id="guess-title">Before you score</h2>
      {given ? (
        <p>Your guess for this pair is recorded.</p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (guess !== null) change({ kind: 'guess', pair, side: guess === 'none' ? null : guess });
          }}
        >
          <fieldset class="plain" disabled={disabled}>
            <legend>Look both variants over. Which of them do you take for the run with skills?</legend>
            {answers.map(([value, words]) => (
              <label key={value} class="check">
                <input type="radio" name="guess" checked={guess === value} onChange={() => setGuess(value)} />
                <span>{words}</span>
              </label>
            ))}
          </fieldset>
          <p class="hint">
            One guess a pair, and it cannot be changed. It shows how well the variants are blinded; it does not enter the scores.
          </p>
          <button type="submit" class="strong" disabled={guess === null || disabled}>
            Record the guess and score
          </button>
        </form>
      )}
      {others.length > 0 && (
        <div class="hint">
          <p>A variant of this pair is part of another one, too. That guess has to be given first:</p>
          <ul>
            {others.map((other) => (
              <li key={other.pair}>
                <a href={`#/pair/${other.pair}`}>{other.name}</a>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
