import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { html, raw } from '../src/html.js';
import { metrics } from '../src/metric.js';
import { PageError, renderPage } from '../src/report-page.js';
import { skillEffects } from '../src/skill-effect.js';
import { makeBenchmarkFixture } from './fixtures/benchmark.js';
import { figures, hostileReport, makeReport, threeArmReport } from './fixtures/report.js';

type Trial = ReturnType<typeof makeReport>['trials'][number];
type Risk = ReturnType<typeof makeReport>['criticalRisks'][number];

const page = renderPage(makeReport(), figures);
const section = (id: string, text = page) => text.slice(text.indexOf(`<section id="${id}"`)).split('</section>')[0] as string;

/** The page without what its script elements hold: code, and data that only the code reads. */
const withoutScripts = (text: string) => text.replace(/(<script[^>]*>).*?<\/script>/gs, '');

/** Every tag, the values of its attributes emptied. */
const tags = (text: string) => text.replace(/"[^"]*"/g, '""').match(/<[^>]*>/g) ?? [];

describe('index.html', () => {
  it('says at the top, in its title and at its end that the model was scripted, and withholds the decision', () => {
    expect(page).toContain('<title>SCRIPTED: ');
    expect(page.indexOf('class="banner"')).toBeLessThan(page.indexOf('<main>'));
    expect(page.match(/SCRIPTED MODEL: nothing about the skills was measured/g)).toHaveLength(2);
    expect(section('summary').match(/<b>withheld<\/b>/g)).toHaveLength(2);
  });

  it('says nothing of a scripted model when a model was measured', () => {
    const measured = renderPage(makeReport({ scripted: false }), figures);
    expect(measured).not.toMatch(/scripted/i);
    expect(measured).toContain('<b>accept</b>');
    expect(measured).toContain('<b>not attainable</b>');
  });

  it('prints what was not measured as not available, never as 0', () => {
    const row = /<tr><th scope="row">Cached input<\/th>.*?<\/tr>/s.exec(section('results'))?.[0] ?? '';
    expect(row.match(/>not available<\/a>/g)).toHaveLength(3);
    expect(row).not.toMatch(/>0</);
    expect(row).not.toContain('<circle');
  });

  it('links each of the twelve rows to its records, and each value to how it was made', () => {
    for (const { id, title } of metrics) {
      const row =
        new RegExp(`<tr><th scope="row">${title.replace(/[()]/g, '\\$&')}</th>.*?</tr>`, 's').exec(section('results'))?.[0] ?? '';
      expect(row, title).toMatch(/href="\.\.\/\.\.\/data\/runs\/shop\//);
      expect(row, title).toContain(`href="#how-B-A-${id}"`);
      expect(page).toContain(`<tr id="how-B-A-${id}">`);
    }
  });

  it('opens, without a script, the formula, inputs, n and records of each value of the first screen', () => {
    const opened = [...section('summary').matchAll(/popovertarget="([^"]+)" title="([^"]+)"/g)];
    expect(opened.length).toBeGreaterThan(6);
    for (const [, id, title] of opened) {
      const account =
        new RegExp(`<div id="${id}" class="why" popover.*?</div>\n</div>|<div id="${id}".*?</p>`, 's').exec(page)?.[0] ?? '';
      expect(account, id).toMatch(/<dt>Formula<\/dt><dd>[^<]+/);
      expect(account, id).toMatch(/, n \d+\/\d+: /);
      expect(account, id).toMatch(/href="\.\.\/\.\.\/data\/runs\/shop\/|no record/);
      expect(title).toMatch(/; n \d+\/\d+ and \d+\/\d+\. /);
    }
  });

  it('holds the data behind each figure, as a table and as CSV that says SCRIPTED and runs no formula', () => {
    const figure = /<figure>.*?<\/figure>/s.exec(page)?.[0] ?? '';
    expect(figure).toContain('<td>not available</td>');
    const [, name, file = ''] = /download="([^"]+)" href="data:text\/csv;charset=utf-8;base64,([^"]+)"/.exec(figure) ?? [];
    expect(name).toBe('completeness.csv');
    expect(Buffer.from(file, 'base64').toString()).toBe("model,arm,share <i>\nSCRIPTED,A,0.5\nSCRIPTED,'=1+1,\n");
  });

  it('lists invalid trials apart', () => {
    const [valid = '', invalid = ''] = section('trials').split('<h3>Invalid trials</h3>');
    expect(valid).not.toContain('shop.A.3');
    expect(invalid).toContain('the task of the requests differs');
  });

  it('keeps hostile text as text', () => {
    const text = renderPage(hostileReport(), figures);
    const count = (of: string) => of.match(/<script/gi)?.length;
    expect(count(text)).toBe(count(page));
    expect(withoutScripts(text)).not.toMatch(/<img|href="(?!#|\.\.\/|report\.|figures\/|data:text\/csv;)/i);
    expect(tags(withoutScripts(text)).join('')).not.toMatch(/\son\w+=/i);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toContain('\u202e');
  });

  it('loads nothing, and its policy lets one script run: the last, by its hash', () => {
    const text = withoutScripts(page);
    expect(text).not.toMatch(/<link|<iframe|<object|@import|(?:src|href)="https?:/i);
    expect(tags(text).join('')).not.toMatch(/\s(on\w+|style)=/i);
    const run = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, source = '']) => source);
    expect(run).toHaveLength(1);
    const hash = createHash('sha256')
      .update(run[0] as string)
      .digest('base64');
    expect(page).toMatch(/content="default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; img-src data:;/);
    expect(page).toContain(`script-src 'sha256-${hash}'`);
    expect([...page.matchAll(/<script(.*?)>/g)].map(([, kind]) => kind).sort()).toEqual(['', ' type="application/json"']);
  });

  it.each([
    '<svg><script>1</script></svg>',
    '<svg onload="x()"></svg>',
    '<svg><image href="https://x.example/i.png"/></svg>',
    '<svg><a href="javascript:x()"/></svg>',
    '<svg><rect fill="url(https://x.example)"/></svg>',
    '<p>',
  ])('refuses a figure that could run or load something: %s', (svg) => {
    expect(() =>
      renderPage(makeReport(), [{ name: 'bad', caption: 'bad', svg, data: { columns: [], rows: [] }, live: {} }]),
    ).toThrow(PageError);
  });

  it('shows each contrast with a verdict and a table of its own', () => {
    const text = renderPage(threeArmReport(), figures);
    expect(text.match(/class="card verdict"/g)).toHaveLength(2);
    expect(text).toContain('id="how-C-A-tool_calls"');
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('lets every number of its result tables lead to a row with formula, n, every run’s value and the saved records', () => {
    const shop = { skill: 'review', category: null, case: 'shop', items: { passed: 1, total: 2 }, tokens: 10 };
    const { judge, deliver, effects, further, triggers } = makeBenchmarkFixture();
    const whole = makeReport({
      skills: [
        skillEffects(
          'B-A',
          [false, true].map((withSkill) => ({ ...shop, withSkill, met: withSkill })),
        ),
      ],
      evals: {
        judge,
        deliver,
        effects,
        further,
        triggers,
        arm: 'B',
        control: 'A',
        grading: 'data/runs/shop/grading.json',
        cases: [{ skill: 'tea', case: 'shop' }],
      },
    });
    const text = renderPage(whole, figures);
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, anchor] of text.matchAll(/ href="#([^"]+)"/g)) expect(ids, anchor).toContain(anchor);
    const captions: string[] = [];
    for (const table of text.match(/<table>[\s\S]*?<\/table>/g) ?? []) {
      const caption = /<caption>(.*?)<\/caption>/.exec(table)?.[1] as string;
      if (
        !/^(Metrics:|How sure|Exploratory|Shift of|Precision of|Consistency|Rows of weight|What each skill|Assertions)/.test(
          caption,
        )
      )
        continue;
      captions.push(caption);
      for (const [, cell] of table.matchAll(/<td[^>]*>([\s\S]*?)<\/td>/g)) {
        const words = (cell as string).replace(/<svg[\s\S]*?<\/svg>/g, '').replace(/<[^>]*>/g, '');
        // n and ranges stand beside the linked values of the same row
        const isNumber = /^[−+≥<]? ?\d/.test(words) && !/^[\d.,]+( (pp|%|s|points))?(( to )|;|\/)/.test(words);
        if (isNumber) expect(cell, `${caption}: ${words}`).toContain('class="figure-link" href="#how-');
      }
    }
    expect(captions).toHaveLength(9);
    const [, title] = /<td[^>]*><a class="figure-link" href="#how-B-A-requirements-1" title="([^"]*)">1 of 1</.exec(text) ?? [];
    expect(title).toMatch(/^runs with the skill that meet .*n 2\/3 without, 2\/2 with\. shop\.A\.1: no verdict/);
    const row = text.slice(text.indexOf('id="how-B-A-evals-1"')).split('</tr>')[0] as string;
    expect(row).toContain('data/runs/shop/grading.json');
    expect(row).toContain('>shop.B.2</a>');
  });

  it('grows with the number of cases, not with its square: a title has the runs of its row’s case, and at most 24', () => {
    const [a, b] = ['A', 'B'].map((arm) => makeReport().trials.find((trial) => trial.arm === arm)) as [Trial, Trial];
    const of = (cases: number) => {
      const names = Array.from({ length: cases }, (_, index) => `case-${100 + index}`);
      const trials = names.flatMap((name) =>
        [a, b].map((trial) => ({ ...trial, id: `${name}.${trial.arm}.1`, case: name, record: `data/runs/shop/trials/${name}` })),
      );
      const { criticalRisks, consistency } = makeReport();
      return renderPage(
        makeReport({
          trials,
          criticalRisks: names.flatMap((name) =>
            ['A', 'B'].map((arm) => ({ ...(criticalRisks[0] as Risk), case: name, row: 'R1', arm })),
          ),
          consistency: names.flatMap((name) => consistency.map((row) => ({ ...row, key: `finding-${name}` }))),
        }),
        figures,
      );
    };
    const [half, whole] = [of(50), of(100)];
    const base = page.length;
    expect(whole.length - base).toBeLessThan(2.2 * (half.length - base));
    const risk = /<tr><th scope="row">case-150 R1<\/th><td>B<\/td>.*?<\/tr>/s.exec(whole)?.[0] ?? '';
    expect(risk).toMatch(/; n 1\/1\. case-150\.B\.1: 90 %"/);
    expect(risk).not.toContain('case-151');
    const finding = /<tr><th scope="row">finding-case-150<\/th>.*?<\/tr>/s.exec(whole)?.[0] ?? '';
    expect(finding).toMatch(/case-123\.B\.1: 90 %; and 76 more"/);
    const account = whole.slice(whole.indexOf('id="how-B-A-review_completeness"')).split('</tr>')[0] as string;
    expect(account).toContain('case-199.B.1: 90 %');
  });

  it('has a target for each link within the page', () => {
    for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(page, id).toContain(` id="${id}"`);
  });

  it('gives the same bytes a second time', () => {
    expect(renderPage(makeReport(), figures)).toBe(page);
  });
});

describe('html', () => {
  it('escapes every value that is not HTML already', () => {
    expect(html`<a title="${`"'<>&`}">${['<b>', html`<i>${1}</i>`, null, false]}${raw('<hr>')}</a>`.text).toBe(
      '<a title="&quot;&#39;&lt;&gt;&amp;">&lt;b&gt;<i>1</i><hr></a>',
    );
  });
});
