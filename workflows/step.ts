import { findRoot, type Lab, LabError, openLab } from 'skill-trial/run';
import { argv, chalk } from 'zx';

export interface Step {
  lab: Lab;
  /** Words after the experiment's name. */
  words: string[];
  say: (text: string) => void;
}

/** Runs one step: opens the experiment named first on the command line, and turns a LabError into one clear message and exit status 1. */
export async function step(title: string, help: string, action: (step: Step) => Promise<void>): Promise<void> {
  const [name, ...words] = argv._.map(String);
  const say = (text: string) => console.log(`${chalk.dim(`${title}:`)} ${text}`);
  if (argv.help || name === undefined) {
    console.log(`${title}: ${help}`);
    process.exitCode = name === undefined && !argv.help ? 1 : 0;
    return;
  }
  await reportingErrors(async () => action({ lab: await openLab(findRoot(), name), words, say }));
}

/** A mistake of the user's is shown without a stack trace; a fault of the lab's own is shown with it. */
export async function reportingErrors(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof LabError) console.error(`${chalk.red(error.name)}: ${error.message}`);
    else if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      console.error(`${chalk.red('No space left on the disk')}: free some and run again; what is recorded stays.`);
    else console.error(error);
  }
}
