import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root: here,
  test: {
    include: ['skill-trial/test/**/*.test.ts', 'test/**/*.test.ts'],
    // a case's own tests belong to the case
    exclude: ['**/node_modules/**', '**/dist/**'],
    // runs that several test files start from are made once
    globalSetup: ['test/run-store.ts'],
    // much of a run is waiting, and most of it is single processes one after the other: two files side by side even on two processors
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', `${here}closing-line.mjs`],
  },
});
