import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import type { PollerSurroundings } from './events.ts';
import { signedInAgain, signOut } from './session.ts';
import { outdateResources } from './use-operation.ts';

/** Looks whether somebody is signed in again and lets the page go on; `onOther` when it is somebody else. */
export function useSignInAgain(onOther: () => void): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(async () => {
    if ((await signedInAgain(client)) === 'other-person') onOther();
  }, [client, onOther]);
}

/** Signs out and then does something, also when the server does not answer. */
export function useSignOut(then: () => void): () => void {
  const client = useQueryClient();
  return useCallback(() => void signOut(client).then(then, then), [client, then]);
}

/** Asks again for what others change, as events tell it, while the page is open. */
export function useLive(surroundings: PollerSurroundings): void {
  const client = useQueryClient();
  useEffect(() => {
    let over = false;
    let end = () => {
      over = true;
    };
    const begin = async () => {
      // Not in the shell: the first picture does without it.
      const { oldAfterEvent, onEvents, startEvents } = await import('./events.ts');
      if (over) return;
      const stop = startEvents(surroundings);
      const leave = onEvents((events) => {
        outdateResources(client, [...new Set(events.flatMap(({ type }) => oldAfterEvent(type)))]);
      });
      end = () => {
        leave();
        stop();
      };
    };
    // Without the stream the page asks when it is looked at again; a missing chunk is told when the next page is opened.
    begin().catch(() => undefined);
    return () => end();
  }, [client, surroundings]);
}
