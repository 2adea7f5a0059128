import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionConfig } from './connection.ts';

export interface ListenOptions {
  /** Called when the connection is back after a loss. Messages may have been missed, so read again. */
  readonly onReconnect?: () => void;
}

/** One connection that listens on every channel with a subscriber, and reconnects by itself. */
export interface Listener {
  /** Subscribes immediately. The returned function ends the subscription. */
  listen(channel: string, handler: (payload: string) => void, options?: ListenOptions): () => void;
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

/**
 * Creates a listener on a dedicated connection. Reopens lost connections with growing pauses of up to a second; a
 * heartbeat finds connections that died silently. `onFailure` receives errors for the log.
 */
export function createListener(url: string, onFailure: (error: unknown) => void): Listener {
  const subscriptions = new Set<Subscription>();
  const stop = new AbortController();
  let client: pg.Client | null = null;
  let silent = false;
  let loop: Promise<void> | null = null;
  let settled: Promise<unknown> = Promise.resolve();
  let connected = Promise.withResolvers<void>();

  async function run(): Promise<void> {
    let pauseMs = firstPauseMs;
    let established = false;
    while (!stop.signal.aborted) {
      const current = new pg.Client(connectionConfig({ url, applicationName: 'arbiter listener' }));
      const lost = new AbortController();
      current.on('error', () => lost.abort());
      current.on('end', () => lost.abort());
      current.on('notification', ({ channel, payload }) => deliver(channel, payload ?? ''));
      try {
        await current.connect();
        // Subscribers that arrive in the meantime have no connection to use, so read the list again until nothing is
        // missing.
        const listened = new Set<string>();
        for (let channel = missing(listened); channel !== undefined; channel = missing(listened)) {
          listened.add(channel);
          await current.query({ text: `listen ${channel}`, query_timeout: lostMs } as pg.QueryConfig);
        }
        silent = false;
        client = current;
        connected.resolve();
        if (established) for (const each of subscriptions) guarded(() => each.onReconnect?.());
        established = true;
        pauseMs = firstPauseMs;
        await watch(current, AbortSignal.any([lost.signal, stop.signal]), (isSilent) => {
          silent = isSilent;
        });
      } catch (error) {
        if (!stop.signal.aborted) onFailure(error);
      }
      // Keep the promise of the first connection for those already waiting for it.
      if (client !== null) connected = Promise.withResolvers<void>();
      client = null;
      await current.end().catch(() => undefined);
      if (stop.signal.aborted) break;
      // Before the first connection, startup may depend on this timer alone. Only then does it keep the process alive.
      await sleep(pauseMs, undefined, { signal: stop.signal, ref: !established }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
    connected.resolve();
  }

  const missing = (listened: ReadonlySet<string>): string | undefined =>
    [...subscriptions].find(({ channel }) => !listened.has(channel))?.channel;

  function deliver(channel: string, payload: string): void {
    for (const each of subscriptions) {
      if (each.channel === channel) guarded(() => each.handler(payload));
    }
  }

  function guarded(effect: () => void): void {
    try {
      effect();
    } catch (error) {
      onFailure(error);
    }
  }

  /** Changes what the live connection listens to. If that fails, the reconnect does it. */
  function tell(statement: string): void {
    const current = client;
    if (current === null) return;
    settled = settled.then(() => current.query(statement)).catch(() => undefined);
  }

  return {
    listen(channel, handler, options = {}) {
      if (!channelName.test(channel)) throw new Error(`not a valid channel name: ${channel}`);
      const subscription: Subscription = { channel, handler, onReconnect: options.onReconnect };
      subscriptions.add(subscription);
      tell(`listen ${channel}`);
      loop ??= run();
      return () => {
        subscriptions.delete(subscription);
        if (![...subscriptions].some((each) => each.channel === channel)) tell(`unlisten ${channel}`);
      };
    },
    async ready() {
      if (loop === null) return;
      await connected.promise;
      await settled;
    },
    hears: () => client !== null && !silent,
    async close() {
      stop.abort();
      await loop;
    },
  };
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
