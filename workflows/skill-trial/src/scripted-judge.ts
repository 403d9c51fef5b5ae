import { SettingsError } from './errors.js';
import type { ModelRequest } from './model-call.js';
import type { ScriptedTurn } from './scripted-turn.js';

interface Asked {
  row: string;
  requirement: string;
  weight?: number;
}

/**
 * SCRIPTED judges by name: stand-ins that show how the lab treats a judge's answers. None of them understands anything, and three
 * are wrong on purpose.
 */
const scriptedJudges: Record<string, (rows: Asked[], response: string[], patch: string[]) => unknown> = {
  /** Looks for a line that shares at least two longer words with the requirement. */
  words: (rows, response, patch) =>
    verdicts(rows, ({ row, requirement }) => {
      const lines = row.startsWith('review.') ? response : row.startsWith('tests.') ? patch : [...response, ...patch];
      const words = [...new Set(requirement.toLowerCase().match(/[a-z]{5,}/g) ?? [])];
      return lines.find((line) => words.filter((word) => line.toLowerCase().includes(word)).length >= 2) ?? '';
    }),
  /** Finds everything, and makes the evidence up. */
  'invents-quotes': (rows) => verdicts(rows, ({ row }) => `As the author shows convincingly for ${row}, all is well.`),
  /** Finds everything, and shows the first line of the work for all of it. */
  'finds-everything': (rows, response, patch) =>
    verdicts(rows, ({ row }) => (row.startsWith('tests.') ? patch : response).find((line) => line.trim().length >= 8) ?? ''),
  /** Does not keep to JSON. */
  'breaks-json': () => 'I think that it is quite good: {"verdicts": [',
};

function verdicts(rows: Asked[], quoteOf: (row: Asked) => string) {
  return {
    verdicts: rows.map((row) => {
      const quote = quoteOf(row);
      const value = row.row.startsWith('tests.') ? (quote === '' ? 0 : (row.weight ?? 1)) : quote !== '';
      return { row: row.row, value, quote };
    }),
  };
}

/** What a scripted judge answers. Throws a SettingsError for a name that is none of the table's. */
export function playJudge(name: string): (request: ModelRequest) => ScriptedTurn {
  const judge = scriptedJudges[name];
  if (judge === undefined) {
    throw new SettingsError(`judge.model.scripted: no scripted judge "${name}"`, {
      expected: `one of ${Object.keys(scriptedJudges).join(', ')}`,
      found: name,
      next: 'choose one of them, or give base_url for a real model',
    });
  }
  return (request) => {
    const prompt = request.turns[0]?.text ?? '';
    const rows = prompt.split('\n').flatMap((line) => (line.startsWith('{"row":') ? [JSON.parse(line) as Asked] : []));
    const part = (what: string) => {
      const [, nonce] = /<<<(\w+) response begins>>>/.exec(prompt) ?? [];
      const inside = prompt.split(`<<<${nonce} ${what} begins>>>\n`)[1]?.split(`\n<<<${nonce} ${what} ends>>>`)[0] ?? '';
      return inside.split('\n').filter((line) => line.trim() !== '');
    };
    const answer = judge(rows, part('response'), part('patch'));
    return { fault: null, text: typeof answer === 'string' ? answer : JSON.stringify(answer), toolUses: [] };
  };
}
