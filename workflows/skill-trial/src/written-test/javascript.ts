import { builtinModules } from 'node:module';
import type { SyntaxNode } from '@lezer/common';
import { parser as javascript } from '@lezer/javascript';
import type { WrittenTest } from '../written-test.js';
import { below, between, children, type Definitions, define, type Language, reached, Source, sitesIn } from './syntax.js';

const parser = javascript.configure({ dialect: 'ts jsx' });
const plainParser = javascript.configure({ dialect: 'ts' });

/** Packages of testing and reading, by which nothing of the repository is run; Node's own modules are among them. */
const readers = new Set([
  ...builtinModules,
  ...[
    'vitest',
    '@jest/globals',
    'chai',
    'expect',
    'jest',
    'yaml',
    'js-yaml',
    'acorn',
    'typescript',
    'cheerio',
    'parse5',
    'fast-check',
  ],
]);
const runners = new Set(['child_process', 'worker_threads', 'vm', 'cluster', 'execa', 'zx', 'cross-spawn']);
const plainName = (module: string) => module.replace(/^node:/, '');
const testCall = /^(?:test|it|specify)(?:\.(?:only|skip|todo|concurrent|sequential|fails|failing|serial))*$/;
const groupCall = /^(?:describe|suite|context)(?:\.(?:only|skip|concurrent|sequential))*$/;
const hookCall = /^(?:before|after)(?:Each|All)?$/;

/** The tests of a node:test, vitest or jest file: calls of `test` and `it` with a title and a function. */
export function readJavaScriptTests(file: string, text: string): WrittenTest[] {
  const source = new Source(text, (/\.[cm]?ts$/.test(file) ? plainParser : parser).parse(text));
  const definitions: Definitions = new Map();
  const imported = new Map<string, 'import' | 'process'>();
  for (const node of below(source.tree.topNode, ['ImportDeclaration'])) {
    const how = howOf(stringIn(source, node));
    if (how !== null) for (const name of below(node, ['VariableDefinition'])) imported.set(source.of(name), how);
  }
  defineAll(source, definitions);
  const language = javaScriptLanguage(source, definitions);
  return below(source.tree.topNode, ['CallExpression']).flatMap((node): WrittenTest[] => {
    const name = calledName(source, node);
    const [title, body] = [
      argument(node, 0),
      below(node, ['ArrowFunction', 'FunctionExpression']).find((one) => isArgument(one, node)),
    ];
    if (name === null || !testCall.test(name.plain) || title === undefined || body === undefined) return [];
    const groups = between(node, source.tree.topNode).filter((one) => {
      const group = calledName(source, one);
      return group !== null && groupCall.test(group.plain);
    });
    const titles = [...groups.reverse(), node].map((one) => unquoted(source.of(argument(one, 0) ?? one)));
    const tables = [...groups, node].flatMap((one) => calledName(source, one)?.table ?? []);
    const reach = reached(source, [body, ...tables], definitions);
    const texts = reach.nodes.map((one) => source.of(one));
    const hows = [...reach.names].flatMap((one) => imported.get(one) ?? []);
    const dynamic = texts.flatMap((one) => [...one.matchAll(/\b(?:import|require)\s*\(\s*(['"`]?)([^'"`)]*)\1/g)]);
    const all = [
      ...hows,
      // what a variable names may be anything
      ...dynamic.flatMap(([, quote, module]) => (quote === '' ? 'import' : howOf(module as string)) ?? []),
      ...(texts.some((one) => /(?<![\w.])fetch\s*\(/.test(one)) ? ['process' as const] : []),
    ];
    return [
      {
        file,
        line: source.line(node),
        title: titles.join(' > '),
        naming: [
          ...titles,
          ...tables.flatMap((one) => reached(source, [one], definitions).nodes).map((one) => source.of(one)),
        ].join('\n'),
        assertions: sitesIn(source, body, definitions, language),
        executes: all.includes('import') ? 'import' : all.includes('process') ? 'process' : 'none',
      },
    ];
  });
}

function howOf(module: string): 'import' | 'process' | null {
  const name = plainName(module);
  return runners.has(name) ? 'process' : readers.has(name) || module === '' ? null : 'import';
}

function stringIn(source: Source, node: SyntaxNode): string {
  const found = children(node).find((one) => one.name === 'String');
  return found === undefined ? '' : unquoted(source.of(found));
}

const unquoted = (text: string) => text.replace(/^['"`]|['"`]$/g, '');

/** What a call calls, as it is written; of `test.each(table)(…)` the name without `each`, and the table. */
function calledName(source: Source, node: SyntaxNode): { plain: string; table: SyntaxNode[] } | null {
  if (node.name !== 'CallExpression') return null;
  const callee = node.firstChild as SyntaxNode;
  if (callee.name === 'CallExpression' || callee.name === 'TaggedTemplateExpression') {
    const [inner, ...table] = children(callee);
    const plain = inner === undefined ? '' : source.of(inner);
    return /\.(?:each|for)$/.test(plain) ? { plain: plain.replace(/\.(?:each|for)$/, ''), table } : null;
  }
  return /^(?:VariableName|MemberExpression)$/.test(callee.name) ? { plain: source.of(callee), table: [] } : null;
}

function argument(node: SyntaxNode, index: number): SyntaxNode | undefined {
  const list = children(node).find((one) => one.name === 'ArgList');
  return list === undefined ? undefined : children(list).filter((one) => !/^[(),]$/.test(one.name))[index];
}

function isArgument(node: SyntaxNode, call: SyntaxNode): boolean {
  const list = node.parent;
  return list?.name === 'ArgList' && list.parent?.from === call.from && list.parent.to === call.to;
}

/** Functions, classes and variables of the file, whatever group they stand in; what hooks assign belongs to the variable. */
function defineAll(source: Source, definitions: Definitions): void {
  for (const node of below(source.tree.topNode)) {
    if (node.name === 'FunctionDeclaration' || node.name === 'ClassDeclaration') {
      const name = children(node).find((one) => one.name === 'VariableDefinition');
      if (name !== undefined) define(definitions, source.of(name), node);
    } else if (node.name === 'VariableDeclaration') {
      // each name leads to all of the declaration: a pattern takes its names from one value
      for (const name of below(node, ['VariableDefinition']))
        if (!insideFunction(name, node)) define(definitions, source.of(name), node);
    } else if (node.name === 'AssignmentExpression' && node.firstChild?.name === 'VariableName') {
      define(definitions, source.of(node.firstChild), hookAround(source, node) ?? node);
    }
  }
}

function insideFunction(node: SyntaxNode, top: SyntaxNode): boolean {
  return between(node, top).some((one) => /^(?:ArrowFunction|FunctionExpression|MethodDeclaration)$/.test(one.name));
}

function hookAround(source: Source, node: SyntaxNode): SyntaxNode | null {
  for (let at = node.parent; at !== null; at = at.parent) {
    const name = calledName(source, at);
    if (name !== null && hookCall.test(name.plain)) return at;
  }
  return null;
}

function javaScriptLanguage(source: Source, definitions: Definitions): Language {
  const nonEmpty = (node: SyntaxNode | null | undefined, depth = 0): boolean => {
    if (node == null || depth > 5) return false;
    const text = source.of(node);
    if (node.name === 'ArrayExpression') return children(node).length > 2;
    if (node.name === 'ObjectExpression') return children(node).length > 2;
    if (node.name === 'String' || node.name === 'TemplateString') return text.length > 2;
    if (node.name === 'VariableName') {
      const value = definitions.get(text)?.at(-1);
      return (
        value?.name === 'VariableDeclaration' &&
        nonEmpty(
          children(value).find((one) => /Expression$|String$/.test(one.name)),
          depth + 1,
        )
      );
    }
    if (node.name === 'NewExpression') return nonEmpty(argument(node, 0), depth + 1);
    if (node.name !== 'CallExpression') return false;
    const callee = node.firstChild as SyntaxNode;
    if (/^Object\.(?:entries|keys|values|freeze)$|^Array\.from$/.test(source.of(callee)))
      return nonEmpty(argument(node, 0), depth + 1);
    return /\.(?:entries|keys|values|map|slice|sort|reverse)$/.test(source.of(callee)) && nonEmpty(callee.firstChild, depth + 1);
  };
  const overEmpty = (node: SyntaxNode, methods: RegExp) =>
    node.name === 'CallExpression' &&
    node.firstChild?.name === 'MemberExpression' &&
    methods.test(source.of(node.firstChild)) &&
    !nonEmpty(node.firstChild.firstChild);
  return {
    called: (node) => {
      const name = calledName(source, node);
      return name === null || name.plain.includes('.') ? null : name.plain;
    },
    mayBeEmpty: (loop) => {
      if (loop.name === 'WhileStatement') return true;
      if (loop.name === 'ForStatement') {
        const head = children(loop).find((one) => /^For(?:Of|In)?Spec$/.test(one.name));
        if (head === undefined) return false;
        // counted up to a number that is written there
        if (head.name === 'ForSpec') return !/[<>]=?\s*[1-9]\d*\s*;/.test(source.of(head));
        const parts = children(head);
        return !nonEmpty(parts[parts.findIndex((one) => one.name === 'of' || one.name === 'in') + 1]);
      }
      return overEmpty(loop, /\.(?:forEach|map|every|filter)$/);
    },
    assertion: (node) => {
      if (node.name !== 'CallExpression') return null;
      const callee = node.firstChild as SyntaxNode;
      const name = source.of(callee);
      const whole = source.of(node);
      const every = below(node).some((one) => overEmpty(one, /\.every$/));
      if (/^(?:t\.|context\.)?assert(?:\.\w+)*$/.test(name))
        return {
          keyword:
            /\.(?:match|doesNotMatch)$/.test(name) ||
            (/^assert(?:\.ok)?$/.test(name) && looksForWords(source, argument(node, 0))),
          mayNeverRun: every,
        };
      // expect(value).not.toContain('word'): the outermost call of the chain
      if (callee.name !== 'MemberExpression' || !/^(?:expect|should)\s*[.(]/.test(name)) return null;
      const matcher = /\.(\w+)$/.exec(name)?.[1] ?? '';
      const subject = below(callee, ['CallExpression']).find((one) => /^expect$/.test(source.of(one.firstChild as SyntaxNode)));
      const words = argument(node, 0);
      const literal = words !== undefined && /^(?:String|TemplateString|RegExp)$/.test(words.name);
      const keyword =
        (/^(?:toContain|toMatch)$/.test(matcher) && literal) ||
        (/^to(?:Be|Equal|BeTruthy|BeFalsy)$/.test(matcher) &&
          subject !== undefined &&
          looksForWords(source, argument(subject, 0)));
      return { keyword, mayNeverRun: every && whole !== '' };
    },
  };
}

/** Whether a value is an answer to "is this word in the text": `text.includes('word')`, `/word/.test(text)`. */
function looksForWords(source: Source, node: SyntaxNode | undefined): boolean {
  if (node === undefined) return false;
  const text = source.of(node).replace(/^!/, '');
  return (
    /\.includes\(\s*['"`]/.test(text) || /^\/.*\/\w*\.test\(/.test(text) || /\.(?:match|search|indexOf)\(\s*[/'"`]/.test(text)
  );
}
