import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root: here,
  test: {
    include: ['skill-trial/test/**/*.test.ts', 'test/**/*.test.ts'],
    // a case's own tests belong to the case
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', `${here}closing-line.mjs`],
  },
});
