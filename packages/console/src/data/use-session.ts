import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import type { LiveSurroundings } from './live/events.ts';
import { signedInAgain, signOut } from './session.ts';
import { outdateResources } from './use-operation.ts';

/** Checks for a new session and resumes the page. Calls `onOther` if someone else signed in. */
export function useSignInAgain(onOther: () => void): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(async () => {
    if ((await signedInAgain(client)) === 'other-person') onOther();
  }, [client, onOther]);
}

/** Signs out, then runs a callback even if the server doesn't respond. */
export function useSignOut(then: () => void): () => void {
  const client = useQueryClient();
  return useCallback(() => void signOut(client).then(then, then), [client, then]);
}

/** Refetches data when events report changes by others. */
export function useLive(surroundings: LiveSurroundings): void {
  const client = useQueryClient();
  useEffect(() => {
    let over = false;
    let end = () => {
      over = true;
    };
    const begin = async () => {
      // Not part of the shell: the first render doesn't need it.
      const { refreshAfterEvents, startEvents } = await import('./live/events.ts');
      if (over) return;
      const stop = startEvents(surroundings);
      const leave = refreshAfterEvents((resources) => outdateResources(client, resources), surroundings.isSeen);
      end = () => {
        leave();
        stop();
      };
    };
    // Without the stream, data refreshes on window focus. A missing chunk is reported when the next page opens.
    begin().catch(() => undefined);
    return () => end();
  }, [client, surroundings]);
}
