import type { Agent } from './agent.js';
import { captureChange, makeBase } from './base.js';
import { caseOf, type Lab } from './lab.js';
import { findSandbox } from './sandbox.js';
import { runSession } from './session.js';

/** One session of an agent that only waits, for benches: seconds until the agent starts, of its process, and of all of it. */
export async function measureSession(
  lab: Lab,
  target: string,
  bases: string,
  seconds: number,
): Promise<{ setup: number; agent: number; whole: number }> {
  const one = caseOf(lab, lab.experiment.cases[0] as string);
  const base = await makeBase(one, bases);
  const program = await lab.agent.find(lab.root);
  const agent: Agent = {
    ...lab.agent,
    launch: (request) => ({ ...lab.agent.launch(request), argv: ['sleep', String(seconds)] }),
  };
  const { kind, image } = await findSandbox(lab.experiment.sandbox, lab.experiment.sandbox_image);
  const from = process.hrtime.bigint();
  const session = await runSession(
    {
      experiment: lab.experiment,
      case: one,
      agent,
      program,
      base,
      sandbox: kind,
      image,
      prompt: one.taskBytes,
      skills: [],
      allSkills: [...lab.skills.values()],
      repeat: 1,
      seed: 1,
    },
    target,
    (workspace) => captureChange(workspace, base, target),
  );
  return {
    setup: session.setupSeconds,
    agent: session.outcome.elapsedSeconds,
    whole: Number(process.hrtime.bigint() - from) / 1e9,
  };
}
