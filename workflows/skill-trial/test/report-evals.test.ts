import { describe, expect, test } from 'vitest';
import { evalsSection } from '../src/report-evals.js';
import { renderMarkdown, sectionMarkdown } from '../src/report-markdown.js';
import { renderPage } from '../src/report-page.js';
import { makeBenchmarkFixture } from './fixtures/benchmark.js';
import { figures, hostile, makeReport } from './fixtures/report.js';

const { judge, deliver, effects, further, triggers } = makeBenchmarkFixture();
const evals = {
  judge,
  deliver,
  effects,
  further,
  triggers,
  arm: 'B',
  control: 'A',
  grading: 'data/runs/shop/grading.json',
  cases: [{ skill: 'tea', case: 'shop' }],
};
const report = makeReport({ evals });

describe('evals in the report', () => {
  test('stand skill by skill with the counts and words of the benchmark, and a link to the record of every verdict', () => {
    const written = sectionMarkdown(evalsSection(report)[0] as never, '../../');
    expect(effects.length).toBeGreaterThan(0);
    for (const effect of effects) {
      const row = written.split('\n').find((line) => line.startsWith(`| ${effect.skill} |`)) ?? '';
      expect(row).toContain(`${effect.with.passed} of ${effect.with.total}`);
      expect(row).toContain(`${effect.without.passed} of ${effect.without.total}`);
      expect(row.trim().endsWith(`${effect.conclusion} |`)).toBe(true);
    }
    expect(written).toContain('](../../data/runs/shop/grading.json)');
    expect(renderMarkdown(report, [])).toContain(written.trim());
  });

  test('are absent where there are none, and say so where none is scored', () => {
    expect(evalsSection(makeReport())).toEqual([]);
    const nothing = makeReport({ evals: { ...evals, effects: [], further: [], triggers: [] } });
    expect(sectionMarkdown(evalsSection(nothing)[0] as never, '')).toContain('Nothing is scored.');
  });

  test('keep what a source called its skill as text', () => {
    const named = makeReport({ evals: { ...evals, effects: effects.map((row) => ({ ...row, skill: hostile })) } });
    const page = renderPage(named, figures);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toContain('<script>alert(1)');
  });

  test('activation is printed with its intervals, and each number leads to the runs that loaded the skill', () => {
    const rate = (k: number, n: number) => ({
      value: k / n,
      k,
      n,
      interval: { low: 0.25, high: 0.75, level: 0.95, attained: 0.95, method: 'wilson' },
    });
    const trigger = { truePositive: 1, falsePositive: 1, falseNegative: 0, trueNegative: 0, confusions: [] };
    const row = {
      skill: 'review',
      ...trigger,
      precision: rate(1, 2),
      recall: rate(1, 1),
    };
    const whole = makeReport({ evals: { ...evals, triggers: [row], cases: [{ skill: 'review', case: 'shop' }] } });
    const page = renderPage(whole, figures);
    const [, title] = /href="#how-B-A-activation-1" title="([^"]*)">50 % \(1 of 2; 25 % to 75 %\)</.exec(page) ?? [];
    expect(title).toContain('n 2/3 without, 2/2 with. shop.A.1: not loaded');
    expect(title).toContain('shop.B.2: loaded');
    expect(page).toContain('<tr id="how-B-A-activation-1">');
  });
});
