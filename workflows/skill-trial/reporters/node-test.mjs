// A node:test reporter that tells assertion failures from crashes: one JSON line for every test, none for a describe block.
// node's own JUnit calls both "testCodeFailure" and folds a file that cannot be imported into one "test failed".

/** @param {unknown} error */
function outcomeOf(error) {
  const type = error?.failureType;
  if (type === 'testTimeoutFailure' || type === 'cancelledByParent') return 'timeout';
  const cause = error?.cause ?? error;
  return cause?.code === 'ERR_ASSERTION' || cause?.name === 'AssertionError' ? 'assertion' : 'crash';
}

export default async function* report(source) {
  const names = [];
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      names.length = data.nesting;
      names[data.nesting] = data.name;
      continue;
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite') continue;
    const error = data.details?.error;
    if (type === 'test:fail' && error?.failureType === 'subtestsFailed') continue;
    // A file that ends before its first test is reported under its own path: nothing of it was collected.
    const isFile =
      data.nesting === 0 && (data.name === data.file || data.file?.endsWith(`/${data.name}`) || data.file === undefined);
    const outcome =
      data.skip !== undefined
        ? 'skipped'
        : data.todo !== undefined
          ? 'todo'
          : type === 'test:pass'
            ? 'passed'
            : isFile
              ? 'collection'
              : outcomeOf(error);
    const cause = error?.cause ?? error;
    const message = outcome === 'passed' || error === undefined ? null : String(cause?.message ?? cause).slice(0, 2000);
    yield `${JSON.stringify({ file: data.file ?? data.name, name: [...names.slice(0, data.nesting), data.name].join(' > '), outcome, message })}\n`;
  }
}
