import { expect, test } from 'vitest';
import { patchSize } from '../src/patch-size.js';

const patch = String.raw`diff --git a/src/a.js b/src/a.js
index 1111111..2222222 100644
--- a/src/a.js
+++ b/src/a.js
@@ -1,3 +1,3 @@
 one
--- two
+++ two
 three
@@ -10,2 +10,3 @@
 ten
+eleven
 twelve
diff --git "a/sp\303\244t.txt" "b/sp\303\244t.txt"
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ "b/sp\303\244t.txt"
@@ -0,0 +1,2 @@
+one
+two
\ No newline at end of file
diff --git a/logo.png b/logo.png
new file mode 100644
index 0000000..4444444
GIT binary patch
literal 3
KcNkU

literal 0
HcO00001

diff --git a/test/gone.js b/test/gone.js
deleted file mode 100644
index 5555555..0000000
--- a/test/gone.js
+++ /dev/null
@@ -1 +0,0 @@
-bye
`;

test('files, hunks and lines are counted, and what lies outside the area is counted apart', () => {
  expect(patchSize(patch, ['src/**', 'test/**'])).toEqual({
    files: 4,
    hunks: 4,
    added: 4,
    removed: 2,
    outside: { files: 2, hunks: 1, added: 2, removed: 0, paths: ['logo.png', 'spät.txt'] },
  });
});

test('an empty patch touches nothing', () => {
  const nothing = { files: 0, hunks: 0, added: 0, removed: 0 };
  expect(patchSize('', ['**'])).toEqual({ ...nothing, outside: { ...nothing, paths: [] } });
});
