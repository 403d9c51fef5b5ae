import { verify } from 'skill-trial';
import { chalk } from 'zx';
import { step } from './step.js';

await step('verify', 'derives every number again from raw records and names whatever does not hold', async ({ lab, say }) => {
  const { points, failures } = await verify(lab);
  for (const { point, title, holds } of points)
    say(
      `${String(point).padStart(2)} ${holds === true ? chalk.green('holds') : holds === false ? chalk.red('does not hold') : chalk.yellow('cannot be told')}: ${title}`,
    );
  for (const failure of failures) say(`${chalk.red('FAILED')} ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
  else say('every record is whole, and every number was derived again from them');
});
