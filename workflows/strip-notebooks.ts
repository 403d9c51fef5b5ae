// npm run notebooks:strip: takes outputs, counts and execution times out of the notebooks. As a git filter (--stdin) it cleans one on its way in.
import { findRoot, formatNotebook, listNotebooks, readNotebook, rootPaths, stripOutputs, writeWhole } from 'skill-trial';
import { argv } from 'zx';
import { reportingErrors } from './step.js';

await reportingErrors(async () => {
  if (argv.help) {
    console.log(
      'npm run notebooks:strip\n\nTakes the outputs out of notebooks/*.ipynb. --stdin: from standard input to standard output, for git.',
    );
    return;
  }
  if (argv.stdin) {
    process.stdout.write(formatNotebook(stripOutputs(await readNotebook('/dev/stdin'))));
    return;
  }
  for (const path of await listNotebooks(rootPaths(findRoot()).notebooks)) {
    const before = await readNotebook(path);
    const after = formatNotebook(stripOutputs(before));
    if (after === formatNotebook(before)) continue;
    await writeWhole(path, after);
    console.log(`stripped ${path}`);
  }
});
