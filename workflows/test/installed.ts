import { fileURLToPath } from 'node:url';
import type { Agent } from '../skill-trial/src/agent.js';
import { PrerequisiteError } from '../skill-trial/src/errors.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Skips a test whose agent is not installed, saying what installs it. On CI it must be. */
export async function skipWithout(agent: Agent, skip: (reason: string) => void): Promise<void> {
  try {
    await agent.find(root);
  } catch (error) {
    if (process.env.CI === 'true' || !(error instanceof PrerequisiteError)) throw error;
    skip(`npm run add-agent -- ${agent.name}`);
  }
}
