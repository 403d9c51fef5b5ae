import { contrastName, contrasts, formatDelta, formatValue, type Report } from 'skill-trial';
import { chalk } from 'zx';

/** Prints the comparison as a table, the points that hold, and the decision. */
export function printTable(report: Report): void {
  for (const { arm, control } of contrasts(report.conditions.settings)) {
    const rows = report.rows.filter((row) => row.contrast === contrastName({ arm, control }));
    const cells = [
      ['', control, arm, 'difference', 'n'],
      ...rows.map((row) => [
        row.title,
        formatValue(row.a, row.unit),
        formatValue(row.b, row.unit),
        formatDelta(row.delta, row.unit),
        `${row.nA.used}/${row.nA.total} ${row.nB.used}/${row.nB.total}`,
      ]),
    ];
    const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => (row[column] as string).length)));
    console.log('');
    for (const [index, row] of cells.entries()) {
      const line = row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[column] as number)))
        .join('   ');
      console.log(index === 0 ? chalk.bold(line) : line);
    }
  }
  const holding = report.verification.filter((point) => point.holds === true).length;
  console.log(
    `\n${holding} of 12 verification points hold; decision: ${report.decision.descriptive} (descriptive), ${report.decision.inferential} (inferential)`,
  );
  if (report.scripted) console.log(chalk.yellow('SCRIPTED MODEL: nothing about the skills was measured.'));
  console.log('');
}
