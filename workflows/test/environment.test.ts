import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { Checkout } from './checkout.js';
import { smallImage } from './small-image.js';

interface LockedCase {
  environment?: { kind: string; image: string; limits: { memoryMb: number } };
  setup: { seconds: number; files: number; path: string };
  reference: { failToPass: number; passToPass: number; outOfReach: string[] };
}

const cases = ['req-feature-window', 'req-fix-slots', 'req-repair-events', 'req-refactor-durations', 'req-test-basket'];

// The five cases in containers with the real pi and the SCRIPTED model, from freeze to the verdicts: a Node case in an image of its own,
// a Python case in one that its Dockerfile makes, the others in the experiment's. What only these have is asked for by the verifiers.
describe('experiment requirements in containers', () => {
  let checkout: Checkout | null = null;
  let image: string | null = null;

  beforeAll(async () => {
    image = await smallImage();
    if (image === null) {
      if (process.env.CI === 'true') throw new Error('no container engine works here');
      return;
    }
    checkout = await Checkout.make();
    const edit = async (name: string, change: (file: ReturnType<typeof parseDocument>) => void) => {
      const path = join('data/cases', name, 'case.yaml');
      const file = parseDocument(await (checkout as Checkout).read(path));
      change(file);
      await (checkout as Checkout).write(path, file.toString());
    };
    const inside = (name: string) => ({ level: 'L1', framework: 'exit-status', command: ['grep', '-q', 'ready', name] });
    await edit('req-feature-window', (file) => {
      file.set('environment', { image });
      file.set('setup', { command: 'npm --version && mkdir -p node_modules/tool && echo ready > node_modules/tool/state' });
      file.addIn(['verifier', 'checks'], inside('node_modules/tool/state'));
    });
    await mkdir(checkout.path('data/cases/req-fix-slots/container'));
    await checkout.write(
      'data/cases/req-fix-slots/container/Dockerfile',
      `FROM ${image}\nRUN echo ready > /etc/made-by-the-dockerfile\n`,
    );
    await edit('req-fix-slots', (file) => {
      file.set('environment', { dockerfile: 'container/Dockerfile' });
      file.addIn(['verifier', 'checks'], inside('/etc/made-by-the-dockerfile'));
    });
    await checkout.configure('requirements', {
      sandbox: 'container',
      sandbox_image: image,
      order: 'parallel',
      'limits.memory_mb': 1500,
    });
    const { code, text } = await checkout.nx('requirements:negative-control');
    expect(code, text.slice(-4000)).toBe(0);
  });
  afterAll(() => checkout?.[Symbol.asyncDispose]());

  const run = (title: string, action: (made: Checkout) => Promise<void>) =>
    test(title, async ({ skip }) => {
      if (checkout === null) return skip('no container engine works here');
      await action(checkout);
    });

  run('the lock names each image by its identity, what the set-up made, and what the tests can tell in there', async (made) => {
    const { conditions } = await made.json<{
      conditions: { sandbox: LockedCase['environment']; cases: Record<string, LockedCase> };
    }>('data/runs/requirements/lock.json');
    const [node, python] = ['req-feature-window', 'req-fix-slots'].map((name) => conditions.cases[name] as LockedCase);
    for (const environment of [node?.environment, python?.environment, conditions.sandbox])
      expect(environment).toMatchObject({
        kind: 'container',
        image: expect.stringMatching(/^(sha256:)?[0-9a-f]{64}$/),
        limits: { memoryMb: 1500 },
      });
    expect(node?.environment?.image).toBe(conditions.sandbox?.image);
    expect(node?.environment?.image).not.toBe(python?.environment?.image);
    for (const name of cases.slice(2)) expect(conditions.cases[name]?.environment, name).toBeUndefined();
    expect(node?.setup).toMatchObject({ files: 1, seconds: expect.any(Number) });
    expect(python?.setup).toBeUndefined();
    // two build checks are one test, which passes when both do: the added ones hold on the untouched repository and on the reference
    expect(node?.reference).toMatchObject({ failToPass: 5, passToPass: 2, outOfReach: [] });
    expect(python?.reference).toMatchObject({ failToPass: 6, passToPass: 5, outOfReach: [] });
  });

  run('the requirements are met in there with the skill alone, and no diff holds what the set-up made', async (made) => {
    const { variants } = await made.json<{ variants: { case: string; verdict: { success: boolean; runs: number } }[] }>(
      'data/runs/requirements/verdicts.json',
    );
    const met = variants.map(({ case: one, verdict }) => `${one} ${verdict.success} in ${verdict.runs} runs`).sort();
    expect(met).toEqual([...cases].sort().flatMap((one) => [`${one} false in 2 runs`, `${one} true in 2 runs`]));
    for (const { case: one } of variants)
      for (const arm of ['A', 'B']) {
        const folder = join('data/runs/requirements/receipts', `${one}.${arm}.1`);
        expect((await made.json<{ sandbox: string }>(folder, 'containment.json')).sandbox).toBe('container');
        const patch = await made.read(folder, 'patch.diff');
        expect(patch).toContain('diff --git');
        expect(patch).not.toContain('node_modules');
      }
  });
});
