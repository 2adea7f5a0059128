import pg from 'pg';
import { answerWithinMs, overdue } from '../platform/deadline.ts';
import { isCanonicalUuid } from '../platform/ids.ts';
import { connectionConfig } from './connection.ts';
import { translateCommitError, translateError } from './errors.ts';
import { presenceOf } from './transaction.ts';

/** A hot-path statement, prepared once per connection under its name. */
export interface HotStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export type HotRow = Readonly<Record<string, unknown>>;

/**
 * SQL for the database's instant, as `instant`. A statement after the locking one reads it after the wait for the lock.
 */
export const instantColumn = 'clock_timestamp() as instant';

/** Reads the database's clock. */
export const readClock: HotStatement = { name: 'hot.clock', text: `select ${instantColumn}`, values: [] };

/** An open hot-path transaction. Statements sent together make one round trip (docs/design/stack.md, "driver"). */
export interface HotTransaction {
  /** Runs the statements in order and returns the rows of each. */
  send(statements: readonly HotStatement[]): Promise<(readonly HotRow[])[]>;
  /** Runs the statements and commits in one round trip. Resolves only when the commit is durable. */
  commit(statements: readonly HotStatement[]): Promise<void>;
}

/** Pipelined connections for the batcher, separate from the pool. */
export interface HotPath {
  /**
   * Runs `fn` in a transaction bound to the tenant, and rolls back a transaction that `fn` didn't commit. Throws
   * AppError `unavailable` when the database is away, no connection is free within two seconds, or the whole, rollback
   * included, takes longer than `patienceMs` (default and maximum `answerWithinMs`).
   */
  run<T>(tenantId: string, fn: (tx: HotTransaction) => Promise<T>, patienceMs?: number): Promise<T>;
  /** Connections in use now. */
  inUse(): number;
  /** Round trips to the database so far. Statements sent together count as one; a rollback counts too. */
  trips(): number;
  close(): Promise<void>;
}

export interface HotPathOptions {
  readonly url: string;
  /**
   * True when the URL goes through a pooler that gives each transaction another session (docs/guides/scaling.md).
   * Nothing may then outlive a transaction: settings are made in each one, and statements have no names. Default false.
   */
  readonly pooled?: boolean;
  /** Maximum connections. Each carries one batch at a time. */
  readonly connections: number;
  readonly onError?: (error: unknown) => void;
}

// Every statement of this path finds its rows by key. Fresh tables have no statistics yet, and a sequential scan chosen
// for that reason would lock or read a whole tenant. Tell the planner once per connection.
const settings = [
  ['search_path', 'arbiter,pg_temp'],
  ['plan_cache_mode', 'force_generic_plan'],
  ['enable_seqscan', 'off'],
  ['enable_hashjoin', 'off'],
  ['enable_mergejoin', 'off'],
  ['jit', 'off'],
  // Shorter than any caller's wait: if the database can still answer, it gives up first and we keep the connection.
  ['statement_timeout', '3750'],
  ['idle_in_transaction_session_timeout', '60000'],
] as const;
const sessionOptions = settings.map(([name, value]) => `-c ${name}=${value}`).join(' ');
const acquireTimeoutMs = 2_000;
/** Milliseconds a rollback may take, even past the deadline: saving a connection beats opening a new one. */
const rollbackMs = 100;
/** `begin` and the tenant. */
const openingStatements = 2;

const present = `pg_advisory_xact_lock_shared(${presenceOf('$1')})`;
const setTenant = { name: 'hot.tenant', text: `select set_config('app.tenant', $1, true), ${present}` };
/** For a connection without its own session: everything that applies to a transaction, in one statement. */
const setEverything = [
  `select set_config('app.tenant', $1, true)`,
  ...settings.map(([name, value]) => `set_config('${name}', '${value}', true)`),
  present,
].join(', ');
const leftover = { name: 'hot.leftover', text: `select current_setting('app.tenant', true) as tenant` };

interface Waiter {
  readonly take: (client: pg.Client) => void;
  readonly fail: (error: unknown) => void;
  readonly until: number;
  /** Fails the waiter if it's still in the queue when the timer fires. */
  readonly timer: NodeJS.Timeout;
}

/** Opens connections lazily, up to the given number. */
export function createHotPath(options: HotPathOptions): HotPath {
  const onError = options.onError ?? (() => undefined);
  const pooled = options.pooled ?? false;
  const idle: pg.Client[] = [];
  const waiters: Waiter[] = [];
  let open = 0;
  let used = 0;
  let trips = 0;
  let closing = false;

  async function connect(connectTimeoutMs: number): Promise<pg.Client> {
    open++;
    const client = new pg.Client({
      ...connectionConfig({ url: options.url, applicationName: 'arbiter decisions', connectTimeoutMs }),
      ...(pooled ? {} : { options: sessionOptions }),
      pipeline: true,
      query_timeout: answerWithinMs,
    });
    client.on('error', (error) => {
      onError(error);
      const at = idle.indexOf(client);
      if (at >= 0) {
        idle.splice(at, 1);
        open--;
      }
    });
    try {
      await client.connect();
      return client;
    } catch (error) {
      open--;
      throw translateError(error);
    }
  }

  async function acquire(until: number): Promise<pg.Client> {
    if (closing) throw translateError(new Error('Cannot use a pool after calling end on the pool'));
    const waitMs = Math.min(acquireTimeoutMs, until - performance.now());
    if (waitMs <= 0) throw overdue();
    const client = idle.pop();
    if (client) return client;
    if (open < options.connections) return connect(waitMs);
    return new Promise((take, fail) => {
      // Whoever holds the connections may be waiting for a database that hangs.
      const timer = setTimeout(() => {
        waiters.splice(waiters.indexOf(waiter), 1);
        fail(translateError(new Error('timeout exceeded when trying to connect')));
      }, waitMs);
      const waiter: Waiter = { take, fail, until: performance.now() + waitMs, timer };
      waiters.push(waiter);
    });
  }

  function release(client: pg.Client, clean: boolean): void {
    if (!clean || closing) {
      open--;
      client.end().catch(onError);
      connectForWaiter();
      return;
    }
    const next = takeWaiter();
    if (next) next.take(client);
    else idle.push(client);
  }

  /**
   * While the database is away, no finished transaction wakes the waiters, so try each and report the failure to it.
   */
  function connectForWaiter(): void {
    const next = takeWaiter();
    if (!next) return;
    connect(Math.max(1, next.until - performance.now())).then(next.take, (error: unknown) => {
      next.fail(error);
      connectForWaiter();
    });
  }

  function takeWaiter(): Waiter | undefined {
    const next = waiters.shift();
    clearTimeout(next?.timer);
    return next;
  }

  return {
    async run(tenantId, fn, patienceMs = answerWithinMs) {
      if (!isCanonicalUuid(tenantId)) throw new Error('a hot transaction needs a tenant id');
      const until = performance.now() + Math.min(patienceMs, answerWithinMs);
      const client = await acquire(until);
      used++;
      let clean = false;
      // A connection that didn't answer in time gets no more statements.
      let stuck = false;
      let state: 'new' | 'open' | 'over' = 'new';

      const opening = (): Promise<pg.QueryResult>[] => {
        state = 'open';
        const setting = pooled ? { text: setEverything } : setTenant;
        return [query({ text: 'begin' }), query({ ...setting, values: [tenantId] })];
      };
      const query = (config: pg.QueryConfig): Promise<pg.QueryResult> => {
        const timed = { ...config, query_timeout: Math.max(1, until - performance.now()) };
        return client.query(timed);
      };
      const dispatch = (statements: readonly HotStatement[]): Promise<pg.QueryResult>[] =>
        statements.map(({ name, text, values }) =>
          query(pooled ? { text, values: [...values] } : { name, text, values: [...values] }),
        );
      /** Sends everything inside in one write. The driver alone would make a system call per statement. */
      const corked = (sendAll: () => Promise<pg.QueryResult>[]): Promise<pg.QueryResult>[] => {
        const { stream } = client.connection;
        stream.cork();
        trips++;
        try {
          return sendAll();
        } finally {
          stream.uncork();
        }
      };

      const tx: HotTransaction = {
        async send(statements) {
          const first = state === 'new';
          const sent = corked(() => [...(first ? opening() : []), ...dispatch(statements)]);
          return (await settle(sent)).slice(first ? openingStatements : 0).map((r) => r.rows);
        },
        async commit(statements) {
          // Don't send a commit that nobody waits for.
          if (performance.now() >= until) throw overdue();
          const sent = corked(() => [
            ...(state === 'new' ? opening() : []),
            ...dispatch(statements),
            query({ text: 'commit' }),
            // Behind a pooler any session would answer; there the setting ended with the transaction.
            ...(pooled ? [] : [query(leftover)]),
          ]);
          state = 'over';
          const results = await settle(sent).catch((error: unknown) => {
            stuck = isReadTimeout(error);
            throw translateCommitError(error);
          });
          if (results.at(pooled ? -1 : -2)?.command !== 'COMMIT') throw new Error('nothing was committed');
          clean = pooled || isClean(results.at(-1));
        },
      };
      try {
        return await fn(tx);
      } catch (error) {
        stuck ||= isReadTimeout(error);
        throw translateError(error);
      } finally {
        if (state === 'new') clean = true;
        else if (!clean && !stuck) {
          trips++;
          clean = await rollback(client, Math.max(rollbackMs, until - performance.now()), pooled);
        }
        used--;
        release(client, clean);
      }
    },
    inUse: () => used,
    trips: () => trips,
    async close() {
      closing = true;
      for (let waiter = takeWaiter(); waiter; waiter = takeWaiter()) {
        waiter.fail(translateError(new Error('Client closed')));
      }
      await Promise.all(
        idle.splice(0).map((client) => {
          open--;
          return client.end().catch(onError);
        }),
      );
    },
  };
}

const isReadTimeout = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

/** Waits for all, then throws the first error: the connection must be quiet before anyone else gets it. */
async function settle(sent: readonly Promise<pg.QueryResult>[]): Promise<pg.QueryResult[]> {
  const settled = await Promise.allSettled(sent);
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

async function rollback(client: pg.Client, waitMs: number, pooled: boolean): Promise<boolean> {
  const timed = <C extends pg.QueryConfig>(config: C) => client.query({ ...config, query_timeout: waitMs });
  try {
    const results = await settle([timed({ text: 'rollback' }), ...(pooled ? [] : [timed(leftover)])]);
    return pooled || isClean(results.at(-1));
  } catch {
    // The connection is lost; the database rolls back by itself.
    return false;
  }
}

function isClean(result: pg.QueryResult | undefined): boolean {
  const tenant: unknown = result?.rows[0]?.tenant;
  return tenant === '' || tenant === null;
}
