import { expect, test } from 'vitest';
import { compareReports, differenceMarkdown, differenceText } from '../src/report-difference.js';
import { hostileReport, makeReport } from './fixtures/report.js';

test('a report does not differ from itself', () => {
  const { differences } = compareReports(makeReport(), makeReport());
  expect(differences).toEqual([]);
  expect(differenceText(compareReports(makeReport(), makeReport()))).toContain('Decision: no difference');
});

test('rows, decision, points, trials and conditions that differ are named with both values', () => {
  const before = makeReport({ scripted: false });
  const row = before.rows.find((one) => one.metric === 'review_completeness') as (typeof before.rows)[number];
  const after = makeReport({
    scripted: false,
    lock: 'f'.repeat(64),
    rows: before.rows.map((one) => (one === row ? { ...one, b: null, delta: null } : one)),
    decision: {
      ...before.decision,
      contrasts: before.decision.contrasts.map((one) => ({ ...one, descriptive: 'reject' as const })),
    },
    verification: before.verification.map((one) => (one.point === 3 ? { ...one, holds: false } : one)),
    trials: before.trials.slice(1),
    conditions: { ...before.conditions, node: 'v99.0.0' },
  });
  const { differences, caveats } = compareReports(before, after);
  const of = (part: string) => differences.filter((one) => one.part === part);
  expect(of('rows')).toHaveLength(1);
  expect(of('rows')[0]?.what).toContain(row.title);
  expect(of('rows')[0]?.after).toContain('not available (not available');
  expect(of('decision').map(({ after: now }) => now)).toEqual(['reject']);
  expect(of('verification').map(({ what, after: now }) => [what.slice(0, 2), now])).toEqual([['3.', 'does not hold']]);
  expect(of('trials')).toEqual([{ part: 'trials', what: before.trials[0]?.id, before: expect.any(String), after: null }]);
  expect(of('conditions').map(({ what, after: now }) => [what, now])).toEqual([['node', '"v99.0.0"']]);
  expect(caveats.join(' ')).toContain('More than the skills changed (node)');
});

test('a deviation from the plan that one report names and the other does not is a difference', () => {
  const before = makeReport();
  const said = 'Deviation from the plan: repeats was 3 and became 4';
  const { differences } = compareReports(before, makeReport({ limitations: [...before.limitations, said] }));
  expect(differences).toEqual([{ part: 'limitations', what: said, before: null, after: 'said' }]);
});

test('a scripted report is called so, in text and in Markdown', () => {
  const found = compareReports(makeReport(), makeReport({ scripted: false }));
  expect(differenceText(found)).toMatch(/^SCRIPTED shop/);
  expect(differenceText(found)).toContain('SCRIPTED: one report shows a script');
  expect(differenceMarkdown(found)).toContain('SCRIPTED: one report shows a script');
});

test('hostile text stays text in Markdown', () => {
  const text = differenceMarkdown(compareReports(makeReport(), hostileReport()));
  expect(text).not.toMatch(/(?<!\\)<script/);
  expect(text).not.toContain('\u202e');
  for (const line of text.split('\n').filter((one) => one.startsWith('|')))
    expect(line.match(/(?<!\\)\|/g), line).toHaveLength(4);
});

test('two reports of the same runs are called so, and not two runs at different times', () => {
  const before = makeReport();
  expect(compareReports(before, makeReport()).caveats.join(' ')).toContain('Both show the same runs');
  const anew = before.attempts.map((one) => ({ ...one, startedAt: '2030-01-01T00:00:00.000Z' }));
  expect(compareReports(before, makeReport({ attempts: anew })).caveats.join(' ')).toContain('not run at the same time');
});
