import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { AppError } from '../platform/app-error.ts';
import { overdue } from '../platform/deadline.ts';
import { isCanonicalUuid } from '../platform/ids.ts';
import { type Clock, instantFrom } from '../platform/time/clock.ts';
import { catalogueVersionOf } from './catalogue-versions.ts';
import { channelsOf } from './cluster/announcements.ts';
import { atHome, onOneWorker } from './cluster/one-worker.ts';
import { kyselyOver, type RunStatement } from './connections/kysely-connection.ts';
import type { StatementNames } from './connections/statement-names.ts';
import { DatabaseError, mayBeCommitted, translateCommitError, translateError } from './errors.ts';
import { plannerSettings } from './planner-settings.ts';
import type { Actor, CountedWrite, Definition, PlainStatement, Tx } from './tx.ts';

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
  /** One snapshot for all statements. `readable`: nothing is written. */
  readonly snapshot: 'readable' | 'writable' | null;
  /** No other transaction of the tenant is open at the same time, on any node. */
  readonly alone?: boolean;
  /**
   * On a cluster: runs a definition for another transaction of the tenant, which waits for it. That one counts as open for
   * those that want to be alone, so this one doesn't have to, and the read that it takes would make Citus refuse the definition.
   */
  readonly isApart?: boolean;
  /** Names of statements to prepare, planned as on the hot path; null: plan each time. */
  readonly prepared?: StatementNames | null;
  /** Sends statements that start together in one trip. */
  readonly pipelines?: boolean;
  /** Read, with the commit, the catalogue version that includes the tenant's changes. */
  readonly asksVersion?: boolean;
  /** The database is a Citus cluster. */
  readonly isCluster?: boolean;
  /** On a cluster: runs a statement in another transaction of the tenant. */
  readonly runApart?: RunApart;
}

/** Runs a statement in a transaction of its own and returns its rows. */
export type RunApart = (statement: PlainStatement) => Promise<Record<string, unknown>[]>;

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
  /** On a cluster: undoes definitions after a rollback, the last one first. Does nothing if it may be committed. */
  undoDefinitions(): Promise<void>;
  /** On a cluster: runs the deletions that waited for the commit. */
  finishDefinitions(): Promise<void>;
  /** True when the transaction changed credentials of its tenant. */
  credentialsTouched(): boolean;
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
const notify = (channel: string, tenantId: string | null): string =>
  `select pg_notify(${pg.escapeLiteral(channel)}, ${pg.escapeLiteral(tenantId ?? '')})`;
/** Gives the transaction's catalogue changes the tenant's next version and notifies every node. */
const raiseCatalogueVersion = (actor: Actor): string =>
  `select arbiter.raise_catalogue_version(nullif(current_setting('app.tenant'), '')::uuid, ${pg.escapeLiteral(actor.id)}) as version`;
const readCatalogueVersion = ({ tenantId }: Pick<TransactionFacts, 'tenantId'>): string =>
  `select ${catalogueVersionOf(`${pg.escapeLiteral(tenantId ?? '')}::uuid`)} as version`;

/**
 * SQL for the lock that all transactions of a tenant share, so that one can run alone (`TransactionOptions.alone`).
 * `tenantId` is SQL of type text.
 */
export const presenceOf = (tenantId: string): string => `hashtextextended('arbiter.tenant:' || ${tenantId}, 0)`;

/**
 * SQL that sets the tenant of a transaction on every node of a cluster (db/cluster/cluster.sql). `tenantId` must be a
 * canonical UUID.
 */
export const enterTenant = (tenantId: string, forDecisions: boolean): string =>
  `select arbiter.enter_tenant('${tenantId}', ${forDecisions})`;

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
  {
    snapshot = null,
    alone = false,
    isApart = false,
    prepared = null,
    isCluster = false,
  }: Partial<TransactionFacts> = {},
): string {
  if (tenantId !== null && !isCanonicalUuid(tenantId)) throw new Error('a tenant transaction needs a tenant id');
  const settings = [
    ['app.tenant', tenantId ?? ''],
    ['search_path', 'arbiter, pg_temp'],
    ['statement_timeout', String(Math.ceil(statementTimeoutMs))],
    ['idle_in_transaction_session_timeout', String(idleInTransactionMs)],
    ...(prepared === null ? [] : plannerSettings),
  ];
  const calls = settings.map(([name, value]) => `set_config('${name}', '${value}', true)`);
  const role = tenantId === null ? 'set local role arbiter_system; ' : '';
  const sent = isCluster && tenantId !== null ? `${enterTenant(tenantId, false)}; ` : '';
  const kind = snapshot === null ? 'read committed' : `repeatable read${snapshot === 'readable' ? ' read only' : ''}`;
  const beside =
    tenantId === null || alone || isApart
      ? ''
      : `pg_advisory_xact_lock_shared(${presenceOf(pg.escapeLiteral(tenantId))}), `;
  // Last, because the wait for the lock is over by then.
  const opened =
    isCluster && tenantId !== null
      ? `${beside === '' ? '' : `${atHome(`select ${beside.slice(0, -2)}`, pg.escapeLiteral(tenantId))}; `}select clock_timestamp() as instant`
      : `select ${beside}clock_timestamp() as instant`;
  return `begin isolation level ${kind}; ${role}${sent}select ${calls.join(', ')}; ${opened}`;
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
  /** Channels to notify at the commit. */
  readonly channels: ReadonlySet<string>;
  /** True once a statement got no answer. The connection then runs no further statement. */
  readonly isStuck: () => boolean;
}

function createStatementQueue(
  client: pg.ClientBase,
  cancelAfterMs: number,
  {
    until,
    prepared = null,
    pipelines = false,
    isCluster = false,
    tenantId,
  }: Pick<TransactionFacts, 'until' | 'prepared' | 'pipelines' | 'isCluster' | 'tenantId'>,
): StatementQueue {
  let over = false;
  let stuck = false;
  const channels = new Set<string>();
  // Callers may start several statements at once. Each waits for the one before it, so that none runs after one that failed.
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
      const sent = isCluster ? onOneWorker(tenantId === null ? text : atHome(text, pg.escapeLiteral(tenantId))) : text;
      if (isCluster) for (const channel of channelsOf(text)) channels.add(channel);
      const name = prepared?.(text);
      const extended: Partial<Statement> = { values: [...values], queryMode: 'extended' };
      if (name !== undefined) extended.name = name;
      const statement = pipelines ? send(sent, extended) : tail.then(() => send(sent, extended));
      // The caller gets the error. Those behind only need to know that the answer is there.
      const answered = statement.catch(() => undefined);
      tail = pipelines ? Promise.all([tail, answered]) : answered;
      const [result] = await statement;
      if (result === undefined) throw new Error('the driver returned no result');
      return result;
    },
    idle: () => tail,
    channels,
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
  credentialsTouched: boolean;
  /** On a cluster: statements that undo definitions. */
  readonly undos: PlainStatement[];
  /** On a cluster: deletions to run after the commit. */
  readonly deletions: PlainStatement[];
}

/** Opens a transaction on a connection that the caller borrowed and will return. */
export async function openTransaction(client: pg.ClientBase, facts: TransactionFacts): Promise<OpenTransaction> {
  const leftMs = facts.until - performance.now();
  const cancelAfterMs = Math.max(1, Math.min(facts.statementTimeoutMs, leftMs - deadlineGraceMs));
  const queue = createStatementQueue(client, cancelAfterMs, facts);
  const atCommit: AtCommit = {
    followUps: [],
    lastWork: [],
    effects: [],
    written: new Map(),
    catalogueTouched: false,
    credentialsTouched: false,
    undos: [],
    deletions: [],
  };
  const apart = async (statements: readonly PlainStatement[]): Promise<void> => {
    for (const statement of statements) await facts.runApart?.(statement);
  };
  const sentAt = performance.now();
  const opened = (await queue.send(beginStatements(facts.tenantId, cancelAfterMs, facts))).at(-1);
  const now = instantFrom(facts.clock, opened?.rows[0]?.instant, sentAt);
  const tx = createTx(facts, { now, sentAt }, queue.run, atCommit);
  if (facts.alone === true) await beAlone(queue.send, facts);
  let version: number | null = null;
  // Taking definitions back would then break what is committed. What a failed transaction leaves is removed later.
  let isUnconfirmed = false;
  const translateAtCommit = (error: unknown): unknown => {
    isUnconfirmed = mayBeCommitted(error);
    return translateCommitError(error);
  };

  return {
    tx,
    effects: atCommit.effects,
    written: atCommit.written,
    credentialsTouched: () => atCommit.credentialsTouched,
    async commit() {
      await queue.idle();
      // Effects may register more effects, so read the list to its moving end.
      for (const effect of atCommit.followUps) await effect();
      for (const effect of atCommit.lastWork) await effect();
      queue.end();
      await queue.idle();
      const before: string[] = [];
      if (atCommit.catalogueTouched) before.push(raiseCatalogueVersion(facts.actor));
      else if (facts.asksVersion === true) before.push(readCatalogueVersion(facts));
      for (const channel of queue.channels) before.push(notify(channel, facts.tenantId));
      const results = await queue.send([...before, 'commit', leftover].join('; '), {}, 0, translateAtCommit);
      // COMMIT after a failed statement answers ROLLBACK, without an error.
      if (results.at(-2)?.command !== 'COMMIT') {
        throw new Error('nothing was committed: an earlier statement in the transaction failed');
      }
      if (facts.asksVersion === true) version = Number(results[0]?.rows[0]?.version);
      return isClean(results.at(-1));
    },
    catalogueVersion: () => version,
    undoDefinitions: () => apart(isUnconfirmed ? [] : atCommit.undos.toReversed()),
    finishDefinitions: () => apart(atCommit.deletions),
    async rollback() {
      queue.end();
      await queue.idle();
      if (queue.isStuck()) return false;
      try {
        return isClean((await queue.send(`rollback; ${leftover}`, {}, rollbackMs)).at(-1));
      } catch {
        // The connection is lost or stuck. The caller destroys it, and the database rolls back on its own.
        return false;
      }
    },
  };
}

async function defineApart(
  runApart: RunApart,
  { undos, deletions }: AtCommit,
  { text, values, undo, startsClean = false, deletes = false }: Definition,
): Promise<Record<string, unknown>[]> {
  const statement = { text, values };
  if (deletes) {
    deletions.push(statement);
    return [];
  }
  if (undo !== undefined) {
    undos.push(undo);
    // A new definition of the same thing must survive the commit.
    const waiting = deletions.findIndex((each) => isDeepStrictEqual(each, undo));
    if (waiting >= 0) deletions.splice(waiting, 1);
  }
  // Citus creates no shards in a transaction that dropped some.
  if (undo !== undefined && startsClean) await runApart(undo);
  return runApart(statement);
}

/** `now`: the database's instant in epoch ms; `sentAt`: monotonic ms at which it was asked for. */
function createTx(
  facts: TransactionFacts,
  { now, sentAt }: { readonly now: number; readonly sentAt: number },
  run: RunStatement,
  atCommit: AtCommit,
): Tx {
  const { followUps, lastWork, effects, written } = atCommit;
  const { runApart } = facts;
  const isSetByHand = facts.clock.follow === undefined;
  return {
    tenantId: facts.tenantId ?? '',
    isCluster: facts.isCluster ?? false,
    actor: facts.actor,
    requestId: facts.requestId,
    now: new Date(now),
    latest: () => (isSetByHand ? facts.clock.now() : Math.ceil(now + 1 + performance.now() - sentAt)),
    remarks: [],
    async query(text: string, values: readonly unknown[] = []) {
      return (await run(text, values)).rows;
    },
    async define(definition: Definition) {
      if (runApart === undefined) return (await run(definition.text, definition.values)).rows;
      return defineApart(runApart, atCommit, definition);
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
    touchCredentials() {
      atCommit.credentialsTouched = true;
    },
    // The brand and the row types exist for the compiler only.
  } as unknown as Tx;
}

/**
 * Waits until no other transaction of the tenant is open, and keeps new ones from opening. A hot-path transaction may be
 * waiting for another of the same tenant, so queueing for the lock from the start would put us between the two and
 * deadlock.
 */
async function beAlone(send: Send, { tenantId, isCluster = false }: TransactionFacts): Promise<void> {
  const lock = presenceOf(pg.escapeLiteral(tenantId ?? ''));
  const placed = (text: string) => (isCluster ? atHome(text, pg.escapeLiteral(tenantId ?? '')) : text);
  const triedUntil = performance.now() + triesMs;
  while (performance.now() < triedUntil) {
    const [answer] = await send(placed(`select pg_try_advisory_xact_lock(${lock}) as taken`));
    if (answer?.rows[0]?.taken === true) return;
    await sleep(tryEveryMs);
  }
  try {
    await send(
      `select set_config('lock_timeout', '${waitMs}', true); ${placed(`select pg_advisory_xact_lock(${lock})`)}`,
    );
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
