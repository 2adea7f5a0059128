import { randomUUID } from 'node:crypto';
import type { ErrorEntry } from '@arbiter/contract';
import { DatabaseError } from '../../../../db/index.ts';
import { tryInSavepoint } from '../../../../db/savepoint.ts';
import type { Tx } from '../../../../db/tx.ts';
import { AppError, invalid } from '../../../../platform/app-error.ts';
import { takeTurns } from '../../../../platform/turns.ts';
import { recordAudit } from '../../../identity/audit/index.ts';
import { findRecord } from '../../catalogue-records/index.ts';
import { schemaTable } from '../schema-tables.store.ts';
import { type AppendEvents, customerEvents, type WrittenRow } from '../schemas.events.ts';
import { type SchemaRow, schemaSpec } from '../schemas.store.ts';
import { forgetStats } from '../stats/stats.store.ts';
import {
  bySuppliedColumns,
  type CheckedRow,
  checkRows,
  lastOfEachKey,
  maximumErrors,
  rowChecks,
  updateKey,
} from './rows.rules.ts';
import { type OnExisting, selectRows, tableExists, writeAndCompare, writeRows } from './rows.store.ts';
import { readRowsByKey } from './rows-by-key.store.ts';
import type { JsonValue } from './values.rules.ts';

export interface InsertedRows {
  readonly inserted: number;
  readonly updated: number;
  readonly skipped: number;
  readonly tableName: string;
}

/** Returns the schema, and locks its table until the transaction ends. Throws 404 when there is none. */
export async function lockSchema(tx: Tx, id: string): Promise<SchemaRow> {
  const schema = await findRecord(tx, schemaSpec, id, 'keep');
  if (schema === null) throw new AppError('not_found', { detail: 'This schema does not exist.' });
  return schema;
}

/**
 * Stores rows, all or none (docs/design/api-catalogue.md 2.4). `skip`: leaves out rows whose primary or unique key
 * exists; of equal ones in the request, stores the first. `update`: overwrites the named columns of the existing row;
 * of equal ones in the request, the last counts and the others are skipped. The three numbers sum to the rows given.
 * `appendEvents`: publishes changed customer rows, for requests that aren't too large; null: doesn't publish.
 */
export async function insertRows(
  tx: Tx,
  schemaId: string,
  given: readonly Readonly<Record<string, unknown>>[],
  onDuplicate: 'skip' | 'update',
  appendEvents: AppendEvents | null = null,
): Promise<InsertedRows> {
  const schema = await lockSchema(tx, schemaId);
  const isUpdate = onDuplicate === 'update';
  const key = isUpdate ? updateKey(schema.fields) : null;
  if (isUpdate && key === null) throw invalid('/onDuplicate', 'update requires a primary key or a unique field');
  const { rows, errors } = await checkInTurns(tx, schema, given, { fillMissing: !isUpdate });
  if (errors.length > 0)
    throw new AppError('validation_failed', { detail: "Some rows don't match the schema.", errors });
  const uniqueRows = key === null ? rows : lastOfEachKey(rows, key).kept;
  const tells = appendEvents !== null && schema.schemaType === 'customer' && given.length <= maxReportedRows;
  const onExisting = key === null ? 'skip' : { updateBy: key };
  const { changedRows, ...written } = await writeChecked(tx, schema, uniqueRows, onExisting, tells);
  await appendEvents?.(tx, customerEvents(tx, schema, changedRows));
  await forgetStats(tx, schema.id);
  const result = { ...written, skipped: given.length - written.inserted - written.updated };
  await recordAudit(tx, {
    action: 'upload',
    entityType: 'dataSchema',
    entityId: schema.id,
    entityName: schema.name,
    after: { rows: given.length, ...result },
  });
  return { ...result, tableName: schema.tableName };
}

/** Rows to process between two checks of the clock. */
const rowsAtOnce = 100;

/** Checks the rows a few at a time: thousands of them would keep others waiting. */
async function checkInTurns(
  tx: Tx,
  schema: SchemaRow,
  given: readonly Readonly<Record<string, unknown>>[],
  options: { readonly fillMissing: boolean },
): Promise<{ readonly rows: readonly CheckedRow[]; readonly errors: readonly ErrorEntry[] }> {
  const checks = rowChecks(schema.schemaType, schema.fields);
  const source = { now: tx.now, newUuid: randomUUID };
  const turns = takeTurns();
  const rows: CheckedRow[] = [];
  const errors: ErrorEntry[] = [];
  for (let firstIndex = 0; firstIndex < given.length && errors.length < maximumErrors; firstIndex += rowsAtOnce) {
    const part = given.slice(firstIndex, firstIndex + rowsAtOnce);
    const found = checkRows(part, checks, source, { ...options, firstIndex });
    rows.push(...found.rows);
    errors.push(...found.errors);
    await turns();
  }
  return { rows, errors: errors.slice(0, maximumErrors) };
}

/** Maximum rows of a request published to the stream; larger ones are bulk loads (docs/design/api-catalogue.md 2.4). */
const maxReportedRows = 1_000;

/**
 * Writes checked rows. Throws 409 `duplicate_key` for a unique value of another row. `tells`: reads back what was
 * written.
 */
export async function writeChecked(
  tx: Tx,
  schema: SchemaRow,
  rows: readonly CheckedRow[],
  onExisting: OnExisting,
  tells: boolean,
): Promise<{ inserted: number; updated: number; changedRows: WrittenRow[] }> {
  const table = schemaTable(tx.tenantId, schema);
  // A row without the key cannot meet an existing one by it; it still may by another unique field, which is a conflict.
  const groups =
    onExisting === 'skip' ? [{ columns: schema.fields.map(({ name }) => name), rows }] : bySuppliedColumns(rows);
  const sum = { inserted: 0, updated: 0, changedRows: [] as WrittenRow[] };
  try {
    for (const group of groups) {
      const action = group.columns.length === 0 ? 'skip' : onExisting;
      if (tells) {
        const written = await writeAndCompare(tx, table, group, action);
        const isNew = written.filter((row) => row.isNew).length;
        sum.inserted += isNew;
        sum.updated += written.length - isNew;
        sum.changedRows.push(...written);
      } else {
        const written = await writeRows(tx, table, group, action);
        sum.inserted += written.inserted;
        sum.updated += written.updated;
      }
    }
  } catch (error) {
    if (error instanceof DatabaseError && (error.kind === 'unique' || error.sqlState === cardinalityViolation)) {
      throw new AppError('duplicate_key', {
        detail: 'A value in a unique field is already used by another row.',
        errors: [{ path: '/rows', message: 'contain a value that already exists in a unique field' }],
        cause: error,
      });
    }
    throw error;
  }
  return sum;
}

/**
 * Inserts rows that are expected to be new: that costs half of looking for existing ones. Returns their number; null if
 * one exists, and then none is inserted.
 */
export async function insertNew(tx: Tx, schema: SchemaRow, rows: readonly CheckedRow[]): Promise<number | null> {
  let inserted = 0;
  const error = await tryInSavepoint(tx, async () => {
    inserted = (await writeChecked(tx, schema, rows, 'fail', false)).inserted;
  });
  if (error === null) return inserted;
  if (error instanceof AppError && error.code === 'duplicate_key') return null;
  throw error;
}

/** Two rows of one statement met the same existing row: equal keys in two spellings. */
const cardinalityViolation = '21000';

export interface RowPage {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly rows: Record<string, JsonValue>[];
}

const maximumRows = 500;

/** A page of rows by primary key; with `key` the row of that row key only. A missing table has no rows. */
export async function listRows(
  tx: Tx,
  schemaId: string,
  query: {
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
    readonly key?: string | undefined;
  },
): Promise<RowPage> {
  const schema = await lockSchema(tx, schemaId);
  const table = schemaTable(tx.tenantId, schema);
  const limit = Math.min(query.limit ?? 50, maximumRows);
  const offset = query.offset ?? 0;
  if (!(await tableExists(tx, table))) return { total: 0, limit, offset, rows: [] };
  if (query.key === undefined) return { ...(await selectRows(tx, table, { limit, offset })), limit, offset };
  const names = table.columns.map((column) => column.name);
  const row = (await readRowsByKey(tx, table, names, [query.key])).get(query.key);
  const rows = row === undefined ? [] : [{ ...row }];
  return { total: rows.length, limit, offset, rows: rows.slice(offset, offset + limit) };
}
