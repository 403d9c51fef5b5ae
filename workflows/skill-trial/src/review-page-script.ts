/** What review.html does: search, filter, keys, feedback. It is inlined with its hash in the page's policy, and talks to nothing. */
export const reviewScript = `'use strict';
const evals = [...document.querySelectorAll('article')];
const search = document.querySelector('#search');
const changed = document.querySelector('#changed');
const differs = document.querySelector('#differs');
const state = document.querySelector('#state');
let at = -1;
function shown() { return evals.filter((one) => !one.hidden); }
function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const one of evals) {
    // not the words of the page itself, such as the file that an event stands in
    const text = [...one.querySelectorAll('h2,h2+p,details,pre,td,li')].map((part) => part.textContent).join(' ').toLowerCase();
    one.hidden = !words.every((word) => text.includes(word)) || (changed.checked && one.dataset.changed === '0') || (differs.checked && one.dataset.differs === '0');
  }
  at = -1;
  state.textContent = shown().length + ' of ' + evals.length + ' evals';
}
function go(to) {
  const all = shown();
  if (all.length === 0) return;
  at = Math.max(0, Math.min(all.length - 1, to));
  all[at].focus();
  all[at].scrollIntoView({ block: 'start' });
}
for (const one of [search, changed, differs]) one.addEventListener('input', filter);
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(INPUT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== 'checkbox';
  if (event.key === 'Escape' && typing) return event.target.blur();
  if (typing) return;
  const all = shown();
  const current = all.indexOf(document.activeElement.closest('article'));
  const actions = {
    j: () => go(Math.max(current, at) + 1),
    k: () => go((current < 0 ? at : current) - 1),
    '/': () => search.focus(),
    c: () => { changed.checked = !changed.checked; filter(); },
    d: () => { differs.checked = !differs.checked; filter(); },
    f: () => { const box = (all[current < 0 ? Math.max(at, 0) : current] || {}).querySelector?.('textarea'); if (box) box.focus(); },
    s: save,
  };
  if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
});
const written = () => JSON.stringify([...document.querySelectorAll('textarea')].map((box) => box.value));
let kept = written();
addEventListener('beforeunload', (event) => { if (written() !== kept) event.preventDefault(); });
function save() {
  const reviews = evals.flatMap((one) => [...one.querySelectorAll('textarea')].map((box) => ({ run_id: box.dataset.run, feedback: box.value.trim() }))).filter((one) => one.feedback !== '');
  const feedback = { reviews, status: 'complete', experiment: document.body.dataset.experiment, iteration: Number(document.body.dataset.iteration) };
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(feedback, null, 2) + '\\n'], { type: 'application/json' }));
  link.download = 'feedback.json';
  link.click();
  URL.revokeObjectURL(link.href);
  kept = written();
}
document.querySelector('#save').addEventListener('click', save);
filter();
`;

export const reviewStyle = `
:root{color-scheme:light dark;background:Canvas;color:CanvasText;font:15px/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:1400px;padding:1rem;overflow-wrap:anywhere}
.bar{position:sticky;top:0;background:Canvas;padding:.5rem 0;border-bottom:1px solid GrayText;display:flex;gap:.5rem 1rem;flex-wrap:wrap;align-items:center;z-index:1}
input[type=search]{flex:1 1 16rem;font:inherit;padding:.3rem .5rem}
button{font:inherit;padding:.3rem .8rem}
figure{margin:1rem 0}svg{display:block;width:100%;max-width:480px;height:auto}figcaption{max-width:50rem}
article{border:1px solid GrayText;border-radius:.4rem;padding:1rem;margin:1rem 0;scroll-margin-top:5rem}
article:focus{outline:3px solid Highlight}
h2,h3,h4{margin:.8rem 0 .3rem}h2{margin-top:0}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1rem 1.5rem}.sides>*{min-width:0}
@media (max-width:800px){.bar{position:static}article{padding:.6rem;scroll-margin-top:.5rem}}
pre{white-space:pre-wrap;max-height:24rem;overflow:auto;background:color-mix(in srgb,CanvasText 6%,Canvas);padding:.6rem;border-radius:.3rem}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.2rem .5rem .2rem 0;border-bottom:1px solid color-mix(in srgb,CanvasText 20%,Canvas)}
th,td:first-child{white-space:nowrap}
.passed{color:#176f2c}.failed{color:#b3261e}.unscored,.timed{color:#7a5a00}
@media (prefers-color-scheme:dark){.passed{color:#7ee29a}.failed{color:#ff9d94}.unscored,.timed{color:#f0c861}}
section label{display:block;margin-top:.8rem}textarea{width:100%;box-sizing:border-box;font:inherit}
.scripted{border:2px solid #b3261e;padding:.5rem;font-weight:bold}
svg text{fill:CanvasText;font:12px system-ui,sans-serif}svg line{stroke:CanvasText}svg circle{fill:#2563c9}
@media (prefers-color-scheme:dark){svg circle{fill:#8ab4ff}}
kbd{border:1px solid GrayText;border-radius:.2rem;padding:0 .3rem}
`;
