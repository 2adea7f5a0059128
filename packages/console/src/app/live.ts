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

/** Two installations may share an origin, below different paths. */
const sessionChannel = () => new BroadcastChannel(`arbiter-session:${document.baseURI}`);
/** Somebody signed out on purpose, which a session that ran out does not say. */
const signedOut = '';

/**
 * Tells the other tabs of this browser whose session it has now, and hears it from them: `onOther` when it is another one,
 * `onEnd` when somebody signed out in one of them. Answers with what ends that.
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

/** Tells the other tabs that somebody signed out: what they show of customers must go with it. */
export function tellSignedOut(): void {
  const channel = sessionChannel();
  channel.postMessage(signedOut);
  channel.close();
}
