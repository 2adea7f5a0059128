const focusable =
  'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"]), [data-page-title]';

/**
 * Keeps the focus nearby when the focused element disappears: a removed filter, a button replaced by its result, a closed
 * panel. The browser would start at the top of the page again (WCAG 2.4.3). Dialogs handle their own focus. Returns a function
 * that stops it.
 */
export function keepFocus(page: HTMLElement): () => void {
  const { ownerDocument: whole } = page;
  let last: Neighbourhood | null = null;
  const note = ({ target }: FocusEvent) => {
    last = target instanceof HTMLElement ? neighbourhoodOf(target, page) : null;
  };
  const look = () => {
    if (last === null || last.element.isConnected || whole.activeElement !== whole.body) return;
    nearestOf(last, page)?.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(look);
  observer.observe(page, { childList: true, subtree: true });
  page.addEventListener('focusin', note);
  return () => {
    observer.disconnect();
    page.removeEventListener('focusin', note);
  };
}

/** Surroundings of an element when it got the focus. */
interface Neighbourhood {
  readonly element: HTMLElement;
  /** Ancestors, closest first. */
  readonly around: readonly Element[];
  /** Focusable elements after and before it, closest first. */
  readonly after: readonly HTMLElement[];
  readonly before: readonly HTMLElement[];
}

function neighbourhoodOf(element: HTMLElement, page: HTMLElement): Neighbourhood {
  const around: Element[] = [];
  for (let each = element.parentElement; each !== null && page.contains(each); each = each.parentElement)
    around.push(each);
  const all = [...page.querySelectorAll<HTMLElement>(focusable)];
  const at = all.indexOf(element);
  return { element, around, after: all.slice(at + 1), before: all.slice(0, Math.max(0, at)).reverse() };
}

/**
 * Returns the closest remaining element: within the smallest ancestor that still has one, preferring elements that came after.
 */
function nearestOf({ around, after, before }: Neighbourhood, page: HTMLElement): HTMLElement | null {
  const isLeft = (each: HTMLElement) => each.isConnected && each.getClientRects().length > 0;
  const left = [...after, ...before].filter(isLeft);
  for (const part of around) {
    const found = part.isConnected ? left.find((each) => part.contains(each)) : undefined;
    if (found !== undefined) return found;
  }
  return page.querySelector<HTMLElement>('[data-page-title]');
}
