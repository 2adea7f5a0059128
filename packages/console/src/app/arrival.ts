import type { AnyRouter } from '@tanstack/react-router';

/** Time limit for a page to show its heading, in milliseconds. */
const longestMs = 10_000;

/**
 * Moves the focus to the heading after a page change, so that screen readers announce it and the next Tab stays inside the
 * page. Changing filters isn't a page change. Leaves the focus alone if the user has moved on.
 */
export function focusHeadings(router: AnyRouter, page: Document): () => void {
  let observer: MutationObserver | null = null;
  const stop = () => {
    observer?.disconnect();
    observer = null;
  };
  const leave = router.subscribe('onResolved', ({ pathChanged, fromLocation }) => {
    if (!pathChanged || fromLocation === undefined) return;
    stop();
    const before = page.activeElement;
    const arrive = (): boolean => {
      const heading = page.querySelector<HTMLElement>('#page h1');
      const active = page.activeElement;
      const moved = active !== before && active !== page.body;
      // A dialog opened in the meantime keeps the focus.
      if (moved || active?.closest('[role="dialog"]') != null) return true;
      if (heading === null) return false;
      heading.focus({ preventScroll: true });
      return true;
    };
    if (arrive()) return;
    observer = new MutationObserver(() => {
      if (arrive()) stop();
    });
    observer.observe(page.body, { childList: true, subtree: true });
    setTimeout(stop, longestMs);
  });
  return () => {
    stop();
    leave();
  };
}

/**
 * Starts new pages at the top and restores the scroll position when going back. Kept in memory only: browser storage would
 * reveal which customers were viewed.
 */
export function keepPlaces(router: AnyRouter, page: Document): () => void {
  const places = new Map<string, number>();
  const area = () => page.getElementById('page');
  const leaveBefore = router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
    const key = fromLocation?.state.__TSR_key;
    if (key !== undefined) places.set(key, area()?.scrollTop ?? 0);
  });
  const leaveAfter = router.subscribe('onRendered', ({ pathChanged, toLocation }) => {
    if (pathChanged) area()?.scrollTo({ top: places.get(toLocation.state.__TSR_key ?? '') ?? 0 });
  });
  return () => {
    leaveBefore();
    leaveAfter();
  };
}
