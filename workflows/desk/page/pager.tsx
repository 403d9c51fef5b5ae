import type { TextPage } from '../src/desk-view.js';

/** Turns the pages of a long text, and says what a reader has to know of it. */
export function Pager({ text, name, onPage }: { text: TextPage; name: string; onPage: (page: number) => void }) {
  return (
    <>
      {text.notices.length > 0 && (
        <ul class="notices">
          {text.notices.map((notice) => (
            <li key={notice}>{notice}</li>
          ))}
        </ul>
      )}
      {text.pages > 1 && (
        <nav class="pager" aria-label={`Pages of ${name}`}>
          <button type="button" disabled={text.page === 0} onClick={() => onPage(text.page - 1)}>
            Previous page
          </button>
          <label>
            Page{' '}
            <input
              type="number"
              min={1}
              max={text.pages}
              value={text.page + 1}
              onChange={(event) => onPage(Number(event.currentTarget.value) - 1)}
            />{' '}
            of {text.pages}
          </label>
          <button type="button" disabled={text.page === text.pages - 1} onClick={() => onPage(text.page + 1)}>
            Next page
          </button>
        </nav>
      )}
    </>
  );
}
