import { armWords } from './arm.js';
import { deviation } from './limitation.js';
import { metricOf } from './metric.js';
import type { Model } from './model.js';
import { formatDelta, formatValue } from './number-format.js';
import type { Report } from './report.js';
import { type Block, type Content, details, mark, record, type Section, table, text } from './report-document.js';
import type { ContrastView } from './report-view.js';
import { isolates, type SandboxKind } from './sandbox-plan.js';

export function planSection(report: Report, views: ContrastView[]): Section {
  const { settings } = report.conditions;
  const { decision: rule } = settings;
  const arm = (one: Report['arms'][number]): Content[] => {
    const own = settings.arms[one.name] ?? { skills: one.skills };
    const controls = views.flatMap((view) => (view.arm === one.name ? [view.control] : []));
    return [
      one.name,
      armWords(own).replace(/^no skills/, 'none'),
      controls.join(', ') || (views.some((view) => view.control === one.name) ? 'is the control' : 'nothing'),
      own.note ?? '',
    ];
  };
  const unit = metricOf(rule.primary).unit;
  const deviations = report.limitations.filter((one) => one.startsWith(deviation));
  return {
    id: 'plan',
    title: 'Question and plan',
    blocks: [
      text(report.question),
      table('Arms', ['Arm', 'Skills', 'Compared with', 'Note'], report.arms.map(arm)),
      {
        kind: 'facts',
        pairs: [
          ['Cases', settings.cases.join(', ')],
          ['Repeats', `${settings.repeats} of each arm on each case`],
          ['Primary metric', metricOf(rule.primary).title],
          ['Smallest improvement that counts', formatDelta(rule.min_improvement, unit)],
          [
            'False findings',
            `at most ${formatValue(rule.max_false_findings, 'fraction')} of the checkable findings of the arm with skills`,
          ],
          [
            'Budgets',
            `elapsed time at most × ${rule.max_elapsed_ratio}, uncached input at most × ${rule.max_uncached_input_ratio} (ratio of medians)`,
          ],
          ['Tested class of task', rule.tested_class],
          ['Not tested', rule.untested_class],
        ],
      },
      text(
        `The plan is part of the lock, and a change of it after the first run is a deviation: ${deviations.length === 0 ? 'there is none' : deviations.join(' ')}${deviations.length === 0 ? '.' : ''} All other metrics, tests and tables are exploratory.`,
      ),
      ...views.flatMap(({ name, decision }): Block[] =>
        decision === undefined
          ? []
          : [
              table(
                `Acceptance rule, contrast ${name}`,
                ['Criterion', 'Met', 'Figures'],
                decision.criteria.map((row) => [row.criterion, mark(row.met, 'met', 'not met'), row.figures]),
              ),
            ],
      ),
    ],
  };
}

export function conditionsSection(report: Report): Section {
  const { conditions } = report;
  const { settings, agent, sandbox } = conditions;
  const { limits, model } = settings;
  const parameters = Object.entries(model.parameters).map(([key, value]) => `${key} ${value}`);
  const run = `data/runs/${report.experiment}`;
  return {
    id: 'conditions',
    title: 'Conditions and attestation',
    blocks: [
      {
        kind: 'facts',
        pairs: [
          [
            'Lock',
            [{ code: report.lock }, `, frozen at ${report.frozenAt} by Skill Trial ${report.lab}: `, record(`${run}/lock.json`)],
          ],
          ['Ledger', ['newest line ', { code: report.ledgerHead }, ': ', record(`${run}/ledger.jsonl`)]],
          ['Agent', `${agent.name} (${agent.package} ${agent.version})`],
          ['Model', modelContent(model)],
          ...Object.entries(settings.arms).flatMap(([name, arm]): [string, Content][] =>
            arm.model === undefined ? [] : [[`Model of arm ${name}`, modelContent(arm.model)]],
          ),
          ['Parameters', parameters.length === 0 ? 'those of the agent, the same in every arm' : parameters.join(', ')],
          ['Skills disabled in arms without them by', agent.mechanism.without],
          ['Skills given to arms with them by', agent.mechanism.with],
          ['Sandbox', `${sandbox.version ?? sandbox.kind}${sandbox.because === null ? '' : ` (${sandbox.because})`}`],
          ['What the sandbox does not stop', sandbox.doesNotStop.join('; ') || 'nothing is named'],
          ['Network', networkWords(settings.network, sandbox.kind)],
          ['Limits of the machine', machineLimits(sandbox)],
          [
            'Limits',
            `${limits.wall_seconds} s and ${limits.model_calls} model calls a trial${limits.cost_usd === null ? '' : `, ${limits.cost_usd} USD`}; up to ${limits.attempts} attempts, the second only after an infrastructure failure`,
          ],
          ['Order', `${orderWords[settings.order]}; seed ${settings.seed}`],
          ['Machine', `Node ${conditions.node}, ${conditions.platform}`],
        ],
      },
      table(
        'Discovery checklist, before the first run',
        ['Case', 'Item', 'Holds'],
        report.checklist.map((row) => [row.case, row.item, mark(row.holds, 'yes', 'no')]),
      ),
      ...(report.checklist.length === 0 ? [text('Discovery has no record: the checklist is not available.')] : []),
      table(
        'Skills',
        ['Skill', 'Version', 'Owner', 'SHA-256 of its files'],
        Object.entries(conditions.skills).map(([name, skill]) => [
          name,
          skill.version ?? 'not stated',
          skill.owner ?? 'not stated',
          { code: skill.sha256 },
        ]),
      ),
      table(
        'Cases',
        ['Case', 'Base commit', 'Skill folders taken out of it', 'Task SHA-256', '#Starting tests', 'Known failures'],
        Object.entries(conditions.cases).map(([name, one]) => [
          name,
          { code: one.base.commit },
          one.base.removed.join(', ') || 'none',
          one.hashes.task == null ? 'not available' : { code: one.hashes.task },
          String(one.startingTests),
          one.knownFailures.join('; ') || 'none',
        ]),
      ),
      ...ownPlaces(conditions.cases),
      details('Every frozen condition, as locked (JSON)', [{ kind: 'code', text: JSON.stringify(conditions, null, 2) }]),
    ],
  };
}

/** The containers and set-ups of the cases that have any. */
function ownPlaces(cases: Report['conditions']['cases']): Block[] {
  const rows = Object.entries(cases).filter(([, one]) => one.environment !== undefined || one.setup !== undefined);
  if (rows.length === 0) return [];
  return [
    table(
      'Environments and set-ups: the same for every arm and every run of the tests',
      ['Case', 'Container image', '#Set-up (s)', '#Files made', 'SHA-256 of what it made'],
      rows.map(([name, { environment, setup }]) => [
        name,
        environment?.image == null ? "the experiment's sandbox" : { code: environment.image },
        setup === undefined ? 'no set-up' : setup.seconds.toFixed(1),
        setup === undefined ? '' : String(setup.files),
        setup === undefined ? '' : { code: setup.content },
      ]),
    ),
    ...(rows.some(([, { setup }]) => setup !== undefined)
      ? [text('A set-up runs once, before the first trial. Its time is in no trial.')]
      : []),
  ];
}

function modelContent(model: Model): Content {
  return model.scripted === undefined
    ? `${model.id} (${model.api}) at ${model.base_url ?? 'an unnamed address'}`
    : [{ strong: 'SCRIPTED' }, `: ${model.id} (${model.api}) plays the script `, { code: model.scripted }];
}

const orderWords = {
  alternate: 'blocks of one case and repeat, the order of the arms turning with each block',
  seeded: 'blocks of one case and repeat, the order of the arms drawn from the seed',
  parallel: 'parallel: the runs have no order',
};

/** What the agent may reach, and whether it is held to it. */
function networkWords(network: Report['conditions']['settings']['network'], kind: SandboxKind): string {
  const allowed = network === 'gateway-only' ? 'the model gateway only' : `the model gateway and ${network.allow.join(', ')}`;
  return isolates(kind) ? allowed : `asked for: ${allowed}; this sandbox does not hold the agent to it`;
}

/** What one session may use, and by what each limit is held. */
function machineLimits({ limits, inForce }: Report['conditions']['sandbox']): string {
  if (limits === undefined || inForce === undefined) return 'not recorded in this lock';
  const by = (held: string | null) => held ?? 'held by nothing here';
  return [
    `memory ${limits.memoryMb} MB (${by(inForce.memory)})`,
    limits.cpus === null ? 'processors not limited' : `processors ${limits.cpus} (${by(inForce.cpus)})`,
    `processes ${limits.processes} (${by(inForce.processes)})`,
    `one file ${limits.fileMb} MB (${by(inForce.file)})`,
    `workspace, HOME and TMPDIR ${limits.diskMb} MB (${by(inForce.disk)})`,
  ].join('; ');
}
