import { eventOperations, type StreamEvent } from '@arbiter/contract/operations/events';
import { followOperation } from '@arbiter/sdk/follow';
import { boot, tenantOf } from '../boot.ts';
import { call, server } from '../call.ts';
import { codeOf, failureOf } from '../failure.ts';
import { oldAfterChange } from '../invalidation.ts';
import { isAskingToSignIn } from '../signed-out.ts';
import { createRefreshPace, refreshGaps } from './refresh-pace.ts';

/**
 * Live events of the tenant. One tab listens to the server (a web lock elects it) and forwards events to the others. When it
 * closes, another takes over. Listeners don't know how events arrive.
 */

/** Wait before the next poll, in milliseconds, where no stream can be open: visible, hidden, and the maximum after failures. */
const seenMs = 3_000;
const hiddenMs = 30_000;
const longestMs = 60_000;
/** Wait before the next stream after one has ended, in milliseconds. */
const nextStreamMs = 500;
/** Events that arrive within this time are one batch, in milliseconds: hundreds may come in a second. */
const batchMs = 100;
/** The server sends a heartbeat every 15 seconds. A proxy that buffers it buffers events, too. */
const silenceMs = 20_000;
/** Polls before trying a stream again, after the server or a proxy refused one. */
const pollsBetween = 20;
const pageSize = 200;

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

/** Environment of the listening tab: clock, tabs, visibility. */
export interface LiveSurroundings {
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
export function startEvents({ alone, channel: open, isSeen, sleep }: LiveSurroundings): () => void {
  const name = `arbiter-events:${tenantOf(boot())}`;
  const channel = open(name, tell);
  const stop = new AbortController();
  const { signal } = stop;
  const hear = (events: readonly StreamEvent[]) => {
    // The channel is closed by then.
    if (signal.aborted) return;
    tell(events);
    if (events.length > 0) channel.say(events);
  };
  const lead = async () => {
    let after = 'latest';
    let failures = 0;
    let pollsLeft = 0;
    while (!signal.aborted) {
      if (isAskingToSignIn()) {
        await sleep(seenMs, signal);
        continue;
      }
      try {
        const page = await call(eventOperations.stream, { query: { after, limit: pageSize, topic }, signal });
        after = page.nextAfter;
        failures = 0;
        hear(page.data);
        // A full page means that there's more.
        if (page.data.length >= pageSize) continue;
      } catch (error) {
        const failure = failureOf(error);
        if (failure.kind === 'abandoned') break;
        // The stream position expires after 7 days. Continue with new events.
        if (codeOf(failure) === 'invalid_cursor') after = 'latest';
        failures += 1;
      }
      if (failures > 0 || pollsLeft > 0) {
        pollsLeft = Math.max(0, pollsLeft - 1);
        await sleep(pollWait(failures, isSeen()), signal);
        continue;
      }
      const stream = await listen(after, signal, hear, (ms) => sleep(ms, signal));
      after = stream.after;
      if (stream.isRefused) pollsLeft = pollsBetween;
      await sleep(stream.isRefused ? pollWait(0, isSeen()) : nextStreamMs, signal);
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

interface EndedStream {
  /** Position of the last event. */
  readonly after: string;
  /** True if there was no stream: the tenant has used all of its streams, or a proxy buffers them. */
  readonly isRefused: boolean;
}

/** Reads one stream until it ends, and passes its events on in batches. */
async function listen(
  from: string,
  signal: AbortSignal,
  hear: (events: readonly StreamEvent[]) => void,
  wait: (ms: number) => Promise<void>,
): Promise<EndedStream> {
  let after = from;
  let batch: StreamEvent[] = [];
  const flush = () => {
    const events = batch;
    batch = [];
    hear(events);
  };
  try {
    const input = { query: { after, topic }, signal };
    for await (const { id, data } of followOperation(eventOperations.stream, input, { ...server, silenceMs })) {
      after = id ?? after;
      // The operation's description promises this type.
      batch.push(data as StreamEvent);
      if (batch.length === 1) void wait(batchMs).then(flush);
    }
    return { after, isRefused: false };
  } catch (error) {
    const { kind } = failureOf(error);
    return { after, isRefused: kind !== 'unreachable' && kind !== 'abandoned' };
  }
}

/** Calls back with the resources that events made stale, at their pace. Returns a function that stops it. */
export function refreshAfterEvents(refresh: (resources: readonly string[]) => void, isSeen: () => boolean): () => void {
  const pace = createRefreshPace(refresh, {
    now: Date.now,
    later: (ms, work) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
  });
  const leave = onEvents((events) => {
    const [traffic, edits] = [events.filter(isTraffic), events.filter((event) => !isTraffic(event))];
    const { edit, traffic: busy, hidden } = refreshGaps;
    pace.add([...new Set(edits.flatMap(oldAfterEvent))], isSeen() ? edit : hidden);
    pace.add([...new Set(traffic.flatMap(oldAfterEvent))], isSeen() ? busy : hidden);
  });
  return () => {
    leave();
    pace.stop();
  };
}

/** Whether a customer caused the event, and not a colleague. */
function isTraffic({ type }: Pick<StreamEvent, 'type'>): boolean {
  return /^(customer|decision|interaction|segment)\./.test(type);
}

/** Returns the resources that an event makes stale. */
export function oldAfterEvent({ type, payload }: Pick<StreamEvent, 'type' | 'payload'>): readonly string[] {
  if (type === 'catalogue.changed.v1')
    return [...oldAfterChange(resourceOfRecord(String(payload.entityType))), 'auditLogs'];
  const topic = type.split('.', 1)[0] ?? '';
  return eventEffects[topic] ?? [];
}

/** Resources that events of a topic make stale. */
const eventEffects: Readonly<Record<string, readonly string[]>> = {
  alert: ['alerts', 'notifications'],
  approval: ['approvals'],
  decision: ['decisions', 'decisionTraces'],
  interaction: ['interactions', 'suppressions'],
  customer: ['customers', 'suppressions', 'schemas'],
  segment: ['segments'],
};

/** Types of events that the console listens to. */
const topic = [
  'alert.fired.v1',
  'approval.requested.v1',
  'approval.resolved.v1',
  'catalogue.changed.v1',
  'customer.changed.v1',
  'decision.made.v1',
  'interaction.recorded.v1',
  'segment.changed.v1',
].join(',');

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
