import type { Eval, EvalSet } from '../eval.js';
import { type EvalReading, emptyEval, firstOf, isObject, kindOf, type Loose, uniqueId } from '../eval-reading.js';
import { slugOf } from '../slug.js';
import { evalList } from './evals-json.js';

const labelKeys = [
  'should_trigger',
  'expected_trigger',
  'expected_skill',
  'expected_primary',
  'expect_activation',
  'trigger',
  'label',
];
const listKeys = ['queries', 'cases', 'triggers', 'evals', 'tests'];

/** The entries of a trigger file; null for a file of another form. */
function entriesOf(value: unknown): unknown[] | null {
  if (isObject(value) && (Array.isArray(value.should_trigger) || Array.isArray(value.should_not_trigger)))
    return [
      ...((value.should_trigger ?? []) as unknown[]).map((query) => withLabel(query, true)),
      ...((value.should_not_trigger ?? []) as unknown[]).map((query) => withLabel(query, false)),
    ];
  const key = isObject(value) ? listKeys.find((one) => Array.isArray(value[one])) : undefined;
  return key === undefined ? (evalList(value)?.list ?? null) : ((value as Loose)[key] as unknown[]);
}

function withLabel(query: unknown, should_trigger: boolean): unknown {
  return isObject(query) ? { ...query, should_trigger } : { query, should_trigger };
}

/** Whether a file holds trigger evals: prompts with a label and without criteria. */
export function isTriggers(value: unknown): boolean {
  const entries = (entriesOf(value) ?? []).filter(isObject);
  const labelled = entries.filter(
    (one) => labelKeys.some((key) => key in one) && !('assertions' in one) && !('expectations' in one),
  );
  return entries.length > 0 && labelled.length * 2 > entries.length;
}

/** Trigger evals in their shapes: a list, a list under queries or cases, or two lists. */
export function readTriggers(value: unknown, { file, note, skillHere }: EvalReading): EvalSet {
  const top = isObject(value) ? value : {};
  const named = firstOf(top, ['skill_name', 'skill'])?.value;
  const skill = typeof named === 'string' ? named : null;
  const evals: Eval[] = [];
  for (const [index, entry] of (entriesOf(value) ?? []).entries()) {
    const at = `entry[${index}]`;
    if (!isObject(entry)) {
      note('dropped', `${at} is ${kindOf(entry)}, an object was expected`);
      continue;
    }
    const query = firstOf(entry, ['query', 'prompt', 'input', 'question', 'user_request']);
    if (typeof query?.value !== 'string' || query.value.trim() === '') {
      note('missing', `${at} has no query: not imported`);
      continue;
    }
    const of = typeof entry.skill === 'string' ? entry.skill : null;
    const key = labelKeys.find((one) => one in entry);
    const should = key === undefined ? null : labelOf(entry[key], key, of ?? skill ?? skillHere);
    if (should === null) {
      note('missing', `${at} does not say whether it should trigger (${labelKeys.join(', ')}): not imported`);
      continue;
    }
    if (key !== 'should_trigger')
      note('mapped', `${at}.${key} ${JSON.stringify(entry[key as string])} is read as should_trigger: ${should}`);
    const used = [query.key, key, 'id', 'name', 'skill'];
    const extra = Object.fromEntries(Object.entries(entry).filter(([one]) => !used.includes(one)));
    let id = typeof entry.id === 'string' || typeof entry.id === 'number' ? entry.id : null;
    const ids = evals.map((one) => String(one.id ?? ''));
    if (id !== null && ids.includes(String(id))) {
      note('warned', `${at}: id ${id} is there already; this one is called ${uniqueId(String(id), ids)}`);
      id = uniqueId(String(id), ids);
    }
    evals.push({ ...emptyEval(), skill: of, id, turns: [query.value], shouldTrigger: should, extra });
  }
  const extra = Object.fromEntries(
    Object.entries(top).filter(
      ([key]) => ![...listKeys, 'skill_name', 'skill', 'should_trigger', 'should_not_trigger'].includes(key),
    ),
  );
  return { dialect: 'triggers', file, skill, deps: [], evals, extra };
}

const yes = /^(true|yes|positive|trigger|should([_ -]?trigger)?)$/i;
const no = /^(false|no|none|null|negative|(should[_ -]?not|no|not)([_ -]?trigger)?)?$/i;

/**
 * A label as people write it: true or false, or the name of the skill that should load, null for none; several names where any will do.
 * Null: it does not say. The name of another skill says that this one should not load, where a name is what the key asks for.
 */
function labelOf(label: unknown, key: string, skill: string | null): boolean | null {
  if (typeof label === 'boolean') return label;
  if (label === null) return false;
  if (Array.isArray(label)) {
    const all = label.map((one) => labelOf(one, key, skill));
    return all.includes(true) ? true : all.includes(null) ? null : false;
  }
  if (typeof label !== 'string') return null;
  // plugins put their own name before the skill's
  if (skill !== null && slugOf(label.split(/[:/]/).at(-1) as string) === slugOf(skill)) return true;
  if (yes.test(label)) return true;
  if (no.test(label)) return false;
  return key.startsWith('expected_') && skill !== null ? false : null;
}
