import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  axeFindings,
  type Delivered,
  DeskRoot,
  launchBrowser,
  name,
  noBrowser,
  openPage,
  other,
  plain,
  RunningDesk,
  screenshot,
  sendMarks,
} from './desk-fixture.js';

let browser: Browser;

/** For what comes once the desk has answered; a busy machine may take its time. */
const eventually = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 60_000 });

// With CI=true a missing browser fails in beforeAll instead of being skipped.
describe.skipIf(noBrowser)('the desk in a browser', () => {
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  /** A desk of the test's own with its page for one evaluator. */
  async function withDesk(
    pairs: [Delivered, Delivered][],
    use: (on: { root: DeskRoot; desk: RunningDesk; context: BrowserContext; page: Page; complaints: string[] }) => Promise<void>,
  ): Promise<void> {
    await using root = await DeskRoot.make(pairs);
    await using desk = await RunningDesk.start(root.root, name);
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    try {
      const { page, complaints } = await openPage(context, desk.urls.anna as string);
      await use({ root, desk, context, page, complaints });
    } finally {
      await context.close();
    }
  }

  /** Opens the first pair; what it waits for is drawn by the page that hears the keys, and a key before that is lost. */
  const start = async (page: Page) => {
    await page.getByRole('link', { name: 'Start' }).click();
    await page.getByRole('tablist', { name: 'What to read' }).waitFor();
  };
  const cannotTell = async (page: Page) => {
    await page.getByLabel('I cannot tell').check();
    await page.getByRole('button', { name: 'Record the guess and score' }).click();
    await page.locator('.row-card').first().waitFor();
  };
  const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();

  test('a pair is scored by keyboard and mouse: guess, marks with evidence, notes, findings, undo', () =>
    withDesk([[plain, other]], async ({ root, page, complaints }) => {
      const [pair] = root.pairs as [(typeof root.pairs)[number]];
      const place = { case: 'inventory', content: pair.x };
      await start(page);
      // no mark can be given before the guess
      expect(await page.locator('.row-card').count()).toBe(0);
      await cannotTell(page);
      // a mark is seen before it is on the disk
      await eventually(() => root.journal('anna')).toEqual([{ kind: 'guess', pair: pair.pair, side: null }]);

      // keyboard: pick two lines of the diff as evidence, then mark the row
      await page.keyboard.press('d');
      await page.getByRole('tree', { name: /diff of variant X/ }).waitFor();
      await page.keyboard.press('x');
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Shift+ArrowDown']) await page.keyboard.press(key);
      await page.keyboard.press('e');
      await page.keyboard.press('1');
      await saved(page);
      const evidence = [
        {
          file: 'src/reserve-order.js',
          line: 2,
          side: 'base',
          quote: '  const first = order.items[0];\n  for (const { quantity } of order.items)',
        },
      ];
      const mark = { kind: 'mark', ...place, sheet: 'review', row: 'R1', value: true, evidence, note: '' };
      expect((await root.journal('anna')).at(-1)).toEqual(mark);

      // mouse: another row, from a line of the response
      await page.getByRole('tab', { name: 'Response' }).click();
      await page.getByRole('button', { name: /^R2/ }).click();
      await page.getByRole('button', { name: 'Pick line 5 of the response of variant X' }).click();
      await page.getByRole('button', { name: /Use as evidence for R2/ }).click();
      await page.locator('[data-row=R2]').getByLabel('Found', { exact: true }).first().check();
      await saved(page);
      expect((await root.journal('anna')).at(-1)).toMatchObject({
        row: 'R2',
        value: true,
        evidence: [{ file: 'response.md', line: 5, quote: expect.stringContaining('a quantity of `-1` is accepted') }],
      });

      // the other variant, a note, and a row that does not apply
      await page.keyboard.press('y');
      await page.keyboard.press('2');
      await page.keyboard.press('n');
      await page.keyboard.type('says nothing of it');
      await page.keyboard.press('Escape');
      await eventually(async () => (await root.journal('anna')).at(-1)).toMatchObject({
        content: pair.y,
        row: 'R2',
        value: false,
        note: 'says nothing of it',
      });
      await page.keyboard.press('j');
      await page.keyboard.press('3');
      await page.getByLabel('Why it does not apply').fill('no order of this kind');
      await page.keyboard.press('Escape');
      await eventually(async () => (await root.journal('anna')).at(-1)).toEqual({
        kind: 'applicability',
        case: 'inventory',
        row: 'R3',
        applicable: false,
        note: 'no order of this kind',
      });

      // findings: listed from the response, classified, edited, merged
      await page.keyboard.press('x');
      await page.keyboard.press('c');
      const findings = page.getByRole('region', { name: 'Findings of variant X' });
      await findings.locator('[data-finding]').first().waitFor();
      const before = await findings.locator('[data-finding]').count();
      expect(before).toBeGreaterThan(2);
      await page.keyboard.press('1');
      await saved(page);
      await findings.getByRole('checkbox', { name: /README says nothing/ }).check();
      await findings.getByRole('button', { name: 'Merge the 1 chosen into this' }).click();
      await eventually(() => findings.locator('[data-finding]').count()).toBe(before - 1);

      // test points, and a step back and forth
      await page.keyboard.press(']');
      await page.getByRole('button', { name: /^T2/ }).click();
      await page.keyboard.press('2');
      await saved(page);
      expect((await root.journal('anna')).at(-1)).toMatchObject({ sheet: 'tests', row: 'T2', value: 2 });
      const chosen = page.locator('[data-row=T2] input:checked');
      expect(await chosen.count()).toBe(1);
      await page.keyboard.press('u');
      await eventually(() => chosen.count()).toBe(0);
      await page.keyboard.press('U');
      await eventually(() => chosen.count()).toBe(1);
      await page.keyboard.press('Backspace');
      await eventually(() => chosen.count()).toBe(0);
      expect(complaints).toEqual([]);
    }));

  test('what a check proposes is shown as a proposal and counts once it is accepted', () =>
    withDesk([[plain, other]], async ({ root, desk, context }) => {
      const [pair] = root.pairs as [(typeof root.pairs)[number]];
      const evidence = [{ file: 'test/quantity.test.js', line: 2, side: 'result', quote: "test('refuses zero', () => {});" }];
      const proposal = { sheet: 'tests', row: 'T2', value: 1, reason: 'The tests catch the mutant that accepts zero.', evidence };
      await root.write(`data/runs/${name}/proposals.json`, {
        schemaVersion: 1,
        variants: [{ case: 'inventory', content: pair.x, proposals: [proposal] }],
      });
      await desk.stop();
      await using again = await RunningDesk.start(root.root, name);
      const { page } = await openPage(context, again.urls.anna as string);
      await start(page);
      await cannotTell(page);
      await page.getByRole('tab', { name: 'Tests', exact: true }).click();
      await page.getByRole('button', { name: /^T2/ }).click();
      await page.getByText('A check proposes: 1 point.').waitFor();
      expect(await page.locator('[data-row=T2] input:checked').count()).toBe(0);
      await screenshot(page, 'proposal');
      await page.keyboard.press('a');
      await page.getByText('from a check').waitFor();
      const { sheet, row, value, reason } = proposal;
      await eventually(async () => (await root.journal('anna')).at(-1)).toEqual({
        kind: 'accept',
        case: 'inventory',
        content: pair.x,
        sheet,
        row,
        value,
        reason,
        evidence,
      });
    }));

  test('a desk that is killed loses nothing: the change waits in the page and is sent to the next one', () =>
    withDesk([[plain, other]], async ({ root, desk, context, page }) => {
      await start(page);
      await cannotTell(page);
      await page.keyboard.press('1');
      await saved(page);
      const before = await root.journal('anna');
      expect(await desk.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
      await page.keyboard.press('y');
      await page.keyboard.press('2');
      await page.getByText('Not saved').waitFor();
      await page.getByRole('alert').getByText('The desk does not answer').waitFor();
      await screenshot(page, 'not-saved');
      expect(await root.journal('anna')).toEqual(before);
      await using again = await RunningDesk.start(root.root, name, [`--port=${desk.port}`]);
      // the old address is no longer valid: the page says so, and the new one takes over what waited
      await page.getByText('The desk was started anew').waitFor();
      const next = await openPage(context, again.urls.anna as string);
      await eventually(async () => (await root.journal('anna')).length).toBe(before.length + 1);
      expect((await root.journal('anna')).at(-1)).toMatchObject({ content: root.pairs[0]?.y, row: 'R1', value: false });
      // the first window finds its way back as well, and sends nothing twice
      await page.getByText('Saved', { exact: true }).waitFor();
      await next.page.getByRole('link', { name: 'Continue' }).click();
      expect(await next.page.locator('[data-row=R1] .state').allTextContents()).toEqual([
        expect.stringContaining('found'),
        expect.stringContaining('not found'),
      ]);
      expect(await root.journal('anna')).toHaveLength(before.length + 1);
    }));

  test('a window that is closed in the middle of a note loses no letter', () =>
    withDesk([[plain, other]], async ({ root, desk, context, page }) => {
      await start(page);
      await cannotTell(page);
      await page.keyboard.press('1');
      await saved(page);
      // the desk is gone first, so that the note cannot have been saved on the way out
      await desk.stop('SIGKILL');
      await page.keyboard.press('n');
      await page.keyboard.type('half a sente');
      await page.close({ runBeforeUnload: false });
      expect((await root.journal('anna')).at(-1)).toMatchObject({ row: 'R1', note: '' });
      await using again = await RunningDesk.start(root.root, name, [`--port=${desk.port}`]);
      const next = await openPage(context, again.urls.anna as string);
      await next.page.getByRole('link', { name: 'Continue' }).click();
      await eventually(async () => (await root.journal('anna')).at(-1)).toMatchObject({
        row: 'R1',
        value: true,
        note: 'half a sente',
      });
    }));

  test('two evaluators score at once, and neither sees what the other said', () =>
    withDesk([[plain, other]], async ({ root, desk, page }) => {
      const content = root.pairs[0]?.x;
      const words = 'words that only anna wrote';
      await sendMarks(page, [
        { kind: 'guess', pair: root.pairs[0]?.pair, side: 'x' },
        { kind: 'mark', case: 'inventory', content, sheet: 'review', row: 'R1', value: true, evidence: [], note: words },
      ]);
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
      try {
        const ben = await openPage(context, desk.urls.ben as string);
        const answers: string[] = [];
        ben.page.on('response', async (answer) => answers.push(await answer.text().catch(() => '')));
        await start(ben.page);
        await cannotTell(ben.page);
        await ben.page.keyboard.press('2');
        await saved(ben.page);
        await ben.page.getByRole('link', { name: 'Lock and settle' }).click();
        await ben.page.getByText('1 of 36 marked').first().waitFor();
        await ben.page.waitForLoadState('networkidle');
        expect(answers.length).toBeGreaterThan(3);
        expect(answers.join('\n')).not.toContain(words);
        expect(await root.journal('anna')).toHaveLength(2);
        expect(await root.journal('ben')).toMatchObject([
          { kind: 'guess', side: null },
          { row: 'R1', value: false },
        ]);
        const benSees = await ben.page.evaluate(async () => (await fetch('/api/marks')).json());
        expect(benSees.marks.guesses).toEqual({ [root.pairs[0]?.pair as string]: null });
      } finally {
        await context.close();
      }
    }));

  test('hostile output runs nothing, loads nothing, and is shown as what it is', () => {
    const response = `# Hello <script>document.title='owned'</script>

<img src="https://evil.example/x.png" onerror="alert(1)">

[click](javascript:alert(2)) ![pixel](https://evil.example/pixel.png) [out](https://evil.example/) ![d](data:image/svg+xml,<svg/onload=alert(3)>)

\u001b[2J\u001b]0;title\u0007 and \u202Egnp.exe\u202C

\`\`\`html"onload=alert(4)
<script>alert(5)</script>
\`\`\`

<iframe srcdoc="<script>alert(6)</script>"></iframe><style>*{display:none}</style>
`;
    const patch = `diff --git a/<img src=x onerror=alert(7)>.js b/<img src=x onerror=alert(7)>.js
index 1111111..2222222 100644
--- a/<img src=x onerror=alert(7)>.js
+++ b/<img src=x onerror=alert(7)>.js
@@ -1 +1,2 @@
-'</script><script>alert(8)</script>'
+'\u202E\u001b[31m' // \${alert(9)}
+<svg onload=alert(10)>
`;
    return withDesk([[{ response, patch }, other]], async ({ page, complaints }) => {
      await start(page);
      const reader = page.locator('[data-reader=x]');
      await reader.getByText("<script>document.title='owned'</script>").waitFor();
      await reader.getByText('\\u{1b}[2J\\u{1b}]0;title\\u{7} and \\u{202e}gnp.exe\\u{202c}').waitFor();
      expect(
        await reader.locator('a, img, iframe, script, style, svg, object, [onerror], [onload], [style*=display]').count(),
      ).toBe(0);
      await screenshot(page, 'hostile');
      await page.keyboard.press('d');
      await reader.getByText('<img src=x onerror=alert(7)>.js').waitFor();
      await reader.getByText('<svg onload=alert(10)>').waitFor();
      await reader.getByText('\\u{202e}\\u{1b}[31m').waitFor();
      expect(await page.title()).toBe('Scoring desk');
      expect(complaints).toEqual([]);
    });
  });

  test('50 MB of response and patches that are none: a page at a time, and said', () => {
    const response = Buffer.alloc(50 * 1024 * 1024, 'all work and no play makes a dull response\n');
    const malformed = Buffer.concat([
      Buffer.from('diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n-x\n'),
      Buffer.from([0xff, 0xfe, 0x00]),
    ]);
    return withDesk([[{ response, patch: malformed }, other]], async ({ page, complaints }) => {
      await start(page);
      const reader = page.locator('[data-reader=x]');
      await reader.getByText('This text has 52,428,800 bytes').waitFor();
      await page.keyboard.press('v');
      await reader.getByRole('listbox').waitFor();
      expect(await page.locator('[role=option]').count()).toBeLessThan(200);
      await reader.getByRole('button', { name: 'Next page' }).click();
      await reader.getByText('this is page 2').waitFor();
      await screenshot(page, 'long-response');
      await page.keyboard.press('d');
      await reader.getByText('The patch could not be read as one').waitFor();
      await reader.getByText('Some bytes are not valid UTF-8').waitFor();
      expect(complaints).toEqual([]);
    });
  });

  test('a patch of 5,000 lines draws the rows in view, and every line can be reached', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `+export const value${index + 1} = '${index + 1}';`);
    const patch = `diff --git a/src/long.js b/src/long.js
new file mode 100644
index 0000000..1111111
--- /dev/null
+++ b/src/long.js
@@ -0,0 +1,5000 @@
${lines.join('\n')}
`;
    return withDesk([[{ response: 'done', patch }, plain]], async ({ page }) => {
      await start(page);
      await page.keyboard.press('d');
      const tree = page.getByRole('tree', { name: /diff of variant X/ });
      await tree.getByText('value1 =').waitFor();
      expect(await tree.getByRole('treeitem').count()).toBeLessThan(150);
      await tree.focus();
      await page.keyboard.press('End');
      await tree.getByText('value5000 =').waitFor();
      expect(await tree.getByRole('treeitem').count()).toBeLessThan(150);
      await page.getByText('src/long.js:5000').waitFor();
      // split shows the same lines
      await page.keyboard.press('v');
      await page.keyboard.press('Home');
      await tree.getByText('value1 =').waitFor();
      expect(await tree.getByRole('treeitem').count()).toBeLessThan(150);
      // closed, the file is its head alone
      await page.keyboard.press('ArrowLeft');
      await eventually(() => tree.getByRole('treeitem').count()).toBe(1);
      await page.keyboard.press('ArrowRight');
      await tree.getByText('value1 =').waitFor();
    });
  });

  test.each([
    { width: 1280, theme: 'light' },
    { width: 1280, theme: 'dark' },
    { width: 800, theme: 'light' },
    { width: 800, theme: 'dark' },
  ] as const)('axe finds nothing, and nothing is wider than the page: $width pixels, $theme', ({ width, theme }) =>
    withDesk(
      [
        [plain, other],
        [plain, { response: 'A second one.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n', patch: plain.patch }],
      ],
      async ({ root, page }) => {
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 860 });
        const found: string[] = [];
        const look = async (what: string) => {
          found.push(...(await axeFindings(page)).map((one) => `${what}: ${one}`));
          const [inner, outer] = await page.evaluate(() => [
            document.documentElement.scrollWidth,
            document.documentElement.clientWidth,
          ]);
          if ((inner as number) > (outer as number)) found.push(`${what}: ${inner} pixels wide`);
          await screenshot(page, `${what}-${width}-${theme}`);
        };
        await look('overview');
        await start(page);
        await page.locator('.markdown').first().waitFor();
        await look('guess');
        await sendMarks(
          page,
          root.pairs.map(({ pair }) => ({ kind: 'guess', pair, side: null })),
        );
        await page.reload();
        await page.locator('.markdown').first().waitFor();
        await page
          .getByRole('button', { name: /^Pick line/ })
          .nth(1)
          .click();
        await page.keyboard.press('1');
        await page.keyboard.press('e');
        await page.locator('.evidence li').first().waitFor();
        await look('review');
        await page.keyboard.press('d');
        await page.getByRole('tree').first().waitFor();
        await page.keyboard.press('c');
        await page.locator('[data-finding]').first().waitFor();
        await page.keyboard.press('1');
        await saved(page);
        await look('diff-findings');
        await page.keyboard.press('v');
        await page.keyboard.press('b');
        await page.keyboard.press(']');
        await page.getByRole('button', { name: /^T1/ }).waitFor();
        await look('split-tests');
        await page.keyboard.press('b');
        await page.keyboard.press('t');
        await page.keyboard.press(']');
        await page.getByText('The tests have not been run yet').first().waitFor();
        await look('output-documentation');
        await page.keyboard.press('?');
        await page.getByRole('dialog').waitFor();
        await look('help');
        await page.keyboard.press('Escape');
        await page.getByRole('link', { name: 'Lock and settle' }).click();
        await page.getByRole('heading', { name: 'Lock scoring' }).waitFor();
        await look('settle');
        expect(found).toEqual([]);
      },
    ),
  );
});
