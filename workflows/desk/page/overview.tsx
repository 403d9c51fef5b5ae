import { ScrollRegion } from './scroll-region.js';
import { useStore } from './use-store.js';

/** Every pair with how far its scoring is. */
export function Overview() {
  const { desk, marks } = useStore();
  const { done, total } = marks.progress;
  const progressOf = (name: string, content: string) => {
    const own = marks.progress.variants.find((each) => each.case === name && each.content === content);
    return own === undefined ? 'nothing delivered' : `${own.done} of ${own.total}`;
  };
  const next = desk.pairs.find(
    ({ pair, case: name, x, y }) =>
      marks.progress.guesses.includes(pair) ||
      [x, y].some((content) =>
        marks.progress.variants.some((each) => each.case === name && each.content === content && each.done < each.total),
      ),
  );
  return (
    <main class="overview">
      <h1>Pairs to score</h1>
      <p class="lead">
        Each pair holds two runs of one task. Which run had skills is sealed until scoring is locked; names, paths, times and
        order are taken out. Every change is saved at once.
      </p>
      <div class="progress-line">
        <progress max={total} value={done} aria-label="Marks given" />
        <span>
          {done} of {total} marked
        </span>
        {next === undefined ? (
          <a class="button strong" href="#/settle">
            Everything is marked: go on to the lock
          </a>
        ) : (
          <a class="button strong" href={`#/pair/${next.pair}`}>
            {done === 0 ? 'Start' : 'Continue'}
          </a>
        )}
      </div>
      <ScrollRegion kind="wide" name="Pairs">
        <table>
          <thead>
            <tr>
              <th scope="col">Pair</th>
              <th scope="col">Case</th>
              <th scope="col">Variant X</th>
              <th scope="col">Variant Y</th>
              <th scope="col">Guess</th>
            </tr>
          </thead>
          <tbody>
            {desk.pairs.map((pair, index) => (
              <tr key={pair.pair}>
                <th scope="row">
                  <a href={`#/pair/${pair.pair}`}>Pair {index + 1}</a>
                </th>
                <td>{desk.cases.find(({ name }) => name === pair.case)?.title ?? pair.case}</td>
                <td>{progressOf(pair.case, pair.x)}</td>
                <td>{progressOf(pair.case, pair.y)}</td>
                <td>{pair.pair in marks.marks.guesses ? 'given' : pair.x === pair.y ? 'none: both are the same' : 'open'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </main>
  );
}
