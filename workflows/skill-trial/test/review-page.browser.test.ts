import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BenchmarkRun } from '../src/benchmark.js';
import { reviewPage } from '../src/review-page.js';
import { makeBenchmarkFixture } from './fixtures/benchmark.js';

const executablePath = '/usr/bin/chromium';
const missing = !existsSync(executablePath);
if (missing && process.env.CI !== 'true') console.warn(`skipped: no ${executablePath}; apt-get install chromium`);

// With CI=true a missing browser fails in beforeAll instead of being skipped.
describe.skipIf(missing && process.env.CI !== 'true')('review.html in a browser', { timeout: 60_000 }, () => {
  let browser: Browser;
  let folder: string;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'review-page-'));
    const changes = [{ case: 'tea-2', arm: 'B', repeat: 1, assertion: 'hot', before: 'passed', now: 'failed' }];
    const benchmark = makeBenchmarkFixture();
    (benchmark.evals[0]?.with[0] as BenchmarkRun).files = [
      { path: 'settings.json', kind: 'added', text: '<b>not bold</b>', binary: null },
      { path: 'dot.png', kind: 'modified', text: null, binary: Buffer.from([0x89, 0xff]).toString('base64') },
      { path: 'old.txt', kind: 'deleted', text: null, binary: null },
    ];
    await writeFile(join(folder, 'review.html'), reviewPage(benchmark, 2, changes));
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    problems.length = 0;
    page = await browser.newPage({ acceptDownloads: true });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on(
      'request',
      (request) => request.url().startsWith('file:') || request.url().startsWith('blob:') || problems.push(request.url()),
    );
    await page.goto(pathToFileURL(join(folder, 'review.html')).href);
    return () => page.close();
  });
  const visible = () => page.locator('article:not([hidden])').evaluateAll((all) => all.map((one) => one.id));

  it('shows both outputs with verdicts and evidence, runs nothing of theirs and asks for nothing', async () => {
    expect(await page.locator('#tea-1 section').count()).toBe(2);
    expect(await page.locator('#tea-1 .passed').count()).toBe(1);
    expect(await page.locator('#tea-1 .timed').count()).toBe(3);
    expect(await page.locator('#tea-2 pre').nth(1).textContent()).toContain('<img src=x');
    expect(await page.locator('article img').count()).toBe(0);
    expect(await page.title()).toBe('fixture, iteration 2');
    expect(await page.locator('.scripted').count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it.each([390, 1280].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme }))))(
    'axe finds nothing at $width px, $colorScheme, and nothing scrolls sideways',
    async ({ width, colorScheme }) => {
      // the page's own policy lets no script in
      const own = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
      try {
        await own.goto(pathToFileURL(join(folder, 'review.html')).href);
        await own.locator('summary').first().click();
        expect(await own.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        await own.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
        const { violations } = await own.evaluate(() =>
          (
            globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }
          ).axe.run(),
        );
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
      } finally {
        await own.close();
      }
    },
  );

  it('shows the files that a run left as text, and what is none by its size', async () => {
    expect(await page.locator('#tea-1 details summary code').allTextContents()).toEqual(['settings.json', 'dot.png', 'old.txt']);
    expect(await page.locator('#tea-1 details').nth(1).textContent()).toContain('<b>not bold</b>');
    expect(await page.locator('#tea-1 details').nth(2).textContent()).toContain('Not text: 2 bytes.');
    expect(await page.locator('#tea-1 details').nth(3).textContent()).toContain('no longer there');
  });

  it('is worked by keys alone: filters, the box for feedback and back, saving', async () => {
    await page.keyboard.press('d');
    expect(await visible()).toEqual(['tea-1']);
    await page.keyboard.press('j');
    await page.keyboard.press('f');
    await page.keyboard.type('dj');
    expect(await page.inputValue('#tea-1 textarea >> nth=0')).toBe('dj');
    await page.keyboard.press('Escape');
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('s')]);
    expect(JSON.parse(await readFile(await download.path(), 'utf8')).reviews).toEqual([{ run_id: 'tea-1.B.1', feedback: 'dj' }]);
    // and everything that can be used is reached by Tab
    const reached: string[] = [];
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate(() => document.activeElement?.id || (document.activeElement?.tagName ?? '')));
    }
    for (const one of ['search', 'changed', 'differs', 'save', 'SUMMARY', 'PRE', 'TEXTAREA']) expect(reached).toContain(one);
  });

  it('searches and filters by what changed and by what differs', async () => {
    expect(await visible()).toEqual(['tea-1', 'tea-2']);
    await page.fill('#search', 'pour img');
    expect(await visible()).toEqual([]);
    // where an event stands is no prompt, output or assertion
    await page.fill('#search', 'events.jsonl');
    expect(await page.textContent('#state')).toMatch(/^0 of /);
    await page.fill('#search', 'onerror');
    expect(await visible()).toEqual(['tea-2']);
    await page.fill('#search', '');
    await page.check('#changed');
    expect(await visible()).toEqual(['tea-2']);
    await page.uncheck('#changed');
    await page.check('#differs');
    expect(await visible()).toEqual(['tea-1']);
    expect(await page.locator('#state').textContent()).toBe('1 of 2 evals');
  });

  it('goes by keys, and letters typed into a box are letters', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('tea-2');
    await page.keyboard.press('k');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('tea-1');
    await page.keyboard.press('/');
    await page.keyboard.type('jk');
    expect(await page.inputValue('#search')).toBe('jk');
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    expect(await page.isChecked('#changed')).toBe(true);
  });

  it('saves what was written as feedback.json', async () => {
    await page.fill('#tea-1 textarea >> nth=0', ' "hot" & <full> ');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
    expect(download.suggestedFilename()).toBe('feedback.json');
    const saved = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(saved).toEqual({
      reviews: [{ run_id: 'tea-1.B.1', feedback: '"hot" & <full>' }],
      status: 'complete',
      experiment: 'fixture',
      iteration: 2,
    });
    expect(problems).toEqual([]);
  });

  it('is not left with feedback that no file holds, unless the reader says so', async () => {
    const asked: string[] = [];
    page.on('dialog', async (dialog) => {
      asked.push(dialog.type());
      await dialog.accept();
    });
    await page.fill('#tea-1 textarea >> nth=0', 'too hot');
    await page.click('#tea-1 h2');
    await Promise.all([page.waitForEvent('download'), page.click('#save')]);
    await page.reload();
    expect(asked).toEqual([]);
    await page.fill('#tea-1 textarea >> nth=0', 'too cold');
    await page.click('#tea-1 h2');
    await page.reload();
    expect(asked).toEqual(['beforeunload']);
  });
});
