import type { AgreementRow } from 'skill-trial';
import { ScrollRegion } from './scroll-region.js';

const parts: Record<AgreementRow['part'], string> = {
  review: 'Review rows',
  tests: 'Test rows (points)',
  documentation: 'Documentation rows',
  finding: 'Findings',
  applicability: 'Applicability',
};

/** How well the scorers agree on each kind of row; an undefined figure says why it is. */
export function AgreementTable({ rows, scorers }: { rows: AgreementRow[]; scorers: string[] }) {
  if (rows.length === 0)
    return (
      <section>
        <h2>Agreement</h2>
        <p class="hint">One scorer ({scorers.join(', ')}): there is nobody to agree with.</p>
      </section>
    );
  return (
    <section aria-labelledby="agreement">
      <h2 id="agreement">Agreement</h2>
      <p class="hint">Scorers: {scorers.join(', ')}. A variant’s row is one unit.</p>
      <ScrollRegion kind="wide" name="Table of agreement">
        <table>
          <thead>
            <tr>
              <th scope="col">On</th>
              <th scope="col">Units</th>
              <th scope="col">Agreement</th>
              <th scope="col">Cohen’s κ</th>
              <th scope="col">Gwet’s AC1</th>
              <th scope="col">Krippendorff’s α (95 %)</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.part}>
                <th scope="row">{parts[row.part]}</th>
                <td>{row.units}</td>
                <td>{row.percent === null ? 'none' : `${(row.percent * 100).toFixed(1)} %`}</td>
                <td>
                  {row.pairs.map(({ first, second, kappa }) => (
                    <Figure key={`${first} ${second}`} {...kappa} of={row.pairs.length > 1 ? `${first}, ${second}: ` : ''} />
                  ))}
                </td>
                <td>
                  <Figure {...row.ac1} of="" />
                </td>
                <td>
                  {row.alpha.map(({ level, value, reason, interval }) => (
                    <Figure
                      key={level}
                      value={value}
                      reason={reason}
                      of={row.alpha.length > 1 ? `${level}: ` : ''}
                      after={
                        interval.low === null || interval.high === null
                          ? ''
                          : ` (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})`
                      }
                    />
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <details>
        <summary>Confusion tables</summary>
        {rows.flatMap((row) =>
          row.pairs.map((pair) => (
            <ScrollRegion
              kind="wide confusion"
              name={`${parts[row.part]}, ${pair.first} and ${pair.second}`}
              key={`${row.part} ${pair.first} ${pair.second}`}
            >
              <table>
                <caption>
                  {parts[row.part]}: rows {pair.first}, columns {pair.second}
                </caption>
                <thead>
                  <tr>
                    <td />
                    {pair.values.map((value) => (
                      <th scope="col" key={value}>
                        {valueName(value)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {pair.table.map((counts, index) => (
                    <tr key={pair.values[index]}>
                      <th scope="row">{valueName(pair.values[index] ?? '')}</th>
                      {counts.map((count, column) => (
                        <td key={pair.values[column]}>{count}</td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </ScrollRegion>
          )),
        )}
      </details>
    </section>
  );
}

function valueName(value: string): string {
  return value === 'true' ? 'yes' : value === 'false' ? 'no' : value;
}

function Figure({ value, reason, of, after = '' }: { value: number | null; reason: string | null; of: string; after?: string }) {
  return (
    <div>
      {of}
      {value === null ? <span class="hint">undefined: {reason}</span> : `${value.toFixed(2)}${after}`}
    </div>
  );
}
