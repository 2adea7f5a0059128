import { useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import { boot, tenantOf } from '../data/boot.ts';
import { forgetAll } from '../data/storage.ts';
import { useLive } from '../data/use-session.ts';
import { focusHeadings, keepPlaces } from './arrival.ts';
import { keepFocus } from './keep-focus.ts';
import { listenForKeys } from './key-listener.ts';
import { browserSurroundings, watchOtherTabs } from './live.ts';

/** User and tenant of this page's session. */
function sessionName(): string {
  const block = boot();
  return `${tenantOf(block)}:${block.authenticated ? (block.session.principal?.id ?? '') : ''}`;
}

/** Manages focus, scroll positions and keys of the page, and reloads it when another tab changes the session. */
export function usePageFrame(page: RefObject<HTMLElement | null>, isCovered: boolean): void {
  const router = useRouter();
  useLive(browserSurroundings);
  useEffect(() => focusHeadings(router, document), [router]);
  useEffect(() => keepPlaces(router, document), [router]);
  useEffect(() => (page.current === null ? undefined : keepFocus(page.current)), [page]);
  const covered = useRef(false);
  useEffect(() => {
    covered.current = isCovered;
  }, [isCovered]);
  useEffect(() => listenForKeys(document, () => covered.current), []);
  // Cookies are shared between tabs: this page must not show another session's data.
  useEffect(() => {
    const reload = () => globalThis.location.assign(document.baseURI);
    const forget = () => {
      forgetAll();
      reload();
    };
    return watchOtherTabs(sessionName(), reload, forget);
  }, []);
}
