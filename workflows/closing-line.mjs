// A vitest reporter that names every skipped test with its reason and ends with one plain line that any CI can read.
export default class ClosingLine {
  onTestRunEnd(modules) {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) {
        const result = test.result();
        counts[result.state] = (counts[result.state] ?? 0) + 1;
        if (result.state === 'skipped') console.log(`skipped: ${test.fullName}${result.note ? ` (${result.note})` : ''}`);
      }
    }
    console.log(`\nTests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
