import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sha256 } from '../src/hash.js';
import { gatherJudge, Judgement, runJudge } from '../src/judge-run.js';
import { type Lab, openLab } from '../src/lab.js';
import { readLedger } from '../src/ledger.js';
import { runPaths } from '../src/paths.js';
import { readJson } from '../src/record.js';
import { readRequests } from '../src/recorded-requests.js';
import type { SavedTrial } from '../src/trial-record.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let scratch: string;
let trials: SavedTrial[];

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'skill-trial-judge-'));
  const folder = join(scratch, 'trial');
  await mkdir(folder);
  await writeFile(
    join(folder, 'response.md'),
    'Units taken for earlier lines are not given back when a later line fails. See SKILL.md.\n',
  );
  await writeFile(join(folder, 'patch.diff'), '+it("reserves several items successfully", () => {});\n');
  trials = [{ folder, record: { content: sha256('one'), case: 'inventory' } } as SavedTrial];
});
afterEach(() => rm(scratch, { recursive: true, force: true }));

async function labWith(scripted: string): Promise<Lab> {
  const lab = await openLab(root, 'inventory');
  const model = { id: 'stand-in', api: 'openai-completions' as const, scripted, parameters: {} };
  return {
    ...lab,
    run: runPaths(scratch, 'inventory'),
    experiment: { ...lab.experiment, judge: { model, tries: 2, cost_usd: null } },
  };
}

test('a SCRIPTED judge is recorded, asked once, kept in its own ledger, and read again from its raw bodies', async () => {
  const lab = await labWith('words');
  const judgement = await runJudge(lab, trials);
  expect(judgement).toMatchObject({ judge: 'judge-stand-in', scripted: true });
  const [sheet] = judgement.variants;
  expect(sheet?.marks.find((mark) => mark.row === 'R1')).toMatchObject({ value: true });
  expect(sheet?.marks.some(({ row }) => row === 'T6')).toBe(false);
  expect(sheet).toMatchObject({ kind: 'judge', scripted: true, calls: 2 });
  const ledger = await readLedger(lab.run.judgeLedger);
  expect(ledger.map(({ event }) => event)).toMatchObject([{ kind: 'judged', calls: 2, inputTokens: sheet?.inputTokens }]);
  expect(await readLedger(lab.run.ledger)).toEqual([]);
  expect(await readdir(join(lab.run.run, 'judge', 'sheets'))).toEqual([`${sha256('one').slice(0, 12)}.judge-stand-in.yaml`]);
  // again: nothing is asked, and the raw bodies alone give the same
  expect(await runJudge(lab, trials)).toEqual(judgement);
  expect(await readLedger(lab.run.judgeLedger)).toHaveLength(1);
  expect(await gatherJudge(lab, lab.experiment.judge as NonNullable<Lab['experiment']['judge']>, trials)).toEqual(
    await readJson(lab.run.judgeIndex, Judgement),
  );
});

test('it sees redacted text only', async () => {
  const lab = await labWith('words');
  const { variants } = await runJudge(lab, trials);
  const asked = await readRequests(join(lab.run.run, variants[0]?.record.path as string));
  const texts = asked.flatMap(({ request }) => request?.turns.map((turn) => turn.text) ?? []);
  expect(texts).toHaveLength(2);
  for (const text of texts) {
    expect(text).toContain('a later line fails. See [redacted].');
    expect(text).not.toContain('SKILL.md');
  }
});

test.each([
  ['invents-quotes', 2, /the quote is not in/],
  ['finds-everything', 2, /one quote for/],
  ['breaks-json', 4, /no readable answer/],
])('the wrong judge %s scores no row, and is asked a bounded number of times', async (name, calls, why) => {
  const [sheet] = (await runJudge(await labWith(name), trials)).variants;
  expect(sheet?.marks.map((mark) => mark.value).filter((value) => value !== null)).toEqual([]);
  for (const mark of sheet?.marks ?? []) expect(mark.why).toMatch(why);
  expect(sheet?.calls).toBe(calls);
});
