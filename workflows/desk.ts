// The scoring desk: serves the blinded pairs on 127.0.0.1 until it is stopped.
import { userInfo } from 'node:os';
import { evaluatorName, openDesk, SettingsError } from 'skill-trial';
import { startDesk } from 'skill-trial-desk';
import { argv } from 'zx';
import { step } from './step.js';

const help = `serves the blinded scoring page on 127.0.0.1
  --evaluator <name>[,<name>]  who scores; each gets an address of their own (default: your user name)
  --port <number>              the port (default: the experiment's own, or a free one)
  --idle-minutes <number>      stop after so many minutes without a request`;

await step('desk', help, async ({ lab, say }) => {
  const desk = await openDesk(lab);
  const names = [argv.evaluator ?? userInfo().username.toLowerCase()].flat().flatMap((name) => String(name).split(','));
  const server = await startDesk(desk, {
    evaluators: [...new Set(names.map((name) => evaluatorName(name.trim())))],
    port: wholeNumber('port', 0, 65_535),
    idleMinutes: wholeNumber('idle-minutes', 1, 7 * 24 * 60),
  });
  // before the addresses: who reads one may end the desk at once
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
  for (const { evaluator, url } of server.addresses) say(`${evaluator}: ${url}`);
  say('every change is saved at once; stop with Ctrl+C');
  say(`stopped: ${await server.stopped}`);
});

/** A number of the command line within its limits; null where it is not given. */
function wholeNumber(name: string, from: number, to: number): number | null {
  const value = argv[name];
  if (value === undefined) return null;
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  throw new SettingsError(`--${name} is not valid`, {
    expected: `a whole number from ${from} to ${to}`,
    found: String(value),
    next: `correct --${name}, or leave it out`,
  });
}
