import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { AppError } from '../platform/app-error.ts';
import { overdue } from '../platform/deadline.ts';
import { isCanonicalUuid } from '../platform/ids.ts';
import { type Clock, instantFrom } from '../platform/time/clock.ts';
import { catalogueVersionOf } from './catalogue-versions.ts';
import { kyselyOver, type RunStatement } from './connections/kysely-connection.ts';
import { DatabaseError, translateCommitError, translateError } from './errors.ts';
import type { Actor, CountedWrite, Tx } from './tx.ts';

/** Options of a transaction. */
export interface TransactionFacts {
  /** Tenant for row-level security. Null opens a system transaction as `arbiter_system`. */
  readonly tenantId: string | null;
  readonly actor: Actor;
  readonly requestId: string;
  /** Synced with the database's clock, or set manually. */
  readonly clock: Clock;
  /** Maximum time of one statement in milliseconds. The database cancels it, and we stop waiting a little later. */
  readonly statementTimeoutMs: number;
  /** Monotonic ms by which the whole transaction ends. Infinity: only the limit per statement applies. */
  readonly until: number;
  /** Read only, with one snapshot for all statements. */
  readonly snapshot: boolean;
  /** No other transaction of the tenant is open at the same time, on any node. */
  readonly alone?: boolean;
  /** Read, with the commit, the catalogue version that includes the tenant's changes. */
  readonly asksVersion?: boolean;
}

/** A transaction that `db/` can end. Everyone else gets `tx`. */
export interface OpenTransaction {
  readonly tx: Tx;
  /**
   * Commits. Returns true when the connection is clean and may go back to the pool. Throws when nothing was committed.
   */
  commit(): Promise<boolean>;
  /** Rolls back. Returns true when the connection is clean. Never throws. */
  rollback(): Promise<boolean>;
  /** Returns the catalogue version after a commit that asked for it, otherwise null. */
  catalogueVersion(): number | null;
  /** Effects to run after a successful commit. */
  readonly effects: readonly (() => void)[];
  /** What the transaction wrote, for the things we count. */
  readonly written: ReadonlyMap<CountedWrite, number>;
}

/**
 * The extended protocol takes only one statement, so an injected value can't split our text in two
 * (docs/design/quality.md T3).
 */
interface Statement extends pg.QueryConfig {
  readonly query_timeout: number;
  readonly queryMode?: 'extended';
}

/** How much longer than the database we wait for an answer before we treat the connection as lost. */
const answerGraceMs = 500;
/** The database cancels a statement this long before the deadline, so that we can keep the connection. */
const deadlineGraceMs = 250;
/** Milliseconds a rollback may take, even past the deadline: saving a connection beats opening a new one. */
const rollbackMs = 100;
/** The longest a transaction may hold its locks after its process has stopped. */
const idleInTransactionMs = 60_000;
const leftover = `select current_setting('app.tenant', true) as tenant`;
/** Gives the transaction's catalogue changes the tenant's next version and notifies every node. */
const raiseCatalogueVersion = (actor: Actor): string =>
  `select arbiter.raise_catalogue_version(nullif(current_setting('app.tenant'), '')::uuid, ${pg.escapeLiteral(actor.id)}) as version`;
const readCatalogueVersion = `select ${catalogueVersionOf(`nullif(current_setting('app.tenant'), '')::uuid`)} as version`;

/**
 * SQL for the lock that all transactions of a tenant share, so that one can run alone (`TransactionOptions.alone`).
 * `tenantId` is SQL of type text.
 */
export const presenceOf = (tenantId: string): string => `hashtextextended('arbiter.tenant:' || ${tenantId}, 0)`;

/** For this long we only try the lock, so that new transactions don't queue behind us. Then we wait for it. */
const triesMs = 3_000;
const tryEveryMs = 25;
const waitMs = 3_000;

/**
 * Returns the statements that open a transaction for one tenant, sent in one round trip. Every setting is local to the
 * transaction (docs/design/quality.md F6).
 */
function beginStatements(
  tenantId: string | null,
  statementTimeoutMs: number,
  { snapshot = false, alone = false }: Partial<Pick<TransactionFacts, 'snapshot' | 'alone'>> = {},
): string {
  if (tenantId !== null && !isCanonicalUuid(tenantId)) throw new Error('a tenant transaction needs a tenant id');
  const settings = [
    ['app.tenant', tenantId ?? ''],
    ['search_path', 'arbiter, pg_temp'],
    ['statement_timeout', String(Math.ceil(statementTimeoutMs))],
    ['idle_in_transaction_session_timeout', String(idleInTransactionMs)],
  ];
  const calls = settings.map(([name, value]) => `set_config('${name}', '${value}', true)`);
  const role = tenantId === null ? 'set local role arbiter_system; ' : '';
  const kind = snapshot ? 'repeatable read read only' : 'read committed';
  const beside =
    tenantId === null || alone ? '' : `pg_advisory_xact_lock_shared(${presenceOf(pg.escapeLiteral(tenantId))}), `;
  // Last, because the wait for the lock is over by then.
  const opened = `select ${beside}clock_timestamp() as instant`;
  return `begin isolation level ${kind}; ${role}select ${calls.join(', ')}; ${opened}`;
}

/** Sends one text of statements and returns a result for each. `atLeastMs`: waits so long even past the deadline. */
type Send = (
  text: string,
  extended?: Partial<Statement>,
  atLeastMs?: number,
  translate?: typeof translateError,
) => Promise<pg.QueryResult[]>;

/** The statements of one transaction, in order, within its limits of time. */
interface StatementQueue {
  readonly send: Send;
  /** Runs one statement of the transaction's user, after those before it. Throws once the transaction has ended. */
  readonly run: RunStatement;
  /** Resolves when every statement so far has its answer. */
  readonly idle: () => Promise<unknown>;
  /** Takes no more statements of the user. */
  readonly end: () => void;
  /** True once a statement got no answer. The connection then runs no further statement. */
  readonly isStuck: () => boolean;
}

function createStatementQueue(client: pg.ClientBase, cancelAfterMs: number, until: number): StatementQueue {
  let over = false;
  let stuck = false;
  // The driver takes one statement at a time, but callers may start several at once.
  let tail: Promise<unknown> = Promise.resolve();
  const send: Send = async (text, extended = {}, atLeastMs = 0, translate = translateError) => {
    const waitMs = Math.min(cancelAfterMs + answerGraceMs, Math.max(atLeastMs, until - performance.now()));
    if (stuck || waitMs <= 0) throw overdue();
    try {
      const statement: Statement = { text, ...extended, query_timeout: Math.ceil(waitMs) };
      // For several statements in one text the driver returns a list, which its types don't mention.
      const results: pg.QueryResult | pg.QueryResult[] = await client.query(statement);
      return Array.isArray(results) ? results : [results];
    } catch (error) {
      stuck ||= error instanceof Error && error.message === 'Query read timeout';
      throw translate(error);
    }
  };
  return {
    send,
    async run(text, values) {
      if (over) throw new Error('this transaction has already ended');
      const statement = tail.then(() => send(text, { values: [...values], queryMode: 'extended' }));
      tail = statement.catch(() => undefined);
      const [result] = await statement;
      if (result === undefined) throw new Error('the driver returned no result');
      return result;
    },
    idle: () => tail,
    end() {
      over = true;
    },
    isStuck: () => stuck,
  };
}

/** What a transaction's user has registered for its end. */
interface AtCommit {
  /** `tx.atEnd`. */
  readonly followUps: (() => Promise<void>)[];
  /** `tx.beforeCommit`. */
  readonly lastWork: (() => Promise<void>)[];
  /** `tx.afterCommit`. */
  readonly effects: (() => void)[];
  readonly written: Map<CountedWrite, number>;
  catalogueTouched: boolean;
}

/** Opens a transaction on a connection that the caller borrowed and will return. */
export async function openTransaction(client: pg.ClientBase, facts: TransactionFacts): Promise<OpenTransaction> {
  const leftMs = facts.until - performance.now();
  const cancelAfterMs = Math.max(1, Math.min(facts.statementTimeoutMs, leftMs - deadlineGraceMs));
  const queue = createStatementQueue(client, cancelAfterMs, facts.until);
  const atCommit: AtCommit = {
    followUps: [],
    lastWork: [],
    effects: [],
    written: new Map(),
    catalogueTouched: false,
  };
  const sentAt = performance.now();
  const opened = (await queue.send(beginStatements(facts.tenantId, cancelAfterMs, facts))).at(-1);
  const now = instantFrom(facts.clock, opened?.rows[0]?.instant, sentAt);
  const tx = createTx(facts, { now, sentAt }, queue.run, atCommit);
  if (facts.alone === true) await beAlone(queue.send);
  let version: number | null = null;

  return {
    tx,
    effects: atCommit.effects,
    written: atCommit.written,
    async commit() {
      await queue.idle();
      // Effects may register more effects, so read the list to its moving end.
      for (const effect of atCommit.followUps) await effect();
      for (const effect of atCommit.lastWork) await effect();
      queue.end();
      await queue.idle();
      const before: string[] = [];
      if (atCommit.catalogueTouched) before.push(raiseCatalogueVersion(facts.actor));
      else if (facts.asksVersion === true) before.push(readCatalogueVersion);
      const results = await queue.send([...before, 'commit', leftover].join('; '), {}, 0, translateCommitError);
      // COMMIT after a failed statement answers ROLLBACK, without an error.
      if (results.at(-2)?.command !== 'COMMIT') {
        throw new Error('nothing was committed: an earlier statement in the transaction failed');
      }
      if (facts.asksVersion === true) version = Number(results[0]?.rows[0]?.version);
      return isClean(results.at(-1));
    },
    catalogueVersion: () => version,
    async rollback() {
      queue.end();
      await queue.idle();
      if (queue.isStuck()) return false;
      try {
        return isClean((await queue.send(`rollback; ${leftover}`, {}, rollbackMs)).at(-1));
      } catch {
        // The connection is lost or stuck. The caller destroys it, and the database rolls back by itself.
        return false;
      }
    },
  };
}

/** `now`: the database's instant in epoch ms; `sentAt`: monotonic ms at which it was asked for. */
function createTx(
  facts: TransactionFacts,
  { now, sentAt }: { readonly now: number; readonly sentAt: number },
  run: RunStatement,
  atCommit: AtCommit,
): Tx {
  const { followUps, lastWork, effects, written } = atCommit;
  const isSetByHand = facts.clock.follow === undefined;
  return {
    tenantId: facts.tenantId ?? '',
    actor: facts.actor,
    requestId: facts.requestId,
    now: new Date(now),
    latest: () => (isSetByHand ? facts.clock.now() : Math.ceil(now + 1 + performance.now() - sentAt)),
    remarks: [],
    async query(text: string, values: readonly unknown[] = []) {
      return (await run(text, values)).rows;
    },
    kysely: lazily(() => kyselyOver(run)),
    atEnd(effect: () => Promise<void>) {
      followUps.push(effect);
    },
    beforeCommit(effect: () => Promise<void>) {
      lastWork.push(effect);
    },
    afterCommit(effect: () => void) {
      effects.push(effect);
    },
    written(what: CountedWrite, count: number) {
      written.set(what, (written.get(what) ?? 0) + count);
    },
    touchCatalogue() {
      if (facts.tenantId === null) throw new Error('a system transaction has no catalogue');
      atCommit.catalogueTouched = true;
    },
    // The brand and the row types exist for the compiler only.
  } as unknown as Tx;
}

/**
 * Waits until no other transaction of the tenant is open, and keeps new ones from opening. A hot-path transaction may be
 * waiting for another of the same tenant, so queueing for the lock from the start would put us between the two and
 * deadlock.
 */
async function beAlone(send: Send): Promise<void> {
  const lock = presenceOf("current_setting('app.tenant')");
  const triedUntil = performance.now() + triesMs;
  while (performance.now() < triedUntil) {
    const [answer] = await send(`select pg_try_advisory_xact_lock(${lock}) as taken`);
    if (answer?.rows[0]?.taken === true) return;
    await sleep(tryEveryMs);
  }
  try {
    await send(`select set_config('lock_timeout', '${waitMs}', true); select pg_advisory_xact_lock(${lock})`);
    await send(`select set_config('lock_timeout', '0', true)`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'lock_not_available') throw error;
    const detail = 'The tenant is busy with another change. Try again.';
    throw new AppError('unavailable', { detail, retryAfterSeconds: 5, cause: error });
  }
}

/** Returns true when the connection carries no tenant into the next transaction (docs/design/quality.md F5, F6). */
function isClean(result: pg.QueryResult | undefined): boolean {
  const tenant: unknown = result?.rows[0]?.tenant;
  return tenant === '' || tenant === null;
}

function lazily<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
