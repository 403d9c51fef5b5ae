/** What makes the figures of index.html answer a pointer: Vega's own runtime, inlined with its hash in the page's policy. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrerequisiteError } from './errors.js';

/**
 * Draws each figure again beside its picture, with Vega's interpreter in place of `Function`, so that the policy can forbid every
 * other script. Texts of a tooltip are set as text. Where anything fails the picture stays.
 */
const draw = `
const tip = document.createElement('div');
tip.className = 'tip';
tip.hidden = true;
document.body.append(tip);
function tooltip(handler, event, item, value) {
  tip.hidden = value === null || value === undefined || value === '';
  if (tip.hidden) return;
  const rows = typeof value === 'object' ? Object.entries(value) : [['', value]];
  tip.replaceChildren(...rows.filter(([key, one]) => !key.startsWith('_') && typeof one !== 'object').map(([key, one]) => {
    const row = document.createElement('div');
    row.textContent = key === '' ? String(one) : key + ': ' + one;
    return row;
  }));
  tip.style.left = Math.max(8, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + 'px';
  tip.style.top = Math.max(8, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)) + 'px';
}
addEventListener('scroll', () => { tip.hidden = true; }, true);
const loader = vega.loader();
loader.load = () => Promise.reject(new Error('a figure loads nothing'));
function live(place) {
  const paper = place.querySelector('.paper');
  const container = document.createElement('div');
  container.setAttribute('aria-hidden', 'true');
  paper.append(container);
  const runtime = vega.parse(JSON.parse(place.querySelector('script').textContent), undefined, { ast: true });
  new vega.View(runtime, { expr: expressionInterpreter, renderer: 'svg', container, hover: true, tooltip, loader, logLevel: vega.Error })
    .runAsync().then(() => paper.classList.add('live'), () => container.remove());
}
const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    near.unobserve(entry.target);
    live(entry.target);
  }
}, { rootMargin: '600px' });
for (const place of document.querySelectorAll('figure')) near.observe(place);
`;

let script: string | undefined;

/** The whole script: Vega, its interpreter, and what draws. The same bytes each time for the same installed versions. */
export function pageScript(): string {
  script ??= `${licences()}\n${vegaSource()}\n(() => {\n'use strict';\n${interpreterSource()}${draw}})();`;
  return script;
}

/** The script's hash for the page's Content-Security-Policy: no other script runs. */
export function scriptHash(): string {
  return `sha256-${createHash('sha256').update(pageScript()).digest('base64')}`;
}

const packages = ['vega', 'vega-interpreter'] as const;

/** The build of an installed package, ready for a browser, and its licence, which has to travel with it. */
function file(name: (typeof packages)[number], path: string): string {
  const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  return readFileSync(join(folder, path), 'utf8');
}

function licences(): string {
  const texts = packages.map((name) => `${name}\n${file(name, 'LICENSE').trim()}`);
  return `/*!\n${texts.join('\n\n').replaceAll('*/', '* /')}\n*/`;
}

function vegaSource(): string {
  return inlined(file('vega', 'build/vega.min.js'));
}

/** The interpreter is an ES module; a script without an address has nowhere to import from. Vega holds what it imports. */
function interpreterSource(): string {
  const source = inlined(file('vega-interpreter', 'build/vega-interpreter.js'));
  const own = source
    .replace(/^import \{ ([\w, ]+) \} from 'vega-util';$/m, 'const { $1 } = vega;')
    .replace(/^export \{ (\w+) as expressionInterpreter \};$/m, 'const expressionInterpreter = $1;');
  if (/^(import|export)\b/m.test(own)) {
    throw new PrerequisiteError('The figures of the report cannot be made to answer', {
      expected: 'a vega-interpreter that imports from vega-util alone and exports expressionInterpreter',
      found: 'another one',
      next: 'npm ci',
    });
  }
  return own;
}

/** A source that may stand in a script element: no address of a source map, and nothing that would end the element. */
function inlined(source: string): string {
  return source
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '')
    .replace(/<(?=\/script|!--)/gi, '\\x3c')
    .trim();
}
