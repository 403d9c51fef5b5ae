import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderPage } from '../src/report-page.js';
import { figures, hostileReport, makeReport, threeArmReport } from './fixtures/report.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const executablePath = '/usr/bin/chromium';
const missing = !existsSync(executablePath);
if (missing && process.env.CI !== 'true') console.warn(`skipped: no ${executablePath}; apt-get install chromium`);

const reports = { fixture: makeReport(), hostile: hostileReport(), 'three arms': threeArmReport() };
const widths = { phone: 390, desktop: 1280 };
const both = [
  { width: 'phone', theme: 'light' },
  { width: 'phone', theme: 'dark' },
  { width: 'desktop', theme: 'light' },
  { width: 'desktop', theme: 'dark' },
] as const;
const [phone, , , desktop] = both;
/** The plain report in all four; the odd ones once at each width, each theme once. */
const views: { name: keyof typeof reports; width: keyof typeof widths; theme: 'light' | 'dark' }[] = [
  ...both.map((view) => ({ name: 'fixture' as const, ...view })),
  ...(['hostile', 'three arms'] as const).flatMap((name) => [phone, desktop].map((view) => ({ name, ...view }))),
];

// With CI=true a missing browser fails in beforeAll instead of being skipped.
describe.skipIf(missing && process.env.CI !== 'true')('index.html in a browser', { timeout: 60_000 }, () => {
  let browser: Browser;
  let folder: string;
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'report-page-'));
    for (const [name, report] of Object.entries(reports))
      await writeFile(join(folder, `${name}.html`), renderPage(report, figures));
    const flags =
      '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';
    browser = await chromium.launch({ executablePath, args: flags.split(' ') });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  async function opened(
    view: (typeof views)[number],
    use: (page: Page, complaints: string[]) => Promise<void>,
    bypassCSP = false,
  ) {
    const context = await browser.newContext({
      viewport: { width: widths[view.width], height: 844 },
      colorScheme: view.theme,
      bypassCSP,
    });
    const complaints: string[] = [];
    try {
      const page = await context.newPage();
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
      page.on('request', (request) => {
        if (!request.isNavigationRequest()) complaints.push(`request: ${request.url()}`);
      });
      await page.goto(pathToFileURL(join(folder, `${view.name}.html`)).href);
      await use(page, complaints);
    } finally {
      await context.close();
    }
  }

  const violations = (page: Page) =>
    page.evaluate(async () => {
      const { violations: found } = await (
        globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }
      ).axe.run();
      return found.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map((node) => node.html.slice(0, 160))
            .join(' ; ')}`,
      );
    });

  it.each(views)('$name, $width, $theme: no complaint, no request, no sideways scrolling, the style applied', (view) =>
    opened(view, async (page, complaints) => {
      const { scroll, client } = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return { scroll: scrollWidth, client: clientWidth };
      });
      expect(scroll).toBeLessThanOrEqual(client);
      expect(
        await page
          .locator('.card')
          .first()
          .evaluate((card) => getComputedStyle(card).borderRadius),
      ).toBe('10px');
      const picture = join(root, 'test-output/report', `${view.name.replace(' ', '-')}-${view.width}-${view.theme}.png`);
      await page.screenshot({ path: picture });
      expect(complaints).toEqual([]);
    }),
  );

  it.each(views.filter(({ name }) => name === 'fixture'))('$width, $theme: the scripted banner is on the first screen', (view) =>
    opened(view, async (page) => {
      const box = await page.locator('.banner').boundingBox();
      expect(box).not.toBeNull();
      expect((box?.y ?? 1e9) + (box?.height ?? 0)).toBeLessThan(844);
    }),
  );

  it.each(views)('$name, $width, $theme: axe finds nothing', (view) =>
    opened(
      view,
      async (page) => {
        await page.evaluate(await readFile(axe, 'utf8'));
        await page.evaluate(() => {
          for (const one of document.querySelectorAll('details')) one.setAttribute('open', '');
        });
        expect(await violations(page)).toEqual([]);
      },
      true,
    ),
  );

  it('the caption of a table that is wider than a phone is read without moving the table', () =>
    opened({ name: 'fixture', width: 'phone', theme: 'light' }, async (page) => {
      await page.evaluate(() => {
        for (const one of document.querySelectorAll('details')) one.setAttribute('open', '');
      });
      const cut = await page.locator('.scroll caption').evaluateAll((captions) =>
        captions.flatMap((caption) => {
          const words = document.createRange();
          words.selectNodeContents(caption);
          const region = caption.closest('.scroll') as Element;
          return words.getBoundingClientRect().right > region.getBoundingClientRect().right + 1 ? [caption.textContent] : [];
        }),
      );
      expect(await page.locator('.scroll caption').count()).toBeGreaterThan(5);
      expect(cut).toEqual([]);
    }));

  it('following a value opens the account of how it was made', () =>
    opened({ name: 'fixture', width: 'desktop', theme: 'light' }, async (page) => {
      await page.locator('#results .figure-link').first().click();
      expect(await page.locator('#how-B-A-review_completeness').isVisible()).toBe(true);
    }));

  it.each(both)(
    '$width, $theme: a value of the first screen opens its account by keyboard, within the window, and axe finds nothing',
    (view) =>
      opened(
        { name: 'fixture', ...view },
        async (page, complaints) => {
          const value = page.locator('.summary .opens').first();
          const account = page.locator(`#${await value.getAttribute('popovertarget')}`);
          expect(await account.isVisible()).toBe(false);
          await value.focus();
          await page.keyboard.press('Enter');
          expect(await account.isVisible()).toBe(true);
          const box = await account.boundingBox();
          expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 1e9) <= widths[view.width]).toBe(true);
          expect(complaints).toEqual([]);
          await page.evaluate(await readFile(axe, 'utf8'));
          expect(await violations(page)).toEqual([]);
          await page.keyboard.press('Escape');
          expect(await account.isVisible()).toBe(false);
        },
        true,
      ),
  );

  it.each(both)(
    '$width, $theme: a figure answers the pointer with the row behind a mark, as text, and prints as its picture',
    (view) =>
      opened({ name: 'hostile', ...view }, async (page, complaints) => {
        const figure = page.locator('figure').first();
        await figure.scrollIntoViewIfNeeded();
        await figure.locator('.paper.live').waitFor();
        await figure.locator('.paper > div .mark-symbol path').first().hover();
        const tip = page.locator('.tip');
        await tip.waitFor();
        expect(await tip.locator('div').allInnerTexts()).toEqual([
          'arm: A',
          'share: 0.5',
          'note: </script><img src=x onerror=alert(1)>',
        ]);
        await page.emulateMedia({ media: 'print' });
        expect(await figure.locator('.paper > svg').isVisible()).toBe(true);
        expect(await figure.locator('.paper > div').isVisible()).toBe(false);
        expect(complaints).toEqual([]);
      }),
  );

  it('gives the data of a figure as a file, without a request', () =>
    opened({ name: 'fixture', width: 'desktop', theme: 'light' }, async (page, complaints) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('figcaption a[download]').first().click(),
      ]);
      expect(download.suggestedFilename()).toBe('completeness.csv');
      expect(await readFile(await download.path(), 'utf8')).toContain('SCRIPTED,A,0.5');
      expect(complaints).toEqual([]);
    }));

  it('prints with every detail open and no table cut', () =>
    opened({ name: 'fixture', width: 'desktop', theme: 'dark' }, async (page) => {
      await page.emulateMedia({ media: 'print' });
      await page.setViewportSize({ width: 690, height: 1000 });
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll('table, pre')]
          .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
          .map((one) => one.textContent?.slice(0, 60)),
      );
      expect(cut).toEqual([]);
      expect(await page.locator('#how-B-A-tool_calls').isVisible()).toBe(true);
    }));
});
