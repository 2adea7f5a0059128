import { useCallback, useSyncExternalStore } from 'react';

/** Minimum window width for two columns (`--breakpoint-md` of tokens.css). */
export const wideWindow = '(min-width: 56.25rem)';

/** Whether a media query holds, kept current: for content that's too costly to render and hide. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
