import { describe, expect, test } from 'vitest';
import { crateMetadata } from '../src/ro-crate.js';
import type { TrialRecord } from '../src/trial-record.js';
import { makeReport } from './fixtures/report.js';

type Entity = Record<string, unknown> & { '@id': string; '@type': string | string[] };
const settings = 'data/experiments/shop/experiment.yaml';
const trials = (['A', 'B'] as const).map((arm, index) => ({
  path: `data/runs/shop/trials/${arm}/1`,
  record: {
    id: `shop.${arm}.1`,
    case: 'shop',
    arm,
    repeat: 1,
    scripted: true,
    status: index === 0 ? 'completed' : 'timed-out',
    reason: index === 0 ? 'The agent ended by itself.' : 'It took longer than 60 s.',
    startedAt: '2026-01-02T03:04:05.000Z',
    finishedAt: '2026-01-02T03:05:05.000Z',
  } as TrialRecord,
}));
const files = [
  settings,
  'data/cases/shop/case.yaml',
  ...trials.flatMap(({ path }) => ['prompt.txt', 'response.md', 'patch.diff', 'usage.json'].map((name) => `${path}/${name}`)),
  'reports/shop/report.json',
].map((path) => ({ path, sha256: 'a'.repeat(64), size: 1 }));

/** The entities of a crate by their ids. */
function crate(report = makeReport()): Map<string, Entity> {
  const { '@graph': graph } = crateMetadata(report, [], trials, files) as { '@graph': Entity[] };
  return new Map(graph.map((entity) => [entity['@id'], entity]));
}
const typesOf = (entity: Entity | undefined) => [entity?.['@type'] ?? []].flat();
const refers = (entity: Entity | undefined, key: string) =>
  [(entity?.[key] ?? []) as Entity | Entity[]].flat().map((one) => one['@id']);

// What RO-Crate 1.1, Process Run Crate 0.5, Workflow Run Crate 0.5 and Workflow RO-Crate 1.0 demand and, where it is known, advise.
describe('a bundle’s crate', () => {
  const entities = crate();
  const root = entities.get('./');
  const actions = [...entities.values()].filter((one) => typesOf(one).includes('CreateAction'));

  test('has a descriptor and a root with name, description, date, licence and each profile that it keeps, as an entity', () => {
    const descriptor = entities.get('ro-crate-metadata.json');
    expect(typesOf(descriptor)).toEqual(['CreativeWork']);
    expect(refers(descriptor, 'about')).toEqual(['./']);
    expect(refers(descriptor, 'conformsTo')).toEqual([
      'https://w3id.org/ro/crate/1.1',
      'https://w3id.org/workflowhub/workflow-ro-crate/1.0',
    ]);
    for (const key of ['name', 'description', 'license', 'datePublished']) expect(root, key).toHaveProperty(key);
    expect(root?.datePublished).toMatch(/^\d{4}-\d\d-\d\d$/);
    const profiles = refers(root, 'conformsTo');
    for (const profile of ['ro/wfrun/process/0.5', 'ro/wfrun/workflow/0.5', 'workflowhub/workflow-ro-crate/1.0']) {
      expect(profiles).toContain(`https://w3id.org/${profile}`);
      expect(typesOf(entities.get(`https://w3id.org/${profile}`))).toEqual(['CreativeWork']);
    }
  });

  test('has the settings as its workflow, with language and version, and runs it by an action', () => {
    const [main] = refers(root, 'mainEntity');
    const workflow = entities.get(main as string);
    expect(typesOf(workflow)).toEqual(['File', 'SoftwareSourceCode', 'ComputationalWorkflow']);
    expect(workflow).toMatchObject({ name: expect.any(String), version: expect.any(String) });
    expect(typesOf(entities.get(refers(workflow, 'programmingLanguage')[0] as string))).toEqual(['ComputerLanguage']);
    expect(actions.filter((one) => refers(one, 'instrument')[0] === main)).toHaveLength(1);
  });

  test('mentions every action, with a tool, name, description, times with their offset, results and status', () => {
    expect(actions.map((one) => one['@id'])).toEqual(['#run', '#trial-shop.A.1', '#trial-shop.B.1']);
    expect(refers(root, 'mentions')).toEqual(actions.map((one) => one['@id']));
    const tools = ['SoftwareApplication', 'SoftwareSourceCode', 'ComputationalWorkflow'];
    for (const action of actions) {
      const [tool] = refers(action, 'instrument');
      expect(typesOf(entities.get(tool as string)).some((type) => tools.includes(type))).toBe(true);
      for (const key of ['name', 'description']) expect(action[key], key).toEqual(expect.any(String));
      for (const key of ['startTime', 'endTime'])
        expect(action[key]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?\+\d\d:\d\d$/);
      expect(refers(action, 'result').length).toBeGreaterThan(0);
      for (const id of [...refers(action, 'object'), ...refers(action, 'result')])
        expect(typesOf(entities.get(id))).toContain('File');
      expect(action.actionStatus).toBe(`http://schema.org/${action['@id'].includes('.B.') ? 'Failed' : 'Completed'}ActionStatus`);
      expect('error' in action).toBe(action['@id'].includes('.B.'));
    }
  });

  test('names the agent by its package’s page, or by itself where experiment.yaml describes it', () => {
    const tool = (report: ReturnType<typeof makeReport>) => {
      const own = crate(report);
      return own.get(refers(own.get('#trial-shop.A.1'), 'instrument')[0] as string);
    };
    const report = makeReport();
    const withAgent = (agent: object) =>
      makeReport({ conditions: { ...report.conditions, agent: { ...report.conditions.agent, ...agent } } });
    const page = 'https://www.npmjs.com/package/@a/pi/v/1.2.3';
    expect(tool(withAgent({ name: 'pi', package: '@a/pi', version: '1.2.3' }))).toMatchObject({
      '@id': page,
      '@type': 'SoftwareApplication',
      softwareVersion: '1.2.3',
      url: page,
    });
    const own = tool(withAgent({ name: 'command', package: 'my-agent', version: '2.1.0' }));
    expect([own?.['@id'], own?.url]).toEqual(['#agent', undefined]);
  });
});
