import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Base, captureChange, makeBase, makeWorkspace } from '../skill-trial/src/base.js';
import { type Case, readCase, scriptsFolder, testedCase } from '../skill-trial/src/case.js';
import { listExperiments, readExperiment } from '../skill-trial/src/experiment.js';
import { findLeaks } from '../skill-trial/src/leak.js';
import { changedFiles, newTests } from '../skill-trial/src/new-tests.js';
import { plainPlace } from '../skill-trial/src/place.js';
import { findSandbox } from '../skill-trial/src/sandbox.js';
import type { SandboxKind } from '../skill-trial/src/sandbox-plan.js';
import { loadScript } from '../skill-trial/src/script.js';
import { readSkills } from '../skill-trial/src/skill.js';
import { isGreen, runTestCheck } from '../skill-trial/src/test-check.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const needs: Record<string, string> = { node: process.execPath, python: '/usr/bin/pytest-3' };

describe.each(['inventory', 'inventory-py'])('case %s', (name) => {
  let one: Case;
  let base: Base;
  let sandbox: SandboxKind;
  let scratch: string;

  beforeAll(async () => {
    one = await readCase(join(root, 'data/cases', name));
    scratch = await mkdtemp(join(tmpdir(), 'skill-trial-case-'));
    base = await makeBase(one, join(scratch, 'bases'));
    sandbox = (await findSandbox('auto')).kind;
  });
  afterAll(() => rm(scratch, { recursive: true, force: true }));

  const program = needs[name === 'inventory' ? 'node' : 'python'] as string;
  const missing = !existsSync(program);
  const run = (title: string, action: () => Promise<void>) =>
    test(title, async ({ skip }) => {
      if (missing && process.env.CI !== 'true') skip(`${program} is not installed`);
      await action();
    });

  /** Lays folders over the base, one after the other, and gives the outcome of every hidden test by requirement. */
  async function hiddenOutcomes(...overlays: string[]): Promise<Record<string, string[]>> {
    const files = Object.values(one.hidden);
    const overlay = [
      ...overlays.map((folder): [string, string] => [folder, '.']),
      ...files.map((file): [string, string] => [join(one.folder, file), file]),
    ];
    const out = await mkdtemp(join(scratch, 'hidden-'));
    const { tests } = await runTestCheck(
      { name: 'hidden', case: testedCase(one), base, patch: null, overlay, files, ...plainPlace(sandbox), timeoutMs: 60_000 },
      out,
    );
    const outcomes: Record<string, string[]> = {};
    for (const [requirement, file] of Object.entries(one.hidden)) {
      outcomes[requirement] = [...new Set(tests.filter((row) => row.file === file).map((row) => row.outcome))].sort();
    }
    return outcomes;
  }
  const failing = (outcomes: Record<string, string[]>) =>
    Object.keys(outcomes).filter((id) => outcomes[id]?.some((outcome) => outcome !== 'passed'));

  run('the starting suite is green and exposes none of the defects', async () => {
    const plan = {
      name: 'suite',
      case: testedCase(one),
      base,
      patch: null,
      overlay: [],
      files: null,
      ...plainPlace(sandbox),
      timeoutMs: 60_000,
    };
    expect(isGreen(await runTestCheck(plan, join(scratch, 'suite')))).toBe(true);
  });

  run('each of R1 to R5 is a real defect: its hidden test fails on the base, by assertion alone', async () => {
    const outcomes = await hiddenOutcomes();
    expect(Object.keys(outcomes)).toEqual(['R1', 'R2', 'R3', 'R4', 'R5']);
    for (const [id, seen] of Object.entries(outcomes)) {
      expect(seen, id).toContain('assertion');
      expect(
        seen.filter((outcome) => outcome !== 'assertion' && outcome !== 'passed'),
        id,
      ).toEqual([]);
    }
  });

  run('the reference solution passes every hidden test and its own suite', async () => {
    const solution = join(one.folder, one.solution as string);
    expect(failing(await hiddenOutcomes(solution))).toEqual([]);
    const plan = {
      name: 'suite',
      case: testedCase(one),
      base,
      patch: null,
      overlay: [[solution, '.']] as [string, string][],
      files: null,
      ...plainPlace(sandbox),
      timeoutMs: 60_000,
    };
    expect(isGreen(await runTestCheck(plan, join(scratch, 'solution-suite')))).toBe(true);
  });

  run('each mutant fails exactly the hidden tests that the committed matrix says', async () => {
    const mutants = join(one.folder, one.mutants as string);
    const matrix = parse(await readFile(join(mutants, 'matrix.csv')), { columns: true }) as {
      mutant: string;
      must_fail: string;
    }[];
    expect(matrix.map((row) => row.mutant).sort()).toEqual(
      (await readdir(mutants, { withFileTypes: true }))
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name)
        .sort(),
    );
    for (const { mutant, must_fail } of matrix) {
      expect(failing(await hiddenOutcomes(join(one.folder, one.solution as string), join(mutants, mutant))), mutant).toEqual(
        must_fail.split(' '),
      );
    }
  });

  run('every scripted plan leaves a green suite, and its new tests fail on the base by assertion or not at all', async () => {
    const plans = join(scriptsFolder(one), 'plans');
    for (const plan of await readdir(plans)) {
      const files = join(plans, plan, 'files');
      if (!existsSync(files)) continue; // a plan that changes nothing
      const [workspace, out] = [join(scratch, 'plan', plan), join(scratch, 'plan-out', plan)];
      await mkdir(out, { recursive: true });
      await makeWorkspace(base, workspace);
      await cp(files, workspace, { recursive: true });
      await captureChange(workspace, base, out);
      const patch = join(out, 'patch.diff');
      const tests = newTests(changedFiles(await readFile(patch, 'utf8')), testedCase(one).tests);
      const common = { name: plan, case: testedCase(one), base, ...plainPlace(sandbox), timeoutMs: 60_000 };
      expect(isGreen(await runTestCheck({ ...common, patch, overlay: [], files: null }, join(out, 'suite'))), plan).toBe(true);
      const overlay = tests.copied.map((path): [string, string] => [join(workspace, path), path]);
      const control = await runTestCheck({ ...common, patch: null, overlay, files: tests.files }, join(out, 'control'));
      expect(
        control.tests.map((row) => row.outcome).filter((outcome) => outcome !== 'assertion' && outcome !== 'passed'),
        plan,
      ).toEqual([]);
    }
  });

  test('every script names plans that exist', async () => {
    for (const file of await readdir(scriptsFolder(one)))
      if (file.endsWith('.yaml')) await loadScript(scriptsFolder(one), file.replace(/\.yaml$/, ''));
  });

  test('no skill that an experiment gives it leaks its answer, and the list of words would find one that does', async () => {
    const experiments = await Promise.all((await listExperiments(root)).map((id) => readExperiment(root, id)));
    const given = experiments
      .filter((experiment) => experiment.cases.includes(name))
      .flatMap((experiment) => Object.values(experiment.arms).flatMap((arm) => arm.skills));
    const skills = (await readSkills(join(root, 'skills-src'))).filter((skill) => given.includes(skill.name));
    expect(skills.map((skill) => skill.name)).toEqual(['behavior-test-design', 'contract-doc-sync', 'evidence-code-review']);
    expect(await findLeaks(one, skills)).toEqual([]);
    const leaky = join(scratch, 'skills', 'leaky');
    await mkdir(leaky, { recursive: true });
    await writeFile(
      join(leaky, 'SKILL.md'),
      `---\nname: leaky\ndescription: Says too much.\n---\nAlways look at the ${one.leak_words[0]}.\n`,
    );
    expect((await findLeaks(one, await readSkills(join(scratch, 'skills'))))[0]).toMatchObject({
      skill: 'leaky',
      word: one.leak_words[0],
      line: 5,
    });
  });
});

test('every skill of the project is valid by the agentskills.io rules', async () => {
  const skills = await readSkills(join(root, 'skills-src'));
  const folders = await readdir(join(root, 'skills-src'), { withFileTypes: true });
  expect(skills.map((skill) => skill.name)).toEqual(
    folders
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort(),
  );
  for (const skill of skills) {
    expect(skill.warnings, skill.name).toEqual([]);
    expect(skill.version, skill.name).toMatch(/^\d+\.\d+\.\d+$/);
    expect(skill.owner, skill.name).not.toBe(null);
  }
});
