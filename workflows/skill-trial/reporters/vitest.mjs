// A vitest reporter that tells assertion failures from crashes, skipped tests from those whose set-up broke: one JSON line for every test,
// one before each (a run that is killed leaves what it knew), and one for a block that broke by itself. vitest's own JSON calls a test
// behind a broken beforeAll "skipped", and holds the error of no block but a file.
import { appendFileSync } from 'node:fs';

const note = (file, name, outcome, error) => {
  const message = outcome === 'passed' || error == null ? null : String(error.message ?? error).slice(0, 2000);
  appendFileSync(process.env.SKILL_TRIAL_TESTS, `${JSON.stringify({ file, name, outcome, message })}\n`);
};

/** What a failed test is called by its first error. */
function failureOf(error) {
  if (/^(Test|Hook) timed out in /.test(error?.message ?? '')) return 'timeout';
  const differs = /Assertion/.test(error?.name ?? '') || /^Snapshot .* mismatched/.test(error?.message ?? '');
  return differs ? 'assertion' : 'crash';
}

/**
 * Writes a block's tests: `children` holds blocks and tests, each with `name`, `tests` (null: it is a test), `state`, `errors`, `mode` and
 * `fails`. What did not run in a broken block, though it was to, is a crash.
 */
function writeBlock(file, names, children, broken) {
  for (const { name, tests, state, errors, mode, fails } of children) {
    const own = [...names, name];
    const title = own.join(' > ');
    if (tests !== null) {
      if (errors.length > 0) note(file, title, 'crash', errors[0]);
      writeBlock(file, own, tests, errors[0] ?? broken);
    } else if (state === 'failed') note(file, title, failureOf(errors[0]), errors[0]);
    else if (mode === 'todo') note(file, title, 'todo');
    else if (state === 'skipped' && mode !== 'skip' && broken !== undefined) note(file, title, 'crash', broken);
    else if (state === 'skipped') note(file, title, 'skipped');
    // it was to fail, and did
    else if (state === 'passed') note(file, title, fails ? 'todo' : 'passed');
  }
}

/** Writes a file's tests; a file that could not be loaded names none. */
function writeFile(file, children, errors) {
  if (children.length === 0 && errors.length > 0) return note(file, file, 'collection', errors[0]);
  if (errors.length > 0) note(file, file, 'crash', errors[0]);
  writeBlock(file, [], children, errors[0]);
}

/** Blocks and tests as vitest 3 and later show them. */
const children = (block) =>
  [...block.children].map((one) => {
    const isTest = one.type === 'test';
    const { state, errors } = isTest ? one.result() : { state: one.state(), errors: one.errors() };
    const { mode, fails } = one.options;
    return { name: one.name, tests: isTest ? null : children(one), state, errors: [...(errors ?? [])], mode, fails };
  });

/** The same as vitest 1 and 2 have them; `modes` are those from before anything ran: what a broken block leaves out is set to skip. */
const states = { pass: 'passed', fail: 'failed' };
const oldChildren = (tasks, modes) =>
  tasks.map((task) => ({
    name: task.name,
    tests: task.type === 'suite' ? oldChildren(task.tasks, modes) : null,
    state: states[task.result?.state] ?? 'skipped',
    errors: task.result?.errors ?? [],
    mode: modes.get(task.id) ?? task.mode,
    fails: task.fails,
  }));

export default class Reporter {
  modes = new Map();
  written = new Set();

  onTestCaseReady(test) {
    note(test.module.moduleId, test.fullName, 'started');
  }

  onTestModuleEnd(module) {
    if (this.written.has(module.moduleId)) return;
    this.written.add(module.moduleId);
    writeFile(module.moduleId, children(module), [...module.errors()]);
  }

  onTestRunEnd(modules, errors) {
    // vitest 3 tells the end of no file that it could not load
    for (const module of modules) this.onTestModuleEnd(module);
    this.writeLoose(errors);
  }

  onCollected(files = []) {
    const keep = (task) => {
      this.modes.set(task.id, task.mode);
      for (const one of task.tasks ?? []) keep(one);
    };
    for (const file of files) keep(file);
  }

  onFinished(files = [], errors = []) {
    if (this.written.size > 0) return;
    for (const file of files) writeFile(file.filepath, oldChildren(file.tasks, this.modes), file.result?.errors ?? []);
    this.writeLoose(errors);
  }

  /** Errors outside every test, which make the run fail though each test may have passed. */
  writeLoose(errors = []) {
    for (const error of errors) note('', 'error outside the tests', 'crash', error);
  }
}
