import { describe, expect, test } from 'vitest';
import { findInterference } from '../src/interference.js';

const patchOf = (file: string, ...added: string[]) =>
  `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1,1 +1,${added.length + 1} @@\n kept\n${added.map((line) => `+${line}\n`).join('')}`;

const skill = `# Meshes

Use a ServiceProfile in prose.

\`\`\`yaml
apiVersion: policy.example/v1beta1
kind: ServerAuthorization
metricsServers: enabled for every route
\`\`\`

Set \`retry_budget\`.
`;

const look = (patch: string, parts: Partial<Parameters<typeof findInterference>[0]> = {}) =>
  findInterference({
    patch,
    skills: [skill],
    sources: ['the task names retry_budget', 'apiVersion: policy.example/v1beta3'],
    files: null,
    ...parts,
  }).map(({ kind, what }) => `${kind}: ${what}`);

describe('what a patch shows of its skill', () => {
  test('a name out of the skill’s code that neither the repository nor the task has', () => {
    expect(look(patchOf('mesh.yaml', 'x: ServerAuthorization', 'retry_budget: 3'))).toEqual(['anchoring: ServerAuthorization']);
  });

  test('a line of its example, as it stands there', () => {
    expect(look(patchOf('mesh.yaml', '  metricsServers: enabled for every route'))).toEqual([
      'anchoring: metricsServers',
      'template bleed: metricsServers: enabled for every route',
    ]);
  });

  test('a file outside those the requirement names', () => {
    expect(look(patchOf('extra/policy.yaml', 'a: 1'), { files: ['mesh.yaml', 'docs/**'] })).toEqual([
      'unrequested file: extra/policy.yaml',
    ]);
    expect(look(patchOf('docs/a.md', 'text'), { files: ['mesh.yaml', 'docs/**'] })).toEqual([]);
  });

  test('nothing of words in prose, of lines taken away, or without a skill', () => {
    expect(look(patchOf('a.txt', 'ServiceProfile here'))).toEqual([]);
    expect(look('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,1 +0,0 @@\n-kind: ServerAuthorization\n')).toEqual([]);
    expect(look(patchOf('a.yaml', 'kind: ServerAuthorization'), { skills: [] })).toEqual([]);
    expect(look('')).toEqual([]);
  });
});
