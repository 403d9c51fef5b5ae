/** Control and direction-changing characters made visible: text from outside may not rearrange what is around it. */
export function visible(words: string): string {
  return words
    .replace(/\r\n?|\n|\t/g, ' ')
    .replace(
      /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu,
      (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`,
    );
}

/** As {@link visible}, with its lines kept. */
export function visibleLines(words: string): string {
  return words
    .split(/\r\n?|\n/)
    .map(visible)
    .join('\n');
}
