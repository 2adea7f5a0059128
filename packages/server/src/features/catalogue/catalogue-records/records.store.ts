import type { Compilable, ExpressionBuilder } from 'kysely';
import { DatabaseError } from '../../../db/index.ts';
import { sql } from '../../../db/sql.ts';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { GovernedRow, RecordSpec } from './record-spec.ts';

type AnyTables = Record<string, Record<string, unknown>>;

/** What conditions on a table that a value names are built with. */
export type AnyColumns = ExpressionBuilder<AnyTables, string>;

/**
 * Statements over tables and columns that values name. The compiler held them against the schema dump where the value was
 * made (`recordSpec`) or where the function was called (`readRelated` and its neighbours), and so it knows the rows.
 */
export const anyTable = (tx: Tx) => tx.kysely().withTables<AnyTables>();

/** The rows of a statement over `anyTable`; the caller knows their type by the table and the columns it named. */
export async function rowsOf<Row>(tx: Tx, query: Compilable): Promise<Row[]> {
  return (await tx.kysely().executeQuery<Row>(query.compile())).rows;
}

/**
 * What other transactions may do with a locked row. `keep`: change it, but not delete it. `change`: only take a `keep`
 * lock on it. `delete`: only read it.
 */
export type LockStrength = 'keep' | 'change' | 'delete';

function selectFrom<Row extends GovernedRow>(tx: Tx, spec: RecordSpec<Row>, lock: LockStrength | undefined) {
  const table: string = spec.table;
  const query = anyTable(tx).selectFrom(table).selectAll().where('tenantId', '=', tx.tenantId);
  if (lock === 'keep') return query.forKeyShare();
  if (lock === 'change') return query.forNoKeyUpdate();
  return lock === 'delete' ? query.forUpdate() : query;
}

/**
 * The record with this id, soft-deleted or not, or null; a malformed id is an unknown one.
 * With `lock` the row stays locked until the transaction ends.
 */
export async function findRecord<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  lock?: LockStrength,
): Promise<Row | null> {
  if (!isUuid(id)) return null;
  const [row] = await rowsOf<Row>(tx, selectFrom(tx, spec, lock).where('id', '=', id));
  return row ?? null;
}

/**
 * The live rows that have one of these ids in a column, by id; malformed ids match nothing. With `lock` they stay locked
 * until the transaction ends.
 */
export async function findRecords<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  column: keyof Row & string,
  ids: readonly string[],
  lock?: LockStrength,
): Promise<Row[]> {
  const known = ids.filter(isUuid);
  if (known.length === 0) return [];
  const name: string = column;
  let query = selectFrom(tx, spec, lock).where(name, 'in', known).orderBy(sql.ref('id'));
  if (spec.resource.softDelete) query = query.where('deletedAt', 'is', null);
  return rowsOf(tx, query);
}

/**
 * The rows that were deleted with the record that they refer to by `column`: at its very instant. Locked for a change
 * until the transaction ends, by id.
 */
export async function findDeletedWith<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  column: keyof Row & string,
  id: string,
  deletedAt: Date,
): Promise<Row[]> {
  const name: string = column;
  const query = selectFrom(tx, spec, 'change').where(name, '=', id).where('deletedAt', '=', deletedAt);
  return rowsOf(tx, query.orderBy(sql.ref('id')));
}

/** Values as the driver wants them: JSON columns as text, absent ones left out. */
function columnValues<Row extends GovernedRow>(
  spec: RecordSpec<Row>,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, spec.kinds.get(key) === 'json' && value !== null ? JSON.stringify(value) : value]),
  );
}

/** Runs a write and turns a unique violation into 409, a vanished reference into 400. */
async function explainViolations<Row extends GovernedRow, T>(
  spec: RecordSpec<Row>,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const meaning = error.kind === 'unique' ? spec.uniques.get(error.constraint ?? '') : undefined;
    if (meaning !== undefined) {
      throw new AppError(meaning.code, {
        detail: `Another ${spec.resource.noun} already has this ${meaning.path.slice(1)}.`,
        errors: [{ path: meaning.path, message: 'is already taken' }],
        cause: error,
      });
    }
    if (error.kind === 'foreign_key') {
      throw new AppError('reference_not_found', { detail: 'A linked record no longer exists.', cause: error });
    }
    throw error;
  }
}

/** Values by column; an absent one is left as it is, or to the column's default. */
export type RowChange = Readonly<Record<string, unknown>>;

/** Inserts a row at version 1. Throws what `explainViolations` says, as the other writes do. */
export async function insertRow<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  values: RowChange,
): Promise<Row> {
  const table: string = spec.table;
  const insert = anyTable(tx)
    .insertInto(table)
    .values({
      ...columnValues(spec, values),
      id,
      tenantId: tx.tenantId,
      [spec.versionColumn]: 1,
      createdAt: tx.now,
      updatedAt: tx.now,
    })
    .returningAll();
  return written(await explainViolations(spec, () => rowsOf<Row>(tx, insert)));
}

export async function updateRow<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  change: RowChange,
  updatedAt: Date = tx.now,
): Promise<Row> {
  const table: string = spec.table;
  const update = anyTable(tx)
    .updateTable(table)
    .set({ ...columnValues(spec, change), updatedAt })
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', id)
    .returningAll();
  return written(await explainViolations(spec, () => rowsOf<Row>(tx, update)));
}

export async function deleteRow<Row extends GovernedRow>(tx: Tx, spec: RecordSpec<Row>, id: string): Promise<void> {
  const table: string = spec.table;
  await explainViolations(spec, () =>
    anyTable(tx).deleteFrom(table).where('tenantId', '=', tx.tenantId).where('id', '=', id).execute(),
  );
}

function written<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement with returning returned no row');
  return row;
}
