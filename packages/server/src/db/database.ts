import pg from 'pg';
import { type Clock, systemClock } from '../platform/clock.ts';
import { overdue } from '../platform/deadline.ts';
import { newId } from '../platform/ids.ts';
import { connectionConfig } from './connection.ts';
import { translateError } from './errors.ts';
import { createListener, type ListenOptions } from './listener.ts';
import { type OpenTransaction, openTransaction, type TransactionFacts } from './transaction.ts';
import type { Actor, Tx, Written } from './tx.ts';

export interface DatabaseOptions {
  /** URL of the application role, which is bound by row-level security. */
  readonly url: string;
  /** Where the listener connects; needed when `url` leads through a pooler that does not keep sessions. Default `url`. */
  readonly directUrl?: string;
  /** Most connections of the pool; the listener has one more. Default 10. */
  readonly poolMax?: number;
  /** Milliseconds that a caller waits for a connection before it gets 503 `unavailable`. Default 2,000 (T27). */
  readonly acquireTimeoutMs?: number;
  /** Milliseconds one statement may take, the wait for the connection included. More than `acquireTimeoutMs`; default 4,000. */
  readonly statementTimeoutMs?: number;
  /** Set by the database's with each transaction, unless it is set by hand. Default: the clock of the process. */
  readonly clock?: Clock;
  /** Gets errors that have no caller: idle connections that broke, effects after a commit that threw. */
  readonly onError?: (error: unknown) => void;
  /** Told after each commit what it wrote of the things that are counted. */
  readonly onWritten?: (what: Written, count: number) => void;
}

export interface TransactionOptions {
  readonly requestId?: string;
  /** Longer limit for the statements of work that is known to be long (packs, cleanup). */
  readonly statementTimeoutMs?: number;
  /**
   * Monotonic ms (`performance.now()`) by which everything ends: the wait for a connection, every statement, commit or
   * rollback. What is not done by then throws `unavailable`. Default: no end for the whole, only for each statement.
   */
  readonly until?: number;
  /**
   * REPEATABLE READ, READ ONLY: all statements see the state of one instant, however long they take, and no other transaction
   * waits for them. Default: READ COMMITTED.
   */
  readonly snapshot?: boolean;
  /**
   * No other transaction of the tenant is open at the same time, on any node, those of the hot path included. Throws
   * `unavailable` when the others do not end within seconds. For work that must not be seen half done by what runs beside it.
   */
  readonly alone?: boolean;
  /**
   * Told after the commit the version of the tenant's catalogue that has what the transaction did: the one it raised, else
   * the newest.
   */
  readonly onCatalogueVersion?: (version: number) => void;
}

/** The only way to the data. The pool itself is not handed out (docs/architecture.md). */
export interface Database {
  /**
   * One transaction (READ COMMITTED, unless the options say otherwise) bound to a tenant; commits when `fn` resolves, rolls back when it throws. Throws
   * AppError `unavailable` when the database is away, DatabaseError for what a statement broke.
   */
  withTenant<T>(tenantId: string, actor: Actor, fn: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * One transaction before or across tenants, as role `arbiter_system`: it sees exactly the tables that migrations
   * opened to that role. `reason` names the work, as in `systemActor`.
   */
  withSystem<T>(reason: string, fn: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Calls `handler` for each NOTIFY on the channel, until the returned function is called. Comes back after losses. */
  listen(channel: string, handler: (payload: string) => void, options?: ListenOptions): () => void;
  /** Resolves when every subscription so far is in force. */
  listening(): Promise<void>;
  /** False while notifications may be missing: see `Listener.hears`. */
  hears(): boolean;
  /** Connections of the pool right now. */
  connections(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Waits for borrowed connections, then closes everything. */
  close(): Promise<void>;
}

/** Actor of background and start-up work: `system:<job>`, with the rights of an admin. */
export function systemActor(job: string): Actor {
  return { id: `system:${job}`, name: 'system', role: 'admin' };
}

/** Opens the pool lazily: nothing is connected before the first transaction. */
export function createDatabase(options: DatabaseOptions): Database {
  const clock = options.clock ?? systemClock;
  const onError = options.onError ?? (() => undefined);
  const defaultTimeoutMs = options.statementTimeoutMs ?? 4_000;
  const acquireTimeoutMs = options.acquireTimeoutMs ?? 2_000;
  const pool = new pg.Pool({
    ...connectionConfig({ url: options.url, connectTimeoutMs: acquireTimeoutMs }),
    max: options.poolMax ?? 10,
    idleTimeoutMillis: 30_000,
  });
  // A connection that breaks while idle has left the pool already.
  pool.on('error', onError);
  const listener = createListener(options.directUrl ?? options.url, onError);

  /** A connection of the pool, unless the deadline comes before one is free. */
  async function borrow(until: number): Promise<pg.PoolClient> {
    const leftMs = until - performance.now();
    if (leftMs <= 0) throw overdue();
    const asked = pool.connect();
    // The pool gives up by itself before.
    if (leftMs > acquireTimeoutMs) return asked;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(overdue());
        asked.then(
          (client) => client.release(),
          () => undefined,
        );
      }, leftMs);
    });
    return Promise.race([asked, late]).finally(() => clearTimeout(timer));
  }

  async function transact<T>(
    identity: Pick<TransactionFacts, 'tenantId' | 'actor'>,
    fn: (tx: Tx) => Promise<T>,
    extra: TransactionOptions = {},
  ): Promise<T> {
    const asked = performance.now();
    const until = extra.until ?? Infinity;
    const client = await borrow(until).catch((error: unknown) => {
      throw translateError(error);
    });
    // While borrowed, a broken connection reports here; the statement in flight fails with it.
    client.on('error', onError);
    let open: OpenTransaction | null = null;
    let clean = false;
    let result: T;
    try {
      open = await openTransaction(client, {
        ...identity,
        requestId: extra.requestId ?? newId(),
        clock,
        statementTimeoutMs: extra.statementTimeoutMs ?? defaultTimeoutMs - (performance.now() - asked),
        until,
        snapshot: extra.snapshot ?? false,
        alone: extra.alone ?? false,
        asksVersion: extra.onCatalogueVersion !== undefined,
      });
      result = await fn(open.tx);
      clean = await open.commit();
    } catch (error) {
      if (open !== null) clean = await open.rollback();
      throw translateError(error);
    } finally {
      client.off('error', onError);
      // A connection that is broken, or still carries a tenant, is destroyed (docs/design/quality.md F6).
      client.release(!clean);
    }
    if (options.onWritten !== undefined) for (const [what, count] of open.written) options.onWritten(what, count);
    const version = open.catalogueVersion();
    if (version !== null) extra.onCatalogueVersion?.(version);
    for (const effect of open.effects) {
      try {
        effect();
      } catch (error) {
        onError(error);
      }
    }
    return result;
  }

  return {
    withTenant: (tenantId, actor, fn, extra) => transact({ tenantId, actor }, fn, extra),
    withSystem: (reason, fn, extra) => transact({ tenantId: null, actor: systemActor(reason) }, fn, extra),
    listen: (channel, handler, listenOptions) => listener.listen(channel, handler, listenOptions),
    listening: () => listener.ready(),
    hears: () => listener.hears(),
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await Promise.all([listener.close(), pool.end()]);
    },
  };
}
