// A million trial records through the functions that the report and the notebooks use: npm run bench -- records
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compareArms, MetricId, metricOf, type Run, readRuns, runLines, seededRandom, testArms } from 'skill-trial';
import { argv } from 'zx';

// as many cases as 49 skills with 10 each
const cases = Number(argv.cases ?? 490);
const wanted = Number(argv.records ?? 1_000_000);
const repeats = Math.ceil(wanted / (2 * cases));

/** Invented runs: every metric with noise, some values unknown, some runs invalid or cut off. */
function* runs(): Generator<Run> {
  const random = seededRandom(1);
  for (let one = 1; one <= cases; one++)
    for (let repeat = 1; repeat <= repeats; repeat++)
      for (const arm of ['A', 'B']) {
        const valid = random.next() > 0.002;
        const value = (id: MetricId) => {
          if (!valid || random.next() < 0.01) return null;
          const { max, aggregate } = metricOf(id);
          if (aggregate === 'share') return random.next() < 0.7 ? 1 : 0;
          return max === null
            ? Math.round(20_000 * random.next() * (arm === 'A' ? 1 : 1.1))
            : Math.round(max * 20 * random.next()) / 20;
        };
        yield {
          arm,
          case: `case-${one}`,
          valid,
          cutOff: random.next() < 0.01,
          loaded: arm === 'B' && random.next() < 0.9,
          values: Object.fromEntries(MetricId.options.map((id) => [id, value(id)])) as Run['values'],
        };
      }
}

/** What the report computes of its arms: rows, tests, in one pass over the file. Prints what it took this process. */
async function analyseFile(file: string): Promise<void> {
  const rule = { primary: 'review_completeness', equivalence_margin: 0.05 } as const;
  const contrast = [{ arm: 'B', control: 'A' }];
  const from = performance.now();
  const table = await readRuns(file);
  const read = performance.now();
  const rows = compareArms(table, contrast, MetricId.options, {}, rule);
  const compared = performance.now();
  const statistics = testArms(table, contrast, MetricId.options, rule);
  const tested = performance.now();
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const { user, system } = process.cpuUsage();
  console.log(`${table.length} records of ${cases} cases; ${rows.length} rows, ${statistics.length} tests`);
  console.log(`read ${seconds(read - from)}, rows ${seconds(compared - read)}, tests ${seconds(tested - compared)}`);
  console.log(
    `in all ${seconds(tested - from)} (processor time ${seconds((user + system) / 1000)}), peak memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`,
  );
}

if (argv.read !== undefined) await analyseFile(String(argv.read));
else {
  const folder = await mkdtemp(join(tmpdir(), 'bench-records-'));
  const file = join(folder, 'runs.jsonl');
  try {
    await pipeline(Readable.from(runLines(runs())), createWriteStream(file));
    console.log(`Node ${process.version}, ${cpus().length} processors, load average ${loadavg()[0]?.toFixed(1)}`);
    console.log(`${Math.round((await stat(file)).size / 2 ** 20)} MiB on the disk`);
    // in a process of its own, so that what making the records took does not count
    await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), '--read', file, '--cases', String(cases)]).then(
      ({ stdout }) => process.stdout.write(stdout),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
