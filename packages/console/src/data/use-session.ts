import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { oldAfterEvent, onEvents, type PollerSurroundings, startEvents } from './events.ts';
import { signedInAgain, signOut } from './session.ts';
import { refreshResources } from './use-operation.ts';

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
    const stop = startEvents(surroundings);
    const leave = onEvents((events) => {
      refreshResources(client, [...new Set(events.flatMap(({ type }) => oldAfterEvent(type)))]);
    });
    return () => {
      leave();
      stop();
    };
  }, [client, surroundings]);
}
