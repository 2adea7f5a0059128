import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionConfig } from './connection.ts';

export interface ListenOptions {
  /** Called when the connection is back after a loss. Messages may have been missed, so read again. */
  readonly onReconnect?: () => void;
}

/** One connection that listens on every channel with a subscriber, and reconnects on its own. */
export interface Listener {
  /** Subscribes immediately. The returned function ends the subscription. */
  listen(channel: string, handler: (payload: string) => void, options?: ListenOptions): () => void;
  /** Delivers to the subscribers in this process immediately, without the database. */
  tell(channel: string, payload: string): void;
  /** Resolves when the connection is up and every subscription so far is active. */
  ready(): Promise<void>;
  /**
   * False while messages may be missing: before the connection is up, after it was lost, and once it hasn't answered
   * for `silenceMs`. Don't use caches that rely on notifications then.
   */
  hears(): boolean;
  close(): Promise<void>;
}

interface Subscription {
  readonly channel: string;
  readonly handler: (payload: string) => void;
  readonly onReconnect: (() => void) | undefined;
}

const channelName = /^[a-z_][a-z0-9_]{0,62}$/;
const firstPauseMs = 50;
const longestPauseMs = 1_000;
/** Together less than a second: the longest a silently dead connection may go unnoticed. */
const heartbeatMs = 250;
const silenceMs = 600;
/** Give up a connection that's silent this long. Not sooner, because on a busy machine it may only be slow. */
const lostMs = 2_000;

/** State of a listener, shared by its subscribers and the loop that keeps it connected. */
interface ListenerState {
  readonly url: string;
  readonly onFailure: (error: unknown) => void;
  readonly subscriptions: Set<Subscription>;
  readonly stop: AbortController;
  /** The live connection; null while disconnected. */
  client: pg.Client | null;
  /** The live connection hasn't answered for `silenceMs`. */
  isSilent: boolean;
  connected: PromiseWithResolvers<void>;
}

/**
 * Creates a listener on a dedicated connection. Reopens lost connections with growing pauses of up to a second; a
 * heartbeat finds connections that died silently. `onFailure` receives errors for the log.
 */
export function createListener(url: string, onFailure: (error: unknown) => void): Listener {
  const state: ListenerState = {
    url,
    onFailure,
    subscriptions: new Set(),
    stop: new AbortController(),
    client: null,
    isSilent: false,
    connected: Promise.withResolvers(),
  };
  const { subscriptions } = state;
  let loop: Promise<void> | null = null;
  let settled: Promise<unknown> = Promise.resolve();

  /** Changes what the live connection listens to. If that fails, the reconnect does it. */
  function send(statement: string): void {
    const current = state.client;
    if (current === null) return;
    settled = settled.then(() => current.query(statement)).catch(() => undefined);
  }

  return {
    listen(channel, handler, options = {}) {
      if (!channelName.test(channel)) throw new Error(`not a valid channel name: ${channel}`);
      const subscription: Subscription = { channel, handler, onReconnect: options.onReconnect };
      subscriptions.add(subscription);
      send(`listen ${channel}`);
      loop ??= stayConnected(state);
      return () => {
        subscriptions.delete(subscription);
        if (![...subscriptions].some((each) => each.channel === channel)) send(`unlisten ${channel}`);
      };
    },
    tell: (channel, payload) => deliver(state, channel, payload),
    async ready() {
      if (loop === null) return;
      await state.connected.promise;
      await settled;
    },
    hears: () => state.client !== null && !state.isSilent,
    async close() {
      state.stop.abort();
      await loop;
    },
  };
}

/** Connects, and reconnects after each loss, until the listener stops. */
async function stayConnected(state: ListenerState): Promise<void> {
  const { url, onFailure, stop } = state;
  let pauseMs = firstPauseMs;
  let established = false;
  while (!stop.signal.aborted) {
    const current = new pg.Client(connectionConfig({ url, applicationName: 'arbiter listener' }));
    const lost = new AbortController();
    current.on('error', () => lost.abort());
    current.on('end', () => lost.abort());
    current.on('notification', ({ channel, payload }) => deliver(state, channel, payload ?? ''));
    try {
      await current.connect();
      await subscribe(state, current);
      state.isSilent = false;
      state.client = current;
      state.connected.resolve();
      if (established) for (const each of state.subscriptions) guarded(state, () => each.onReconnect?.());
      established = true;
      pauseMs = firstPauseMs;
      await watch(current, AbortSignal.any([lost.signal, stop.signal]), (isSilent) => {
        state.isSilent = isSilent;
      });
    } catch (error) {
      if (!stop.signal.aborted) onFailure(error);
    }
    // Keep the promise of the first connection for those already waiting for it.
    if (state.client !== null) state.connected = Promise.withResolvers<void>();
    state.client = null;
    await current.end().catch(() => undefined);
    if (stop.signal.aborted) break;
    // Before the first connection, startup may depend on this timer alone. Only then does it keep the process alive.
    await sleep(pauseMs, undefined, { signal: stop.signal, ref: !established }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
  state.connected.resolve();
}

/**
 * Listens to every channel with a subscriber. Subscribers that arrive in the meantime have no connection to use, so
 * this reads the list again until nothing is missing.
 */
async function subscribe({ subscriptions }: ListenerState, client: pg.Client): Promise<void> {
  const listened = new Set<string>();
  const missing = (): string | undefined => [...subscriptions].find(({ channel }) => !listened.has(channel))?.channel;
  for (let channel = missing(); channel !== undefined; channel = missing()) {
    listened.add(channel);
    await client.query({ text: `listen ${channel}`, query_timeout: lostMs } as pg.QueryConfig);
  }
}

function deliver(state: ListenerState, channel: string, payload: string): void {
  for (const each of state.subscriptions) {
    if (each.channel === channel) guarded(state, () => each.handler(payload));
  }
}

function guarded({ onFailure }: ListenerState, effect: () => void): void {
  try {
    effect();
  } catch (error) {
    onFailure(error);
  }
}

/**
 * Resolves when the connection is lost or the listener stops; throws when it has been silent too long. Reports when it
 * falls silent, and when it answers after all: the server answers in order, so by then every message has arrived.
 */
async function watch(client: pg.Client, over: AbortSignal, onSilent: (isSilent: boolean) => void): Promise<void> {
  // An aborted sleep ends early on purpose.
  const until = (ms: number): Promise<unknown> =>
    sleep(ms, undefined, { signal: over, ref: false }).catch(() => undefined);
  while (!over.aborted) {
    await until(heartbeatMs);
    if (over.aborted) return;
    let answered = false;
    const timeUp = new AbortController();
    // For an empty statement the server plans nothing and opens no transaction.
    const answer = client.query('').then(() => {
      answered = true;
    });
    const hasAnswered = async (ms: number): Promise<boolean> => {
      const late = sleep(ms, undefined, { signal: AbortSignal.any([over, timeUp.signal]), ref: false });
      await Promise.race([answer, late.catch(() => undefined)]);
      // If this process was delayed, the answer may still be unread in the socket.
      if (!answered) await nextTurn();
      return answered;
    };
    try {
      if (await hasAnswered(silenceMs)) continue;
      if (over.aborted) return;
      onSilent(true);
      if (!(await hasAnswered(lostMs - silenceMs))) {
        if (over.aborted) return;
        throw new Error(`the listening connection hasn't responded for ${lostMs} ms`);
      }
      onSilent(false);
    } finally {
      timeUp.abort();
      // After giving up, ignore its failure: the throw above already reports the loss.
      answer.catch(() => undefined);
    }
  }
}
