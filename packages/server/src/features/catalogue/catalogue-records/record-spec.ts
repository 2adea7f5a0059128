import type { ErrorCode, Infer, Resource } from '@arbiter/contract';
import { columnName, type Narrowing, type RowSource, type TableName } from '../../../db/columns.ts';
import { type ColumnKind, columnKinds, type Tables } from '../../../db/rows.ts';
import type { ListOrder, SortKey } from './cursors.ts';

/** Columns that every governed record has. Instants are `Date`s inside the server, ISO text in answers. */
export interface GovernedRow {
  readonly id: string;
  readonly tenantId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

type SnakeCase<Path extends string> = Path extends `${infer First}-${infer Rest}`
  ? `${First}_${SnakeCase<Rest>}`
  : Path;

/** Table of a resource: the last part of its path, with underscores. */
type ResourceTable<R extends Resource> = Extract<SnakeCase<R['path']>, TableName>;

type Column<R extends Resource> = keyof Tables[ResourceTable<R>] & string;

/** The more specific of the two types. A record shows instants as text, so those keep the database's type. */
type Sharper<Stored, Shown> = [Shown] extends [Stored] ? Shown : Stored;

/**
 * A row of the resource's table: the columns of the schema dump, with types the database doesn't know (JSON content,
 * allowed words) taken from the record's answers; `N` narrows them where answers and rows differ.
 */
export type RecordRow<
  R extends Resource,
  N extends Narrowing<ResourceTable<R>, N> = Record<never, never>,
> = GovernedRow & {
  readonly [C in keyof Tables[ResourceTable<R>]]: C extends keyof N
    ? N[C]
    : C extends keyof Infer<R['record']>
      ? Sharper<Tables[ResourceTable<R>][C], Infer<R['record']>[C]>
      : Tables[ResourceTable<R>][C];
};

/** Which error a unique constraint means, and which property of the body it is about. */
export interface UniqueMeaning {
  readonly code: Extract<ErrorCode, 'duplicate_name' | 'duplicate_key'>;
  /** JSON Pointer into the body: `/name`. */
  readonly path: string;
}

/** A resource with its table from the schema dump. Column names are camelCase. */
export interface RecordSpec<Row extends GovernedRow, R extends Resource = Resource> extends RowSource<Row> {
  readonly resource: R;
  readonly kinds: ReadonlyMap<string, ColumnKind>;
  readonly order: ListOrder;
  /** Counter that every committed change raises and that `rowVersion` is compared with. */
  readonly versionColumn: 'version' | 'rowVersion';
  /** By name of the constraint or unique index. */
  readonly uniques: ReadonlyMap<string, UniqueMeaning>;
  /** Columns that are left out of the chain of changes, besides `tenantId`. */
  readonly unaudited: readonly string[];
}

/** What a resource says of its properties must be true of the table's columns. */
interface FitsTable<R extends Resource> {
  readonly search: readonly Column<R>[];
  readonly filters: { readonly [P in keyof R['filters']]: P extends Column<R> ? unknown : never };
  readonly unique: { readonly [P in keyof R['unique']]: P extends Column<R> ? unknown : never };
  readonly references: { readonly [P in keyof R['references']]: P extends Column<R> ? unknown : never };
  readonly order: { readonly keys: readonly { readonly property: Column<R> }[] };
}

const isTable = (name: string): name is TableName => Object.hasOwn(columnKinds, name);

/** Table of a resource. Throws when the schema has none with that name: a mistake in the resource. */
export function tableOf(resource: Resource): TableName {
  const name = resource.path.replaceAll('-', '_');
  if (!isTable(name)) throw new Error(`there is no table ${name} for the resource ${resource.entityType}`);
  return name;
}

function sortKind(kind: ColumnKind | undefined): SortKey['kind'] {
  if (kind === 'integer' || kind === 'text' || kind === 'instant') return kind;
  throw new Error(`records can't be sorted by a column of kind ${kind}`);
}

/**
 * What the record mechanics know about a resource: the resource itself and its table's columns. A resource that names a
 * property without a column, or has no table, doesn't compile.
 */
export function recordSpec<const R extends Resource, N extends Narrowing<ResourceTable<R>, N> = Record<never, never>>(
  resource: R & FitsTable<R>,
  options: { readonly unaudited?: readonly Column<R>[] } = {},
): RecordSpec<RecordRow<R, N>, R> {
  const table = tableOf(resource);
  const kinds = new Map<string, ColumnKind>(Object.entries(columnKinds[table]));
  const uniques = Object.entries<UniqueMeaning['code']>(resource.unique);
  const described: Resource = resource;
  return {
    resource,
    table,
    kinds,
    order: {
      keys: described.order.keys.map(({ property, direction }) => ({
        column: property,
        kind: sortKind(kinds.get(property)),
        direction,
      })),
      ids: described.order.ids,
    },
    versionColumn: kinds.has('rowVersion') ? 'rowVersion' : 'version',
    uniques: new Map(
      uniques.map(([property, code]) => [`${table}_${columnName(property)}`, { code, path: `/${property}` }]),
    ),
    unaudited: options.unaudited ?? [],
  };
}

/** Columns the mechanics write on their own. */
type OwnedColumn = 'id' | 'tenantId' | 'version' | 'rowVersion' | 'createdAt' | 'updatedAt' | 'deletedAt';

/** Values of a new record; columns with a database default may be left out. */
export type NewRecord<Row> = { readonly [K in Exclude<keyof Row, OwnedColumn>]?: Row[K] | undefined };

/** Columns to set; `undefined` leaves a column as it is. */
export type RecordChange<Row> = NewRecord<Row>;

/** How a record was addressed. Determines the answer when it's missing, and the `path` of `in_use` entries. */
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
