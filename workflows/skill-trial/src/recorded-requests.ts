import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Attestation, type AttestationInput, attest } from './attestation.js';
import type { CallRecord } from './call-record.js';
import { canaryOf } from './canary.js';
import { readHeld } from './containment.js';
import { promptPrefix } from './delivery.js';
import type { ModelRequest } from './model-call.js';
import { readBody, readCalls } from './recording.js';
import type { SessionPlan } from './session.js';
import { wireOf } from './wire.js';
import { parseJson } from './wires/body.js';

type Attested = Pick<SessionPlan, 'agent' | 'experiment' | 'skills' | 'inPrompt' | 'allSkills'>;

/** The attestation of a recorded session, from its raw bodies and the prompt beside them. The canary is always among the forbidden. */
export async function attestRecording(
  folder: string,
  { agent, experiment, skills, inPrompt = [], allSkills }: Attested,
  forbidden: AttestationInput['forbidden'] = [],
): Promise<Attestation> {
  const prefix = promptPrefix(inPrompt);
  const prompt = await readFile(join(folder, 'prompt.txt'), 'utf8');
  const canary = canaryOf(experiment.seed);
  return attest({
    calls: await readRequests(folder),
    task: prompt.startsWith(prefix) ? prompt.slice(prefix.length) : prompt,
    inPrompt,
    prefix,
    frozenModel: experiment.model.id,
    frozenParameters: experiment.model.parameters,
    own: skills,
    others: allSkills.filter(({ sha256: hash }) => ![...skills, ...inPrompt].some((own) => own.sha256 === hash)),
    skillTools: agent.skillTools,
    catalogue: agent.catalogue,
    held: await readHeld(folder),
    forbidden: [...(agent.canaryFolders.length === 0 ? [] : [{ name: canary.name, texts: [canary.mark] }]), ...forbidden],
  });
}

/** The calls of a recording with their requests, read from the raw bodies; null where a body is none of the dialect's. */
export async function readRequests(folder: string): Promise<{ record: CallRecord; request: ModelRequest | null }[]> {
  const requests: { record: CallRecord; request: ModelRequest | null }[] = [];
  for (const record of await readCalls(folder)) {
    let request: ModelRequest | null = null;
    if (record.kind === 'model-call' && record.request !== null) {
      const body = await readBody(folder, record.request);
      try {
        request = wireOf(record.api).readRequest(parseJson(body.toString('utf8')), record.path);
      } catch {
        request = null;
      }
    }
    requests.push({ record, request });
  }
  return requests;
}
