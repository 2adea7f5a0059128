import { type Failure, failureOf } from '../failure.ts';

/** Outcome of a row. `requested`: waits for an approver. `stopped`: not sent. */
export type BulkState = 'waiting' | 'running' | 'done' | 'requested' | 'failed' | 'stopped';

export interface BulkRow {
  readonly id: string;
  readonly name: string;
  readonly state: BulkState;
  readonly failure: Failure | null;
}

export interface BulkOptions {
  readonly rows: readonly Pick<BulkRow, 'id' | 'name'>[];
  /** Changes one row. `isRetry`: an earlier try failed, so the known version may be outdated. Throws what `call` throws. */
  readonly act: (id: string, isRetry: boolean) => Promise<'done' | 'requested'>;
  /** Milliseconds to wait before the next call, to stay within the rate limit. */
  readonly waitMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called when the first round and each retry end. */
  readonly onEnd: () => void;
}

/** One change applied to many rows, one call per row. */
export interface BulkRun {
  /** Keeps its identity until something changes. */
  readonly rows: () => readonly BulkRow[];
  readonly isRunning: () => boolean;
  readonly subscribe: (listener: () => void) => () => void;
  /** Sends no further calls. Those in flight still end. */
  readonly stop: () => void;
  /** Sends the failed and the stopped rows again. */
  readonly retry: () => void;
}

/** Calls in flight at the same time. */
const maxAtOnce = 4;

/** Whether the other rows would fail too: the server is unreachable, or the session has ended. */
const endsRun = (failure: Failure): boolean =>
  failure.kind === 'unreachable' ||
  failure.kind === 'timeout' ||
  (failure.kind === 'refused' && failure.problem.code === 'unauthorized');

/** Starts the calls in row order. */
export function startBulk({ rows: chosen, act, waitMs, sleep, onEnd }: BulkOptions): BulkRun {
  let rows: readonly BulkRow[] = chosen.map(({ id, name }) => ({ id, name, state: 'waiting', failure: null }));
  let running = false;
  const attemptedIds = new Set<string>();
  const listeners = new Set<() => void>();
  const show = (next: readonly BulkRow[]): void => {
    rows = next;
    for (const listener of listeners) listener();
  };
  const set = (id: string, state: BulkState, failure: Failure | null = null): void =>
    show(rows.map((row) => (row.id === id ? { ...row, state, failure } : row)));
  const stop = (): void => show(rows.map((row) => (row.state === 'waiting' ? { ...row, state: 'stopped' } : row)));

  async function lane(): Promise<void> {
    for (;;) {
      const ms = waitMs();
      if (ms > 0) await sleep(ms);
      const next = rows.find(({ state }) => state === 'waiting');
      if (next === undefined) return;
      set(next.id, 'running');
      try {
        const isRetry = attemptedIds.has(next.id);
        attemptedIds.add(next.id);
        set(next.id, await act(next.id, isRetry));
      } catch (error) {
        const failure = failureOf(error);
        set(next.id, 'failed', failure);
        if (endsRun(failure)) stop();
      }
    }
  }

  async function run(): Promise<void> {
    running = true;
    await Promise.all(Array.from({ length: Math.min(maxAtOnce, rows.length) }, lane));
    running = false;
    show([...rows]);
    onEnd();
  }

  void run();
  return {
    rows: () => rows,
    isRunning: () => running,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop,
    retry: () => {
      if (running) return;
      const isOpen = ({ state }: BulkRow) => state === 'failed' || state === 'stopped';
      show(rows.map((row) => (isOpen(row) ? { ...row, state: 'waiting', failure: null } : row)));
      void run();
    },
  };
}
