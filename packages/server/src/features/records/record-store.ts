import { DatabaseError } from '../../db/index.ts';
import type { Tx } from '../../db/tx.ts';
import { AppError } from '../../platform/app-error.ts';
import { type GovernedRow, isUuid, type RecordSpec } from './record-spec.ts';

export type AnyTables = Record<string, Record<string, unknown>>;

/**
 * `keep`: the row cannot be deleted meanwhile. `change`: nobody else changes it, others may keep it. `delete`: nobody
 * changes or keeps it.
 */
export type LockStrength = 'keep' | 'change' | 'delete';

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
  let query = tx
    .kysely<AnyTables>()
    .selectFrom(spec.table)
    .selectAll()
    .where('tenantId', '=', tx.tenantId)
    .where('id', '=', id);
  if (lock === 'keep') query = query.forKeyShare();
  if (lock === 'change') query = query.forNoKeyUpdate();
  if (lock === 'delete') query = query.forUpdate();
  const row = await query.executeTakeFirst();
  return row === undefined ? null : asRow<Row>(row);
}

/** The rows with these ids, in no particular order, deleted ones too; malformed ids match nothing. */
export async function findRecords<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  column: keyof Row & string,
  ids: readonly string[],
  options: { readonly includeDeleted?: boolean } = {},
): Promise<Row[]> {
  const known = ids.filter(isUuid);
  if (known.length === 0) return [];
  const columnName: string = column;
  let query = tx
    .kysely<AnyTables>()
    .selectFrom(spec.table)
    .selectAll()
    .where('tenantId', '=', tx.tenantId)
    .where(columnName, 'in', known)
    .orderBy('id');
  if (spec.softDelete && options.includeDeleted !== true) query = query.where('deletedAt', 'is', null);
  return (await query.execute()).map(asRow<Row>);
}

/** What the database made of one table's row; the spec and the migration agree on its columns (a test reads them back). */
export function asRow<Row>(row: Record<string, unknown>): Row {
  return row as Row;
}

/** Values as the driver wants them: JSON columns as text, absent ones left out. */
export function columnValues<Row extends GovernedRow>(
  spec: RecordSpec<Row>,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const json: readonly string[] = spec.jsonColumns;
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, json.includes(key) && value !== null ? JSON.stringify(value) : value]),
  );
}

/** Runs a write and turns a unique violation into 409, a vanished reference into 400. */
export async function explainViolations<Row extends GovernedRow, T>(
  spec: Pick<RecordSpec<Row>, 'noun' | 'uniques'>,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const meaning = error.kind === 'unique' ? spec.uniques[error.constraint ?? ''] : undefined;
    if (meaning !== undefined) {
      throw new AppError(meaning.code, {
        detail: `Another ${spec.noun} has this ${meaning.path.slice(1)}.`,
        errors: [{ path: meaning.path, message: 'is already taken' }],
        cause: error,
      });
    }
    if (error.kind === 'foreign_key') {
      throw new AppError('reference_not_found', { detail: 'A record referred to is gone.', cause: error });
    }
    throw error;
  }
}
