import { resolve } from 'node:path';
import { findRoot, type Verification, verify, verifyBundle, version } from 'skill-trial';
import { argv, chalk } from 'zx';
import { sayReplay } from './replay-line.js';
import { reportingErrors, step } from './step.js';

const help = `derives every number again from raw records and names whatever does not hold

  --bundle <file>      of a bundle instead of this checkout's own run: every byte first, then every number, offline
  --public-key <file>  of a bundle: it has to be signed with this key (Ed25519, PEM)
  --replay             of a bundle: runs the recorded trials again with their recordings as the model`;

if (argv.bundle !== undefined && !argv.help) await reportingErrors(bundle);
else await step('verify', help, async ({ lab, say }) => tell(await verify(lab), say));

async function bundle(): Promise<void> {
  const say = (text: string) => console.log(`${chalk.dim('verify:')} ${text}`);
  const verified = await verifyBundle(resolve(String(argv.bundle)), {
    root: findRoot(),
    publicKey: argv['public-key'] === undefined ? null : resolve(String(argv['public-key'])),
    onReplay: argv.replay ? (trial) => sayReplay(trial, say) : null,
    onStep: say,
  });
  if (verified.signed === true) say('signed with the given key');
  if (verified.lab !== null && verified.lab !== version) say(`made with version ${verified.lab}, verified with ${version}`);
  tell(verified, say);
}

function tell({ points, failures }: Verification, say: (text: string) => void): void {
  for (const { point, title, holds } of points)
    say(
      `${String(point).padStart(2)} ${holds === true ? chalk.green('holds') : holds === false ? chalk.red('does not hold') : chalk.yellow('cannot be told')}: ${title}`,
    );
  for (const failure of failures) say(`${chalk.red('FAILED')} ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
  else say('every record is whole, and every number was derived again from them');
}
