import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PrerequisiteError, SettingsError } from '../src/errors.js';
import { startKernel } from '../src/jupyter.js';
import {
  findKernelspec,
  installKernelspec,
  Kernelspec,
  kernelCommand,
  kernelFolder,
  kernelName,
  userJupyterFolder,
} from '../src/kernelspec.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kernelspec-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe("the repository's kernelspec", () => {
  it('is a kernelspec that Jupyter finds through JUPYTER_PATH', async () => {
    const found = await findKernelspec(kernelName, { JUPYTER_PATH: kernelFolder });
    expect(found.spec).toMatchObject({ display_name: 'TypeScript (Skill Trial)', language: 'typescript' });
    const command = kernelCommand(found, '/tmp/c.json');
    expect(command[0]).toBe(process.execPath);
    expect(command.at(-1)).toBe('/tmp/c.json');
    expect(existsSync(command.at(-2) ?? '')).toBe(true);
  });

  it('is found without any setting', async () => {
    expect((await findKernelspec(kernelName, { HOME: dir })).resourceDir).toContain('workflows/skill-trial/kernel');
  });

  it('is named as the way out where a kernel is missing', async () => {
    await expect(findKernelspec('python3', { HOME: dir })).rejects.toThrow(PrerequisiteError);
    await expect(findKernelspec('python3', { HOME: dir })).rejects.toThrow(/"python3" is not there[\s\S]*skill-trial/);
  });

  it('is refused, with the file named, where it is broken', async () => {
    mkdirSync(join(dir, 'kernels', 'broken'), { recursive: true });
    writeFileSync(join(dir, 'kernels', 'broken', 'kernel.json'), '{"argv":"node"}');
    await expect(findKernelspec('broken', { JUPYTER_PATH: dir })).rejects.toThrow(SettingsError);
  });
});

describe('installKernelspec', () => {
  it('writes a kernel.json that works from anywhere, and again', async () => {
    const file = await installKernelspec(dir);
    expect(await installKernelspec(dir)).toBe(file);
    expect(file).toBe(join(dir, 'kernels', 'skill-trial', 'kernel.json'));
    const spec = Kernelspec.parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(spec.argv.filter((part) => isAbsolute(part))).toHaveLength(2);
    expect(spec.argv.at(-1)).toBe('{connection_file}');

    const kernel = await startKernel(
      { name: 'skill-trial', resourceDir: dir, spec },
      { env: { PATH: process.env.PATH ?? '' }, cwd: tmpdir() },
    );
    try {
      expect((await kernel.execute("import { version } from 'skill-trial'; typeof version")).stdout).toBe('string\n');
    } finally {
      await kernel.shutdown();
    }
  });

  it("knows the user's Jupyter folder on each system", () => {
    expect(userJupyterFolder({ HOME: '/h' }, 'linux')).toBe('/h/.local/share/jupyter');
    expect(userJupyterFolder({ HOME: '/h', XDG_DATA_HOME: '/x' }, 'linux')).toBe('/x/jupyter');
    expect(userJupyterFolder({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Jupyter');
    expect(userJupyterFolder({ JUPYTER_DATA_DIR: '/j' }, 'linux')).toBe('/j');
  });
});
