import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/python';
import type { WrittenTest } from '../written-test.js';
import { below, children, type Definitions, define, type Language, reached, Source, sitesIn } from './syntax.js';

/** Modules of Python itself, and of testing and reading, by which nothing of the repository is run. */
const readers = new Set(
  `__future__ abc argparse array ast asyncio base64 bisect builtins bz2 calendar cmath codecs collections colorsys configparser
  contextlib copy csv ctypes dataclasses datetime decimal difflib dis email enum errno fcntl filecmp fileinput fnmatch fractions functools
  gc getpass gettext glob gzip hashlib heapq hmac html inspect io ipaddress itertools json keyword locale logging lzma math mimetypes
  numbers operator os pathlib pickle pkgutil platform plistlib pprint queue random re secrets select shelve shlex shutil signal site socket
  sqlite3 stat statistics string struct sys sysconfig tarfile tempfile textwrap threading time token tokenize tomllib traceback types
  typing unicodedata unittest urllib uuid warnings weakref xml zipfile zlib zoneinfo pytest _pytest hypothesis yaml toml tomli bs4 lxml
  markdown regex typing_extensions`.split(/\s+/),
);
/** Modules that run programs, and those that import what a variable names. */
const runners: Record<string, 'import' | 'process'> = {
  subprocess: 'process',
  pexpect: 'process',
  multiprocessing: 'process',
  importlib: 'import',
  runpy: 'import',
};
const runningCalls: [RegExp, 'import' | 'process'][] = [
  [/\bos\.(?:system|popen|exec\w*|spawn\w*)\s*\(/, 'process'],
  [/(?<![\w.])(?:exec|eval|__import__)\s*\(/, 'import'],
];
/** Fixtures of pytest itself: none of them runs the code under test. */
const ownFixtures = new Set(
  `self cls tmp_path tmp_path_factory tmpdir tmpdir_factory capsys capsysbinary capfd capfdbinary caplog monkeypatch request recwarn
  pytestconfig cache record_property subtests`.split(/\s+/),
);

/** The tests of a pytest or unittest file: functions and methods whose name begins with `test`. */
export function readPythonTests(file: string, text: string): WrittenTest[] {
  const source = new Source(text, parser.parse(text));
  const definitions: Definitions = new Map();
  const imported = new Map<string, 'import' | 'process'>();
  for (const node of below(source.tree.topNode, ['ImportStatement']))
    for (const [name, how] of importsOf(source, node)) imported.set(name, how);
  for (const node of children(source.tree.topNode)) defineTop(source, node, definitions);
  const language = pythonLanguage(source, definitions);
  return functionsOf(source, source.tree.topNode).flatMap(({ node, name, decorators, groups }): WrittenTest[] => {
    if (!/^test/.test(name)) return [];
    const parameters = children(node)
      .filter((one) => one.name === 'ParamList')
      .flatMap((list) =>
        children(list)
          .filter((one) => one.name === 'VariableName')
          .map((one) => source.of(one)),
      );
    const tables = decorators.flatMap((one) => reached(source, [one], definitions).nodes).map((one) => source.of(one));
    const { nodes, names } = reached(source, [node, ...decorators], definitions);
    const hows = [...names].flatMap((one) => imported.get(one) ?? []);
    const texts = nodes.map((one) => source.of(one));
    const calls = runningCalls.flatMap(([pattern, how]) => (texts.some((one) => pattern.test(one)) ? [how] : []));
    const inner = nodes
      .flatMap((one) => below(one, ['ImportStatement']))
      .flatMap((one) => importsOf(source, one).map(([, how]) => how));
    // a fixture of a conftest.py may run anything
    const unknown = parameters.some(
      (one) => !ownFixtures.has(one) && !definitions.has(one) && !decorators.some((mark) => source.of(mark).includes(one)),
    );
    const all = [...hows, ...calls, ...inner, ...(unknown ? ['import' as const] : [])];
    return [
      {
        file,
        line: source.line(node),
        title: [...groups, name].join('::'),
        naming: [...groups, name, ...tables, docstring(source, node)].join('\n'),
        assertions: sitesIn(source, node, definitions, language),
        executes: all.includes('import') ? 'import' : all.includes('process') ? 'process' : 'none',
      },
    ];
  });
}

/** The names that an import statement brings, for modules by which something of the repository may be run. */
function importsOf(source: Source, node: SyntaxNode): [string, 'import' | 'process'][] {
  const words = source
    .of(node)
    .replace(/[()\\\n]/g, ' ')
    .replace(/#.*/g, '');
  const from = /^\s*from\s+(\S+)\s+import\s+(.*)$/s.exec(words);
  const parts = (from === null ? words.replace(/^\s*import\s+/, '') : (from[2] as string)).split(',').map((part) => part.trim());
  return parts.flatMap((part): [string, 'import' | 'process'][] => {
    const [path = '', alias] = part.split(/\s+as\s+/);
    const how = howOf(from === null ? path : (from[1] as string));
    const name = alias ?? (from === null ? (path.split('.')[0] as string) : path);
    return how === null || name === '' ? [] : [[name, how]];
  });
}

function howOf(module: string): 'import' | 'process' | null {
  const top = module.split('.')[0] as string;
  // an empty first part: a relative import, of something beside the test
  return runners[top] ?? (readers.has(top) ? null : 'import');
}

function defineTop(source: Source, node: SyntaxNode, definitions: Definitions): void {
  if (node.name === 'DecoratedStatement' || node.name === 'ClassDefinition' || node.name === 'FunctionDefinition') {
    const own =
      node.name === 'DecoratedStatement' ? (children(node).find((one) => one.name.endsWith('Definition')) ?? node) : node;
    const name = children(own).find((one) => one.name === 'VariableName');
    if (name !== undefined) define(definitions, source.of(name), own);
  } else if (node.name === 'AssignStatement') {
    for (const one of children(node)
      .filter((child) => child.name === 'VariableName')
      .slice(0, 1))
      define(definitions, source.of(one), node);
  } else {
    // what an `if` or `try` at the top defines
    for (const child of children(node)) if (/Statement|Body/.test(child.name)) defineTop(source, child, definitions);
  }
}

/** All functions with their decorators and the classes around them. */
function functionsOf(
  source: Source,
  top: SyntaxNode,
): { node: SyntaxNode; name: string; decorators: SyntaxNode[]; groups: string[] }[] {
  return below(top, ['FunctionDefinition']).map((node) => {
    const nameOf = (one: SyntaxNode) => source.of(children(one).find((child) => child.name === 'VariableName') ?? one);
    const decorators =
      node.parent?.name === 'DecoratedStatement' ? children(node.parent).filter((one) => one.name === 'Decorator') : [];
    const groups: string[] = [];
    for (let at = node.parent; at !== null; at = at.parent) if (at.name === 'ClassDefinition') groups.unshift(nameOf(at));
    return { node, name: nameOf(node), decorators, groups };
  });
}

function docstring(source: Source, node: SyntaxNode): string {
  const body = children(node).find((one) => one.name === 'Body');
  const first = body === undefined ? undefined : children(body).find((one) => one.name !== ':');
  return first?.name === 'ExpressionStatement' && first.firstChild?.name === 'String' ? source.of(first) : '';
}

function pythonLanguage(source: Source, definitions: Definitions): Language {
  const called = (node: SyntaxNode) =>
    node.name === 'CallExpression' && node.firstChild?.name === 'VariableName' ? source.of(node.firstChild) : null;
  const nonEmpty = (node: SyntaxNode | null | undefined, depth = 0): boolean => {
    if (node == null || depth > 5) return false;
    const text = source.of(node);
    if (/^(?:Array|Tuple|Set|Dictionary)Expression$/.test(node.name)) return children(node).length > 2;
    if (node.name === 'String') return !/^[rbfu]*(["'])\1$/i.test(text);
    if (node.name === 'VariableName') return nonEmpty(givenTo(source, text, node, definitions), depth + 1);
    if (node.name !== 'CallExpression') return false;
    const [callee, list] = children(node);
    const first = children(list as SyntaxNode).find((one) => one.name !== '(' && one.name !== ')');
    const name = source.of(callee as SyntaxNode);
    if (name === 'range') return Number(first === undefined ? 0 : source.of(first)) > 0;
    if (/^(?:enumerate|zip|sorted|list|tuple|set|reversed|dict)$/.test(name)) return nonEmpty(first, depth + 1);
    return /\.(?:items|keys|values)$/.test(name) && nonEmpty(callee?.firstChild, depth + 1);
  };
  /** What a `for` goes over: the expression after `in`. */
  const iterated = (node: SyntaxNode) => {
    const parts = children(node);
    return parts[parts.findIndex((one) => one.name === 'in') + 1];
  };
  return {
    called: (node) => called(node),
    mayBeEmpty: (loop) =>
      loop.name === 'ForStatement'
        ? !nonEmpty(iterated(loop))
        : loop.name === 'WhileStatement' && !/^while\s+True\b/.test(source.of(loop)),
    assertion: (node) => {
      if (node.name === 'AssertStatement') {
        const expression = children(node)[1];
        const text = expression === undefined ? '' : source.of(expression);
        const comprehension =
          expression === undefined
            ? undefined
            : below(expression).find((one) => children(one).some((part) => part.name === 'for'));
        const all = /^all\s*\(/.test(text) && comprehension !== undefined && !nonEmpty(iterated(comprehension));
        return { keyword: isKeyword(text), mayNeverRun: all };
      }
      if (node.name !== 'CallExpression' || node.firstChild?.name !== 'MemberExpression') return null;
      const name = source.of(node.firstChild);
      if (/^pytest\.(?:raises|fail|warns)$/.test(name)) return { keyword: false, mayNeverRun: false };
      const method = /\.(assert\w*|fail)$/.exec(name)?.[1];
      return method === undefined ? null : { keyword: /^assert(?:Not)?(?:In|Regex)$/.test(method), mayNeverRun: false };
    },
  };
}

/** The value last given to a name before it is used: in the function around it, else at the top of the file. */
function givenTo(source: Source, name: string, use: SyntaxNode, definitions: Definitions): SyntaxNode | null {
  let around = use.parent;
  while (around !== null && around.name !== 'FunctionDefinition') around = around.parent;
  const given =
    around === null
      ? []
      : below(around, ['AssignStatement']).filter((one) => one.from < use.from && source.of(one).startsWith(name));
  const found = given.filter((one) => source.of(one.firstChild as SyntaxNode) === name).at(-1) ?? definitions.get(name)?.at(-1);
  return found?.name === 'AssignStatement' ? (children(found).at(-1) ?? null) : null;
}

/** Whether an asserted expression only asks for words in a text: `"word" in text`, a search, or several of them together. */
function isKeyword(expression: string): boolean {
  const parts = expression
    .replace(/\s+/g, ' ')
    .split(/\s(?:and|or)\s/)
    .map((part) =>
      part
        .trim()
        .replace(/^\(+|\)+$/g, '')
        .replace(/^not /, '')
        .trim(),
    );
  const literal = /^[rbfu]*(?:"[^"]*"|'[^']*')/i;
  return parts.every(
    (part) =>
      (literal.test(part) && /^\s*(?:not )?in\s/.test(part.replace(literal, ''))) ||
      /^(?:re|regex)\.(?:search|match|findall|fullmatch)\(/.test(part) ||
      /^(?:any|all)\(\s*\w+ (?:not )?in .* for \w+ in/.test(part),
  );
}
