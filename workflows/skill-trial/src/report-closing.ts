import { scriptsOf } from './arm.js';
import type { Conclusion } from './conclusion.js';
import type { Report } from './report.js';
import { type Block, details, heading, joined, list, mark, record, type Section, table, text } from './report-document.js';
import { type ContrastView, tally } from './report-view.js';

/** Conclusion, failure detectors, limitations, the twelve points, and how to do it again. */
export function closingSections(report: Report, views: ContrastView[]): Section[] {
  return [
    {
      id: 'conclusion',
      title: 'Conclusion',
      blocks: views.flatMap(({ name, conclusion }) => conclusionBlocks(conclusion, views.length > 1 ? ` (${name})` : '')),
    },
    {
      id: 'detectors',
      title: 'Failure detectors',
      blocks: [
        table(
          'Nine ways in which such an experiment goes wrong, each looked for',
          ['Failure', 'Looked for', 'Evidence'],
          report.detectors.map((row) => [
            row.failure,
            mark(row.detected === null ? null : !row.detected, 'not found', 'FOUND'),
            row.evidence,
          ]),
        ),
      ],
    },
    { id: 'limitations', title: 'Limitations', blocks: [list(report.limitations)] },
    {
      id: 'verification',
      title: 'The twelve points',
      blocks: [
        text(`${tally(report).words}. The lab’s own account: the verify step derives it again from the records.`),
        table(
          'Twelve points of verification',
          ['Point', 'Verdict', 'Evidence'],
          report.verification.map((row) => [
            `${row.point}. ${row.title}`,
            mark(row.holds, 'holds', 'does not hold'),
            row.evidence.join('; '),
          ]),
        ),
      ],
    },
    reproduceSection(report),
  ];
}

function conclusionBlocks(conclusion: Conclusion | undefined, name: string): Block[] {
  if (conclusion === undefined) return [text(`No conclusion is available${name}.`)];
  return [
    heading(`Observation${name}`),
    list(conclusion.observation),
    heading(`Evidence${name}`),
    details('The saved records that the figures come from', [
      list(
        conclusion.evidence.map(({ of, paths }) => [
          ...(of === null ? [] : [`${of}: `]),
          ...joined(paths.map((path) => record(path))),
        ]),
      ),
    ]),
    heading(`Interpretation${name}`),
    list(conclusion.interpretation),
    heading(`Decision${name}`),
    list(conclusion.decision),
  ];
}

function reproduceSection({ experiment, lock, conditions, arms }: Report): Section {
  const run = (target: string) => `npx nx run ${experiment}:${target}`;
  const steps = [
    'freeze',
    'discover',
    ...arms.map((arm) => `run-${arm.name}`),
    'negative-control',
    'stability',
    'score',
    'analyse',
    'report',
    'verify',
  ];
  const real = scriptsOf(conditions.settings).length === 0;
  return {
    id: 'reproduce',
    title: 'How to reproduce',
    blocks: [
      text('In a clone of the repository that this report comes from, with Node 20.19 or newer and git:'),
      { kind: 'code', text: ['npm ci', run('report'), run('verify')].join('\n') },
      text('The same, step by step:'),
      { kind: 'code', text: steps.map(run).join('\n') },
      text([
        'Equal conditions give the lock id ',
        { code: lock },
        '. Records that exist are kept: to run the agent anew, move ',
        { code: `data/runs/${experiment}` },
        ' away first.',
      ]),
      text(
        real
          ? ['The model’s answers are not deterministic: expect other figures, and the same procedure.']
          : [
              'To measure a real model, change ',
              { code: 'model' },
              ' in ',
              record(`data/experiments/${experiment}/experiment.yaml`),
              ' and run the same commands.',
            ],
      ),
    ],
  };
}
