import pg from 'pg';
import { overdue } from '../platform/deadline.ts';
import { newId } from '../platform/ids.ts';
import { type Clock, systemClock } from '../platform/time/clock.ts';
import { connectionConfig } from './connections/connection.ts';
import { createListener, type Listener, type ListenOptions } from './connections/listener.ts';
import { createStatementNames, noNames, type StatementNames } from './connections/statement-names.ts';
import { translateError } from './errors.ts';
import { type OpenTransaction, openTransaction, type RunApart, type TransactionFacts } from './transaction.ts';
import type { Actor, CountedWrite, Tx } from './tx.ts';

export interface DatabaseOptions {
  /** URL of the application role, which row-level security applies to. */
  readonly url: string;
  /** URL for the listener. Needed when `url` goes through a pooler that doesn't keep sessions. Default `url`. */
  readonly directUrl?: string;
  /** True on a Citus cluster (docs/guides/scaling.md). Default false. */
  readonly isCluster?: boolean;
  /**
   * True when `url` goes through a pooler that gives each transaction another session: statements then have no names. Default
   * false.
   */
  readonly pooled?: boolean;
  /** Maximum connections in the pool. The listener uses one more. Default 10. */
  readonly poolMax?: number;
  /** Milliseconds a caller waits for a connection before it gets 503 `unavailable`. Default 2,000 (T27). */
  readonly acquireTimeoutMs?: number;
  /**
   * Milliseconds one statement may take, including the wait for a connection. Must be more than `acquireTimeoutMs`.
   * Default 4,000.
   */
  readonly statementTimeoutMs?: number;
  /** Each transaction syncs it with the database's clock, unless it's set manually. Default: the process's clock. */
  readonly clock?: Clock;
  /** Receives errors that have no caller: idle connections that broke, after-commit effects that threw. */
  readonly onError?: (error: unknown) => void;
  /** Called after each commit with what it wrote, for the things we count. */
  readonly onWritten?: (what: CountedWrite, count: number) => void;
}

export interface TransactionOptions {
  readonly requestId?: string;
  /** A longer statement limit for work known to be slow (packs, cleanup). */
  readonly statementTimeoutMs?: number;
  /**
   * Monotonic ms (`performance.now()`) by which everything ends: the wait for a connection, every statement, commit or
   * rollback. Throws `unavailable` for what isn't done by then. Default: no overall limit, only one per statement.
   */
  readonly until?: number;
  /**
   * REPEATABLE READ: all statements see the state at one instant, however long they take. `true`: READ ONLY, and no other
   * transaction waits for them. `writable`: throws `concurrent_modification` when it changes a row that someone else has
   * changed since. Default: READ COMMITTED.
   */
  readonly snapshot?: boolean | 'writable';
  /**
   * Runs while no other transaction of the tenant is open on any node, hot path included. Throws `unavailable` when the
   * others don't end within seconds. For work whose half-done state nothing else may see.
   */
  readonly alone?: boolean;
  /**
   * Prepares each statement once per connection, and plans it as on the hot path (docs/adr/0116). For frequent transactions
   * whose statements find rows by key and differ in their values only.
   */
  readonly prepares?: boolean;
  /**
   * Sends statements that start together (`Promise.all`) in one trip to the database. Once one fails, the database refuses
   * those behind it. For transactions that read many lists.
   */
  readonly pipelines?: boolean;
  /**
   * Called after the commit with the version of the tenant's catalogue that includes this transaction: the version it
   * raised, or the newest.
   */
  readonly onCatalogueVersion?: (version: number) => void;
}

/** The only way to the data. The pool itself is never exposed (docs/architecture.md). */
export interface Database {
  /**
   * Runs one transaction (READ COMMITTED unless the options differ) bound to a tenant. Commits when `fn` resolves and
   * rolls back when it throws. Throws AppError `unavailable` when the database is away, and DatabaseError when a
   * statement broke a rule.
   */
  withTenant<T>(tenantId: string, actor: Actor, fn: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs one transaction before or across tenants, as role `arbiter_system`, which sees only the tables that migrations
   * opened to it. `reason` names the work, as in `systemActor`.
   */
  withSystem<T>(reason: string, fn: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Calls `handler` for each NOTIFY on the channel until the returned function is called. Reconnects after losses. */
  listen(channel: string, handler: (payload: string) => void, options?: ListenOptions): () => void;
  /** Resolves when every subscription so far is active. */
  listening(): Promise<void>;
  /** False while notifications may be missing: see `Listener.hears`. */
  hears(): boolean;
  /** Current connections of the pool. */
  connections(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Waits for borrowed connections, then closes everything. */
  close(): Promise<void>;
}

/** Returns the actor of background and start-up work: `system:<job>`, with admin rights. */
export function systemActor(job: string): Actor {
  return { id: `system:${job}`, name: 'system', role: 'admin' };
}

/** What every transaction of a database needs. */
interface DatabaseCore {
  readonly pool: pg.Pool;
  readonly statementNames: StatementNames;
  readonly clock: Clock;
  readonly acquireTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly onError: (error: unknown) => void;
  readonly onWritten: DatabaseOptions['onWritten'];
  readonly isCluster: boolean;
  readonly listener: Listener;
}

/** Opens the pool lazily: nothing connects before the first transaction. */
export function createDatabase(options: DatabaseOptions): Database {
  const onError = options.onError ?? (() => undefined);
  const { acquireTimeoutMs = 2_000, isCluster = false } = options;
  const pool = new pg.Pool({
    ...connectionConfig({ url: options.url, connectTimeoutMs: acquireTimeoutMs }),
    max: options.poolMax ?? 10,
    idleTimeoutMillis: 30_000,
    // Allows several statements in one trip. Transactions still send one at a time unless they ask for it.
    pipeline: true,
  });
  // A connection that breaks while idle has already left the pool.
  pool.on('error', onError);
  const listener = createListener(options.directUrl ?? options.url, onError);
  const core: DatabaseCore = {
    pool,
    statementNames: options.pooled === true ? noNames : createStatementNames(),
    clock: options.clock ?? systemClock,
    acquireTimeoutMs,
    statementTimeoutMs: options.statementTimeoutMs ?? 4_000,
    onError,
    onWritten: options.onWritten,
    isCluster,
    listener,
  };
  return {
    withTenant: (tenantId, actor, fn, extra) => transact(core, { tenantId, actor }, fn, extra),
    withSystem: (reason, fn, extra) => transact(core, { tenantId: null, actor: systemActor(reason) }, fn, extra),
    listen: (channel, handler, listenOptions) => listener.listen(channel, handler, listenOptions),
    listening: () => listener.ready(),
    hears: () => listener.hears(),
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await Promise.all([listener.close(), pool.end()]);
    },
  };
}

/** Borrows a connection, unless the deadline passes before one is free. */
async function borrow({ pool, acquireTimeoutMs }: DatabaseCore, until: number): Promise<pg.PoolClient> {
  const leftMs = until - performance.now();
  if (leftMs <= 0) throw overdue();
  const connecting = pool.connect();
  // The pool times out earlier on its own.
  if (leftMs > acquireTimeoutMs) return connecting;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(overdue());
      connecting.then(
        (client) => client.release(),
        () => undefined,
      );
    }, leftMs);
  });
  return Promise.race([connecting, late]).finally(() => clearTimeout(timer));
}

/**
 * A change of a table makes readers wait, so it gives up early if it has to wait itself. Over several connections to a worker, its
 * second statement would fail.
 */
const definitionSettings = `
  select set_config('lock_timeout', '1000ms', true), set_config('citus.max_adaptive_executor_pool_size', '1', true)`;

const apartFrom =
  (core: DatabaseCore, identity: Pick<TransactionFacts, 'tenantId' | 'actor'>): RunApart =>
  ({ text, values }) =>
    transact(core, { ...identity, isApart: true }, async (tx) => {
      await tx.query(definitionSettings);
      return tx.query(text, values);
    });

async function transact<T>(
  core: DatabaseCore,
  identity: Pick<TransactionFacts, 'tenantId' | 'actor' | 'isApart'>,
  fn: (tx: Tx) => Promise<T>,
  extra: TransactionOptions = {},
): Promise<T> {
  const { onError } = core;
  const startedAt = performance.now();
  const until = extra.until ?? Infinity;
  const client = await borrow(core, until).catch((error: unknown) => {
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
      clock: core.clock,
      statementTimeoutMs: extra.statementTimeoutMs ?? core.statementTimeoutMs - (performance.now() - startedAt),
      until,
      snapshot: extra.snapshot === 'writable' ? 'writable' : extra.snapshot === true ? 'readable' : null,
      alone: extra.alone ?? false,
      // On a cluster, plans without the values can't find the worker.
      prepared: extra.prepares === true && !core.isCluster ? core.statementNames : null,
      pipelines: extra.pipelines ?? false,
      asksVersion: extra.onCatalogueVersion !== undefined,
      isCluster: core.isCluster,
      ...(core.isCluster && identity.tenantId !== null ? { runApart: apartFrom(core, identity) } : {}),
    });
    result = await fn(open.tx);
    clean = await open.commit();
  } catch (error) {
    if (open !== null) {
      clean = await open.rollback();
      await open.undoDefinitions().catch(onError);
    }
    throw translateError(error);
  } finally {
    client.off('error', onError);
    // Destroy a connection that's broken or still bound to a tenant (docs/design/quality.md F6).
    client.release(!clean);
  }
  await open.finishDefinitions().catch(onError);
  afterCommit(core, open, extra);
  return result;
}

/** Reports what was committed, and runs the transaction's effects. */
function afterCommit(
  { onWritten, onError, listener }: DatabaseCore,
  open: OpenTransaction,
  extra: TransactionOptions,
): void {
  if (onWritten !== undefined) for (const [what, count] of open.written) onWritten(what, count);
  const version = open.catalogueVersion();
  if (version !== null) extra.onCatalogueVersion?.(version);
  if (open.credentialsTouched()) listener.tell('arbiter_credentials', open.tx.tenantId);
  for (const effect of open.effects) {
    try {
      effect();
    } catch (error) {
      onError(error);
    }
  }
}
