// The desk over a real run: what it shows gives nothing away, and scoring goes from two evaluators to the opened mapping.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  axeFindings,
  launchBrowser,
  noBrowser,
  openPage,
  RunningDesk,
  screenshot,
  sendMarks,
} from '../desk/test/desk-fixture.js';
import { type Checkout, ledgerEvents } from './checkout.js';
import { finishedRun } from './finished-run.js';

let checkout: Checkout;
let desk: RunningDesk;

beforeAll(async () => {
  checkout = await finishedRun('inventory');
  desk = await RunningDesk.start(checkout.root, 'inventory');
});

afterAll(async () => {
  await desk?.[Symbol.asyncDispose]();
  await checkout?.[Symbol.asyncDispose]();
});

interface State {
  pairs: { pair: string; case: string; x: string; y: string }[];
  variants: { case: string; content: string }[];
  cases: { review: Row[]; tests: Row[]; documentation: Row[] }[];
}
interface Row {
  id: string;
  weight: number;
  automatic: boolean;
}

const headers = () => ({ cookie: `desk-${desk.port}=${desk.token('anna')}` });
const ask = async (path: string) => (await fetch(`http://127.0.0.1:${desk.port}${path}`, { headers: headers() })).text();

/** What would tell the arm, or one run from another: collected from the records themselves. */
async function tellTales(): Promise<string[]> {
  const run = 'data/runs/inventory';
  const found: string[] = [(await checkout.read(run, 'secret.txt')).trim()];
  for (const file of await readdir(checkout.path(run, 'specs'))) {
    const { hash, spec } = await checkout.json<{ hash: string; spec: { seed: number } }>(run, 'specs', file);
    found.push(file.replace('.json', ''), hash, hash.slice(0, 16), String(spec.seed));
    const trial = await checkout.json<Record<string, string | number>>(run, 'trials', hash.slice(0, 16), '1', 'trial.json');
    for (const key of ['id', 'startedAt', 'finishedAt', 'elapsedSeconds', 'setupSeconds', 'spec', 'seed'])
      found.push(String(trial[key]));
  }
  for (const skill of await readdir(checkout.path('skills-src'))) found.push(skill);
  const { id, frozenAt } = await checkout.json<{ id: string; frozenAt: string }>(run, 'lock.json');
  return [...found, id, frozenAt, 'SKILL.md'];
}

test('no answer of the desk tells the arm, a time, a spec or a trial', async () => {
  const state = JSON.parse(await ask('/api/desk')) as State;
  expect(state.pairs).toHaveLength(1);
  const parts = ['response', 'patch', 'patch-text', 'tests', 'documents', 'claims'];
  const paths = [
    '/',
    `/?token=${desk.token('anna')}`,
    '/api/desk',
    '/api/marks',
    '/api/settle',
    '/api/nothing',
    ...state.variants.flatMap(({ case: one, content }) => parts.map((part) => `/api/variants/${one}/${content}/${part}`)),
  ];
  const pages = [...(await ask('/')).matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] as string);
  const modules = ['desk-page', 'settle-page', 'pair-page', 'readers', 'overview', 'desk-store'].map(
    (name) => `/assets/page/${name}.js`,
  );
  const answers = new Map<string, string>();
  for (const path of [...paths, ...pages, ...modules]) answers.set(path, await ask(path));
  // the right things were looked at: what they hold is there
  const texts = [...answers.values()].join('\n');
  expect(texts).toContain('reserveOrder');
  expect(texts).toContain('New and changed tests, on the starting code');
  expect(texts).toContain('README.md');
  const tales = await tellTales();
  expect(tales.length).toBeGreaterThan(20);
  const leaks = [...answers].flatMap(([path, text]) =>
    tales.filter((tale) => text.includes(tale)).map((tale) => `${path}: ${tale}`),
  );
  expect(leaks).toEqual([]);
  // durations and times of day of the runs
  for (const [path, text] of answers)
    if (path.endsWith('/tests')) expect(text).not.toMatch(/\d ?ms\b|\d{4}-\d\d-\d\dT|duration_ms[^[]*\d/);
  // arms are called A and B: no field of that name, no value of that kind
  for (const [path, text] of answers)
    if (path.startsWith('/api/')) expect([path, /"(arm|trial|spec|repeat)"/.test(text)]).toEqual([path, false]);
});

test('the documentation is the variant’s own, after its patch', async () => {
  const { variants } = JSON.parse(await ask('/api/desk')) as State;
  for (const { case: one, content } of variants) {
    const documents = JSON.parse(await ask(`/api/variants/${one}/${content}/documents`)) as {
      path: string;
      text: { lines: string[] };
    }[];
    expect(documents.map(({ path }) => path)).toEqual(['README.md']);
    expect(documents[0]?.text.lines.length).toBeGreaterThan(10);
  }
});

describe.skipIf(noBrowser)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test('two evaluators, lock, agreement, a dispute settled with a reason, and the mapping opened last', async () => {
    const state = JSON.parse(await ask('/api/desk')) as State;
    const [pair] = state.pairs as [State['pairs'][number]];
    const [one] = state.cases as [State['cases'][number]];
    const contexts = await Promise.all(['anna', 'ben'].map(() => browser.newContext({ viewport: { width: 1280, height: 900 } })));
    try {
      const [anna, ben] = await Promise.all(
        ['anna', 'ben'].map(
          async (who, index) => (await openPage(contexts[index] as (typeof contexts)[number], desk.urls[who] as string)).page,
        ),
      );
      if (anna === undefined || ben === undefined) throw new Error('two pages were asked for');
      for (const page of [anna, ben]) {
        const events: object[] = [{ kind: 'guess', pair: pair.pair, side: page === anna ? 'x' : 'y' }];
        for (const { case: name, content } of state.variants) {
          const place = { case: name, content, evidence: [], note: '' };
          for (const row of one.review) {
            // they differ on one row of one variant
            const value = !(page === ben && content === pair.x && row.id === 'R1');
            events.push({ kind: 'mark', ...place, sheet: 'review', row: row.id, value });
          }
          for (const row of one.tests)
            if (!row.automatic) events.push({ kind: 'mark', ...place, sheet: 'tests', row: row.id, value: row.weight });
          for (const row of one.documentation)
            events.push({ kind: 'mark', ...place, sheet: 'documentation', row: row.id, value: true });
          const { findings } = JSON.parse(await ask(`/api/variants/${name}/${content}/claims`)) as { findings: object[] };
          events.push({
            kind: 'claims',
            case: name,
            content,
            findings: findings.map((finding) => ({ ...finding, status: 'style' })),
          });
        }
        await sendMarks(page, events);
      }
      await anna.reload();
      await anna.getByRole('link', { name: 'Everything is marked' }).click();
      const lock = anna.getByRole('button', { name: 'Lock scoring' });
      expect(await lock.isDisabled()).toBe(true);
      await anna.getByLabel('I know that this cannot be taken back').check();
      expect(existsSync(checkout.path('data/experiments/inventory/desk/lock.json'))).toBe(false);
      await lock.click();
      await anna.getByRole('heading', { name: 'Agreement' }).waitFor();
      expect(existsSync(checkout.path('data/experiments/inventory/desk/lock.json'))).toBe(true);

      // nothing can be marked any more, by anybody
      const refused = await sendMarks(ben, [{ kind: 'notes', case: pair.case, content: pair.x, text: 'late' }]).catch(
        (error: Error) => error.message,
      );
      expect(refused).toContain('Scoring is locked');
      await ben.goto(`http://127.0.0.1:${desk.port}/#/pair/${pair.pair}`);
      await ben.reload();
      await ben.getByText('Scoring is locked').waitFor();
      expect(await ben.locator('[data-row] input:not([disabled])').count()).toBe(0);

      const dispute = anna.locator('[data-dispute="review R1"]').first();
      await dispute.getByText('not found').first().waitFor();
      await screenshot(anna, 'agreement');
      expect(await axeFindings(anna)).toEqual([]);
      // sheets of the bundled experiment are scorers as well: settle whatever they differ on
      const settle = anna.getByRole('button', { name: 'Settle', exact: true });
      await dispute
        .getByLabel('Found', { exact: true })
        .or(dispute.getByLabel('found', { exact: true }))
        .first()
        .check();
      await dispute.getByLabel('Reason').fill('The response cites the line that should give the units back.');
      const open = await settle.count();
      await dispute.getByRole('button', { name: 'Settle', exact: true }).click();
      await dispute.getByText('settled by anna').waitFor();
      expect(await settle.count()).toBe(open - 1);
      const decisions = (await checkout.read('data/experiments/inventory/desk/adjudications.jsonl')).trim().split('\n');
      expect(JSON.parse(decisions[0] as string)).toMatchObject({
        by: 'anna',
        part: 'review',
        id: 'R1',
        value: true,
        reason: 'The response cites the line that should give the units back.',
      });

      // the mapping is sealed until now
      const before = await ask('/api/settle');
      expect(JSON.parse(before).mapping).toEqual([]);
      expect(before).not.toContain('inventory.A.1');
      if (open > 1) await anna.getByLabel(/^Leave \d+ disputes? open/).check();
      await anna.getByLabel('I know that this cannot be taken back').check();
      await anna.getByRole('button', { name: 'Unblind' }).click();
      await anna.getByRole('heading', { name: 'The mapping' }).waitFor();
      await anna.getByText('1 of 2 named the right side').waitFor();
      await screenshot(anna, 'unblinded');
      expect(await axeFindings(anna)).toEqual([]);
      const after = JSON.parse(await ask('/api/settle')) as {
        state: string;
        mapping: { x: string; y: string; arm: 'x' | 'y' }[];
      };
      expect(after.state).toBe('unblinded');
      const [row] = after.mapping;
      expect([row?.x, row?.y].sort()).toEqual(['inventory.A.1', 'inventory.B.1']);
      expect(row?.[row.arm]).toBe('inventory.B.1');
      expect((await ledgerEvents(checkout, 'inventory')).map(({ kind }) => kind).slice(-2)).toEqual([
        'scoring-locked',
        'unblinded',
      ]);
      expect(await readdir(join(checkout.root, 'data/experiments/inventory/sheets'))).toEqual(
        expect.arrayContaining([`${pair.x.slice(0, 12)}.anna.yaml`, `${pair.y.slice(0, 12)}.ben.yaml`]),
      );
    } finally {
      for (const context of contexts) await context.close();
    }
  });
});
