import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readAnalysis } from './analyse.js';
import type { Published } from './analysis.js';
import { scriptsOf } from './arm.js';
import { liveFigure, renderFigure } from './figure.js';
import { figureCsv, figureData } from './figure-data.js';
import type { Lab } from './lab.js';
import { Lock } from './lock.js';
import { noteLock } from './lock-history.js';
import { prettyJson, readJson, writeWhole } from './record.js';
import { assembleReport, Report, reportJsonSchema } from './report.js';
import { keepReport } from './report-index.js';
import { renderJunit } from './report-junit.js';
import { renderMarkdown } from './report-markdown.js';
import { type PageFigure, renderPage } from './report-page.js';
import { runLines } from './run-file.js';
import { runOf } from './run-table.js';
import { readStudy, type Study } from './study.js';

type FigureSpec = Awaited<ReturnType<typeof readAnalysis>>['figures'][number];

/** Every file of a report by its path below reports/<name>. The same study gives the same bytes: verify renders them again. */
export async function renderReport(
  study: Study,
  published: Published,
  figures: FigureSpec[],
): Promise<{ report: Report; files: Map<string, string> }> {
  const report = await assembleReport(study, published, figures);
  const drawn: PageFigure[] = [];
  const scripted = scriptsOf(study.lab.experiment).length > 0;
  for (const { name, caption, spec } of figures)
    drawn.push({
      name,
      caption,
      svg: mark(await renderFigure(spec as never, { idPrefix: name }), scripted),
      data: figureData(spec),
      live: await liveFigure(spec as never),
    });
  const files = new Map<string, string>([
    ['report.json', prettyJson(report)],
    [
      'report.md',
      renderMarkdown(
        report,
        figures.map(({ name, caption }) => ({ name, caption })),
      ),
    ],
    ['index.html', renderPage(report, drawn)],
    ['report.schema.json', prettyJson(reportJsonSchema())],
    ['junit.xml', renderJunit(report)],
    ...drawn.flatMap(({ name, svg, data }): [string, string][] => [
      [`figures/${name}.svg`, svg],
      [`figures/${name}.csv`, figureCsv(data, scripted)],
    ]),
  ]);
  return { report, files };
}

/** A figure travels alone: one of a scripted model says so in the picture. */
function mark(svg: string, scripted: boolean): string {
  const width = /<svg[^>]* width="([\d.]+)"/.exec(svg)?.[1];
  if (!scripted || width === undefined) return svg;
  const text = `<text x="${Number(width) - 6}" y="11" text-anchor="end" font-family="sans-serif" font-size="10" font-weight="bold" fill="#8a5a00">SCRIPTED MODEL</text>`;
  return svg.replace(/<\/svg>\s*$/, `${text}</svg>`);
}

/** The report step: writes the files and removes figures that no longer belong. */
export async function writeReport(lab: Lab): Promise<{ folder: string; report: Report }> {
  const { published, figures } = await readAnalysis(lab);
  // a lock that a cache restored has no line yet: going back to an earlier plan would leave no trace
  await noteLock(lab, await readJson(lab.run.lock, Lock));
  const study = await readStudy(lab);
  const { report, files } = await renderReport(study, published, figures);
  await mkdir(lab.run.figures, { recursive: true });
  for (const old of await readdir(lab.run.figures))
    if (!files.has(`figures/${old}`)) await rm(join(lab.run.figures, old), { force: true });
  for (const [path, text] of files) await writeWhole(join(lab.run.report, path), text);
  await writeWhole(lab.run.runTable, [...runLines(study.results.map(runOf))].join(''));
  await keepReport(lab.root, report, files.get('report.json') as string);
  return { folder: lab.run.report, report };
}

/** The report that the last report step wrote. */
export async function readReport(lab: Pick<Lab, 'run'>): Promise<{ report: Report }> {
  return { report: await readJson(lab.run.reportJson, Report) };
}
