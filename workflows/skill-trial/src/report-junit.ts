import { XMLBuilder } from 'fast-xml-parser';
import type { Report } from './report.js';
import { scriptedBanner } from './report-view.js';
import { visible } from './visible.js';

interface Row {
  name: string;
  outcome: 'passed' | 'failed' | 'skipped';
  message: string;
}

/**
 * junit.xml, for a CI that lists tests: one testcase for each of the twelve points and for each criterion of the acceptance rule. Only a
 * point that does not hold is a failure. A criterion that is not met is a result: it and what cannot be told are skipped, with the
 * reason. The same report gives the same bytes; no time is stated.
 */
export function renderJunit(report: Report): string {
  const points = report.verification.map(
    ({ point, title, holds, evidence }): Row => ({
      name: `${point}. ${title}`,
      outcome: holds === null ? 'skipped' : holds ? 'passed' : 'failed',
      message: `${holds === null ? 'cannot be told: ' : ''}${evidence.join('; ')}`,
    }),
  );
  const suites = [
    suite(report, 'verification', points),
    ...report.decision.contrasts.map(({ contrast, criteria }) =>
      suite(
        report,
        `decision ${contrast}`,
        criteria.map(
          ({ criterion, met, figures }): Row => ({
            name: criterion,
            outcome: met === true ? 'passed' : 'skipped',
            message: `${met === null ? 'cannot be judged' : met ? 'met' : 'not met'}: ${figures}`,
          }),
        ),
      ),
    ),
  ];
  const sum = (key: '@tests' | '@failures' | '@skipped') => suites.reduce((total, one) => total + one[key], 0);
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    format: true,
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
  });
  const body = builder.build({
    testsuites: {
      '@name': `${report.scripted ? 'SCRIPTED ' : ''}${report.experiment}`,
      '@tests': sum('@tests'),
      '@failures': sum('@failures'),
      '@skipped': sum('@skipped'),
      testsuite: suites,
    },
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${body}`;
}

function suite({ experiment, scripted, lock }: Report, name: string, rows: Row[]) {
  const count = (outcome: Row['outcome']) => rows.filter((row) => row.outcome === outcome).length;
  return {
    '@name': name,
    '@tests': rows.length,
    '@failures': count('failed'),
    '@errors': 0,
    '@skipped': count('skipped'),
    properties: {
      property: [
        { '@name': 'lock', '@value': lock },
        { '@name': 'scripted', '@value': String(scripted) },
        ...(scripted ? [{ '@name': 'warning', '@value': scriptedBanner.title }] : []),
      ],
    },
    testcase: rows.map((row) => ({
      '@classname': `${experiment}.${name}`,
      '@name': visible(row.name),
      ...(row.outcome === 'failed' ? { failure: { '@message': visible(row.message) } } : {}),
      ...(row.outcome === 'skipped' ? { skipped: { '@message': visible(row.message) } } : {}),
      ...(row.outcome === 'passed' ? { 'system-out': visible(row.message) } : {}),
    })),
  };
}
