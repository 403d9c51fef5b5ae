import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { sha256 } from '../../skill-trial/src/hash.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const executablePath = '/usr/bin/chromium';
export const noBrowser = !existsSync(executablePath) && process.env.CI !== 'true';
if (noBrowser) console.warn(`skipped: no ${executablePath}; apt-get install chromium`);

export const name = 'desk-trial';

export interface Delivered {
  response: string | Buffer;
  patch: string | Buffer;
}

/** A checkout with nothing but what the desk reads: the inventory case and blinded pairs of the test's own. */
export class DeskRoot {
  private constructor(
    readonly root: string,
    readonly pairs: { pair: string; x: string; y: string }[],
  ) {}

  static async make(pairs: [x: Delivered, y: Delivered][]): Promise<DeskRoot> {
    const folder = await mkdtemp(join(tmpdir(), 'skill-trial-desk-test-'));
    await writeFile(join(folder, 'nx.json'), '{}');
    await cp(join(root, 'data/cases/inventory'), join(folder, 'data/cases/inventory'), { recursive: true });
    await cp(join(root, 'skills-src'), join(folder, 'skills-src'), { recursive: true });
    const settings = await readFile(join(root, 'data/experiments/inventory/experiment.yaml'), 'utf8');
    await put(join(folder, `data/experiments/${name}/experiment.yaml`), settings.replace('name: inventory', `name: ${name}`));
    const made: DeskRoot['pairs'] = [];
    for (const [index, sides] of pairs.entries()) {
      const pair = `pair-${String(index + 1).padStart(10, '0')}`;
      const [x, y] = [contentOf(sides[0]), contentOf(sides[1])];
      for (const [side, delivered, content] of [
        ['x', sides[0], x],
        ['y', sides[1], y],
      ] as const) {
        const variant = join(folder, `data/runs/${name}/blind/${pair}/variant-${side}`);
        await put(join(variant, 'response.md'), delivered.response);
        await put(join(variant, 'patch.diff'), delivered.patch);
        const words = { schemaVersion: 1, variant: `v-${content.slice(0, 10)}`, case: 'inventory', content };
        await put(join(variant, 'variant.json'), JSON.stringify(words));
      }
      made.push({ pair, x, y });
    }
    return new DeskRoot(folder, made);
  }

  async write(path: string, value: unknown): Promise<void> {
    await put(join(this.root, path), typeof value === 'string' ? value : JSON.stringify(value));
  }

  /** The events of an evaluator's journal, as they stand on the disk. */
  async journal(evaluator: string): Promise<Record<string, unknown>[]> {
    const text = await readFile(join(this.root, `data/experiments/${name}/desk/${evaluator}.jsonl`), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).event);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

async function put(file: string, text: string | Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

function contentOf({ response, patch }: Delivered): string {
  return sha256(`${sha256(response)}\n${sha256(patch)}\n`);
}

/** The desk as a person starts it: the step in a process of its own. */
export class RunningDesk {
  private constructor(
    readonly child: ChildProcess,
    readonly urls: Record<string, string>,
    /** What it printed, as it comes. */
    readonly output: { text: string },
    readonly ended: Promise<{ code: number | null; signal: string | null }>,
  ) {}

  static async start(
    folder: string,
    experiment: string,
    options: string[] = [],
    evaluators = ['anna', 'ben'],
  ): Promise<RunningDesk> {
    const step = join(root, 'workflows/dist/desk.js');
    const port = options.some((one) => one.startsWith('--port=')) ? [] : ['--port=0'];
    const child = spawn(process.execPath, [step, experiment, `--evaluator=${evaluators.join(',')}`, ...port, ...options], {
      cwd: folder,
      env: { ...process.env, SKILL_TRIAL_ROOT: folder, NO_COLOR: '1', FORCE_COLOR: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { text: '' };
    const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal })),
    );
    const ready = new Promise<void>((resolve, reject) => {
      const take = (chunk: Buffer) => {
        output.text += chunk;
        if (output.text.includes('stop with Ctrl+C')) resolve();
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      ended.then(() => reject(new Error(`the desk did not start:\n${output.text}`)));
    });
    await ready;
    const urls = Object.fromEntries(
      [...output.text.matchAll(/desk: ([a-z0-9-]+): (http\S+)/g)].map((match) => [match[1], match[2] as string]),
    );
    return new RunningDesk(child, urls, output, ended);
  }

  get port(): number {
    return Number(new URL(Object.values(this.urls)[0] as string).port);
  }

  token(evaluator: string): string {
    return new URL(this.urls[evaluator] as string).searchParams.get('token') as string;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM') {
    this.child.kill(signal);
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL');
  }
}

export async function launchBrowser(): Promise<Browser> {
  const flags =
    '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';
  return chromium.launch({ executablePath, args: flags.split(' ') });
}

/** A page of the desk, with all that it complained of: errors, dialogs, requests to anywhere else. */
export async function openPage(context: BrowserContext, url: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await context.newPage();
  const complaints: string[] = [];
  const { origin } = new URL(url);
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`request: ${request.url()}`);
  });
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  await page.locator('.overview').waitFor();
  return { page, complaints };
}

/** Sends changes as the page does, one after the other. */
export async function sendMarks(page: Page, events: object[]): Promise<void> {
  const refused = await page.evaluate(async (list) => {
    const words: string[] = [];
    for (const event of list) {
      const { seq } = await (await fetch('/api/marks')).json();
      const answer = await fetch('/api/marks', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ seq, event }),
      });
      if (!answer.ok) words.push(JSON.stringify(await answer.json()));
    }
    return words;
  }, events);
  if (refused.length > 0) throw new Error(refused.join('\n'));
}

/** What axe finds on the page as it is. The page's own policy lets no script in, so axe comes through the debugger. */
export async function axeFindings(page: Page): Promise<string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  return page.evaluate(async () => {
    type Found = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<Found> } };
    // which headings a response has is the model's choice
    const { violations } = await axe.run({ rules: { 'heading-order': { enabled: false } } });
    return violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary?.slice(0, 300)}`),
    );
  });
}

/** Screenshots are for people to look at; the folder is not in git. */
export async function screenshot(page: Page, title: string): Promise<void> {
  await page.screenshot({ path: join(root, 'test-output/desk', `${title}.png`) });
}

export const plain: Delivered = {
  response: `# Findings

The order is reserved line by line. When the third line fails, the first two stay reserved.

- \`src/reserve-order.js:30\`: a quantity of \`-1\` is accepted.
- The README says nothing of a failure.

I ran \`node --test\`; all tests pass.
`,
  patch: `diff --git a/src/reserve-order.js b/src/reserve-order.js
index 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 100644
--- a/src/reserve-order.js
+++ b/src/reserve-order.js
@@ -1,4 +1,6 @@
 export function reserveOrder(order, inventory) {
-  const first = order.items[0];
+  for (const { quantity } of order.items)
+    if (!Number.isInteger(quantity) || quantity <= 0)
+      throw new RangeError('quantity');
   const reserved = [];
   return { reserved };
diff --git a/test/quantity.test.js b/test/quantity.test.js
new file mode 100644
index 0000000000000000000000000000000000000000..3333333333333333333333333333333333333333
--- /dev/null
+++ b/test/quantity.test.js
@@ -0,0 +1,2 @@
+import { test } from 'node:test';
+test('refuses zero', () => {});
`,
};

export const other: Delivered = { response: 'Nothing is wrong here. I changed a comment.\n', patch: '' };
