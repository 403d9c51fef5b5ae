import { scriptsFolder } from './case.js';
import { SettingsError } from './errors.js';
import type { Lab } from './lab.js';
import { findLeaks } from './leak.js';
import { sheetsOf } from './scoring-state.js';
import { loadScript } from './script.js';

/** Everything that can be found wrong before money or time is spent: leaks, scripts, score sheets. Throws the first SettingsError. */
export async function validateLab(lab: Lab): Promise<void> {
  await refuseLeaks(lab);
  const { scripted } = lab.experiment.model;
  if (scripted !== undefined) for (const one of lab.cases.values()) await loadScript(scriptsFolder(one), scripted);
  await sheetsOf(lab);
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
