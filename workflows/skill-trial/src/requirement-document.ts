import MarkdownIt from 'markdown-it';

/** A requirement document taken apart: its title, its sections by heading, and the items of its acceptance criteria. */
export interface RequirementDocument {
  title: string;
  /** Lower-case heading to the lines below it. */
  sections: Record<string, string>;
  /** AC-1, AC-2, … in the order of the document; an id that the text itself begins with is kept. */
  criteria: { id: string; text: string }[];
  /** Paths named under Files to Create/Modify or File Operations. */
  files: string[];
}

const markdown = new MarkdownIt();

/** Takes a requirement document apart. Parts that it lacks are empty: the importer says which. */
export function readRequirementDocument(text: string): RequirementDocument {
  const lines = text.split('\n');
  const tokens = markdown.parse(text, {});
  const headings = tokens.flatMap((token, index) =>
    token.type === 'heading_open' && token.map !== null
      ? [{ level: Number(token.tag.slice(1)), line: token.map[0], end: token.map[1], text: tokens[index + 1]?.content ?? '' }]
      : [],
  );
  const sections: Record<string, string> = {};
  for (const [index, { text: heading, end }] of headings.entries())
    sections[heading.toLowerCase().trim()] = lines
      .slice(end, headings[index + 1]?.line ?? lines.length)
      .join('\n')
      .trim();
  const section = (...names: RegExp[]) =>
    Object.entries(sections).find(([name]) => names.some((one) => one.test(name)))?.[1] ?? '';
  return {
    title: (headings[0]?.text ?? '').replace(/^task:\s*/i, ''),
    sections,
    criteria: items(section(/acceptance criteria/)).map((item, index) => {
      const own = /^\**\[?([A-Z]+-?\d+)\]?\**\s*[:.)-]\s*/.exec(item);
      return { id: own?.[1] ?? `AC-${index + 1}`, text: own === null ? item : item.slice(own[0].length) };
    }),
    files: [
      ...new Set(
        [...section(/^files? /, /file operations/).matchAll(/`([\w./*-]+\.[\w*]+)`/g)].map((match) => match[1] as string),
      ),
    ],
  };
}

/** The items of a Markdown list, a check box and nested items left out. */
function items(text: string): string[] {
  const tokens = markdown.parse(text, {});
  let depth = 0;
  const found: string[] = [];
  for (const token of tokens) {
    if (token.type.endsWith('_list_open')) depth += 1;
    if (token.type.endsWith('_list_close')) depth -= 1;
    if (token.type === 'inline' && depth === 1) found.push(token.content.replace(/^\[[ x]\]\s*/i, '').replace(/\n/g, ' '));
  }
  return found;
}
