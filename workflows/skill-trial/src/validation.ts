import { agents } from './agent.js';
import { scriptsOf } from './arm.js';
import { type Case, scriptsFolder } from './case.js';
import { type ProofRow, proveCases, refuseUnproven } from './case-proof.js';
import { deliveryOf, promptPrefix } from './delivery.js';
import { SettingsError } from './errors.js';
import type { Lab } from './lab.js';
import { findLeaks } from './leak.js';
import { sheetsOf } from './scoring-state.js';
import { loadScript } from './script.js';
import { adviseTests, type Coverage, coverageOfCase, readVerifierTests } from './test-advice.js';

/** Everything that can be found wrong before money or time is spent: leaks, scripts, score sheets, untested criteria, unproven cases. Throws the first SettingsError. */
export async function validateLab(lab: Lab, onStep?: (text: string) => void): Promise<Map<string, ProofRow[]>> {
  refuseLongPrompts(lab);
  await refuseLeaks(lab);
  const servers = Object.keys(lab.extras.mcp);
  if (servers.length > 0 && !lab.agent.mcp) {
    throw new SettingsError(`Agent ${lab.agent.name} takes no MCP servers`, {
      expected: `one of ${agents.flatMap((one) => (one.mcp ? [one.name] : [])).join(', ')}`,
      found: `agent.mcp: ${servers.join(', ')}`,
      next: 'remove agent.mcp, or choose another agent',
    });
  }
  for (const scripted of scriptsOf(lab.experiment))
    for (const one of lab.cases.values()) await loadScript(scriptsFolder(one), scripted);
  await sheetsOf(lab);
  for (const one of lab.cases.values()) refuseGaps(one, await coverageOfCase(one));
  const proofs = await proveCases(lab, onStep);
  refuseUnproven(proofs);
  return proofs;
}

/** An agent that refuses a prompt, or cuts it off, says nothing about a skill. */
function refuseLongPrompts(lab: Lab): void {
  const most = lab.agent.longestPrompt;
  if (most === undefined) return;
  for (const [name, one] of lab.cases) {
    for (const arm of Object.keys(lab.experiment.arms)) {
      const prompt = promptPrefix(deliveryOf(lab, arm, name).inPrompt) + one.taskBytes.toString('utf8');
      // counted only where it can matter: no text has more code points than code units
      const length = prompt.length <= most ? prompt.length : [...prompt].length;
      if (length <= most) continue;
      throw new SettingsError(`The prompt of case ${name} is too long for ${lab.agent.name}`, {
        expected: `at most ${most.toLocaleString('en')} characters`,
        found: `${length.toLocaleString('en')} in arm ${arm}`,
        next: `put the long part into a file of the case's repository and name it in the prompt, or choose another agent: ${agents.flatMap((agent) => (agent.longestPrompt === undefined ? [agent.name] : [])).join(', ')}`,
      });
    }
  }
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

/** A criterion without a test is never told, and a test without a criterion tells of something that was not asked. */
function refuseGaps(one: Case, coverage: Coverage | null): void {
  if (coverage === null || one.requirement?.traced === false) return;
  const gaps = gapsOf(coverage);
  if (gaps.length === 0) return;
  throw new SettingsError(`Case ${one.name}: criteria and tests do not know of each other`, {
    expected: 'every criterion named by a test, and every test naming one (as [AC-1] or AC_1), or calling itself a regression',
    found: gaps.slice(0, 5).join('; '),
    next: 'name the criteria in the titles of the tests, write the missing tests, or say requirement.traced: false',
  });
}

function gapsOf({ untested, untraced }: Coverage): string[] {
  return [
    ...untested.map((id) => `no test names ${id}`),
    ...untraced.map(({ file, line, title }) => `${file}:${line} ("${title}") names no criterion`),
  ];
}

/** What is weak in the verifiers of an experiment's cases, a line each. Nothing of it is an error. */
export async function adviseLab(lab: Pick<Lab, 'cases'>): Promise<string[]> {
  const lines: string[] = [];
  for (const one of lab.cases.values()) {
    if (one.verifier === undefined) continue;
    const tests = await readVerifierTests(one);
    if (tests === null)
      lines.push(`case ${one.name}: its verifier has no tests in Python or JavaScript: coverage cannot be told`);
    const coverage = await coverageOfCase(one);
    if (coverage !== null) lines.push(...gapsOf(coverage).map((gap) => `case ${one.name}: ${gap}`));
    lines.push(
      ...adviseTests(tests ?? []).map(({ rule, file, line, text }) => `case ${one.name}: ${file}:${line}: ${rule}: ${text}`),
    );
  }
  return lines;
}
