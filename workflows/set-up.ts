import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { installCommand, PrerequisiteError } from 'skill-trial';
import { $ } from 'zx';

/** A part of the system that the lab or its tests use, and the Debian package that has it. */
interface Part {
  program: string;
  package: string;
  why: string;
}

export const labParts: Part[] = [
  { program: 'bwrap', package: 'bubblewrap', why: 'the sandbox around the agent' },
  { program: 'socat', package: 'socat', why: "the sandbox's one way out, to the gateway" },
];

export const testParts: Part[] = [
  ...labParts,
  { program: 'chromium', package: 'chromium', why: 'the browser tests' },
  { program: 'podman', package: 'podman', why: 'the sandbox in a container' },
  { program: 'runc', package: 'runc', why: 'podman on machines with cgroup v1' },
  { program: '/usr/bin/pytest-3', package: 'python3-pytest', why: 'the case in Python' },
];

/**
 * Installs what is missing where apt and root are there, after saying so. Elsewhere it names what is missing and how to get it, and
 * goes on; with CI=true a part that stays missing is an error.
 */
export async function ensureParts(parts: Part[], say: (text: string) => void): Promise<void> {
  let missing = await missingOf(parts);
  if (missing.length === 0) return;
  const names = missing.map((part) => part.package);
  if (process.getuid?.() === 0 && (await isThere('apt-get'))) {
    say(`installing ${names.join(', ')} (${missing.map((part) => part.why).join('; ')})`);
    const quiet = $({ quiet: true, nothrow: true, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
    const install = () => quiet`apt-get install -y --no-install-recommends ${names}`;
    if ((await install()).exitCode !== 0) {
      await quiet`apt-get update`;
      await install();
    }
    missing = await missingOf(parts);
  }
  if (missing.length === 0) return;
  const list = missing.map((part) => `${part.package} (${part.why})`).join(', ');
  const command = installCommand(missing.map((part) => part.package));
  if (process.env.CI === 'true')
    throw new PrerequisiteError('A part of the system is missing', {
      expected: 'everything that CI tests',
      found: `no ${list}`,
      next: command,
    });
  say(`missing: ${list}. Get it with: ${command}. Going on with what there is.`);
}

async function missingOf(parts: Part[]): Promise<Part[]> {
  const there = await Promise.all(parts.map((part) => isThere(part.program)));
  return parts.filter((_, index) => !there[index]);
}

async function isThere(program: string): Promise<boolean> {
  const files = program.startsWith('/') ? [program] : (process.env.PATH ?? '').split(':').map((folder) => join(folder, program));
  for (const file of files)
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return true;
  return false;
}
