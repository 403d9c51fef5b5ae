import { posix } from 'node:path';
import { type Comment, type Expression, type Node, type Program, parse, parseExpressionAt } from 'acorn';
import type { CaseSettings } from './case.js';
import type { DocBlock, DocText } from './doc-text.js';

/** A program that imports what a documentation names and runs its examples; it writes one JSON line for each thing it saw. */
export interface DocProgram {
  /** Files to write into the tree before it runs. */
  files: [path: string, text: string][];
  argv: (reporters: string, workspace: string, out: string) => string[];
}

/** How the documentation of one language is tried out. */
interface DocLanguage {
  name: CaseSettings['language'];
  program: (docs: DocText[], entry: NonNullable<CaseSettings['entry']>) => DocProgram;
}

/** Every language the lab knows: one row each. */
const docLanguages: DocLanguage[] = [
  { name: 'node', program: nodeProgram },
  { name: 'python', program: pythonProgram },
];

export function docProgram(language: CaseSettings['language'], docs: DocText[], entry: NonNullable<CaseSettings['entry']>) {
  return (docLanguages.find((row) => row.name === language) as DocLanguage).program(docs, entry);
}

const plan = '.skill-trial-docs.json';

function pythonProgram(docs: DocText[], entry: NonNullable<CaseSettings['entry']>): DocProgram {
  const fences = ['python', 'py', 'python3', 'pycon'];
  const blocks = docs.flatMap(({ file, blocks: own }) =>
    own.filter((block) => fences.includes(block.language)).map(({ line, text }) => ({ file, line, text })),
  );
  const named = namesModule(docs, [entry.module, entry.module.replaceAll('.', '/')]);
  return {
    files: [[plan, JSON.stringify({ entry, blocks, named })]],
    argv: (reporters, workspace, out) => ['python3', `${reporters}/doc_check.py`, workspace, plan, out],
  };
}

/** Where the prose names a module by one of its names; null where it does not. */
function namesModule(docs: DocText[], names: string[]): { file: string; line: number } | null {
  for (const { file, prose } of docs)
    for (const { line, text } of prose) if (names.some((name) => text.includes(name))) return { file, line };
  return null;
}

function nodeProgram(docs: DocText[], entry: NonNullable<CaseSettings['entry']>): DocProgram {
  const files: [string, string][] = [];
  const add = (file: string, text: string) => {
    const path = posix.join(posix.dirname(file), `.skill-trial-doc-${files.length}.mjs`);
    files.push([path, text]);
    return path;
  };
  const steps: { path: string; kind: 'entry' | 'example'; file: string; line: number; module?: string }[] = [];
  const tryEntry = (file: string, line: number, module: string) => {
    const text = `import * as all from ${JSON.stringify(module)};\nskillTrialNote({ works: ${JSON.stringify(entry.name)} in all });\n`;
    steps.push({ path: add(file, text), kind: 'entry', file, line, module });
  };
  for (const { file, blocks } of docs) {
    for (const block of blocks.filter(({ language }) => ['js', 'javascript', 'mjs', 'node'].includes(language))) {
      const read = readExample(block);
      if (read === null) continue;
      for (const { module, names, line } of read.imports) if (names.includes(entry.name)) tryEntry(file, line, module);
      if (read.examples > 0) steps.push({ path: add(file, read.text), kind: 'example', file, line: block.line });
    }
  }
  const named = namesModule(docs, [entry.module]);
  if (named !== null)
    tryEntry(named.file, named.line, posix.relative(posix.dirname(named.file), entry.module).replace(/^(?!\.)/, './'));
  files.push([plan, JSON.stringify(steps)]);
  return { files, argv: (reporters, workspace, out) => [process.execPath, `${reporters}/doc-check.mjs`, workspace, plan, out] };
}

type Statement = Program['body'][number];

/**
 * An example made to tell what it really returns: where a comment that is a literal follows a statement (`f(); // { a: 1 }`), the
 * value of the statement is noted beside it. Null where the block is no module that can be parsed.
 */
export function readExample({ text, line }: Pick<DocBlock, 'text' | 'line'>) {
  const comments: Comment[] = [];
  let program: Program;
  try {
    program = parse(text, { ecmaVersion: 'latest', sourceType: 'module', onComment: comments, locations: true });
  } catch {
    return null;
  }
  const imports: { module: string; names: string[]; line: number }[] = [];
  let written = text;
  let examples = 0;
  for (const [index, statement] of [...program.body.entries()].reverse()) {
    const at = line + (statement.loc?.start.line ?? 1) - 1;
    if (statement.type === 'ImportDeclaration') {
      const names = statement.specifiers.map((one) =>
        one.type === 'ImportSpecifier' && one.imported.type === 'Identifier' ? one.imported.name : one.local.name,
      );
      imports.unshift({ module: String(statement.source.value), names, line: at });
      continue;
    }
    const value = shownValue(statement);
    const expected = literalAfter(text, comments, statement, program.body[index + 1]);
    if (value === null || expected === null) continue;
    examples += 1;
    const note = `skillTrialSeen(${at}, ${expected}, ${text.slice(value.start, value.end)})`;
    written = written.slice(0, value.start) + note + written.slice(value.end);
  }
  return { imports, text: written, examples };
}

/** The expression whose value a statement shows: itself, what it declares, or what it prints. */
function shownValue(statement: Statement): Expression | null {
  if (statement.type === 'VariableDeclaration')
    return statement.declarations.length === 1 ? (statement.declarations[0]?.init ?? null) : null;
  if (statement.type !== 'ExpressionStatement') return null;
  const { expression } = statement;
  if (expression.type !== 'CallExpression' || expression.arguments.length !== 1) return expression;
  const { callee } = expression;
  const prints = callee.type === 'MemberExpression' && callee.object.type === 'Identifier' && callee.object.name === 'console';
  const argument = expression.arguments[0];
  return prints && argument !== undefined && argument.type !== 'SpreadElement' ? argument : expression;
}

/** The literal in the comments between a statement and the next, as source; null where they hold none. */
function literalAfter(text: string, comments: Comment[], statement: Node, next: Node | undefined): string | null {
  const own = comments.filter((comment) => comment.start >= statement.end && comment.end <= (next?.start ?? text.length));
  const said = own
    .map((comment) => comment.value.replace(/^\s*\*/gm, ''))
    .join('\n')
    .replace(/^\s*(?:=>|->|→|returns?:?)\s*/i, '')
    .trim();
  if (said === '') return null;
  try {
    const node = parseExpressionAt(said, 0, { ecmaVersion: 'latest' });
    return isLiteral(node) && /^[\s.;]*$/.test(said.slice(node.end)) ? `(${said.slice(node.start, node.end)})` : null;
  } catch {
    return null;
  }
}

function isLiteral(node: Expression): boolean {
  if (node.type === 'Literal') return true;
  if (node.type === 'Identifier') return node.name === 'undefined' || node.name === 'NaN';
  if (node.type === 'UnaryExpression') return node.operator === '-' && isLiteral(node.argument);
  if (node.type === 'ArrayExpression')
    return node.elements.every((one) => one !== null && one.type !== 'SpreadElement' && isLiteral(one));
  return (
    node.type === 'ObjectExpression' &&
    node.properties.every((one) => one.type === 'Property' && !one.computed && one.kind === 'init' && isLiteral(one.value))
  );
}
