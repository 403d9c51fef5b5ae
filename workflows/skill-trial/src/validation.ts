import { agents } from './agent.js';
import { scriptsFolder } from './case.js';
import { type ProofRow, proveCases, refuseUnproven } from './case-proof.js';
import { SettingsError } from './errors.js';
import type { Lab } from './lab.js';
import { findLeaks } from './leak.js';
import { sheetsOf } from './scoring-state.js';
import { loadScript } from './script.js';

/** Everything that can be found wrong before money or time is spent: leaks, scripts, score sheets, unproven cases. Throws the first SettingsError. */
export async function validateLab(lab: Lab, onStep?: (text: string) => void): Promise<Map<string, ProofRow[]>> {
  await refuseLeaks(lab);
  const servers = Object.keys(lab.extras.mcp);
  if (servers.length > 0 && !lab.agent.mcp) {
    throw new SettingsError(`Agent ${lab.agent.name} takes no MCP servers`, {
      expected: `one of ${agents.flatMap((one) => (one.mcp ? [one.name] : [])).join(', ')}`,
      found: `agent.mcp: ${servers.join(', ')}`,
      next: 'remove agent.mcp, or choose another agent',
    });
  }
  const { scripted } = lab.experiment.model;
  if (scripted !== undefined) for (const one of lab.cases.values()) await loadScript(scriptsFolder(one), scripted);
  await sheetsOf(lab);
  const proofs = await proveCases(lab, onStep);
  refuseUnproven(proofs);
  return proofs;
}

async function refuseLeaks(lab: Lab): Promise<void> {
  for (const one of lab.cases.values()) {
    const leak = (await findLeaks(one, lab.skills.values()))[0];
    if (leak === undefined) continue;
    throw new SettingsError(`Skill ${leak.skill} leaks the answer of case ${one.name}`, {
      expected: 'general risk classes only',
      found: `the case's own word "${leak.word}" at ${leak.file}:${leak.line}`,
      next: 'reword the skill, or take the word from leak_words if it says nothing of the answer',
    });
  }
}
