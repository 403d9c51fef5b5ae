// A node:test reporter that tells assertion failures from crashes: one JSON line for every test, and one for a describe block that
// broke by itself. node's own JUnit calls both "testCodeFailure" and folds a file that cannot be imported into one "test failed".

/** @param {unknown} error */
function outcomeOf(error) {
  if (error?.failureType === 'testTimeoutFailure') return 'timeout';
  if (error?.failureType === 'hookFailed') return 'crash';
  const cause = error?.cause ?? error;
  return cause?.code === 'ERR_ASSERTION' || cause?.name === 'AssertionError' ? 'assertion' : 'crash';
}

const lineOf = (file, names, outcome, error) => {
  const cause = error?.cause ?? error;
  // a file's process that was ended from outside, as by the kernel for want of memory
  const ended = error?.signal ? `, ended by ${error.signal}` : '';
  const message =
    outcome === 'passed' || error === undefined ? null : `${String(cause?.message ?? cause).slice(0, 2000)}${ended}`;
  return `${JSON.stringify({ file, name: names.join(' > '), outcome, message })}\n`;
};

export default async function* report(source) {
  const names = [];
  // Tests that were cancelled: the block around them, which is told after them, says whether it broke or ran out of time.
  let cancelled = [];
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      names.length = data.nesting;
      names[data.nesting] = data.name;
      continue;
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const error = data.details?.error;
    const failure = type === 'test:fail' ? error?.failureType : undefined;
    const isSuite = data.details?.type === 'suite';
    const file = data.file ?? data.name;
    const name = [...names.slice(0, data.nesting), data.name];
    const inside = cancelled.filter((one) => one.nesting > data.nesting);
    if (failure === 'cancelledByParent') {
      for (const one of inside) one.nesting = data.nesting;
      if (!isSuite) cancelled.push({ nesting: data.nesting, file, name, error });
      continue;
    }
    const brokeItself = failure === 'hookFailed' || failure === 'testCodeFailure';
    for (const one of inside) yield lineOf(one.file, one.name, brokeItself ? 'crash' : 'timeout', one.error);
    cancelled = cancelled.filter((one) => one.nesting <= data.nesting);
    if (failure === 'subtestsFailed') continue;
    if (isSuite) {
      if (failure !== undefined) yield lineOf(file, name, failure === 'testCodeFailure' ? 'collection' : outcomeOf(error), error);
      continue;
    }
    // A file that ends before its first test, or breaks outside its tests, is reported under its own path.
    const isFile =
      data.nesting === 0 && (data.name === data.file || data.file?.endsWith(`/${data.name}`) || data.file === undefined);
    if (isFile && type === 'test:pass') continue; // it holds no test: nothing was tested
    const outcome =
      data.skip !== undefined
        ? 'skipped'
        : data.todo !== undefined
          ? 'todo'
          : type === 'test:pass'
            ? 'passed'
            : isFile && failure !== 'testTimeoutFailure'
              ? 'collection'
              : outcomeOf(error);
    yield lineOf(file, name, outcome, error);
  }
  for (const one of cancelled) yield lineOf(one.file, one.name, 'timeout', one.error);
}
