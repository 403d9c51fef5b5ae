import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import leven from 'leven';
import { type Document, isMap, isNode, LineCounter, parseDocument, type Range } from 'yaml';
import { z } from 'zod';
import { type LabError, SettingsError } from './errors.js';

/** The file as text without a byte-order mark; a missing file is a SettingsError that names it. */
export async function readText(path: string, what: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new SettingsError(`${what}: cannot read ${shown(path)}`, {
      expected: 'a readable text file',
      found: code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'a folder' : String((error as Error).message),
      next: 'create the file, or correct the path that names it',
    });
  }
}

/** A path as a person would type it: relative to where they stand when it is below, absolute otherwise. */
export function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') || short === '' ? path : short;
}

/** A YAML file parsed and checked by a schema. Errors name file, line, field, what was expected and what was found. */
export async function readYaml<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
  return parseYaml(await readText(path, 'settings'), schema, shown(path));
}

/** As readYaml, for a text already in memory; `where` is the file's name in errors, `above` how many of its lines come before the text. */
export function parseYaml<S extends z.ZodType>(text: string, schema: S, where: string, above = 0): z.output<S> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: true });
  const invalid = (line: number | null, found: string): never => {
    throw new SettingsError(`${line === null ? where : `${where}:${line + above}`} is not valid YAML`, {
      expected: 'YAML with each key once',
      found,
      next: line === null ? 'correct the file' : 'correct that line',
    });
  };
  const broken = document.errors[0];
  if (broken !== undefined) invalid(broken.linePos?.[0].line ?? null, broken.message.split(/ at line \d+|\n/)[0] ?? broken.code);
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    invalid(null, (error as Error).message); // an alias of nothing, or aliases of aliases without end
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = firstIssue(result.error);
  const offset = placeOf(document, issue);
  throw settingsIssue(where, issue, value, schema, offset === null ? null : lines.linePos(offset).line + above, SettingsError);
}

/** Where in the text an issue is: the unknown key itself, else the value, else the nearest parent that is there. */
function placeOf(document: Document.Parsed, issue: z.core.$ZodIssue): number | null {
  const path = issue.path as (string | number)[];
  const names = issue.code === 'unrecognized_keys' ? issue.keys : [];
  for (let length = path.length; length >= 0; length--) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isMap(node)) {
      const wanted = length === path.length ? names : [String(path[length])];
      const key = node.items
        .map((item) => item.key as { value?: unknown; range?: Range })
        .find((one) => wanted.includes(String(one.value)));
      if (key?.range) return key.range[0];
    }
    if (isNode(node) && node.range) return node.range[0];
  }
  return null;
}

type ErrorClass = new (...parts: ConstructorParameters<typeof LabError>) => LabError;

/** A value already parsed (JSON, CSV), checked by a schema; errors as for YAML, without a line, of the class given. */
export function check<S extends z.ZodType>(
  value: unknown,
  schema: S,
  where: string,
  Failure: ErrorClass = SettingsError,
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw settingsIssue(where, firstIssue(result.error), value, schema, null, Failure);
}

/** The error for a zod issue: names file, line, field, and the nearest known key for an unknown one. */
function settingsIssue(
  where: string,
  issue: z.core.$ZodIssue,
  value: unknown,
  schema: z.ZodType,
  line: number | null,
  Failure: ErrorClass,
): LabError {
  const field = issue.path.length === 0 ? '(top level)' : issue.path.map(String).join('.');
  const place = line === null ? where : `${where}:${line}`;
  const found = valueAt(value, issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path);
    const key = issue.keys[0] ?? '';
    const near = nearest(key, known);
    return new Failure(`${place}: unknown key "${issue.keys.join('", "')}" in ${field}`, {
      expected: known.length > 0 ? `one of ${known.join(', ')}` : 'only known keys',
      found: key,
      next: near === null ? 'remove the key' : `did you mean "${near}"?`,
    });
  }
  const missing = issue.code === 'invalid_type' && found === undefined;
  return new Failure(`${place}: ${field} ${missing ? 'is missing' : 'is not valid'}`, {
    expected: expectation(issue),
    found: missing ? 'nothing' : (JSON.stringify(found)?.slice(0, 120) ?? String(found)),
    next: missing ? `add ${field}` : `correct ${field}`,
  });
}

/** The most telling issue: an unknown key before a missing one (it is that one, misspelt); for a union, the branch that got furthest. */
function firstIssue(error: z.ZodError): z.core.$ZodIssue {
  const unwrap = (issue: z.core.$ZodIssue): z.core.$ZodIssue => {
    if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue;
    const branches = issue.errors.filter((branch) => branch.length > 0);
    const best = branches.sort((a, b) => depth(b) - depth(a))[0]?.[0];
    return best === undefined ? issue : unwrap({ ...best, path: [...issue.path, ...best.path] } as z.core.$ZodIssue);
  };
  const depth = (branch: z.core.$ZodIssue[]) =>
    Math.max(...branch.map((i) => i.path.length + (i.code === 'unrecognized_keys' ? 1 : 0)));
  const issues = error.issues.map(unwrap);
  return issues.find((issue) => issue.code === 'unrecognized_keys') ?? (issues[0] as z.core.$ZodIssue);
}

/** The keys a strict schema knows at a path, read from its own JSON Schema; none where the schema cannot say. */
function keysAt(schema: z.ZodType, path: PropertyKey[]): string[] {
  type Node = {
    properties?: Record<string, Node>;
    items?: Node;
    additionalProperties?: Node | boolean;
    anyOf?: Node[];
    allOf?: Node[];
  };
  const step = (node: Node, key: PropertyKey): Node[] => [
    ...[...(node.anyOf ?? []), ...(node.allOf ?? [])].flatMap((branch) => step(branch, key)),
    ...(node.properties?.[String(key)] !== undefined ? [node.properties[String(key)] as Node] : []),
    ...(typeof key === 'number' && node.items !== undefined ? [node.items] : []),
    ...(node.properties === undefined && typeof node.additionalProperties === 'object' ? [node.additionalProperties] : []),
  ];
  const keys = (node: Node): string[] => [...Object.keys(node.properties ?? {}), ...(node.anyOf ?? []).flatMap(keys)];
  let nodes: Node[] = [z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Node];
  for (const key of path) nodes = nodes.flatMap((node) => step(node, key));
  return nodes.flatMap(keys);
}

function nearest(key: string, known: string[]): string | null {
  const ranked = known.map((name) => ({ name, distance: leven(key, name) })).sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(2, Math.floor(key.length / 3)) ? best.name : null;
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  let at: unknown = value;
  for (const key of path) at = at === null || typeof at !== 'object' ? undefined : (at as Record<PropertyKey, unknown>)[key];
  return at;
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')) return `a value of type ${issue.expected}`;
  return issue.message;
}
