import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DocumentPage, PatchView, ResponsePage, TestRun, TextPage } from '../src/desk-view.js';
import { ask, type Evidence, type Side } from './desk-store.js';
import { LineList } from './line-list.js';
import { Markdown } from './markdown.js';
import { Pager } from './pager.js';
import { PatchTree } from './patch-tree.js';
import { ScrollRegion } from './scroll-region.js';
import { useFetched } from './use-store.js';

export type ArtifactKind = 'response' | 'diff' | 'tests' | 'documents';

export interface ReaderProps {
  side: Side;
  /** `<case>/<content hash>` */
  path: string;
  /** Response: the source instead of the rendered text. Diff: split instead of unified. */
  other: boolean;
  picked: Evidence | null;
  onPick: (evidence: Evidence, lines: number) => void;
}

/** What there is to read of one variant. */
export function Reader({ kind, ...props }: ReaderProps & { kind: ArtifactKind }) {
  const readers = { response: ResponseReader, diff: PatchReader, tests: TestReader, documents: DocumentReader };
  const Kind = readers[kind];
  return <Kind key={`${props.path}/${kind}`} {...props} />;
}

function ResponseReader({ side, path, other, picked, onPick }: ReaderProps) {
  const [page, setPage] = useState(0);
  const text = useFetched(() => ask<ResponsePage>(`/api/variants/${path}/response?page=${page}`), [path, page]);
  if (!ready(text)) return <Waiting found={text} />;
  if (text.bytes === 0) return <p class="none">There is no response.</p>;
  const name = `the response of variant ${side.toUpperCase()}`;
  const range = rangeOf(picked, 'response.md');
  const pick = (first: number, last: number) => onPick(quoteOf('response.md', text, first, last), last - first + 1);
  return (
    <>
      <Pager text={text} name={name} onPage={setPage} />
      {other ? (
        <LineList
          name={name}
          id={`${side}-response`}
          lines={text.lines}
          firstLine={text.firstLine}
          picked={range}
          onPick={pick}
        />
      ) : (
        <Scroll name={name}>
          <Markdown blocks={text.blocks} picked={range} onPick={pick} name={name} />
        </Scroll>
      )}
    </>
  );
}

function PatchReader({ side, path, other, picked, onPick }: ReaderProps) {
  const [asText, setAsText] = useState(false);
  const patch = useFetched(() => ask<PatchView>(`/api/variants/${path}/patch`), [path]);
  if (!ready(patch)) return <Waiting found={patch} />;
  if (patch.bytes === 0) return <p class="none">Nothing was changed.</p>;
  const name = `the diff of variant ${side.toUpperCase()}`;
  return (
    <>
      {patch.notices.length > 0 && (
        <ul class="notices">
          {patch.notices.map((notice) => (
            <li key={notice}>{notice}</li>
          ))}
        </ul>
      )}
      {patch.files.length > 0 && !asText && (
        <PatchTree name={name} id={`${side}-patch`} files={patch.files} split={other} picked={picked} onPick={onPick} />
      )}
      {(patch.files.length === 0 || asText) && <PatchText side={side} path={path} name={name} picked={picked} onPick={onPick} />}
      {patch.files.length > 0 && (
        <button type="button" class="quiet below" onClick={() => setAsText(!asText)}>
          {asText ? 'Show it line by line' : 'Show the patch as text'}
        </button>
      )}
    </>
  );
}

function PatchText({ side, path, name, picked, onPick }: Omit<ReaderProps, 'other'> & { name: string }) {
  const [page, setPage] = useState(0);
  const text = useFetched(() => ask<TextPage>(`/api/variants/${path}/patch-text?page=${page}`), [path, page]);
  if (!ready(text)) return <Waiting found={text} />;
  return (
    <>
      <Pager text={text} name={name} onPage={setPage} />
      <LineList
        name={`${name} as text`}
        id={`${side}-patch-text`}
        lines={text.lines}
        firstLine={text.firstLine}
        picked={rangeOf(picked, 'patch.diff')}
        onPick={(first, last) => onPick(quoteOf('patch.diff', text, first, last), last - first + 1)}
      />
    </>
  );
}

const outcomes: Record<string, string> = {
  passed: 'passed',
  assertion: 'failed an assertion',
  crash: 'crashed',
  collection: 'could not be loaded',
  timeout: 'timed out',
  skipped: 'skipped',
  todo: 'to do',
};

function TestReader({ side, path }: ReaderProps) {
  const runs = useFetched(() => ask<TestRun[] | null>(`/api/variants/${path}/tests`).then((found) => ({ found })), [path]);
  if (!ready(runs)) return <Waiting found={runs} />;
  if (runs.found === null) return <p class="none">The tests have not been run yet (target negative-control).</p>;
  return (
    <Scroll name={`the test output of variant ${side.toUpperCase()}`}>
      <p class="hint">Times, and the order in which tests ran, are left out.</p>
      {runs.found.map((run) => (
        <section class="run" key={run.title}>
          <h3>{run.title}</h3>
          <p class="counts">
            {run.outcome} · {countsOf(run)}
          </p>
          {filesOf(run).map(([file, tests]) => (
            <div key={file}>
              <h4 class="file-name">{file}</h4>
              <ul>
                {tests.map((test) => (
                  <li key={test.name} class={`test ${test.outcome}`}>
                    <span class="outcome">{outcomes[test.outcome] ?? test.outcome}</span> <span class="name">{test.name}</span>
                    {test.message !== null && (
                      <details>
                        <summary>Message</summary>
                        <pre>{test.message}</pre>
                      </details>
                    )}
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </section>
      ))}
    </Scroll>
  );
}

/** The tests of a run by their file; they come sorted. */
function filesOf(run: TestRun): [string, TestRun['tests']][] {
  const files = new Map<string, TestRun['tests']>();
  for (const test of run.tests) files.set(test.file, [...(files.get(test.file) ?? []), test]);
  return [...files];
}

function countsOf(run: TestRun): string {
  const counts = new Map<string, number>();
  for (const { outcome } of run.tests) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return run.tests.length === 0
    ? 'no test reported'
    : [...counts].map(([name, n]) => `${n} ${outcomes[name] ?? name}`).join(', ');
}

function DocumentReader({ side, path, picked, onPick }: ReaderProps) {
  const [place, setPlace] = useState<{ document: string; page: number } | null>(null);
  const query = place === null ? '' : `?path=${encodeURIComponent(place.document)}&page=${place.page}`;
  const documents = useFetched(() => ask<DocumentPage[]>(`/api/variants/${path}/documents${query}`), [path, query]);
  if (!ready(documents)) return <Waiting found={documents} />;
  if (documents.length === 0) return <p class="none">No documentation was changed.</p>;
  return (
    <Scroll name={`the documentation of variant ${side.toUpperCase()}`}>
      {documents.map((document) => (
        <section class="document" key={document.path}>
          <h3>
            {document.path} <span class="tag">{document.change}</span>
          </h3>
          {document.change === 'removed' ? (
            <p class="none">The file was removed.</p>
          ) : (
            <>
              <Pager text={document.text} name={document.path} onPage={(page) => setPlace({ document: document.path, page })} />
              <Markdown
                blocks={document.text.blocks}
                name={document.path}
                picked={rangeOf(picked, document.path)}
                onPick={(first, last) =>
                  onPick({ ...quoteOf(document.path, document.text, first, last), side: 'result' }, last - first + 1)
                }
              />
            </>
          )}
        </section>
      ))}
    </Scroll>
  );
}

function Scroll({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <ScrollRegion kind="scroll" name={`${name[0]?.toUpperCase()}${name.slice(1)}`}>
      {children}
    </ScrollRegion>
  );
}

function ready<T>(found: T | Error | null): found is T {
  return found !== null && !(found instanceof Error);
}

function Waiting({ found }: { found: unknown }) {
  if (found instanceof Error) return <p class="none">This could not be read: {found.message}</p>;
  return <p class="none">Reading …</p>;
}

function quoteOf(file: string, text: TextPage, first: number, last: number): Evidence {
  const quote = text.lines.slice(first - text.firstLine, last - text.firstLine + 1).join('\n');
  return { file, line: first, quote: quote.slice(0, 1000) };
}

/** The lines of a file that a piece of evidence stands for. */
function rangeOf(picked: Evidence | null, file: string): [number, number] | null {
  if (picked === null || picked.file !== file || picked.line === null) return null;
  return [picked.line, picked.line + picked.quote.split('\n').length - 1];
}
