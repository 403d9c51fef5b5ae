import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PrerequisiteError } from './errors.js';
import { listExperiments, readExperiment } from './experiment.js';
import { rootPaths, runPaths } from './paths.js';
import { prettyJson, readJson, writeWhole } from './record.js';
import { Report } from './report.js';
import { text } from './report-document.js';
import { sectionMarkdown } from './report-markdown.js';
import { contrastBlocks } from './report-skills.js';
import { scriptedBanner } from './report-view.js';
import { effectTable, type SkillEffects } from './skill-effect.js';

export interface SkillSet {
  tag: string;
  /** True where the model of any experiment was SCRIPTED. */
  scripted: boolean;
  experiments: string[];
  /** Experiments of the tag that have no report yet. */
  missing: string[];
  tables: SkillEffects[];
}

/** The skill tables of several experiments as one for each contrast: p values corrected, and averages taken, over all skills of the set. */
export function combineEffects(reports: { experiment: string; skills: SkillEffects[] }[]): SkillEffects[] {
  const all = reports.flatMap(({ experiment, skills }) => skills.map((table) => ({ experiment, table })));
  return [...new Set(all.map(({ table }) => table.contrast))].sort().map((contrast) => {
    const own = all.filter(({ table }) => table.contrast === contrast);
    const names = own.flatMap(({ table }) => table.rows.map(({ skill }) => skill));
    const rows = own.flatMap(({ experiment, table }) =>
      table.rows.map((row) => {
        const twice = names.filter((name) => name === row.skill).length > 1;
        return twice ? { ...row, skill: `${row.skill} (${experiment})` } : row;
      }),
    );
    rows.sort((a, b) => (a.skill < b.skill ? -1 : 1));
    return effectTable(contrast, rows, combineChances(own.map(({ table }) => table.chances)));
  });
}

/** Means over the cases of all tables: each table's mean weighs as many cases as it rests on. */
function combineChances(tables: SkillEffects['chances'][]): SkillEffects['chances'] {
  const rows = tables.flat();
  return [...new Set(rows.map(({ k }) => k))]
    .sort((a, b) => a - b)
    .map((k) => {
      const own = rows.filter((row) => row.k === k);
      const cases = own.reduce((sum, row) => sum + row.cases, 0);
      const mean = (value: (row: (typeof own)[number]) => number | null) =>
        own.reduce<number | null>((sum, row) => {
          const one = value(row);
          return sum === null || one === null ? null : sum + (one * row.cases) / cases;
        }, 0);
      const side = (which: 'without' | 'with') => ({ any: mean((row) => row[which].any), all: mean((row) => row[which].all) });
      return { k, cases, without: side('without'), with: side('with') };
    });
}

/** Reads the reports of every experiment with that tag, one at a time. */
export async function readSkillSet(root: string, tag: string): Promise<SkillSet> {
  const tagged: string[] = [];
  for (const name of await listExperiments(root)) {
    if ((await readExperiment(root, name)).tags?.includes(tag)) tagged.push(name);
  }
  const reports: { experiment: string; scripted: boolean; skills: SkillEffects[] }[] = [];
  const missing: string[] = [];
  for (const experiment of tagged) {
    const file = runPaths(root, experiment).reportJson;
    if ((await stat(file).catch(() => null)) === null) missing.push(experiment);
    else {
      const { scripted, skills } = await readJson(file, Report);
      reports.push({ experiment, scripted, skills });
    }
  }
  if (reports.length === 0) {
    throw new PrerequisiteError(`No report of an experiment with the tag "${tag}"`, {
      expected: 'at least one experiment with this tag and a report',
      found: tagged.length === 0 ? 'no experiment with this tag' : `no report of ${tagged.join(', ')}`,
      next: `npx nx run-many -t report -p tag:${tag}`,
    });
  }
  return {
    tag,
    scripted: reports.some((one) => one.scripted),
    experiments: reports.map(({ experiment }) => experiment),
    missing,
    tables: combineEffects(reports),
  };
}

/** Writes reports/skill-sets/<tag>.json and .md; gives their paths. */
export async function writeSkillSet(root: string, set: SkillSet): Promise<string[]> {
  const folder = rootPaths(root).skillSets;
  const missing = set.missing.length === 0 ? [] : [text(`Without a report, and in no figure: ${set.missing.join(', ')}.`)];
  const section = {
    id: 'skills',
    title: `Skill by skill: ${set.tag}`,
    blocks: [
      ...(set.scripted ? [text({ strong: scriptedBanner.title })] : []),
      text(`From the reports of ${set.experiments.join(', ')}.`),
      ...missing,
      ...set.tables.flatMap(contrastBlocks),
    ],
  };
  const files = {
    [`${set.tag}.json`]: prettyJson({ schemaVersion: 1, ...set }),
    [`${set.tag}.md`]: `${sectionMarkdown(section, '../../')}\n`,
  };
  for (const [name, content] of Object.entries(files)) await writeWhole(join(folder, name), content);
  return Object.keys(files).map((name) => join(folder, name));
}
