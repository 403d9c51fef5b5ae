/** Jupyter kernelspecs: where one is found, and how the repository's own gets into a person's Jupyter folder. */
import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { check, readText, shown } from './document.js';
import { PrerequisiteError, SettingsError } from './errors.js';

/** A kernel.json as Jupyter defines it. */
export const Kernelspec = z.strictObject({
  argv: z.array(z.string()).min(1),
  display_name: z.string(),
  language: z.string(),
  interrupt_mode: z.enum(['signal', 'message']).optional(),
  kernel_protocol_version: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type Kernelspec = z.infer<typeof Kernelspec>;

/** A kernelspec with the folder that `{resource_dir}` stands for. */
export interface FoundKernelspec {
  name: string;
  resourceDir: string;
  spec: Kernelspec;
}

/** The name that the notebooks carry in their metadata. */
export const kernelName = 'skill-trial';

/** The folder to put into `JUPYTER_PATH`, so that Jupyter lists the repository's kernel. */
export const kernelFolder = fileURLToPath(new URL('../kernel', import.meta.url));

/** The user's own Jupyter data folder, by Jupyter's rules. */
export function userJupyterFolder(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): string {
  if (env.JUPYTER_DATA_DIR) return env.JUPYTER_DATA_DIR;
  const home = env.HOME ?? homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Jupyter');
  if (platform === 'win32') return join(env.APPDATA ?? home, 'jupyter');
  return join(env.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'jupyter');
}

/** Finds a kernelspec by name: in `JUPYTER_PATH`, then in the repository, then in the user's Jupyter folder. */
export async function findKernelspec(name: string, env: NodeJS.ProcessEnv = process.env): Promise<FoundKernelspec> {
  const listed = (env.JUPYTER_PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const folders = [...listed, kernelFolder, userJupyterFolder(env)];
  for (const folder of folders) {
    const resourceDir = join(folder, 'kernels', name);
    const file = join(resourceDir, 'kernel.json');
    const there = await access(file).then(
      () => true,
      () => false,
    );
    if (there) return { name, resourceDir, spec: await readKernelspec(file) };
  }
  throw new PrerequisiteError(`The notebook kernel "${name}" is not there`, {
    expected: `kernels/${name}/kernel.json in one of ${folders.map(shown).join(', ')}`,
    found: 'no such file',
    next: `set the notebook's kernel to "${kernelName}", or install "${name}" for Jupyter`,
  });
}

async function readKernelspec(file: string): Promise<Kernelspec> {
  const text = await readText(file, 'kernelspec');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new SettingsError(`${shown(file)} is not JSON`, {
      expected: 'a kernel.json',
      found: (error as Error).message,
      next: 'correct the file, or install the kernel again',
    });
  }
  return check(json, Kernelspec, shown(file));
}

/** The command that starts a kernel, with Jupyter's two placeholders filled in. */
export function kernelCommand(found: FoundKernelspec, connectionFile: string): string[] {
  return found.spec.argv.map((part, index) => {
    // The notebooks run on the Node that runs the lab, whatever `node` on the PATH may be.
    if (index === 0 && part === 'node') return process.execPath;
    return part.replaceAll('{resource_dir}', found.resourceDir).replaceAll('{connection_file}', connectionFile);
  });
}

/**
 * Writes the repository's kernel with absolute paths into a Jupyter folder (the user's own by default), for VS Code and
 * JupyterLab, which do not know this repository. Returns the file written; doing it again replaces it.
 */
export async function installKernelspec(dir: string = userJupyterFolder()): Promise<string> {
  const own: FoundKernelspec = {
    name: kernelName,
    resourceDir: join(kernelFolder, 'kernels', kernelName),
    spec: await readKernelspec(join(kernelFolder, 'kernels', kernelName, 'kernel.json')),
  };
  const installed: Kernelspec = { ...own.spec, argv: kernelCommand(own, '{connection_file}') };
  const folder = join(dir, 'kernels', kernelName);
  const file = join(folder, 'kernel.json');
  await mkdir(folder, { recursive: true });
  await writeFile(`${file}.${process.pid}.tmp`, `${JSON.stringify(installed, null, 2)}\n`);
  await rename(`${file}.${process.pid}.tmp`, file);
  return file;
}
