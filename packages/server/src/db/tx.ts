import type { Role } from '@arbiter/contract';
import type { Kysely } from 'kysely';
import type { Remark } from '../platform/remark.ts';
import type { Tables } from './rows.ts';

/** Who acts: written to audit rows as `userId` and `userName` (docs/design/api-access.md 7). */
export interface Actor {
  /** `<user id>`, `apikey:<id>`, `oauth:<id>`, `scim` or `system:<job>`. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** What is counted once it is committed (docs/design/api-access.md 19). */
export type Written = 'audit_rows';

declare const txBrand: unique symbol;

/**
 * An open transaction with the tenant set for row-level security. Every service and store function takes it first
 * (docs/architecture.md). Only `db/` makes one.
 */
export interface Tx {
  readonly [txBrand]: true;
  /** Tenant of the transaction; the empty string in a system transaction. */
  readonly tenantId: string;
  readonly actor: Actor;
  readonly requestId: string;
  /** The database's instant at which the transaction was opened. Use it for every timestamp that is written. */
  readonly now: Date;
  /** The database's instant at the call, in epoch ms: never too early, at most one trip to the database too late. */
  latest(): number;
  /**
   * What of the input was taken and has no effect. Services add to it; the caller is told, or refused when it asked for
   * that. Paths are those of the request's body.
   */
  readonly remarks: Remark[];
  /** Plain SQL with `$1` parameters. */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Kysely over this transaction's connection, typed with the tables as they are (rows.ts). camelCase in the types is
   * snake_case in the database (CamelCasePlugin; keys inside JSON values stay as they are).
   */
  kysely(): Kysely<Tables>;
  /**
   * Runs inside the transaction once its work is done, before everything that `beforeCommit` has registered; a throw rolls
   * everything back. For changes that follow from all that was changed, and lock records of their own.
   */
  atEnd(effect: () => Promise<void>): void;
  /**
   * Runs inside the transaction, right before its commit, in the order of registration and before the catalogue's
   * version is raised; a throw rolls everything back. For what locks a row of the whole tenant (audit head): taken
   * last and in one order, such locks are short and cannot deadlock.
   */
  beforeCommit(effect: () => Promise<void>): void;
  /** Runs after the commit (never after a rollback); for pushes inside the process. */
  afterCommit(effect: () => void): void;
  /** Counts what the transaction has written, for metrics: told to `DatabaseOptions.onWritten` once it has committed. */
  written(what: Written, count: number): void;
  /** Marks the catalogue as changed: the version is raised once, at commit, and every node is told (docs/design/decisioning.md 6). */
  touchCatalogue(): void;
}
