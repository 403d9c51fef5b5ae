import { type SimpleGit, simpleGit } from 'simple-git';

/** A git on one folder that reads no settings of the user's or the machine's: what it makes is the same everywhere. */
export function openGit(folder: string, dates?: string, more: Record<string, string> = {}): SimpleGit {
  const environment = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Skill Trial',
    GIT_AUTHOR_EMAIL: 'lab@skill-trial.invalid',
    GIT_COMMITTER_NAME: 'Skill Trial',
    GIT_COMMITTER_EMAIL: 'lab@skill-trial.invalid',
    ...(dates === undefined ? {} : { GIT_AUTHOR_DATE: dates, GIT_COMMITTER_DATE: dates }),
    ...more,
  };
  return simpleGit({
    baseDir: folder,
    config: [
      'core.autocrlf=false',
      'core.fileMode=true',
      'core.quotePath=false',
      'core.protectNTFS=false',
      'core.protectHFS=false',
      'gc.auto=0',
      'safe.directory=*',
    ],
    // --template= keeps the user's hooks out
    unsafe: { allowUnsafeTemplateDir: true, allowUnsafeConfigPaths: true },
    // these names are set here and nowhere else: the process's own environment does not reach git
    allowEnvironment: Object.keys(environment),
  }).env(environment);
}
