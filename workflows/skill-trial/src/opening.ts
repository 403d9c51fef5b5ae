import { armWords, modelsOf, scriptsOf } from './arm.js';
import type { Study } from './study.js';

/** What a reader must know before any figure of a study, as lines of text: notebooks print it first. */
export function opening(study: Study): string {
  const { experiment } = study.lab;
  const scripts = scriptsOf(experiment);
  const count = (what: string, number: number) => (number === 0 ? [] : [`${number} ${what}`]);
  const { results } = study;
  const planned = Object.values(study.planned).reduce((sum, trials) => sum + trials, 0);
  return [
    ...(scripts.length === 0
      ? []
      : [
          `SCRIPTED MODEL (${scripts.map((script) => `"${script}"`).join(', ')}): a server played a written script.`,
          'No figure here says anything about the skills; it shows that the lab works.',
          '',
        ]),
    `${experiment.title} [${experiment.name}]`,
    `Arms: ${Object.entries(experiment.arms)
      .map(([name, arm]) => `${name} (${armWords(arm)})`)
      .join('; ')}`,
    `Agent ${experiment.agent.name}, model ${modelsOf(experiment)
      .map(({ model }) => model.id)
      .join(', ')}, cases ${experiment.cases.join(', ')}`,
    `Trials: ${[
      `${results.length} of ${planned} recorded`,
      ...count('invalid', results.filter((result) => !result.valid).length),
      ...count('timed out', results.filter((result) => result.status === 'timed-out').length),
      ...count('failed', results.filter((result) => result.status === 'failed').length),
      ...count('stopped at a limit', results.filter((result) => result.status === 'limit').length),
      ...count('not scored yet', results.filter((result) => result.scoring === 'pending').length),
      ...count('with scorers in dispute', results.filter((result) => result.scoring === 'disputed').length),
    ].join(', ')}`,
    ...(study.missing.length === 0 ? [] : [`Missing: ${study.missing.join(', ')}`]),
  ].join('\n');
}
