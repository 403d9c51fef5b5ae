// node workflows/dist/scoring.js <experiment> <verb>: what the scoring desk does, without a browser.
import { readFile } from 'node:fs/promises';
import {
  adjudicate,
  CellValue,
  type DeskPair,
  DisputePart,
  exportPair,
  importPair,
  type Lab,
  listDisputes,
  listEvaluators,
  lockScoring,
  MarkEvent,
  mark,
  openDesk,
  readMarks,
  SettingsError,
  unblind,
  writeWhole,
} from 'skill-trial';
import { argv } from 'zx';
import { type Step, step } from './step.js';

const verbs: Record<string, { help: string; run: (step: Step) => Promise<void> }> = {
  status: { help: 'how far each evaluator is', run: status },
  guess: {
    help: '--evaluator --pair --side x|y|none: which side you take for the one with skills, before its marks',
    run: guess,
  },
  mark: { help: '--evaluator --file: takes changes as JSON, one a line, as the journal has them', run: markAll },
  export: { help: '--evaluator --pair [--file]: the marks of a pair as CSV', run: exportSheet },
  import: { help: '--evaluator --pair --file: takes the marks of a pair from CSV', run: importSheet },
  lock: { help: '[--evaluators a,b]: writes the sheets and locks scoring', run: lock },
  disputes: { help: 'the cells on which the locked sheets differ', run: disputes },
  adjudicate: { help: '--dispute <number> --value --reason --by [--row]: settles one of them', run: settle },
  unblind: { help: '[--leave-open]: opens the mapping, after the lock', run: open },
};

await step(
  'scoring',
  Object.entries(verbs)
    .map(([name, { help }]) => `\n  ${name.padEnd(11)} ${help}`)
    .join(''),
  async (one) => {
    const [word = 'status'] = one.words;
    const verb = verbs[word];
    if (verb === undefined)
      throw new SettingsError('No such verb', {
        expected: Object.keys(verbs).join(', '),
        found: word,
        next: 'choose one of them',
      });
    await verb.run(one);
  },
);

async function status({ lab, say }: Step): Promise<void> {
  const desk = await openDesk(lab);
  for (const { pair, case: name } of desk.pairs) say(`${pair} (${name})`);
  for (const evaluator of await listEvaluators(lab)) {
    const { progress } = await readMarks(desk, evaluator);
    say(`${evaluator}: ${progress.done} of ${progress.total} marks, ${progress.guesses.length} guesses open`);
  }
}

async function guess({ lab }: Step): Promise<void> {
  const desk = await openDesk(lab);
  const side = option('side');
  if (side !== 'x' && side !== 'y' && side !== 'none')
    throw new SettingsError('--side', { expected: 'x, y or none', found: side, next: 'correct it' });
  await mark(desk, option('evaluator'), { kind: 'guess', pair: option('pair'), side: side === 'none' ? null : side });
}

async function markAll({ lab, say }: Step): Promise<void> {
  const desk = await openDesk(lab);
  const file = option('file');
  const lines = (await readFileOf(file)).split('\n').filter((line) => line.trim() !== '');
  for (const [index, line] of lines.entries()) {
    const event = MarkEvent.safeParse(parsed(line));
    if (!event.success)
      throw new SettingsError(`${file}:${index + 1} is no change`, {
        expected: 'an event as the journal has it',
        found: event.error.issues[0]?.message ?? line,
        next: 'correct the line; those before it are taken',
      });
    await mark(desk, option('evaluator'), event.data);
  }
  say(`${lines.length} changes`);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

async function exportSheet({ lab, say }: Step): Promise<void> {
  const { desk, pair, one, evaluator } = await pairOf(lab);
  const file = argv.file === undefined ? lab.run.exchange(pair.pair, evaluator) : String(argv.file);
  const { marks } = await readMarks(desk, evaluator);
  await writeWhole(file, exportPair(pair, one, marks));
  say(file);
}

async function importSheet({ lab, say }: Step): Promise<void> {
  const { desk, pair, one, evaluator } = await pairOf(lab);
  const file = argv.file === undefined ? lab.run.exchange(pair.pair, evaluator) : String(argv.file);
  const text = await readFileOf(file);
  const { marks, seq } = await readMarks(desk, evaluator);
  const events = importPair(text, file, pair, one, marks);
  for (const [index, event] of events.entries()) await mark(desk, evaluator, event, seq + index);
  say(`${events.length} changes`);
}

function readFileOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => {
    throw new SettingsError(`cannot read ${file}`, { expected: 'a text file', found: 'none', next: 'correct --file' });
  });
}

async function lock({ lab, say }: Step): Promise<void> {
  const { rounds } = await lockScoring(lab, argv.evaluators === undefined ? undefined : String(argv.evaluators).split(','));
  const last = rounds.at(-1);
  say(
    `${Object.keys(last?.sheets ?? {}).length} sheets of ${last?.variants.length} variants are locked, by ${last?.evaluators.join(', ')}`,
  );
}

async function disputes({ lab, say }: Step): Promise<void> {
  const all = await listDisputes(lab);
  if (all.length === 0) say('none');
  for (const [index, { case: name, content, part, id, values, settled }] of all.entries()) {
    const said = values.map(({ scorer, value, row }) => `${scorer}: ${value}${row === null ? '' : ` (${row})`}`).join(', ');
    const decision = settled === null ? 'open' : `settled by ${settled.by}: ${settled.value}, ${settled.reason}`;
    say(`${index + 1}. ${name} ${content?.slice(0, 12) ?? ''} ${part} ${id}: ${said}; ${decision}`);
  }
}

async function settle({ lab, say }: Step): Promise<void> {
  const all = await listDisputes(lab);
  const dispute = all[Number(option('dispute')) - 1];
  if (dispute === undefined)
    throw new SettingsError('--dispute', { expected: `1 to ${all.length}`, found: option('dispute'), next: 'list the disputes' });
  const word = option('value');
  const value = CellValue.safeParse(
    dispute.part === DisputePart.enum.tests ? Number(word) : ({ true: true, yes: true, false: false, no: false }[word] ?? word),
  );
  if (!value.success)
    throw new SettingsError('--value', { expected: 'points, yes, no, a status or absent', found: word, next: 'correct it' });
  const row = argv.row === undefined ? {} : { row: argv.row === 'none' ? null : String(argv.row) };
  const { case: name, content, part, id } = dispute;
  const verdict = { case: name, content, part, id, value: value.data, reason: option('reason'), by: option('by'), ...row };
  const left = (await adjudicate(lab, verdict)).filter(({ settled }) => settled === null).length;
  say(`settled; ${left} open`);
}

async function open({ lab, say }: Step): Promise<void> {
  const leaveOpen = argv['leave-open'] !== undefined && String(argv['leave-open']) !== 'false';
  for (const { pair, x, y, arm } of await unblind(lab, { leaveOpen })) say(`${pair}: x is ${x}, y is ${y}; the arm is ${arm}`);
  say(`run score, analyse and report again for the figures by arm: npx nx run ${lab.experiment.name}:report`);
}

async function pairOf(lab: Lab) {
  const desk = await openDesk(lab);
  const name = option('pair');
  const pair: DeskPair | undefined = desk.pairs.find((one) => one.pair === name);
  const one = lab.cases.get(pair?.case ?? '');
  if (pair === undefined || one === undefined)
    throw new SettingsError('--pair', {
      expected: desk.pairs.map((row) => row.pair).join(', '),
      found: name,
      next: 'choose one of them',
    });
  return { desk, pair, one, evaluator: option('evaluator') };
}

function option(name: string): string {
  const value: unknown = argv[name];
  if (value === undefined || value === true)
    throw new SettingsError(`--${name} is missing`, { expected: `--${name} <value>`, found: 'none', next: 'see --help' });
  return String(value);
}
