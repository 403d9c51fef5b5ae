import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

const here = fileURLToPath(new URL('.', import.meta.url));

// A clean clone has no durations of an earlier run to go by: what takes longest begins first, so that no processor ends up idle.
const longest = [
  'scripts',
  'environment',
  'requirements',
  'arms',
  'cache',
  'tamper',
  'decoys',
  'real-model',
  'failure',
  'agents',
  'cases',
  'finished-run',
];
const rank = ({ moduleId }) => {
  const at = longest.findIndex((name) => moduleId.endsWith(`/workflows/test/${name}.test.ts`));
  return at === -1 ? longest.length : at;
};
class LongestFirst extends BaseSequencer {
  async sort(files) {
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  root: here,
  test: {
    include: ['skill-trial/test/**/*.test.ts', 'desk/test/**/*.test.ts', 'test/**/*.test.ts'],
    // a case's own tests belong to the case
    exclude: ['**/node_modules/**', '**/dist/**'],
    // runs that several test files start from are made once
    globalSetup: ['test/run-store.ts'],
    // much of a run is waiting, and most of it is single processes one after the other: two files side by side even on two processors
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // the longest (five cases, each in a container) takes a quarter of an hour where other work keeps the machine busy
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    reporters: ['default', `${here}closing-line.mjs`],
  },
});
