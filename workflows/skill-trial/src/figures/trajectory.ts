import type { TopLevelSpec } from 'vega-lite';
import type { Timeline } from '../timeline.js';
import { titledNarrow, tokenLabels } from './frame.js';
import { compare, counted } from './runs.js';

const plotWidth = 545;
const mostTrials = 12;
const mostKinds = 6;
/** Marks of a kind closer than this share of the time shown are one: they would hide each other. */
const sameMoment = 0.03;
const shapes = ['circle', 'square', 'triangle-up', 'cross', 'triangle-down', 'stroke'];
const skillLane = 'skill loaded';
const ends: Record<Timeline['status'], string> = {
  completed: 'completed',
  'timed-out': 'timed out',
  failed: 'failed',
  limit: 'stopped at a limit',
};

/**
 * Each trial over time: above, its model calls with the prompt growing; below, the tool calls by kind and the moments at which skills
 * were loaded. The first twelve trials, pairs together. Null where no trial has a model call.
 */
export function trajectoryFigure(timelines: readonly Timeline[]): TopLevelSpec | null {
  const sorted = [...timelines].sort((x, y) => compare(x.case, y.case) || x.repeat - y.repeat || compare(x.arm, y.arm));
  const called = sorted.filter((trial) => trial.calls.length > 0);
  if (called.length === 0) return null;
  const shown = called.slice(0, mostTrials);
  const tools = shown.flatMap((trial) => trial.tools.map((tool) => tool.name));
  const frequent = [...new Set(tools)].sort(
    (x, y) => tools.filter((tool) => tool === y).length - tools.filter((tool) => tool === x).length || compare(x, y),
  );
  const kinds = frequent.length > mostKinds ? frequent.slice(0, mostKinds - 1) : frequent;
  const kindOf = (name: string) => (kinds.includes(name) ? name : 'other');
  const loads = shown.some((trial) => trial.loads.length > 0);
  const lanes = [...(loads ? [skillLane] : []), ...kinds, ...(frequent.length > kinds.length ? ['other'] : [])];
  const end = Math.max(...shown.flatMap((trial) => [trial.elapsedSeconds, ...trial.calls.map((call) => call.end)]));
  const prompts = shown.flatMap((trial) => trial.calls.flatMap((call) => call.promptTokens ?? []));
  const top = Math.max(1, ...prompts);
  const unknown = shown.flatMap((trial) => trial.calls).filter((call) => call.promptTokens === null).length;
  const unplaced = shown.flatMap((trial) => [...trial.tools, ...trial.loads]).filter((one) => one.at === null).length;
  const x = { domain: [0, end], nice: false };
  return {
    title: titledNarrow('What did each run do, and when?', [
      'Above: prompt tokens, a dot for each model call; the upright line is the end of the run. Below: tool calls at the moment the model asked for them (a number where several, ✗ failed), and skills loaded.',
      called.length > shown.length ? `The first ${shown.length} of ${called.length} trials.` : null,
      called.length < timelines.length
        ? `Not shown: ${counted(timelines.length - called.length, 'trial')} without a model call.`
        : null,
      unknown === 0 ? null : `${counted(unknown, 'model call')} with an unknown prompt length: a cross on the axis.`,
      unplaced === 0 ? null : `Not shown: ${counted(unplaced, 'mark')} of tool calls and loads whose time is not known.`,
      shown.some((trial) => !trial.matched)
        ? `Places of tool calls may be wrong in: ${shown
            .filter((trial) => !trial.matched)
            .map((trial) => trial.id)
            .join(', ')}.`
        : null,
    ]),
    description: `Timelines. ${shown
      .map(
        (trial) =>
          `${trial.id}: ${counted(trial.calls.length, 'model call')}, ${counted(trial.tools.length, 'tool call')}, ${counted(trial.loads.length, 'skill')} loaded, ${trial.elapsedSeconds.toFixed(1)} s, ${ends[trial.status]}`,
      )
      .join('; ')}.`,
    spacing: 18,
    vconcat: shown.map((trial, index) => {
      const last = index === shown.length - 1;
      const tokens = {
        title: {
          text: `${trial.id}: ${counted(trial.calls.length, 'model call')}, ${trial.elapsedSeconds.toFixed(1)} s, ${ends[trial.status]}`,
          fontSize: 12,
          fontWeight: 'normal' as const,
          frame: 'group' as const,
          offset: 6,
        },
        width: plotWidth,
        height: 56,
        encoding: { x: { type: 'quantitative' as const, scale: x, axis: null } },
        layer: [
          {
            data: { values: trial.calls.filter((call) => call.promptTokens !== null) },
            mark: { type: 'line' as const, point: { size: 34, color: '#222222' }, color: '#777777', strokeWidth: 1.5 },
            encoding: {
              x: { field: 'start', type: 'quantitative' as const },
              y: {
                field: 'promptTokens',
                type: 'quantitative' as const,
                title: ['prompt', '(tokens)'],
                scale: { domain: [0, top], nice: false },
                axis: {
                  tickCount: 3,
                  labelExpr: tokenLabels,
                  labelFontSize: 11,
                  titleFontSize: 11,
                  titleX: -38,
                  titleAnchor: 'middle' as const,
                },
              },
            },
          },
          {
            data: {
              values: trial.calls.filter((call) => call.promptTokens === null).map((call) => ({ start: call.start, zero: 0 })),
            },
            mark: { type: 'point' as const, shape: 'cross', angle: 45, size: 50, color: '#222222' },
            encoding: {
              x: { field: 'start', type: 'quantitative' as const },
              y: { field: 'zero', type: 'quantitative' as const },
            },
          },
          {
            data: { values: [{ at: trial.elapsedSeconds }] },
            mark: { type: 'rule' as const, strokeDash: trial.status === 'completed' ? [1, 0] : [4, 3], color: '#222222' },
            encoding: { x: { field: 'at', type: 'quantitative' as const } },
          },
        ],
      };
      const marks = marksOf(trial, kindOf, end * sameMoment);
      const below = {
        width: plotWidth,
        height: { step: 15 },
        data: { values: marks },
        encoding: {
          x: {
            field: 'at',
            type: 'quantitative' as const,
            scale: x,
            title: last ? 'time since the run started (s)' : null,
            axis: { labels: last, ticks: last, domain: last, tickCount: 8 },
          },
          y: {
            field: 'lane',
            type: 'nominal' as const,
            title: null,
            scale: { domain: lanes },
            axis: { ticks: false, domain: false, labelFontSize: 11, grid: true },
          },
        },
        layer: [
          {
            mark: { type: 'point' as const, size: 46, opacity: 1, strokeWidth: 1.5, filled: true },
            encoding: {
              shape: {
                field: 'lane',
                type: 'nominal' as const,
                scale: {
                  domain: lanes,
                  range: lanes.map((lane) =>
                    lane === skillLane
                      ? 'diamond'
                      : (shapes[lanes.filter((one) => one !== skillLane).indexOf(lane) % shapes.length] as string),
                  ),
                },
                legend: null,
              },
              color: { condition: { test: `datum.lane === '${skillLane}'`, value: '#D55E00' }, value: '#00467F' },
            },
          },
          {
            mark: { type: 'text' as const, align: 'left' as const, dx: 6, fontSize: 10, clip: true },
            encoding: { text: { field: 'label', type: 'nominal' as const } },
          },
        ],
      };
      return { spacing: 10, vconcat: lanes.length === 0 ? [tokens] : [tokens, below], bounds: 'flush' as const };
    }),
  };
}

/** One mark for the tool calls of a kind, or the skills loaded, at about the same moment. */
function marksOf(trial: Timeline, kindOf: (name: string) => string, near: number): { at: number; lane: string; label: string }[] {
  const events = [
    ...trial.loads.map(({ skill, at }) => ({ at, lane: skillLane, name: skill, failed: false })),
    ...trial.tools.map(({ name, at, failed }) => ({ at, lane: kindOf(name), name, failed: failed === true })),
  ].flatMap(({ at, ...event }) => (at === null ? [] : [{ at, ...event }]));
  const groups: { at: number; lane: string; names: string[]; failed: number }[] = [];
  for (const { at, lane, name, failed } of events.sort((x, y) => x.at - y.at)) {
    let group = groups.find((one) => one.lane === lane && at - one.at < near);
    if (group === undefined) {
      group = { at, lane, names: [], failed: 0 };
      groups.push(group);
    }
    group.names.push(name);
    group.failed += failed ? 1 : 0;
  }
  return groups.map(({ at, lane, names, failed }) => {
    if (lane === skillLane) return { at, lane, label: names.join(', ') };
    const many = names.length > 1 ? String(names.length) : '';
    const wrong = failed === 0 ? '' : names.length > 1 ? ` (${failed} ✗)` : '✗';
    return { at, lane, label: `${many}${wrong}` };
  });
}
