import type { SyntaxNode, Tree } from '@lezer/common';
import type { AssertionSite } from '../written-test.js';

/** A file's syntax tree with its text. A parser of this kind reads on after an error: what it cannot read holds no test. */
export class Source {
  constructor(
    readonly text: string,
    readonly tree: Tree,
  ) {}

  of(node: SyntaxNode): string {
    return this.text.slice(node.from, node.to);
  }

  line(node: SyntaxNode): number {
    return this.text.slice(0, node.from).split('\n').length;
  }
}

export function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child);
  return found;
}

/** Every node below (and with) a node, in the order of the text. */
export function below(node: SyntaxNode, names?: string[]): SyntaxNode[] {
  const rest = children(node).flatMap((child) => below(child, names));
  return names === undefined || names.includes(node.name) ? [node, ...rest] : rest;
}

/** The ancestors of a node up to, and without, another. */
export function between(node: SyntaxNode, top: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let at = node.parent; at !== null && !(at.from === top.from && at.to === top.to && at.name === top.name); at = at.parent)
    found.push(at);
  return found;
}

/** What a file defines at its top: under each name the pieces of it that say what the name stands for. */
export type Definitions = Map<string, SyntaxNode[]>;

export function define(definitions: Definitions, name: string, node: SyntaxNode): void {
  definitions.set(name, [...(definitions.get(name) ?? []), node]);
}

/** A piece of a file with all that the names in it lead to, once each. */
export function reached(
  source: Source,
  start: SyntaxNode[],
  definitions: Definitions,
): { nodes: SyntaxNode[]; names: Set<string> } {
  const names = new Set<string>();
  const nodes: SyntaxNode[] = [];
  const queue = [...start];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    nodes.push(node);
    for (const one of below(node, ['VariableName'])) {
      const name = source.of(one);
      if (names.has(name)) continue;
      names.add(name);
      queue.push(...(definitions.get(name) ?? []));
    }
  }
  return { nodes, names };
}

/** How one language tells what stands in a test. */
export interface Language {
  /** A node that can fail the test by itself: whether it only looks for words; null: it is none. */
  assertion: (node: SyntaxNode) => { keyword: boolean; mayNeverRun: boolean } | null;
  /** The name that a call calls, where it is a plain name; null: it is no such call. */
  called: (node: SyntaxNode) => string | null;
  /** Whether a node is a loop over something that may be empty, as seen from inside its body. */
  mayBeEmpty: (loop: SyntaxNode) => boolean;
}

/** The assertion sites of a piece: its own, and calls of functions of the file that hold some. */
export function sitesIn(source: Source, top: SyntaxNode, definitions: Definitions, language: Language): AssertionSite[] {
  return sites(source, top, definitions, language, []);
}

function sites(source: Source, top: SyntaxNode, definitions: Definitions, language: Language, path: string[]): AssertionSite[] {
  const found: AssertionSite[] = [];
  let read = top.from;
  for (const node of below(top)) {
    // a part of an assertion is none of its own
    if (node.from < read) continue;
    const inLoop = () => between(node, top).some((one) => language.mayBeEmpty(one));
    const own = language.assertion(node);
    if (own !== null) {
      found.push({ line: source.line(node), keyword: own.keyword, mayNeverRun: own.mayNeverRun || inLoop() });
      read = node.to;
      continue;
    }
    const name = language.called(node);
    if (name === null || path.includes(name)) continue;
    const helpers = definitions.get(name) ?? [];
    const inside = helpers.flatMap((one) => sites(source, one, definitions, language, [...path, name]));
    // a helper from another file is known by its name alone
    const unknown = helpers.length === 0 && /^(?:assert|expect|check|verify)/i.test(name);
    if (inside.length === 0 && !unknown) continue;
    found.push({
      line: source.line(node),
      keyword: !unknown && inside.every((site) => site.keyword),
      mayNeverRun: inLoop() || (!unknown && inside.every((site) => site.mayNeverRun)),
    });
  }
  return found;
}
