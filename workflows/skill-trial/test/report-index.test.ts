import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prettyJson } from '../src/record.js';
import { entryOf, readReportSeries, renderIndex, writeReportIndex } from '../src/report-index.js';
import { tempFolder } from './fixture.js';
import { hostileReport, makeReport, threeArmReport } from './fixtures/report.js';

const old = makeReport({ lock: 'a'.repeat(64), frozenAt: '2026-01-01T00:00:00.000Z' });
const now = makeReport({ lock: 'b'.repeat(64), frozenAt: '2026-02-01T00:00:00.000Z' });

describe('reports/index.html', () => {
  test('lists present reports, those of earlier locks and examples; what it cannot read is named', async () => {
    const root = await tempFolder({
      'data/runs/shop/reports/aaaa.json': prettyJson(old),
      'data/runs/shop/reports/bbbb.json': prettyJson(now),
      'reports/shop/report.json': prettyJson(now),
      'reports/examples/three/report.json': prettyJson(threeArmReport()),
      'reports/broken/report.json': '{"schemaVersion": 1}',
    });
    const series = await readReportSeries(root);
    expect(series.map(({ experiment, reports, page, unreadable }) => [experiment, reports.length, page, unreadable])).toEqual([
      ['broken', 0, null, ['reports/broken/report.json']],
      ['shop', 2, 'shop/index.html', []],
      ['examples/three', 1, 'examples/three/index.html', []],
    ]);
    expect(series[1]?.reports.map(({ lock }) => lock[0])).toEqual(['a', 'b']);
    expect(await writeReportIndex(root)).toBe(join(root, 'reports/index.html'));
  });

  test('one line a lock and contrast, oldest first, the primary metric on one scale, SCRIPTED on each line', () => {
    const page = renderIndex([
      { experiment: 'shop', reports: [old, now].map(entryOf), page: 'shop/index.html', unreadable: [] },
      { experiment: 'three', reports: [entryOf(threeArmReport())], page: null, unreadable: [] },
    ]);
    const rows = [...page.matchAll(/<tr><th scope="row">(.*?)<\/th>/g)].map(([, head]) => head);
    expect(rows).toHaveLength(4);
    expect(rows[0]).toContain('2026-01-01');
    expect(rows.map((head) => head?.includes('SCRIPTED'))).toEqual([true, true, false, false]);
    expect(page.match(/<svg class="strip"/g)).toHaveLength(4);
    expect(page).not.toMatch(/<script|(?:src|href)="https?:|\sstyle=/i);
  });

  test('no report yet, and hostile text, are said as text', () => {
    expect(renderIndex([])).toContain('There is no report yet');
    const page = renderIndex([{ experiment: '<b>', reports: [entryOf(hostileReport())], page: '../x', unreadable: ['<i>'] }]);
    expect(page).not.toMatch(/<script|<b>|<i>|href="\.\.\//);
  });
});
