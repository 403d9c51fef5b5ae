import { makeBundle, shown } from 'skill-trial';
import { argv, chalk } from 'zx';
import { step } from './step.js';

await step(
  'bundle',
  'packs the report with all that it follows from into one archive; --sign key.pem signs it',
  async ({ lab, say }) => {
    const made = await makeBundle(lab, { sign: typeof argv.sign === 'string' ? argv.sign : null });
    for (const warning of made.secretWarnings) say(chalk.yellow(`look before you publish: ${warning}`));
    say(`${made.files} files, ${(made.bytes / 1e6).toFixed(1)} MB, SHA-256 ${made.sha256}`);
    if (made.signature !== null) say(`signed: ${shown(made.signature)}`);
    say(shown(made.file));
  },
);
