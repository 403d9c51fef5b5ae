// npx nx g skill-trial:case <name> [--language python] [--skill <skill>]
import type { Tree } from '@nx/devkit';
import leven from 'leven';
import { SettingsError } from '../errors.js';
import type { TaskType } from '../requirement.js';
import { mustBeFree, mustBeSlug } from './target.js';

export interface CaseOptions {
  name: string;
  language?: 'node' | 'python';
  type?: TaskType;
  skill?: string;
}

/** What a language gives to a new case: its files, and how it is built and tested. */
interface Scaffold {
  module: string;
  call: string;
  repo: Record<string, string[]>;
  solution: Record<string, string[]>;
  verifier: Record<string, string[]>;
  checks: string[];
  suite: string[];
}

const scaffolds: Record<'node' | 'python', Scaffold> = {
  node: {
    module: 'src/greeting.js',
    call: 'greet(name)',
    repo: {
      'package.json': ['{ "name": "greeting", "private": true, "type": "module" }'],
      'src/greeting.js': ['export function greet(name) {', "  return 'Hello, ' + name + '.';", '}'],
      'test/greeting.test.js': [
        "import assert from 'node:assert/strict';",
        "import { test } from 'node:test';",
        "import { greet } from '../src/greeting.js';",
        '',
        "test('greets by name', () => {",
        "  assert.equal(greet('Ada'), 'Hello, Ada.');",
        '});',
      ],
    },
    solution: {
      'src/greeting.js': [
        'export function greet(name) {',
        '  const known = name.trim();',
        "  return known === '' ? 'Hello.' : 'Hello, ' + known + '.';",
        '}',
      ],
    },
    verifier: {
      'verifier/greeting.test.js': [
        "import assert from 'node:assert/strict';",
        "import { test } from 'node:test';",
        "import { greet } from '../src/greeting.js';",
        '',
        '// A title names the criterion that its test verifies, or says that it guards what was there before.',
        "test('[AC-1] spaces around a name are left out', () => {",
        "  assert.equal(greet('  Ada '), 'Hello, Ada.');",
        '});',
        '',
        "test('[AC-2] without a name there is no comma', () => {",
        "  assert.equal(greet(''), 'Hello.');",
        "  assert.equal(greet('   '), 'Hello.');",
        '});',
        '',
        "test('[regression] a plain name is greeted as before', () => {",
        "  assert.equal(greet('Ada'), 'Hello, Ada.');",
        '});',
      ],
    },
    checks: [
      '    - {level: L1, framework: exit-status, command: [node, --check, src/greeting.js]}',
      '    - {level: L2, framework: node-test, command: [node, --test, verifier/]}',
    ],
    suite: ['tests:', '  framework: node-test', '  include: ["test/**/*.test.js"]', 'suite: [node, --test, test/]'],
  },
  python: {
    module: 'greeting.py',
    call: 'greet(name)',
    repo: {
      'greeting.py': ['def greet(name):', '    return f"Hello, {name}."'],
      'tests/test_greeting.py': [
        'from greeting import greet',
        '',
        '',
        'def test_greets_by_name():',
        '    assert greet("Ada") == "Hello, Ada."',
      ],
    },
    solution: {
      'greeting.py': ['def greet(name):', '    known = name.strip()', '    return f"Hello, {known}." if known else "Hello."'],
    },
    verifier: {
      'verifier/test_greeting_requirement.py': [
        'import pytest',
        '',
        'from greeting import greet',
        '',
        '',
        '# A name holds the criterion that its test verifies, or says that it guards what was there before.',
        'def test_AC_1_spaces_around_a_name_are_left_out():',
        '    assert greet("  Ada ") == "Hello, Ada."',
        '',
        '',
        '@pytest.mark.parametrize("name", ["", "   "])',
        'def test_AC_2_without_a_name_there_is_no_comma(name):',
        '    assert greet(name) == "Hello."',
        '',
        '',
        'def test_regression_a_plain_name_is_greeted_as_before():',
        '    assert greet("Ada") == "Hello, Ada."',
      ],
    },
    checks: [
      '    - {level: L1, framework: exit-status, command: [python3, -m, py_compile, greeting.py]}',
      '    - {level: L2, framework: pytest, command: [python3, -m, pytest, -q, verifier]}',
    ],
    suite: ['tests:', '  framework: pytest', '  include: ["tests/**/test_*.py"]', 'suite: [python3, -m, pytest, -q, tests]'],
  },
};

/** Writes `data/cases/<name>`, which holds as it is made. Refuses a name that is taken and a skill that is not there. */
export default function generateCase(tree: Tree, { name, language = 'node', type = 'feature', skill }: CaseOptions): void {
  mustBeSlug('The case', name);
  const folder = `data/cases/${name}`;
  mustBeFree(tree, folder);
  if (skill !== undefined) mustBeSkill(tree, skill);
  const scaffold = scaffolds[language];
  const write = (path: string, lines: string[]) => tree.write(`${folder}/${path}`, `${lines.join('\n')}\n`);
  write('case.yaml', settings(name, language, type, skill, scaffold));
  write('task.txt', document(scaffold));
  for (const part of ['repo', 'solution', 'verifier'] as const)
    for (const [path, lines] of Object.entries(scaffold[part])) write(`${part}/${path}`, lines);
  console.log(`Next: change ${folder}, name it under cases in an experiment.yaml, and run npx nx run <experiment>:validate`);
}

function settings(name: string, language: string, type: TaskType, skill: string | undefined, scaffold: Scaffold): string[] {
  return [
    'schema_version: 1',
    `name: ${name}`,
    'title: A greeting for people without a name',
    'summary: Replace title and summary, and all that follows, by your own.',
    `language: ${language}`,
    '# or a commit of a repository: {git: <address>, commit: <40 digits>}',
    'repo:',
    '  path: repo',
    '# The container that it runs in, and what makes the repository ready, where it needs any:',
    '# environment: {image: <name>}',
    '# setup: {command: npm ci, network: {allow: ["<host>:443"]}}',
    'task: task.txt',
    ...(skill === undefined ? [] : [`skills: [${skill}]`]),
    'requirement:',
    `  type: ${type}`,
    '  criteria:',
    '    - {id: AC-1, text: "spaces around a name are left out"}',
    '    - {id: AC-2, text: "without a name the greeting is Hello."}',
    `  files: ["${scaffold.module}"]`,
    '# Hidden tests, laid over what the agent leaves. They fail on repo, and pass on repo with solution laid over it.',
    'verifier:',
    '  files: verifier',
    '  checks:',
    ...scaffold.checks,
    ...scaffold.suite,
    'solution: solution',
  ];
}

function document({ module, call }: Scaffold): string[] {
  return [
    '# Greet people without a name',
    '',
    '## Background',
    '',
    `\`${module}\` holds \`${call}\`, which greets a person by name. Names come from a form that people leave empty.`,
    '',
    '## Requirement',
    '',
    `Make \`${call}\` fit for names with spaces around them, and for none at all.`,
    '',
    '## File Operations',
    '',
    `- Change \`${module}\`.`,
    '',
    '## Acceptance Criteria',
    '',
    `- AC-1: Spaces around a name are left out of the greeting.`,
    `- AC-2: For a name that is empty, or of spaces only, the greeting is \`Hello.\``,
  ];
}

function mustBeSkill(tree: Pick<Tree, 'exists' | 'children'>, name: string): void {
  if (tree.exists(`skills-src/${name}/SKILL.md`)) return;
  const known = tree.children('skills-src').filter((one) => tree.exists(`skills-src/${one}/SKILL.md`));
  const nearest = [...known].sort((x, y) => leven(x, name) - leven(y, name))[0];
  throw new SettingsError(`Skill "${name}" not found`, {
    expected: known.length === 0 ? 'a skill below skills-src' : `one of ${known.join(', ')}`,
    found: name,
    next: nearest === undefined ? 'leave --skill out' : `did you mean ${nearest}?`,
  });
}
