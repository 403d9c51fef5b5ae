import { adoptReceipts, readStudy, runBehaviour } from 'skill-trial';
import { step } from './step.js';

await step(
  'behaviour',
  "runs each variant's code against the hidden tests and its tests against the mutants, tries out its documentation, counts its patch",
  async ({ lab, say }) => {
    for (const name of await adoptReceipts(lab)) say(`${name} taken over from the cache`);
    const { trials, control } = await readStudy(lab);
    const { behaviour, proposals } = await runBehaviour(lab, trials, control, say);
    for (const { content, holds, of, defects, patch } of behaviour.variants) {
      const caught = defects?.mutants.filter((row) => row.caught === true).length;
      const tests =
        defects === null ? '' : `; its tests catch ${caught} of ${defects.mutants.length} mutants (${defects.status})`;
      say(
        `${content.slice(0, 12)}: ${holds} of ${of} requirements hold${tests}; ${patch.files} files, +${patch.added} -${patch.removed}`,
      );
    }
    const made = proposals.variants.flatMap((row) => row.proposals);
    say(
      `${made.filter((row) => row.value !== null).length} of ${made.length} rows have a proposal for the scorers: ${lab.run.proposals}`,
    );
  },
);
