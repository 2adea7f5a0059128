/** Room that something needs below its upper edge to count as seen, in px. */
const seenPx = 160;

/** Scrolls to content below the window, as answers and panels do on narrow screens; what is seen stays where it is. */
export function moveInto(element: HTMLElement | null): void {
  const top = element?.getBoundingClientRect().top ?? 0;
  if (top + seenPx > globalThis.innerHeight) element?.scrollIntoView({ block: 'start' });
}
