import { eventOperations, type StreamEvent } from '@arbiter/contract/events';
import { boot, tenantOf } from './boot.ts';
import { call } from './call.ts';
import { codeOf, failureOf } from './failure.ts';
import { isAskingToSignIn } from './signed-out.ts';

/**
 * What happens in the tenant, as it happens. Of all tabs of a browser one asks the server (a web lock says which), and
 * tells the others; when it is closed, the next one takes over. A part of the console that wants events listens here and
 * does not know how they come.
 */

/** Waits between two questions, in milliseconds: while the page is seen, while it is not, and after failures at most. */
const seenMs = 3_000;
const hiddenMs = 30_000;
const longestMs = 60_000;

/** How long to wait before the next question. `failures`: how many in a row. */
export function pollWait(failures: number, seen: boolean): number {
  const usual = seen ? seenMs : hiddenMs;
  return failures === 0 ? usual : Math.min(longestMs, Math.max(usual, seenMs * 2 ** failures));
}

type Listener = (events: readonly StreamEvent[]) => void;

const listeners = new Set<Listener>();

/** Calls back with each part of the stream, in its order; answers with what ends that. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(events: readonly StreamEvent[]): void {
  if (events.length === 0) return;
  for (const listener of listeners) listener(events);
}

/** Where the poller lives: the page's clock, its tabs, whether it is seen. */
export interface PollerSurroundings {
  /** Runs the work in one tab at a time; ends waiting when the signal says so. */
  readonly alone: (name: string, signal: AbortSignal, work: () => Promise<void>) => Promise<unknown>;
  /** Hears what other tabs say under a name, and speaks to them. */
  readonly channel: (name: string, hear: (events: readonly StreamEvent[]) => void) => TabChannel;
  readonly isSeen: () => boolean;
  /** Ends early when the page is seen again, and when the signal says that it is over. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface TabChannel {
  readonly say: (events: readonly StreamEvent[]) => void;
  readonly close: () => void;
}

/** Begins to listen for the tenant of the session; answers with what ends it. */
export function startEvents({ alone, channel: open, isSeen, sleep }: PollerSurroundings): () => void {
  const tenant = tenantOf(boot());
  const name = `arbiter-events:${tenant}`;
  const channel = open(name, tell);
  const stop = new AbortController();
  const { signal } = stop;
  const lead = async () => {
    let after = 'latest';
    let failures = 0;
    while (!signal.aborted) {
      if (isAskingToSignIn()) {
        await sleep(seenMs, signal);
        continue;
      }
      try {
        const page = await call(eventOperations.stream, { query: { after, limit: 200 }, signal });
        after = page.nextAfter;
        failures = 0;
        tell(page.data);
        if (page.data.length > 0) channel.say(page.data);
        // More is waiting when a page was full.
        if (page.data.length >= 200) continue;
      } catch (error) {
        const failure = failureOf(error);
        if (failure.kind === 'abandoned') break;
        // The place in the stream is gone after 7 days of sleep: go on with what comes.
        if (codeOf(failure) === 'invalid_cursor') after = 'latest';
        failures += 1;
      }
      await sleep(pollWait(failures, isSeen()), signal);
    }
  };
  alone(name, signal, lead).catch((error: unknown) => {
    // Asked to stop while another tab was leading.
    if (!signal.aborted) throw error;
  });
  return () => {
    stop.abort();
    channel.close();
  };
}

/** Resources whose answers are old after an event of a type. */
export function oldAfterEvent(type: string): readonly string[] {
  const topic = type.split('.', 1)[0] ?? '';
  return eventEffects[topic] ?? [];
}

const eventEffects: Readonly<Record<string, readonly string[]>> = {
  decision: ['decisions', 'decisionTraces'],
  interaction: ['interactions', 'suppressions'],
  customer: ['customers', 'suppressions', 'schemas'],
  segment: ['segments'],
};
