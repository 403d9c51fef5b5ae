import type { ComponentChildren } from 'preact';

/** A part that scrolls for itself: named, and in reach of the keyboard. */
export function ScrollRegion({
  name,
  kind,
  children,
}: {
  name: string;
  kind: 'wide' | 'wide confusion' | 'scroll' | 'keys';
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a tab stop the keyboard could not scroll it
    <section class={kind} aria-label={name} tabIndex={0}>
      {children}
    </section>
  );
}
