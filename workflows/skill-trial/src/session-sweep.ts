import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCgroups, sweepGroups } from './cgroup.js';
import { sweepFolder } from './contained-run.js';
import { sessionPrefix } from './session.js';
import { checkPrefix } from './tree-run.js';

/**
 * Ends and removes what killed sessions and checks left: processes, groups, containers, folders of the temporary folder. A folder
 * without an owner file, or whose owner lives, is kept. Returns how many folders were removed.
 */
export async function sweepSessions(): Promise<number> {
  let removed = 0;
  for (const name of await readdir(tmpdir())) {
    if ([sessionPrefix, checkPrefix].some((start) => name.startsWith(start)) && (await sweepFolder(join(tmpdir(), name))))
      removed += 1;
  }
  await sweepGroups(await findCgroups());
  return removed;
}
