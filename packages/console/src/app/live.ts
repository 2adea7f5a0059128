import type { PollerSurroundings } from '../data/events.ts';

/** Waits; ends early when the page is seen again or when it is over. */
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

/** The browser, as far as the poller of events needs it. */
export const browserSurroundings: PollerSurroundings = {
  alone: (name, signal, work) => navigator.locks.request(name, { signal }, work),
  channel: (name, hear) => {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }) => hear(data);
    return { say: (events) => channel.postMessage(events), close: () => channel.close() };
  },
  isSeen: () => document.visibilityState === 'visible',
  sleep: sleepUntilSeen,
};

/**
 * Tells the other tabs of this browser whose session it has now, and hears it from them: `onOther` when it is another one.
 * Answers with what ends that.
 */
export function watchOtherTabs(session: string, onOther: () => void): () => void {
  // Two installations may share an origin, below different paths.
  const channel = new BroadcastChannel(`arbiter-session:${document.baseURI}`);
  channel.onmessage = ({ data }) => {
    if (data !== session) onOther();
  };
  channel.postMessage(session);
  return () => channel.close();
}
