import { execFile, spawn } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { containerEngine } from '../skill-trial/src/container.js';
import { imageId } from '../skill-trial/src/container-image.js';

const run = promisify(execFile);
const tag = 'localhost/skill-trial-test-system:1';

const programs = ['sh', 'bash', 'env', 'cat', 'ls', 'mkdir', 'rm', 'cp', 'mv', 'grep', 'sed', 'find', 'head', 'tail', 'sleep'];
const more = ['true', 'false', 'sort', 'wc', 'touch', 'chmod', 'ln', 'id', 'tar', 'dirname', 'uname', 'git', 'socat', 'python3'];
const folders = [
  ...['/usr/lib/python3.11', '/usr/lib/node_modules/npm', '/usr/lib/git-core/git'],
  ...['_pytest', 'pytest', 'pluggy', 'iniconfig', 'packaging', 'attr', 'py', 'py.py'].map(
    (name) => `/usr/lib/python3/dist-packages/${name}`,
  ),
];

/**
 * A container image made of this machine's own Node, npm, Python, pytest, git and socat with the libraries that they load: no network and
 * a few seconds. Made once for a machine. Null where no container engine works.
 */
export async function smallImage(): Promise<string | null> {
  const engine = await containerEngine();
  if ('trouble' in engine) return null;
  if ((await imageId(tag)) !== null) return tag;
  const scratch = await mkdtemp(join(tmpdir(), 'skill-trial-system-'));
  try {
    const wanted = new Set<string>();
    const add = (path: string): void => {
      // under the name that it has below /usr: /lib and /bin are links there
      const full = join(realpathSync(dirname(path)), path.slice(dirname(path).length + 1));
      if (wanted.has(full)) return;
      wanted.add(full);
      if (lstatSync(full).isSymbolicLink()) add(resolve(dirname(full), readlinkSync(full)));
    };
    for (const program of [...programs, ...more, 'npm'].map((name) => `/usr/bin/${name}`).filter((path) => existsSync(path)))
      add(program);
    const binaries = [...wanted, realpathSync(process.execPath)];
    for (const binary of binaries) {
      const { stdout } = await run('ldd', [binary]).catch(() => ({ stdout: '' }));
      for (const [path] of stdout.matchAll(/\/[^ \n]+/g)) if (existsSync(path)) add(path);
    }
    for (const folder of folders) if (existsSync(folder)) add(folder);
    for (const library of ['libffi.so.8', 'libbz2.so.1.0', 'liblzma.so.5', 'libuuid.so.1', 'libsqlite3.so.0'])
      if (existsSync(`/usr/lib/x86_64-linux-gnu/${library}`)) add(`/usr/lib/x86_64-linux-gnu/${library}`);
    await writeFile(join(scratch, 'list'), [...wanted].map((path) => `${path.slice(1)}\n`).join(''));
    const root = join(scratch, 'root');
    for (const path of [
      'usr/bin',
      'usr/local/bin',
      'etc',
      'proc',
      'dev',
      'sys',
      'run',
      'tmp',
      'home/agent',
      'workspace',
      'skills',
      'lab',
    ])
      await mkdir(join(root, path), { recursive: true });
    for (const path of ['/bin', '/sbin', '/lib', '/lib64'])
      if (existsSync(path) && lstatSync(path).isSymbolicLink()) await symlink(readlinkSync(path), join(root, path));
    await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
    await run('sh', [
      '-c',
      'tar -C / -c -T "$1" | tar -C "$2" -x && cp "$3" "$2/usr/bin/node"',
      'copy',
      join(scratch, 'list'),
      root,
      realpathSync(process.execPath),
    ]);
    const [program, ...flags] = engine.call as [string, ...string[]];
    const pack = spawn('tar', ['-C', root, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const load = spawn(program, [...flags, 'import', '-', tag], { stdio: [pack.stdout, 'ignore', 'inherit'] });
    const code = await new Promise((done, fail) => {
      load.once('error', fail);
      load.once('close', done);
    });
    if (code !== 0) throw new Error(`import ended with ${code}`);
    return tag;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
