import { type ComponentChildren, createElement } from 'preact';
import type { MarkdownNode } from '../src/desk-view.js';
import { ScrollRegion } from './scroll-region.js';

interface Props {
  blocks: MarkdownNode[];
  /** First and last line of what is picked; null where nothing of this text is. */
  picked: [number, number] | null;
  onPick: (first: number, last: number) => void;
  /** What the text is, for the names of its line buttons. */
  name: string;
}

/** Rendered Markdown; each block at the top has a button that picks its lines. */
export function Markdown({ blocks, picked, onPick, name }: Props) {
  return (
    <div class="markdown">
      {blocks.map((block, index) => {
        const [first, last] = block.lines ?? [0, 0];
        const isPicked = picked !== null && first <= picked[1] && last >= picked[0];
        const lines = first === last ? `line ${first}` : `lines ${first} to ${last}`;
        return (
          <div class={isPicked ? 'block picked' : 'block'} key={`${index}-${first}`}>
            {first === 0 ? (
              <span class="gutter" />
            ) : (
              <button
                type="button"
                class="gutter"
                aria-pressed={isPicked}
                aria-label={`Pick ${lines} of ${name}`}
                onClick={() => onPick(first, last)}
              >
                {first}
              </button>
            )}
            <div class="words">{nodeOf(block, 0)}</div>
          </div>
        );
      })}
    </div>
  );
}

function nodeOf(node: MarkdownNode | string, key: number): ComponentChildren {
  if (typeof node === 'string') return node;
  const kids = node.kids.map(nodeOf);
  const element = createElement(node.tag, { key, class: node.style, start: node.start }, ...kids);
  // wide ones scroll for themselves, and so the keyboard has to reach them
  if (node.tag === 'table' || node.tag === 'pre')
    return (
      <ScrollRegion kind="wide" name={node.tag === 'pre' ? 'Code' : 'Table'} key={key}>
        {element}
      </ScrollRegion>
    );
  return element;
}
