import type { Report } from './report.js';
import { closingSections } from './report-closing.js';
import type { Section } from './report-document.js';
import { evalsSection } from './report-evals.js';
import { conditionsSection, planSection } from './report-plan.js';
import { proofSection } from './report-proof.js';
import { findingsSection, resultsSection } from './report-results.js';
import { skillsSection } from './report-skills.js';
import { attemptsSection, trialsSection } from './report-trials.js';
import { contrastViews } from './report-view.js';

/** Everything below the first screen, in the report's order. */
export function reportSections(report: Report): Section[] {
  const views = contrastViews(report);
  return [
    planSection(report, views),
    conditionsSection(report),
    resultsSection(report, views),
    findingsSection(report, views),
    ...skillsSection(report),
    ...evalsSection(report),
    ...proofSection(report),
    trialsSection(report),
    attemptsSection(report),
    ...closingSections(report, views),
  ];
}
