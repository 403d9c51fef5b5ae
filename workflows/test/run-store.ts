import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of this test run's finished runs. */
    runStore: string;
  }
}

/** For vitest's globalSetup: one folder for all test files of a test run, gone at its end. What is in it is made when first asked for. */
export default async function makeRunStore(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'skill-trial-runs-'));
  project.provide('runStore', folder);
  return () => rm(folder, { recursive: true, force: true });
}
