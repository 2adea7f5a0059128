import type { JoinedSource, Json } from '@arbiter/engine';
import type { HotStatement } from '../../../../db/index.ts';
import {
  addJoined,
  figureName,
  figuresByKeyStatement,
  keyOfJoin,
  type RowsByKey,
  type SchemaTable,
  truncatedName,
} from '../../../catalogue/schemas/index.ts';
import type { LiveFlow } from '../../plans/index.ts';

export type JoinedRow = Readonly<Record<string, Json>>;

/** A read of one table by one column, for the keys of all requests that need it: its rows, or aggregates over them. */
export interface TableRead {
  readonly rows: RowsByKey;
  readonly keys: Set<string>;
  found: ReadonlyMap<string, JoinedRow>;
}

/** The read of a table by a column; `what` tells apart reads of other columns or figures. */
export type TableOf = (
  schemaId: string,
  column: string,
  what: string,
  statement: (table: SchemaTable) => RowsByKey,
) => TableRead;

export type RowsOf = (schemaId: string, column: string, columns: readonly string[]) => TableRead;

/** A read of an auto-enriched schema; `gives`: columns for the profile, null for all that are read. */
export interface AutoRead {
  readonly table: TableRead;
  readonly gives: readonly string[] | null;
}

/** A linked schema or a join, with the reads that it needs. */
interface JoinRead {
  readonly source: JoinedSource;
  /** One per row on the path; its `column` is looked up next. */
  readonly steps: readonly { readonly table: TableRead; readonly column: string }[];
  readonly table: TableRead;
}

/** A join read for one request. */
export interface JoinOfRequest {
  readonly source: JoinRead;
  /** Looked up in the next table of the way; null: the way ends without a row. */
  key: string | null;
}

export interface FlowJoins {
  readonly sources: readonly JoinRead[];
  /** The columns with those that joins need of the same rows, so that a table is read once. */
  columnsBeside(schemaId: string, column: string, columns: readonly string[]): readonly string[];
}

const noJoins: FlowJoins = { sources: [], columnsBeside: (_schemaId, _column, columns) => columns };

/** The reads of a flow's joined schemas: one statement for each table and column that rows are found by. */
export function planJoins({ plan, joined, readSet }: LiveFlow, rowsOf: RowsOf, tableOf: TableOf): FlowJoins {
  if (joined.length === 0) return noJoins;
  const needed = new Map<string, Set<string>>();
  const need = (schemaId: string, column: string, columns: readonly string[]): void => {
    const id = `${schemaId} ${column}`;
    needed.set(id, new Set([...(needed.get(id) ?? []), ...columns]));
  };
  for (const { schemaId, rowKey, columns } of plan.autoSources) {
    need(schemaId, rowKey, readSet.columns[schemaId] ?? columns);
  }
  for (const { schemaId, lookupColumn, path, isMany, values } of joined) {
    for (const step of path) need(step.schemaId, step.lookupColumn, [step.column]);
    // Aggregates by their names, a row by its columns.
    const names = values.map(({ figure, column }) => (isMany ? figureName(figure, column) : (column ?? '')));
    need(schemaId, lookupColumn, names);
  }
  const columnsBeside: FlowJoins['columnsBeside'] = (schemaId, column, columns) => [
    ...new Set([...columns, ...(needed.get(`${schemaId} ${column}`) ?? [])]),
  ];
  const rows = (schemaId: string, column: string): TableRead => {
    const auto = plan.autoSources.find((source) => source.schemaId === schemaId && source.rowKey === column);
    const own = auto === undefined ? [] : (readSet.columns[schemaId] ?? auto.columns);
    return rowsOf(schemaId, column, columnsBeside(schemaId, column, own));
  };
  const figures = (schemaId: string, column: string): TableRead => {
    const wanted = new Map(
      joined
        .filter((source) => source.schemaId === schemaId && source.lookupColumn === column)
        .flatMap(({ values }) => values.map((value) => [figureName(value.figure, value.column), value])),
    );
    const what = `figures ${[...wanted.keys()].join()}`;
    return tableOf(schemaId, column, what, (table) => figuresByKeyStatement(table, column, [...wanted.values()]));
  };
  const sources = joined.map((source) => ({
    source,
    steps: source.path.map(({ schemaId, lookupColumn, column }) => ({ table: rows(schemaId, lookupColumn), column })),
    table: (source.isMany ? figures : rows)(source.schemaId, source.lookupColumn),
  }));
  return { sources, columnsBeside };
}

/** Begins the way from the customer: its first table is read in the batch's first trip. */
export function beginJoin(source: JoinRead, customerId: string): JoinOfRequest {
  const { table } = source.steps[0] ?? source;
  table.keys.add(customerId);
  return { source, key: customerId };
}

/**
 * Continues from a step's row, which has been read. What's still unknown of the next table is read in the next round
 * trip.
 */
export function nextStep(join: JoinOfRequest, at: number, late: LateReads): void {
  const { steps, table } = join.source;
  const step = steps[at];
  if (step === undefined || join.key === null) return;
  join.key = keyOfJoin(step.table.found.get(join.key)?.[step.column]);
  if (join.key !== null) readLate(late, steps[at + 1]?.table ?? table, join.key);
}

/** Keys that are known only now, by table. */
export type LateReads = Map<TableRead, Set<string>>;

/** Reads the key in the next trip, unless it was read before. */
export function readLate(late: LateReads, table: TableRead, key: string): void {
  if (table.keys.has(key)) return;
  table.keys.add(key);
  late.set(table, (late.get(table) ?? new Set()).add(key));
}

export const statementOf = (table: { readonly rows: RowsByKey; readonly keys: ReadonlySet<string> }): HotStatement => ({
  name: table.rows.name,
  text: table.rows.text,
  values: [table.rows.keys([...table.keys])],
});

interface OwnProfile {
  readonly known: boolean;
  readonly values: JoinedRow;
  readonly enriched: Readonly<Record<string, never>>;
  readonly isTruncated: boolean;
}

const nothing: OwnProfile = { known: false, values: {}, enriched: {}, isTruncated: false };

/**
 * Returns `customer.*` of the auto-enriched schemas, then of joined ones. The first that has a name provides its value
 * (docs/design/api-catalogue.md 2.3).
 */
export function profileOf(
  sources: readonly AutoRead[],
  joins: readonly JoinOfRequest[],
  customerId: string,
): OwnProfile {
  if (sources.length === 1 && joins.length === 0) {
    const row = sources[0]!.table.found.get(customerId);
    return row === undefined ? nothing : { ...nothing, known: true, values: row };
  }
  let known = false;
  let isTruncated = false;
  const values: Record<string, Json> = {};
  for (const { table, gives } of sources) {
    const row = table.found.get(customerId);
    if (!row) continue;
    known = true;
    for (const name of gives ?? Object.keys(row)) if (!Object.hasOwn(values, name)) values[name] = row[name]!;
  }
  for (const { source, key } of joins) {
    const found = key === null ? null : (source.table.found.get(key) ?? null);
    if (found !== null && !source.source.isMany) known = true;
    if (found?.[truncatedName] === true) isTruncated = true;
    addJoined(values, source.source, found);
  }
  return { known, values, enriched: {}, isTruncated };
}
