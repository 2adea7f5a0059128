import type { Role } from '@arbiter/contract';
import type { Kysely } from 'kysely';
import type { Remark } from '../platform/remark.ts';
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

declare const txBrand: unique symbol;

/**
 * An open transaction with the tenant set for row-level security. Every service and store function takes it first
 * (docs/architecture.md). Only `db/` creates one.
 */
export interface Tx {
  readonly [txBrand]: true;
  /** The transaction's tenant; an empty string in a system transaction. */
  readonly tenantId: string;
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
}
