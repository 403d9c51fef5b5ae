import { createHash } from 'node:crypto';

/** The page's one style sheet. Colours keep AA contrast in both themes; arms differ by shape too. */
export const pageStyle = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#555d66;--line:#d9dde2;--paper:#fff;--ground:#f6f7f8;--link:#0b57a4;--a:#00467f;--b:#c24f00;--good:#176639;--bad:#a81c1c;--fair:#7d5200;--banner:#fff1cf;--banner-line:#b57700;--banner-ink:#432d00}
@media (prefers-color-scheme:dark){:root{--ink:#e7eaee;--soft:#a4acb6;--line:#363c44;--paper:#1a1e23;--ground:#121519;--link:#84bdf7;--a:#79b8f2;--b:#ff9d5c;--good:#6fd197;--bad:#ff9389;--fair:#ebbd60;--banner:#3c2d0b;--banner-line:#d9a33b;--banner-ink:#ffe9b8}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
a{color:var(--link);text-underline-offset:.15em;text-decoration-thickness:1px}
a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-999rem;padding:.6rem 1rem;background:var(--paper)}
.skip:focus{left:1rem;top:1rem;z-index:1}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.top,.frame,footer{max-width:78rem;margin:0 auto;padding:0 1.25rem}
.top{padding-top:2rem}
.eyebrow{margin:0;color:var(--soft);font-size:.875rem}
.eyebrow span::before{content:"/ "}
h1{margin:.15rem 0 1rem;font-size:clamp(1.5rem,1.1rem + 1.8vw,2.25rem);line-height:1.2;letter-spacing:-.015em;text-wrap:balance;font-weight:650}
h2{margin:0 0 1rem;font-size:1.4rem;line-height:1.25;letter-spacing:-.01em;font-weight:650}
h3{margin:1.75rem 0 .5rem;font-size:1.05rem;line-height:1.3;font-weight:650}
p,ul{max-width:70ch}
p{margin:.5rem 0 1rem}
.banner{border:2px solid var(--banner-line);border-radius:8px;background:var(--banner);color:var(--banner-ink);padding:.75rem 1rem;margin:0 0 1.25rem}
.banner strong{font-size:1.1rem}
.banner p{margin:.2rem 0 0;max-width:none}
.contents ol{list-style:none;margin:0 0 1.25rem;padding:0;display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;font-size:.9rem}
.contents a{display:inline-block;padding:.2rem 0;line-height:1.3;text-decoration:none}
.contents a:hover{text-decoration:underline}
main{min-width:0}
main>section{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:1.5rem;margin:0 0 1.25rem}
main>.summary{background:none;border:0;padding:0}
.quiet{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.card{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:1.1rem 1.25rem}
.card h3{margin:0 0 .6rem;display:flex;flex-wrap:wrap;gap:.2rem .6rem;align-items:baseline}
.card h3 span,.decision dt span{color:var(--soft);font-weight:400;font-size:.875rem}
.card p{max-width:none;margin:.75rem 0 0;font-size:.95rem;line-height:1.45}
.first{display:grid;gap:1rem}
.verdict dl{margin:0;display:grid;gap:.6rem}
.decision{border-left:4px solid var(--soft);padding-left:.75rem}
.decision dt{font-size:.875rem;font-weight:600}
.decision dd{margin:0;display:flex;flex-direction:column;line-height:1.35}
.decision b{font-size:1.35rem;font-weight:650}
.decision dd span{color:var(--soft);font-size:.9rem}
.good{border-color:var(--good)}.good b{color:var(--good)}
.bad{border-color:var(--bad)}.bad b{color:var(--bad)}
.fair{border-color:var(--fair)}.fair b{color:var(--fair)}
.validity{border-top:1px solid var(--line);padding-top:.75rem}
.points{display:grid;grid-template-columns:repeat(12,minmax(0,1.5rem));gap:3px;margin-bottom:.3rem}
.points span{height:1.3rem;display:grid;place-items:center;border-radius:4px;border:1px solid;font-size:.75rem}
.yes{color:var(--good)}.no{color:var(--bad);font-weight:650}.unknown{color:var(--fair)}
.legend{margin-left:auto;display:flex;gap:.9rem}
.legend span::before{content:"";display:inline-block;width:.6rem;height:.6rem;margin-right:.35rem}
.legend .a::before{background:var(--a);border-radius:50%}
.legend .b::before{background:var(--b);transform:rotate(45deg)}
.rows,.cost{list-style:none;margin:0;padding:0;max-width:none}
.rows li{font-size:.95rem;line-height:1.35;display:grid;grid-template-columns:1fr auto auto;grid-template-areas:"name value delta" "drawn drawn n";gap:0 .9rem;align-items:center;padding:.35rem 0;border-top:1px solid var(--line)}
.rows .name{grid-area:name}.rows .value{grid-area:value}.rows .delta{grid-area:delta;min-width:4.4rem;text-align:right}.rows .drawn{grid-area:drawn;line-height:0}.rows .n{grid-area:n;text-align:right}
.rows,.cost,.number{font-variant-numeric:tabular-nums}
.n,.hint{color:var(--soft);font-size:.8rem}
.name,.cost a{color:inherit;text-decoration-color:var(--line)}
.card .hint{margin:.35rem 0 1rem;font-size:.8rem}
.cost{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.5rem,1fr));gap:.5rem 1rem}
.cost li{display:flex;flex-direction:column;line-height:1.35}
.cost span,.cost a{font-size:.85rem}.cost span{color:var(--soft)}
.plain{margin:1.25rem 0 1.75rem;display:grid;gap:.75rem 2rem}
.plain dt,.facts dt{font-weight:600;font-size:.875rem;color:var(--soft)}
.plain dd,.facts dd{margin:0}
.facts{margin:1rem 0 1.5rem;display:grid;gap:.6rem}
.facts div{display:grid;gap:0 1.25rem}
dd,code,.facts dd{overflow-wrap:anywhere;min-width:0}
.strip{display:inline-block;max-width:100%;vertical-align:middle}
.axis{stroke:var(--line);stroke-width:1}
.bar{stroke-width:3;stroke-linecap:round;opacity:.55}
.bar.a{stroke:var(--a)}.bar.b{stroke:var(--b)}.dot.a{fill:var(--a)}.dot.b{fill:var(--b)}
.scroll{overflow-x:auto;margin:.75rem 0 1.25rem;container-type:inline-size}
table{border-collapse:collapse;width:100%;font-size:.9rem;line-height:1.4}
caption{text-align:left;font-weight:600;padding:0 0 .4rem;color:var(--soft);font-size:.875rem;position:sticky;left:0;box-sizing:border-box;max-width:100cqi}
th,td{text-align:left;vertical-align:top;padding:.45rem .9rem .45rem 0;border-bottom:1px solid var(--line);overflow-wrap:break-word;max-width:34rem}
thead th{border-bottom:2px solid var(--line);font-size:.8rem;color:var(--soft);font-weight:600;vertical-align:bottom}
tbody th{font-weight:500;min-width:8rem}
td code,th code{font-size:.8rem}
@media screen{td:not(.number,.short){min-width:7rem}td:last-child,td:not(.short) code{min-width:10rem}td.short{white-space:nowrap}td.number:last-child{min-width:0}td code{display:inline-block}}
.number{text-align:right;white-space:nowrap}
thead .number{white-space:normal}
tr:target{background:var(--banner);color:var(--banner-ink)}
tr:target a{color:inherit}
.opens{font:inherit;color:inherit;background:none;border:0;padding:0;text-align:inherit;cursor:pointer;text-decoration:underline dotted var(--soft);text-underline-offset:.2em}
button:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
.why{width:min(40rem,calc(100vw - 2rem));max-height:80vh;overflow:auto;border:2px solid var(--line);border-radius:10px;background:var(--paper);color:var(--ink);padding:1rem 1.25rem}
.why h4{margin:0 0 .5rem;font-size:1.05rem}.why dl{margin:0;display:grid;gap:.5rem}.why dt{font-weight:600;font-size:.875rem;color:var(--soft)}.why dd{margin:0}
.why button{font:inherit;color:var(--ink);background:var(--ground);border:1px solid var(--soft);border-radius:6px;padding:.3rem .8rem;margin-left:1rem}
.figure-link{color:inherit;text-decoration-style:dotted}
.mark{white-space:nowrap}
code,pre{font:.85em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{overflow:auto;max-height:32rem;background:var(--ground);border:1px solid var(--line);border-radius:8px;padding:.9rem 1rem;margin:.75rem 0 1rem}
details{border:1px solid var(--line);border-radius:8px;padding:0 1rem;margin:1rem 0}
summary{cursor:pointer;padding:.6rem 0;font-weight:500}
ul{padding-left:1.2rem}li{margin:.15rem 0}
figure{margin:1.5rem 0}
.paper{background:#fff;color:#222;border:1px solid var(--line);border-radius:8px;padding:.75rem;overflow-x:auto}
.paper svg{display:block;max-width:100%;height:auto}
.paper.live>svg,.paper:not(.live)>div{display:none}.paper.live[data-mark]::before{content:attr(data-mark);display:block;text-align:right;font:bold .7rem sans-serif;color:#8a5a00}
.tip{position:fixed;z-index:2;pointer-events:none;max-width:22rem;background:var(--paper);color:var(--ink);border:1px solid var(--soft);border-radius:6px;padding:.35rem .6rem;font-size:.8rem;line-height:1.4}.tip[hidden]{display:none}
figcaption{color:var(--soft);font-size:.9rem;margin-top:.4rem}
footer{padding-bottom:3rem;color:var(--soft);font-size:.875rem}
footer p{max-width:none}
@media (min-width:48rem){.facts div{grid-template-columns:15rem 1fr}.plain{grid-template-columns:repeat(3,1fr)}.rows li{grid-template-columns:1fr auto auto 7.5rem auto;grid-template-areas:"name value delta drawn n"}}
@media (min-width:60rem){.first{grid-template-columns:minmax(15rem,19rem) 1fr}}
@media (min-width:76rem){.frame{display:grid;grid-template-columns:10.5rem minmax(0,1fr);gap:1.5rem}.contents ol{position:sticky;top:1.25rem;display:grid;gap:.15rem}}
@media (max-width:30rem){.contents ol{flex-wrap:nowrap;overflow-x:auto;white-space:nowrap}.rows li{grid-template-columns:1fr auto;grid-template-areas:"name delta" "value n" "drawn drawn"}.top,.frame,footer{padding-left:.9rem;padding-right:.9rem}main>section,.card{padding:1rem}}
@media print{:root{color-scheme:light;--ink:#000;--soft:#444;--line:#bbb;--paper:#fff;--ground:#fff;--link:#003d7a;--a:#00467f;--b:#c24f00;--good:#176639;--bad:#a81c1c;--fair:#7d5200;--banner:#fff;--banner-line:#000;--banner-ink:#000}
@page{margin:14mm}
html{font-size:9pt}.contents,.skip{display:none}
.top,.frame,footer{max-width:none;padding:0}.frame{display:block}
main>section{border:0;padding:0;margin:0 0 1.5rem}.card,tr,figure,.banner,.plain div{break-inside:avoid}h2,h3,caption{break-after:avoid}
.paper.live>svg{display:block}.paper.live>div,.paper.live::before,.tip{display:none}.scroll,.paper,pre{overflow:visible;max-height:none}pre{white-space:pre-wrap;overflow-wrap:anywhere}
table{font-size:.85rem;width:100%}thead{display:table-header-group}th,td{padding-right:.5rem}td a:not(.figure-link),td code{overflow-wrap:anywhere}tbody th{min-width:0}.mark{white-space:normal}
.facts div{grid-template-columns:13rem 1fr}.strip{width:70px;height:auto}details{border:0;padding:0}details::details-content{content-visibility:visible;display:block;block-size:auto}}
`;

/** The style's hash for the page's Content-Security-Policy: no other style applies. */
export const styleHash = `sha256-${createHash('sha256').update(pageStyle).digest('base64')}`;
