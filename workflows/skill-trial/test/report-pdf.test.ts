import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extractText, getDocumentProxy } from 'unpdf';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { InfrastructureError, PrerequisiteError } from '../src/errors.js';
import { runPaths } from '../src/paths.js';
import { renderPage } from '../src/report-page.js';
import { printReport } from '../src/report-pdf.js';
import { failure, tempFolder } from './fixture.js';
import { figures, makeReport } from './fixtures/report.js';

const missing = !existsSync('/usr/bin/chromium');
if (missing && process.env.CI !== 'true') console.warn('skipped: no /usr/bin/chromium; apt-get install chromium');
const experiment = { name: 'shop' } as Parameters<typeof printReport>[0]['experiment'];

/** A finished run as far as printing goes: its page. */
async function finished() {
  const run = runPaths(await tempFolder({}), 'shop');
  await mkdir(run.report, { recursive: true });
  await writeFile(run.reportPage, renderPage(makeReport(), figures));
  return { experiment, run };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the report as PDF', { timeout: 120_000 }, () => {
  // With CI=true a missing browser fails in here instead of being skipped.
  test.skipIf(missing && process.env.CI !== 'true')('holds the whole report as text, folded parts too', async () => {
    const lab = await finished();
    expect(await printReport(lab)).toBe(lab.run.reportPdf);
    const pdf = await getDocumentProxy(new Uint8Array(await readFile(lab.run.reportPdf)));
    expect(pdf.numPages).toBeGreaterThan(2);
    const text = (await extractText(pdf, { mergePages: true })).text.replace(/\s+/g, ' ');
    for (const said of [
      'SCRIPTED MODEL: nothing about the skills was measured',
      'Does the review skill help?',
      'Conclusion',
      'Observation',
      'Two runs.',
      'Interpretation',
      'Review was loaded.',
      'Limitations',
      'One case.',
      // out of a part that the page shows folded
      'How each number is made',
      'shop.A.3: invalid, left out',
    ])
      expect(text).toContain(said);
  });

  test('without Chromium is one error that says what is missing and what to do', async () => {
    const lab = await finished();
    vi.stubEnv('PATH', await tempFolder({}));
    const error = await failure(PrerequisiteError, () => printReport(lab));
    expect(error.message).toContain('Chromium is not there');
    expect(error.next).toContain('print index.html from a browser');
    expect(await stat(lab.run.reportPdf).catch(() => null)).toBeNull();
  });

  test('without a report says how to make one', async () => {
    const lab = { experiment, run: runPaths(await tempFolder({}), 'shop') };
    expect((await failure(PrerequisiteError, () => printReport(lab))).next).toContain('npx nx run shop:report');
  });

  test('a browser that fails, or prints nothing, is no PDF', async () => {
    const lab = await finished();
    for (const [code, said] of [
      ['exit 3', 'Command failed'],
      ['exit 0', 'no file, and no error'],
    ] as const) {
      const folder = await tempFolder({});
      await writeFile(join(folder, 'chromium'), `#!/bin/sh\n${code}\n`, { mode: 0o755 });
      vi.stubEnv('PATH', folder);
      expect((await failure(InfrastructureError, () => printReport(lab))).message).toContain(said);
    }
  });
});
