import type { ErrorCode } from '@arbiter/contract';

/** Columns that every governed record has. Instants are `Date`s inside the server, ISO text in answers. */
export interface GovernedRow {
  readonly id: string;
  readonly tenantId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Which error a unique constraint means, and which property of the body it is about. */
export interface UniqueMeaning {
  readonly code: Extract<ErrorCode, 'duplicate_name' | 'duplicate_key'>;
  /** JSON Pointer into the body: `/name`. */
  readonly path: string;
}

/**
 * What the record mechanics must know of a resource: one small value per resource, next to its store.
 * Column names are camelCase here and snake_case in the database.
 */
export interface RecordSpec<Row extends GovernedRow> {
  /** Table in schema `arbiter`. */
  readonly table: string;
  /** Word for one record in messages: `contact policy`. */
  readonly noun: string;
  /** `entityType` of its audit rows (api-catalogue.md 1.1). */
  readonly entityType: string;
  /** True when deletion sets `deletedAt`; the table then has that column. */
  readonly softDelete: boolean;
  /** Counter that every committed change raises and that `rowVersion` is compared with. */
  readonly versionColumn: 'version' | 'rowVersion';
  /** jsonb columns; their values are written as JSON (also arrays and scalars). */
  readonly jsonColumns: readonly (keyof Row & string)[];
  /** uuid columns that lists filter by: a malformed value matches nothing instead of failing. */
  readonly idColumns: readonly (keyof Row & string)[];
  /** Columns that `search` looks into. */
  readonly searchColumns: readonly (keyof Row & string)[];
  /** By name of the constraint or unique index. */
  readonly uniques: Readonly<Record<string, UniqueMeaning>>;
  /** Name in audit rows and messages. */
  nameOf(row: Row): string;
  /** What audit rows may show of the record; default: everything but `tenantId`. */
  auditView?(row: Row): Readonly<Record<string, unknown>>;
}

/** Columns the mechanics write by themselves. */
type OwnedColumn = 'id' | 'tenantId' | 'version' | 'rowVersion' | 'createdAt' | 'updatedAt' | 'deletedAt';

/** Values of a new record; columns with a database default may be left out. */
export type NewRecord<Row> = { readonly [K in Exclude<keyof Row, OwnedColumn>]?: Row[K] | undefined };

/** Columns to set; `undefined` leaves a column as it is. */
export type RecordChange<Row> = NewRecord<Row>;

/** How a record was addressed: decides the answer when it is not there, and the `path` of `in_use` entries. */
export type Addressed = 'query' | 'path';

type WireValue<V> = V extends Date ? string : V;

/** A row as answers carry it: instants as ISO text. */
export type Wire<Row> = { readonly [K in keyof Row]: WireValue<Row[K]> };

/** Turns the instants of a row into `2026-11-20T09:00:00.000Z`. Values inside JSON columns are left alone. */
export function toWire<Row extends object>(row: Row): Wire<Row> {
  const wire = Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, value instanceof Date ? value.toISOString() : value]),
  );
  // The mapped type says what fromEntries cannot: same keys, Date replaced by string.
  return wire as Wire<Row>;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for text that PostgreSQL reads as a uuid in the canonical form. */
export const isUuid = (text: string): boolean => uuidPattern.test(text);
