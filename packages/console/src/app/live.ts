import type { LiveSurroundings } from '../data/live/events.ts';

/** Waits; resolves early when the page becomes visible again or the listener stops. */
function sleepUntilSeen(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onSeen);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const onSeen = () => {
      if (document.visibilityState === 'visible') done();
    };
    const timer = setTimeout(done, ms);
    document.addEventListener('visibilitychange', onSeen);
    signal.addEventListener('abort', done);
  });
}

/** The browser features that live events need. */
export const browserSurroundings: LiveSurroundings = {
  alone: (name, signal, work) => navigator.locks.request(name, { signal }, work),
  channel: (name, hear) => {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }) => hear(data);
    return { say: (events) => channel.postMessage(events), close: () => channel.close() };
  },
  isSeen: () => document.visibilityState === 'visible',
  sleep: sleepUntilSeen,
};

/** Two installations can share an origin, under different paths. */
const sessionChannel = () => new BroadcastChannel(`arbiter-session:${document.baseURI}`);
/** The user signed out, as opposed to an expired session. */
const signedOut = '';

/**
 * Shares the session's identity between tabs: calls `onOther` when another tab has a different session, and `onEnd` when the
 * user signed out in one. Returns a function that stops it.
 */
export function watchOtherTabs(session: string, onOther: () => void, onEnd: () => void): () => void {
  const channel = sessionChannel();
  channel.onmessage = ({ data }) => {
    if (data === signedOut) onEnd();
    else if (data !== session) onOther();
  };
  channel.postMessage(session);
  return () => channel.close();
}

/** Tells the other tabs that the user signed out, so that they hide customer data too. */
export function tellSignedOut(): void {
  const channel = sessionChannel();
  channel.postMessage(signedOut);
  channel.close();
}
