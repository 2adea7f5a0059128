import { randomUUID } from 'node:crypto';
import { tryInSavepoint } from '../../../../db/savepoint.ts';
import type { Tx } from '../../../../db/tx.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { takeTurns } from '../../../../platform/turns.ts';
import { rowKeyOf } from '../fields/fields.rules.ts';
import { schemaTable } from '../schema-tables.store.ts';
import type { SchemaRow } from '../schemas.store.ts';
import { forgetStats } from '../stats/stats.store.ts';
import { type CheckedRow, createRowChecker, lastOfEachKey, type RowChecks, rowChecks } from './rows.rules.ts';
import { insertNew, lockSchema, writeChecked } from './rows.service.ts';
import { deleteRows, tableExists } from './rows.store.ts';

/** A schema that rows are loaded into, locked until the transaction ends. */
export interface LoadTarget {
  readonly schema: SchemaRow;
  /** Column compared with customer ids. */
  readonly rowKey: string;
  readonly checks: RowChecks;
}

/** A row of a load. Its values must have columns of the schema only. */
export interface LoadedRow {
  /** Its number in the source. */
  readonly row: number;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface LoadProblem {
  readonly row: number;
  readonly column: string | null;
  readonly error: string;
}

/** Throws 404 when the schema or its table is missing. */
export async function openTarget(tx: Tx, schemaId: string): Promise<LoadTarget> {
  const schema = await lockSchema(tx, schemaId);
  if (!(await tableExists(tx, schemaTable(tx.tenantId, schema)))) {
    throw new AppError('not_found', { detail: 'The schema has no table.' });
  }
  return { schema, rowKey: rowKeyOf(schema.fields), checks: rowChecks(schema.schemaType, schema.fields) };
}

/**
 * Writes the rows that fit the schema. `upsertBy`: a unique column by which existing rows are updated; null: rows whose
 * unique key exists are skipped. `areNew`: expects that no row exists, which is much cheaper if it's true. Returns the
 * number of rows written, whether all were new, and one problem for each row that doesn't fit.
 */
export async function loadRows(
  tx: Tx,
  { schema, checks }: LoadTarget,
  rows: readonly LoadedRow[],
  { upsertBy, areNew }: { readonly upsertBy: string | null; readonly areNew: boolean },
): Promise<{ readonly written: number; readonly areNew: boolean; readonly problems: readonly LoadProblem[] }> {
  const source = { now: tx.now, newUuid: randomUUID };
  const turns = takeTurns();
  const problems: LoadProblem[] = [];
  const checkedRows: CheckedRow[] = [];
  const numbers = new Map<CheckedRow, number>();
  const check = createRowChecker(checks, source, upsertBy === null);
  let wrong: Omit<LoadProblem, 'row'> | null = null;
  const refuse = (column: string, error: string) => {
    wrong ??= { column, error };
  };
  for (const { row, values } of rows) {
    wrong = null;
    const checked = check(values, refuse);
    const problem: Omit<LoadProblem, 'row'> | null = wrong;
    if (problem !== null) {
      problems.push({ row, ...(problem as Omit<LoadProblem, 'row'>) });
    } else {
      checkedRows.push(checked);
      if (upsertBy !== null) numbers.set(checked, row);
    }
    const pause = turns();
    if (pause !== undefined) await pause;
  }
  const inserted = areNew ? await insertNew(tx, schema, checkedRows) : null;
  const written =
    inserted ??
    (await writeFitting(tx, schema, checkedRows, upsertBy, (row, error) =>
      problems.push({ row: numbers.get(row) ?? 0, column: null, error }),
    ));
  await forgetStats(tx, schema.id);
  return { written, areNew: inserted !== null, problems: problems.toSorted((a, b) => a.row - b.row) };
}

/** Writes rows; those that an update can't write because of another unique field go to `refuse`. */
async function writeFitting(
  tx: Tx,
  schema: SchemaRow,
  rows: readonly CheckedRow[],
  key: string | null,
  refuse: (row: CheckedRow, error: string) => void,
): Promise<number> {
  if (key === null) return (await writeChecked(tx, schema, rows, 'skip', false)).inserted;
  let written = 0;
  const write = async (part: readonly CheckedRow[]): Promise<void> => {
    if (part.length === 0) return;
    const error = await tryInSavepoint(tx, async () => {
      const { inserted, updated } = await writeChecked(tx, schema, part, { updateBy: key }, false);
      written += inserted + updated;
    });
    if (error === null) return;
    if (!(error instanceof AppError) || error.code !== 'duplicate_key') throw error;
    const [only] = part;
    if (part.length === 1 && only !== undefined) {
      refuse(only, 'has a value that another row has in a unique field');
      return;
    }
    const middle = Math.ceil(part.length / 2);
    await write(part.slice(0, middle));
    await write(part.slice(middle));
  };
  await write(lastOfEachKey(rows, key).kept);
  return written;
}

/** Deletes all rows. Others see them until the transaction commits. */
export async function emptySchema(tx: Tx, { schema }: LoadTarget): Promise<void> {
  await deleteRows(tx, schemaTable(tx.tenantId, schema));
  await forgetStats(tx, schema.id);
}
