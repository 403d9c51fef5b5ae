import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { renderJunit } from '../src/report-junit.js';
import { hostileReport, makeReport } from './fixtures/report.js';

interface Case {
  '@name': string;
  failure?: { '@message': string };
  skipped?: { '@message': string };
}
const read = (text: string) => {
  expect(XMLValidator.validate(text)).toBe(true);
  const { testsuites } = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    isArray: (name) => ['testsuite', 'testcase', 'property'].includes(name),
  }).parse(text);
  return testsuites as {
    '@name': string;
    '@failures': string;
    '@tests': string;
    testsuite: { '@name': string; '@tests': string; '@failures': string; '@skipped': string; testcase: Case[] }[];
  };
};

describe('junit.xml', () => {
  test('one testcase a point and a criterion; the counts are those of the cases', () => {
    const report = makeReport();
    const suites = read(renderJunit(report));
    expect(suites.testsuite[0]?.testcase).toHaveLength(12);
    expect(suites.testsuite.slice(1).map((one) => one.testcase.length)).toEqual(
      report.decision.contrasts.map((one) => one.criteria.length),
    );
    for (const one of suites.testsuite) {
      expect(Number(one['@tests'])).toBe(one.testcase.length);
      expect(Number(one['@failures'])).toBe(one.testcase.filter((row) => row.failure !== undefined).length);
      expect(Number(one['@skipped'])).toBe(one.testcase.filter((row) => row.skipped !== undefined).length);
    }
    expect(suites['@name']).toBe('SCRIPTED shop');
  });

  test('only a point that does not hold fails; what cannot be told and a criterion that is not met are skipped with the reason', () => {
    const plain = makeReport();
    const report = makeReport({
      verification: plain.verification.map((point, index) => ({
        ...point,
        holds: index === 0 ? false : index === 1 ? null : true,
        evidence: [`evidence ${index}`],
      })),
      decision: {
        ...plain.decision,
        contrasts: plain.decision.contrasts.map((one) => ({
          ...one,
          criteria: [{ criterion: 'no worse', met: false, figures: '1 against 2' }],
        })),
      },
    });
    const [points, decision] = read(renderJunit(report)).testsuite;
    expect(points?.testcase.map((row) => row.failure?.['@message'])).toEqual(['evidence 0', ...Array(11).fill(undefined)]);
    expect(points?.testcase[1]?.skipped?.['@message']).toBe('cannot be told: evidence 1');
    expect(decision?.testcase[0]?.failure).toBeUndefined();
    expect(decision?.testcase[0]?.skipped?.['@message']).toBe('not met: 1 against 2');
  });

  test('hostile text stays text, and the same report gives the same bytes', () => {
    const text = renderJunit(hostileReport());
    read(text);
    expect(text).not.toContain('<script');
    expect(text).not.toContain('\u202e');
    expect(renderJunit(hostileReport())).toBe(text);
  });
});
