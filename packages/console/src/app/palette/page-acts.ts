import type { Command } from '../../route/feature.ts';

/** What can be pressed and has words of its own; a row's buttons belong to the row. */
const pressable = '[data-act]:not([aria-disabled]), [role="tab"]:not([aria-selected="true"])';

/**
 * The acts and parts of the page that is open, as commands: whatever a page has a button for can be typed. They press what the
 * page shows, so that a page need not say them twice.
 */
export function pageActs(page: ParentNode | null): readonly Command[] {
  const found = new Map<string, HTMLElement>();
  for (const element of page?.querySelectorAll<HTMLElement>(pressable) ?? []) {
    const title = wordsOf(element);
    if (title !== '' && element.closest('[role="grid"]') === null && !found.has(title)) found.set(title, element);
  }
  return [...found].map(([title, element]) => {
    const keys = element.getAttribute('aria-keyshortcuts');
    const act = { run: () => element.click() };
    return { id: `page ${title}`, title, act, ...(keys === null ? {} : { keys }) };
  });
}

/** The words of a button as they are heard: without its icon and its key. */
function wordsOf(element: HTMLElement): string {
  const label = element.dataset.typed ?? element.getAttribute('aria-label');
  if (label !== null) return label;
  const copy = element.cloneNode(true);
  if (!(copy instanceof HTMLElement)) return '';
  for (const silent of copy.querySelectorAll('[aria-hidden]')) silent.remove();
  return (copy.textContent ?? '').replace(/\s+/g, ' ').trim();
}
