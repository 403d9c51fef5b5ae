import type { Conditions } from './lock.js';
import type { Study } from './study.js';

/** How a limitation that is a deviation from the plan begins. */
export const deviation = 'Deviation from the plan:';

/** A plan that changed after a run had begun: every part of the decision rule, the cases and the repeats that differ from the lock before. */
export function planDeviations({ locks, ledger }: Pick<Study, 'locks' | 'ledger'>): string[] {
  return locks.flatMap((lock, index) => {
    const before = locks[index - 1];
    // a lock that was taken up again has a line for each time; one without a line was put in force after all that the ledger tells
    const times = locks.slice(0, index).filter(({ id }) => id === lock.id).length;
    const lines = ledger.flatMap(({ event }, at) => (event.kind === 'lock' && event.lock === lock.id ? [at] : []));
    if (before === undefined || !ledger.slice(0, lines[times]).some((line) => line.event.kind === 'started')) return [];
    const [old, now] = [planOf(before.conditions.settings), planOf(lock.conditions.settings)];
    const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
      (key) => JSON.stringify(old[key]) !== JSON.stringify(now[key]),
    );
    return changed.map(
      (key) =>
        `${deviation} ${key} was ${JSON.stringify(old[key] ?? 'not set')} and became ${JSON.stringify(now[key] ?? 'not set')} at ${lock.frozenAt}, after runs had begun.`,
    );
  });
}

function planOf({ decision, cases, repeats }: Conditions['settings']): Record<string, unknown> {
  return { ...decision, cases, repeats };
}

/** Trials kept from an earlier lock: their arm was not run beside the other one. */
function notConcurrent(results: Study['results']): string[] {
  const kept = results.filter((result) => !result.concurrent).map((result) => result.id);
  return kept.length === 0
    ? []
    : [
        `Not concurrent: ${kept.join(', ')} belong to blocks whose trials ran under different locks (an arm was kept from before). Drift of the machine or the provider may explain a difference, most of all in time.`,
      ];
}

/** What a reader must hold against the figures, whatever they say; deviations from the plan among them. */
export function limitations(study: Study, scripted: boolean): string[] {
  const { lab, lock, results } = study;
  const { experiment } = lab;
  const { kind, because, doesNotStop } = lock.conditions.sandbox;
  return [
    ...(scripted
      ? ['The model was scripted: a server played a written script. No figure here says anything about the skills.']
      : []),
    `${experiment.cases.length === 1 ? 'One case' : `${experiment.cases.length} cases`}: what holds here may not hold for another repository, language or kind of task.`,
    'Scoring holds judgement. Rubrics fixed in advance and hidden arms reduce it; they do not remove it.',
    'Token counts depend on more than the skills: the agent, its tool schemas, repeated reads, caching and history compression all enter.',
    'A fake adapter shows that compensation is called; it proves nothing of a distributed system.',
    'Skills age with the repository: a new framework or policy calls for a new comparison.',
    'Agent runs are not deterministic: repeats give a range for this class of task, not a promise.',
    ...planDeviations(study),
    ...notConcurrent(results),
    ...(experiment.order === 'parallel'
      ? ['The runs were parallel: there is no order, and load on the machine may differ between arms.']
      : []),
    ...Object.entries(experiment.arms)
      .filter(([, arm]) => arm.deliver === 'prompt')
      .map(
        ([name]) =>
          `Arm ${name} was told the text of its skills in front of the task: it shows what the text does once it is read, and nothing of whether an agent would load it. Files beside SKILL.md were not given.`,
      ),
    `Sandbox: ${kind}${because === null ? '' : ` (${because})`}. It does not stop: ${doesNotStop.join('; ')}.`,
  ];
}
