import type { AnyRouter } from '@tanstack/react-router';

/** How long a page may take to show its heading, in milliseconds. */
const longestMs = 10_000;

/**
 * After a change of page the focus goes to its heading, so that readers hear where they are and the next tab is inside the
 * page. A change of filters is no change of page; whoever has begun to do something meanwhile is left alone.
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
      // A dialog that was opened meanwhile has the focus to itself.
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
 * A page that is opened begins at its top, one that is gone back to where it was left. Kept in memory only: the browser's
 * storage would remember which customers were looked at.
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
