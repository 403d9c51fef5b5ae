import { execFile } from 'node:child_process';
import { access, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { InfrastructureError, PrerequisiteError } from './errors.js';
import type { Lab } from './lab.js';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Prints a report's page to report.pdf beside it, with Chromium and without network. It is for people: no two machines print the same bytes. */
export async function printReport(lab: Pick<Lab, 'run' | 'experiment'>): Promise<string> {
  const page = lab.run.reportPage;
  if ((await stat(page).catch(() => null)) === null) {
    throw new PrerequisiteError('There is no report to print', {
      expected: 'index.html',
      found: 'no such file',
      next: `npx nx run ${lab.experiment.name}:report`,
    });
  }
  const program = await findBrowser();
  const profile = await mkdtemp(join(tmpdir(), 'skill-trial-pdf-'));
  try {
    // root may not use Chromium's sandbox; the page loads nothing, and runs the one script that its policy names
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const flags = [
      '--headless=new',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--no-pdf-header-footer',
    ];
    const target = [`--user-data-dir=${profile}`, `--print-to-pdf=${lab.run.reportPdf}`, pathToFileURL(page).href];
    await promisify(execFile)(program, [...flags, ...sandbox, ...target], { timeout: 120_000 });
  } catch (error) {
    throw new InfrastructureError('Chromium did not print the report', {
      expected: 'report.pdf',
      found: (error as Error).message.split('\n')[0] ?? 'no message',
      next: 'print index.html from a browser',
    });
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
  if ((await stat(lab.run.reportPdf).catch(() => null)) !== null) return lab.run.reportPdf;
  throw new InfrastructureError('Chromium did not print the report', {
    expected: 'report.pdf',
    found: 'no file, and no error',
    next: 'print index.html from a browser',
  });
}

async function findBrowser(): Promise<string> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of names) {
      const path = join(folder, name);
      if (
        await access(path).then(
          () => true,
          () => false,
        )
      )
        return path;
    }
  }
  throw new PrerequisiteError('Chromium is not there', {
    expected: `one of ${names.join(', ')} on the PATH`,
    found: 'none',
    next: 'apt-get install chromium, or print index.html from a browser',
  });
}
