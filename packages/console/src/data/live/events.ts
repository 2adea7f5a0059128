import { eventOperations, type StreamEvent } from '@arbiter/contract/operations/events';
import { boot, tenantOf } from '../boot.ts';
import { call } from '../call.ts';
import { codeOf, failureOf } from '../failure.ts';
import { oldAfterChange } from '../invalidation.ts';
import { isAskingToSignIn } from '../signed-out.ts';

/**
 * Live events of the tenant. One tab polls the server (a web lock elects it) and forwards events to the others. When it
 * closes, another takes over. Listeners don't know how events arrive.
 */

/** Polling intervals, in milliseconds: visible, hidden, and the maximum after failures. */
const seenMs = 3_000;
const hiddenMs = 30_000;
const longestMs = 60_000;

/** Returns the wait before the next poll. `failures` counts failures in a row. */
export function pollWait(failures: number, seen: boolean): number {
  const usual = seen ? seenMs : hiddenMs;
  return failures === 0 ? usual : Math.min(longestMs, Math.max(usual, seenMs * 2 ** failures));
}

type Listener = (events: readonly StreamEvent[]) => void;

const listeners = new Set<Listener>();

/** Calls back with each batch of events, in order. Returns a function that stops it. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(events: readonly StreamEvent[]): void {
  if (events.length === 0) return;
  for (const listener of listeners) listener(events);
}

/** Environment of the poller: clock, tabs, visibility. */
export interface PollerSurroundings {
  /** Runs the work in one tab at a time. Stops waiting when the signal aborts. */
  readonly alone: (name: string, signal: AbortSignal, work: () => Promise<void>) => Promise<unknown>;
  /** Receives and sends messages between tabs under a name. */
  readonly channel: (name: string, hear: (events: readonly StreamEvent[]) => void) => TabChannel;
  readonly isSeen: () => boolean;
  /** Resolves early when the page becomes visible, or when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface TabChannel {
  readonly say: (events: readonly StreamEvent[]) => void;
  readonly close: () => void;
}

/** Starts listening for the session's tenant. Returns a function that stops it. */
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
        // A full page means that there's more.
        if (page.data.length >= 200) continue;
      } catch (error) {
        const failure = failureOf(error);
        if (failure.kind === 'abandoned') break;
        // The stream position expires after 7 days. Continue with new events.
        if (codeOf(failure) === 'invalid_cursor') after = 'latest';
        failures += 1;
      }
      await sleep(pollWait(failures, isSeen()), signal);
    }
  };
  alone(name, signal, lead).catch((error: unknown) => {
    // Stopped while another tab was leading.
    if (!signal.aborted) throw error;
  });
  return () => {
    stop.abort();
    channel.close();
  };
}

/** Returns the resources that an event makes stale. */
export function oldAfterEvent({ type, payload }: Pick<StreamEvent, 'type' | 'payload'>): readonly string[] {
  if (type === 'catalogue.changed.v1')
    return [...oldAfterChange(resourceOfRecord(String(payload.entityType))), 'auditLogs'];
  const topic = type.split('.', 1)[0] ?? '';
  return eventEffects[topic] ?? [];
}

const eventEffects: Readonly<Record<string, readonly string[]>> = {
  alert: ['alerts', 'notifications'],
  approval: ['approvals'],
  decision: ['decisions', 'decisionTraces'],
  interaction: ['interactions', 'suppressions'],
  customer: ['customers', 'suppressions', 'schemas'],
  segment: ['segments'],
};

/** Returns the resource of an entity type as it is in operation IDs: `offers` for `offer`. */
export function resourceOfRecord(entityType: string): string {
  return irregular[entityType] ?? entityType.replace(/y$/, 'ie').concat('s');
}

const irregular: Readonly<Record<string, string>> = {
  contentItem: 'content',
  dataSchema: 'schemas',
  flowVersion: 'decisionFlows',
  journey: 'journeys',
  tenantSettings: 'tenantSettings',
};
