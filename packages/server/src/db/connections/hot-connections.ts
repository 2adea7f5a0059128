import pg from 'pg';
import { overdue } from '../../platform/deadline.ts';
import { translateError } from '../errors.ts';
import { connectionConfig } from './connection.ts';
import { createHotWire, type HotWire } from './wire/hot-wire.ts';

/** The pipelined connections of a hot path. */
export interface HotConnections {
  /** Resolves to a free connection. Throws `unavailable` when none is free by `until`, or within two seconds. */
  acquire(until: number): Promise<HotWire>;
  /** Takes a connection back; one that isn't clean is closed. */
  release(wire: HotWire, clean: boolean): void;
  close(): Promise<void>;
}

interface HotConnectionOptions {
  readonly url: string;
  /** Maximum connections. */
  readonly connections: number;
  readonly onError: (error: unknown) => void;
  /** Settings of each session, as command-line options of the server. */
  readonly options?: string;
}

interface Waiter {
  readonly take: (wire: HotWire) => void;
  readonly fail: (error: unknown) => void;
  readonly until: number;
  /** Fails the waiter if it's still in the queue when the timer fires. */
  readonly timer: NodeJS.Timeout;
}

const acquireTimeoutMs = 2_000;

interface ConnectionsState {
  readonly idle: HotWire[];
  readonly waiters: Waiter[];
  /** Connections that are open or being opened. */
  open: number;
  isClosing: boolean;
}

/** Opens connections lazily, up to the given number. */
export function createHotConnections(options: HotConnectionOptions): HotConnections {
  const { onError } = options;
  const state: ConnectionsState = { idle: [], waiters: [], open: 0, isClosing: false };
  const { idle, waiters } = state;
  return {
    async acquire(until) {
      if (state.isClosing) throw translateError(new Error('Cannot use a pool after calling end on the pool'));
      const waitMs = Math.min(acquireTimeoutMs, until - performance.now());
      if (waitMs <= 0) throw overdue();
      const wire = idle.pop();
      if (wire) return wire;
      if (state.open < options.connections) return connect(state, options, waitMs);
      return new Promise((take, fail) => {
        // All connections may be waiting for a database that hangs.
        const timer = setTimeout(() => {
          waiters.splice(waiters.indexOf(waiter), 1);
          fail(translateError(new Error('timeout exceeded when trying to connect')));
        }, waitMs);
        const waiter: Waiter = { take, fail, until: performance.now() + waitMs, timer };
        waiters.push(waiter);
      });
    },
    release(wire, clean) {
      if (!clean || state.isClosing) {
        state.open--;
        wire.close().catch(onError);
        connectForWaiter(state, options);
        return;
      }
      const next = takeWaiter(state);
      if (next) next.take(wire);
      else idle.push(wire);
    },
    async close() {
      state.isClosing = true;
      for (let waiter = takeWaiter(state); waiter; waiter = takeWaiter(state)) {
        waiter.fail(translateError(new Error('Client closed')));
      }
      await Promise.all(
        idle.splice(0).map((wire) => {
          state.open--;
          return wire.close().catch(onError);
        }),
      );
    },
  };
}

async function connect(
  state: ConnectionsState,
  { url, options, onError }: HotConnectionOptions,
  connectTimeoutMs: number,
): Promise<HotWire> {
  state.open++;
  const client = new pg.Client({
    ...connectionConfig({ url, applicationName: 'arbiter decisions', connectTimeoutMs }),
    ...(options === undefined ? {} : { options }),
  });
  let wire: HotWire | null = null;
  client.on('error', (error) => {
    onError(error);
    const at = wire === null ? -1 : state.idle.indexOf(wire);
    if (at >= 0) {
      state.idle.splice(at, 1);
      state.open--;
    }
  });
  try {
    await client.connect();
    wire = createHotWire(client);
    return wire;
  } catch (error) {
    state.open--;
    throw translateError(error);
  }
}

/** While the database is away, no finished transaction wakes the waiters, so try each and report the failure to it. */
function connectForWaiter(state: ConnectionsState, options: HotConnectionOptions): void {
  const next = takeWaiter(state);
  if (!next) return;
  connect(state, options, Math.max(1, next.until - performance.now())).then(next.take, (error: unknown) => {
    next.fail(error);
    connectForWaiter(state, options);
  });
}

function takeWaiter({ waiters }: ConnectionsState): Waiter | undefined {
  const next = waiters.shift();
  clearTimeout(next?.timer);
  return next;
}
