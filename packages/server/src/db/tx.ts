import type { Role } from '@arbiter/contract';
import type { Kysely } from 'kysely';
import type { Remark } from '../platform/remark.ts';
import { isTimedOut } from './errors.ts';
import type { Tables } from './rows.ts';

/** Who acts. Audit rows store it as `userId` and `userName` (docs/design/api-access.md 7). */
export interface Actor {
  /** `<user id>`, `apikey:<id>`, `oauth:<id>`, `scim` or `system:<job>`. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** What's counted once it's committed (docs/design/api-access.md 19). */
export type CountedWrite = 'audit_rows';

/** A plain SQL statement. */
export interface PlainStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface Definition extends PlainStatement {
  /** On a cluster: undoes the definition when the transaction rolls back. Must be safe to repeat. */
  readonly undo?: PlainStatement;
  /** On a cluster: runs `undo` first, because a transaction that never ended may have left something. */
  readonly startsClean?: boolean;
  /** On a cluster: waits for the commit, because a deletion can't be undone. */
  readonly deletes?: boolean;
}

declare const txBrand: unique symbol;

/**
 * An open transaction with the tenant set for row-level security. Every service and store function takes it first
 * (docs/architecture.md). Only `db/` creates one.
 */
export interface Tx {
  readonly [txBrand]: true;
  /** The transaction's tenant; an empty string in a system transaction. */
  readonly tenantId: string;
  /** True on a Citus cluster, for statements across tenants that Citus can't run as they are. */
  readonly isCluster: boolean;
  readonly actor: Actor;
  readonly requestId: string;
  /** The database's instant when the transaction was opened. Use it for every timestamp you write. */
  readonly now: Date;
  /** Returns the database's instant at the call, in epoch ms: never too early, and at most one round trip too late. */
  latest(): number;
  /**
   * Parts of the input that were accepted but have no effect. Services add to it. The caller sees them, or gets an
   * error if it asked for strict handling. Paths refer to the request's body.
   */
  readonly remarks: Remark[];
  /** Runs plain SQL with `$1` parameters. */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Runs a statement that defines a tenant's table. On a cluster it runs in a transaction of its own, because Citus changes
   * tables as their owner, and lets no transaction use a tenant's rows as two roles. See `Definition` for a rollback.
   */
  define<Row = Record<string, unknown>>(definition: Definition): Promise<Row[]>;
  /**
   * Returns Kysely over this transaction's connection, typed with the real tables (rows.ts). camelCase in the types is
   * snake_case in the database (CamelCasePlugin; keys inside JSON values aren't changed).
   */
  kysely(): Kysely<Tables>;
  /**
   * Runs `effect` inside the transaction once its work is done, before everything in `beforeCommit`. A throw rolls
   * everything back. For follow-up changes that lock records of their own.
   */
  atEnd(effect: () => Promise<void>): void;
  /**
   * Runs `effect` inside the transaction right before its commit, in registration order and before the catalogue's
   * version is raised. A throw rolls everything back. For locks on a row of the whole tenant (audit head): taken last
   * and in one order, they're short and can't deadlock.
   */
  beforeCommit(effect: () => Promise<void>): void;
  /** Runs `effect` after the commit, never after a rollback. For pushes inside the process. */
  afterCommit(effect: () => void): void;
  /** Counts what the transaction wrote, for metrics. Passed to `DatabaseOptions.onWritten` after the commit. */
  written(what: CountedWrite, count: number): void;
  /**
   * Marks the catalogue as changed. The version is raised once, at commit, and every node is notified
   * (docs/design/decisioning.md 6).
   */
  touchCatalogue(): void;
  /**
   * Marks the tenant's credentials as changed. After the commit, this process drops them from its cache before it answers, so
   * a sign-out or revocation applies to the caller's next request. Other processes learn of it from the database.
   */
  touchCredentials(): void;
}

/** Runs a query that may take too long: null when it does. The transaction continues either way. The query may only read. */
export async function inTime<Row>(tx: Tx, query: () => Promise<Row>, withinMs: number): Promise<Row | null> {
  await tx.query('savepoint in_time');
  await tx.query(`select set_config('statement_timeout', $1, true)`, [String(withinMs)]);
  let result: Row | null = null;
  try {
    result = await query();
  } catch (error) {
    if (!isTimedOut(error)) throw error;
  }
  // Also restores the setting's old value.
  await tx.query('rollback to savepoint in_time');
  await tx.query('release savepoint in_time');
  return result;
}
