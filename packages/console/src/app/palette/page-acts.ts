import type { Command } from '../../route/feature.ts';

/** Buttons with a label. Buttons of table rows belong to their row. */
const pressable = '[data-act]:not([aria-disabled]), [role="tab"]:not([aria-selected="true"])';

/**
 * Turns the buttons and tabs of the open page into commands, so that every button can be typed. Commands press the button, so
 * pages don't declare them twice.
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

/** Returns the accessible label of a button, without its icon and shortcut. */
function wordsOf(element: HTMLElement): string {
  const label = element.dataset.typed ?? element.getAttribute('aria-label');
  if (label !== null) return label;
  const copy = element.cloneNode(true);
  if (!(copy instanceof HTMLElement)) return '';
  for (const silent of copy.querySelectorAll('[aria-hidden]')) silent.remove();
  return (copy.textContent ?? '').replace(/\s+/g, ' ').trim();
}
