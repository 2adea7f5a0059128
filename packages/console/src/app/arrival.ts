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
      const moved = page.activeElement !== before && page.activeElement !== page.body;
      if (moved) return true;
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
