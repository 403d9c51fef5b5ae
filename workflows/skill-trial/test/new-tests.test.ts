import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ChangedFile, changedFiles, newTests } from '../src/new-tests.js';
import { tempFolder } from './fixture.js';

let repository: string;
const git = (...args: string[]) =>
  execFileSync(
    'git',
    ['-c', 'core.quotePath=false', '-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'commit.gpgsign=false', ...args],
    {
      cwd: repository,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', HOME: repository },
    },
  );
const put = (path: string, content: string | Buffer) => {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  writeFileSync(join(repository, path), content);
};
/** The patch of everything in the folder against the first commit, as the lab captures it. */
const patch = () => {
  git('add', '--all');
  return git('diff', '--cached', '--binary', '--full-index', '--no-renames', 'HEAD');
};

const odd = [
  'with space.txt',
  'a b/x b/y',
  'quo"te.txt',
  'back\\slash.txt',
  'tab\there.txt',
  'line\nbreak.txt',
  'größe-€-日本.txt',
  '"😀 quoted 😀".txt',
  ' lead',
  'trail ',
];

beforeEach(async () => {
  repository = await tempFolder();
  git('init', '--quiet', '--template=');
  for (const path of ['keep.txt', 'mode.sh', 'gone.txt', 'binary.bin', ...odd.map((name) => `old/${name}`)])
    put(path, `${path}\n`);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'base');
});

describe('the files of a git patch', () => {
  test.each(odd.map((name) => [JSON.stringify(name), name]))('%s: added, modified and deleted', (_shown, name) => {
    put(`new/${name}`, 'new\n');
    expect(changedFiles(patch())).toEqual([{ path: `new/${name}`, kind: 'added' }]);
    put(`old/${name}`, 'other\n');
    expect(changedFiles(patch())).toContainEqual({ path: `old/${name}`, kind: 'modified' });
    rmSync(join(repository, 'old', name));
    expect(changedFiles(patch())).toContainEqual({ path: `old/${name}`, kind: 'deleted' });
  });

  test('binary files, a mode alone, an empty file, a deletion', () => {
    put('binary.bin', Buffer.from([0, 1, 2, 255]));
    put('new.bin', Buffer.from([0, 255]));
    put('empty.txt', '');
    chmodSync(join(repository, 'mode.sh'), 0o755);
    rmSync(join(repository, 'gone.txt'));
    expect(changedFiles(patch())).toEqual([
      { path: 'binary.bin', kind: 'modified' },
      { path: 'empty.txt', kind: 'added' },
      { path: 'gone.txt', kind: 'deleted' },
      { path: 'mode.sh', kind: 'modified' },
      { path: 'new.bin', kind: 'added' },
    ]);
  });

  test('a file turned into a link is deleted and added under one name', () => {
    rmSync(join(repository, 'keep.txt'));
    execFileSync('ln', ['-s', 'mode.sh', 'keep.txt'], { cwd: repository });
    expect(new Set(changedFiles(patch()).map((file) => file.path))).toEqual(new Set(['keep.txt']));
  });

  test('lines that look like headers are content, whatever line ends they have', () => {
    const fake = 'diff --git a/fake b/fake\nnew file mode 100644\ndeleted file mode 100644\n@@ -1 +1 @@\n';
    put('keep.txt', `${fake}${fake.replaceAll('\n', '\r')}${fake.replaceAll('\n', '\u2028')}`);
    expect(changedFiles(patch())).toEqual([{ path: 'keep.txt', kind: 'modified' }]);
  });

  test('an empty patch changes nothing', () => {
    expect(changedFiles('')).toEqual([]);
  });
});

describe('which of them are new tests', () => {
  const changed = (...paths: string[]): ChangedFile[] => paths.map((path) => ({ path, kind: 'added' }));
  const node = { framework: 'node-test' as const, include: ['test/**/*.test.js'] };

  test('test files are run; what lies changed beside them is copied with them', () => {
    expect(
      newTests(changed('src/a.js', 'test/a.test.js', 'test/fixtures/order.json', 'test/helper.js', 'README.md'), node),
    ).toEqual({
      files: ['test/a.test.js'],
      copied: ['test/a.test.js', 'test/fixtures/order.json', 'test/helper.js'],
    });
  });

  test('a deleted test is no new test, a modified one is', () => {
    const files: ChangedFile[] = [
      { path: 'test/gone.test.js', kind: 'deleted' },
      { path: 'test/old.test.js', kind: 'modified' },
    ];
    expect(newTests(files, node).files).toEqual(['test/old.test.js']);
  });

  test('a repair beside its test is never copied: it would mend the clean base', () => {
    const beside = { framework: 'node-test' as const, include: ['src/**/*.test.js'] };
    expect(
      newTests(changed('src/order.js', 'src/order.test.js', 'src/__fixtures__/order.json', 'src/checkout/latest.js'), beside),
    ).toEqual({
      files: ['src/order.test.js'],
      copied: ['src/order.test.js', 'src/__fixtures__/order.json'],
    });
  });

  test('tests anywhere: pytest names, with their conftest in a tests folder', () => {
    const anywhere = { framework: 'pytest' as const, include: ['**/test_*.py'] };
    expect(
      newTests(changed('service/orders.py', 'tests/conftest.py', 'tests/test_orders.py', 'service/test_inner.py'), anywhere),
    ).toEqual({
      files: ['tests/test_orders.py', 'service/test_inner.py'],
      copied: ['tests/conftest.py', 'tests/test_orders.py', 'service/test_inner.py'],
    });
  });

  test('files whose names begin with a dot are seen', () => {
    expect(newTests(changed('test/.hidden/a.test.js'), node).files).toEqual(['test/.hidden/a.test.js']);
  });

  test('no change, no tests', () => {
    expect(newTests([], node)).toEqual({ files: [], copied: [] });
  });

  test('every test that is run is copied, and nothing that was not changed', () => {
    const path = fc
      .array(fc.constantFrom('src', 'test', 'a', 'fixtures'), { maxLength: 3 })
      .chain((folders) => fc.constantFrom('x.test.js', 'x.js').map((name) => [...folders, name].join('/')));
    fc.assert(
      fc.property(fc.uniqueArray(path), (paths) => {
        const { files, copied } = newTests(changed(...paths), node);
        expect(paths).toEqual(expect.arrayContaining(copied));
        expect(copied).toEqual(expect.arrayContaining(files));
      }),
    );
  });
});
