import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { AppError } from '../platform/app-error.ts';
import { type Clock, instantFrom } from '../platform/clock.ts';
import { overdue } from '../platform/deadline.ts';
import { isCanonicalUuid } from '../platform/ids.ts';
import { catalogueVersionOf } from './catalogue-versions.ts';
import { DatabaseError, translateCommitError, translateError } from './errors.ts';
import { kyselyOver, type RunStatement } from './kysely-connection.ts';
import type { Actor, Tx, Written } from './tx.ts';

/** What a transaction is opened with. */
export interface TransactionFacts {
  /** Tenant for row-level security; null opens a system transaction as `arbiter_system`. */
  readonly tenantId: string | null;
  readonly actor: Actor;
  readonly requestId: string;
  /** Set by the database's clock, or by hand. */
  readonly clock: Clock;
  /** Longest time of one statement, in milliseconds: the database cancels it, and we stop waiting a little later. */
  readonly statementTimeoutMs: number;
  /** Monotonic ms by which the whole transaction ends; Infinity: no end but that of each statement. */
  readonly until: number;
  /** Reads only, and all of it in the state of one instant. */
  readonly snapshot: boolean;
  /** No other transaction of the tenant is open at the same time, on any node. */
  readonly alone?: boolean;
  /** Ask, with the commit, which version of the tenant's catalogue has what was done. */
  readonly asksVersion?: boolean;
}

/** A transaction that `db/` can end. `tx` is what everybody else gets. */
export interface OpenTransaction {
  readonly tx: Tx;
  /** Commits; true when the connection is clean and may go back to the pool. Throws when nothing was committed. */
  commit(): Promise<boolean>;
  /** Rolls back; true when the connection is clean. Never throws. */
  rollback(): Promise<boolean>;
  /** After a commit that asked for it: the version of the catalogue. Null otherwise. */
  catalogueVersion(): number | null;
  /** Effects to run once the commit has succeeded. */
  readonly effects: readonly (() => void)[];
  /** What the transaction wrote that is counted. */
  readonly written: ReadonlyMap<Written, number>;
}

/** The extended protocol takes one statement only, so that no text of ours can be cut in two (docs/design/quality.md T3). */
interface Statement extends pg.QueryConfig {
  readonly query_timeout: number;
  readonly queryMode?: 'extended';
}

/** How much longer than the database we wait for an answer before the connection counts as lost. */
const answerGraceMs = 500;
/** Of the time to the deadline: the database cancels a statement so much before we give up its connection. */
const deadlineGraceMs = 250;
/** A rollback may take this long, also when the deadline is over: a connection that is saved need not be opened again. */
const rollbackMs = 100;
/** A transaction whose process has stopped may not hold its locks for longer than this. */
const idleInTransactionMs = 60_000;
const leftover = `select current_setting('app.tenant', true) as tenant`;
/** Gives all that the transaction changed in the catalogue the tenant's next number, and tells every node. */
const raiseCatalogueVersion = (actor: Actor): string =>
  `select arbiter.raise_catalogue_version(nullif(current_setting('app.tenant'), '')::uuid, ${pg.escapeLiteral(actor.id)}) as version`;
const readCatalogueVersion = `select ${catalogueVersionOf(`nullif(current_setting('app.tenant'), '')::uuid`)} as version`;

/**
 * SQL: the lock that every transaction of a tenant shares, so that one can be alone (`TransactionOptions.alone`). `tenantId` is
 * SQL of type text.
 */
export const presenceOf = (tenantId: string): string => `hashtextextended('arbiter.tenant:' || ${tenantId}, 0)`;

/** How long the lock is only tried for, so that nobody has to wait who comes meanwhile; then it is waited for. */
const triesMs = 3_000;
const tryEveryMs = 25;
const waitMs = 3_000;

/**
 * Statements that open a transaction for one tenant, sent as one trip. Every setting is local to the transaction
 * (docs/design/quality.md F6).
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
  // Last: the wait for the lock is over by then.
  const opened = `select ${beside}clock_timestamp() as instant`;
  return `begin isolation level ${kind}; ${role}select ${calls.join(', ')}; ${opened}`;
}

/** Opens a transaction on a connection that the caller has borrowed and will give back. */
export async function openTransaction(client: pg.ClientBase, facts: TransactionFacts): Promise<OpenTransaction> {
  const leftMs = (): number => facts.until - performance.now();
  const cancelAfterMs = Math.max(1, Math.min(facts.statementTimeoutMs, leftMs() - deadlineGraceMs));
  const effects: (() => void)[] = [];
  const followUps: (() => Promise<void>)[] = [];
  const lastWork: (() => Promise<void>)[] = [];
  const written = new Map<Written, number>();
  let catalogueTouched = false;
  let version: number | null = null;
  let over = false;
  // The driver wants one statement at a time; callers may start several at once.
  let tail: Promise<unknown> = Promise.resolve();

  // After a statement that got no answer, the connection is used for no further statement.
  let stuck = false;

  const send = async (
    text: string,
    extended: Partial<Statement>,
    atLeastMs = 0,
    translate = translateError,
  ): Promise<pg.QueryResult[]> => {
    const waitMs = Math.min(cancelAfterMs + answerGraceMs, Math.max(atLeastMs, leftMs()));
    if (stuck || waitMs <= 0) throw overdue();
    try {
      const statement: Statement = { text, ...extended, query_timeout: Math.ceil(waitMs) };
      // With several statements in one text the driver answers with a list, which its types do not say.
      const results: pg.QueryResult | pg.QueryResult[] = await client.query(statement);
      return Array.isArray(results) ? results : [results];
    } catch (error) {
      stuck ||= error instanceof Error && error.message === 'Query read timeout';
      throw translate(error);
    }
  };

  const run: RunStatement = async (text, values) => {
    if (over) throw new Error('this transaction has already ended');
    const statement = tail.then(() => send(text, { values: [...values], queryMode: 'extended' }));
    tail = statement.catch(() => undefined);
    const [result] = await statement;
    if (result === undefined) throw new Error('the driver returned no result');
    return result;
  };

  const sentAt = performance.now();
  const opened = (await send(beginStatements(facts.tenantId, cancelAfterMs, facts), {})).at(-1);
  const now = instantFrom(facts.clock, opened?.rows[0]?.instant, sentAt);
  const isSetByHand = facts.clock.follow === undefined;

  const kysely = lazily(() => kyselyOver(run));
  const tx = {
    tenantId: facts.tenantId ?? '',
    actor: facts.actor,
    requestId: facts.requestId,
    now: new Date(now),
    latest: () => (isSetByHand ? facts.clock.now() : Math.ceil(now + 1 + performance.now() - sentAt)),
    remarks: [],
    async query(text: string, values: readonly unknown[] = []) {
      return (await run(text, values)).rows;
    },
    kysely,
    atEnd(effect: () => Promise<void>) {
      followUps.push(effect);
    },
    beforeCommit(effect: () => Promise<void>) {
      lastWork.push(effect);
    },
    afterCommit(effect: () => void) {
      effects.push(effect);
    },
    written(what: Written, count: number) {
      written.set(what, (written.get(what) ?? 0) + count);
    },
    touchCatalogue() {
      if (facts.tenantId === null) throw new Error('a system transaction has no catalogue');
      catalogueTouched = true;
    },
    // The brand and the row types exist for the compiler only.
  } as unknown as Tx;

  /**
   * Waits until no other transaction of the tenant is open, and keeps them from opening. A transaction of the hot path may hold
   * its place while it waits for another one of the same tenant: whoever waited in the queue of the lock from the beginning
   * would stand between the two.
   */
  async function beAlone(): Promise<void> {
    const lock = presenceOf("current_setting('app.tenant')");
    const triedUntil = performance.now() + triesMs;
    while (performance.now() < triedUntil) {
      const [answer] = await send(`select pg_try_advisory_xact_lock(${lock}) as taken`, {});
      if (answer?.rows[0]?.taken === true) return;
      await sleep(tryEveryMs);
    }
    try {
      await send(`select set_config('lock_timeout', '${waitMs}', true); select pg_advisory_xact_lock(${lock})`, {});
      await send(`select set_config('lock_timeout', '0', true)`, {});
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== 'lock_not_available') throw error;
      const detail = 'The tenant is busy with another change. Try again.';
      throw new AppError('unavailable', { detail, retryAfterSeconds: 5, cause: error });
    }
  }
  if (facts.alone === true) await beAlone();

  return {
    tx,
    effects,
    written,
    async commit() {
      await tail;
      // Work may ask for more work, so the list is read to its moving end.
      for (const effect of followUps) await effect();
      for (const effect of lastWork) await effect();
      over = true;
      await tail;
      const before: string[] = [];
      if (catalogueTouched) before.push(raiseCatalogueVersion(facts.actor));
      else if (facts.asksVersion === true) before.push(readCatalogueVersion);
      const results = await send([...before, 'commit', leftover].join('; '), {}, 0, translateCommitError);
      // COMMIT of a transaction in which a statement failed answers ROLLBACK, without an error.
      if (results.at(-2)?.command !== 'COMMIT') {
        throw new Error('nothing was committed: an earlier statement in the transaction failed');
      }
      if (facts.asksVersion === true) version = Number(results[0]?.rows[0]?.version);
      return isClean(results.at(-1));
    },
    catalogueVersion: () => version,
    async rollback() {
      over = true;
      await tail;
      if (stuck) return false;
      try {
        return isClean((await send(`rollback; ${leftover}`, {}, rollbackMs)).at(-1));
      } catch {
        // The connection is lost or stuck; the caller destroys it, and the database rolls back by itself.
        return false;
      }
    },
  };
}

/** True when the connection carries no tenant into the next transaction (docs/design/quality.md F5, F6). */
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
