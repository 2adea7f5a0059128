import { randomUUID } from 'node:crypto';
import type { SchemaField } from '@arbiter/contract';
import type { Tx } from '../../../../db/tx.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { takeTurns } from '../../../../platform/turns.ts';
import { schemaTable } from '../schema-tables.store.ts';
import { forgetStats } from '../stats/stats.store.ts';
import { type CheckedRow, checkRows, maximumErrors, rowChecks } from './rows.rules.ts';
import { lockSchema } from './rows.service.ts';
import { deleteRows, tableExists, writeNewRows } from './rows.store.ts';

/** A row, and its position in the file. */
export interface GivenLine {
  /** From 1. */
  readonly line: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Why a row was rejected. */
export interface RefusedLine {
  readonly line: number;
  readonly message: string;
}

/** Rows per statement. */
const rowsAtOnce = 1_000;

/**
 * Replaces all rows of the schema. Others see the old rows until the transaction commits, and the new ones afterwards.
 * Rejects a row that doesn't fit, or has the key of an earlier one; stops reading after 20 of them. If there is one,
 * the caller must let the transaction fail. `read` gets the columns and the name of the key.
 */
export async function replaceRows(
  tx: Tx,
  schemaId: string,
  read: (columns: readonly Pick<SchemaField, 'name' | 'dataType'>[], key: string) => AsyncIterable<GivenLine>,
): Promise<{ readonly inserted: number; readonly refused: readonly RefusedLine[] }> {
  const schema = await lockSchema(tx, schemaId);
  const table = schemaTable(tx.tenantId, schema);
  if (!(await tableExists(tx, table))) throw new AppError('not_found', { detail: 'The schema has no table.' });
  const checks = rowChecks(schema.schemaType, schema.fields);
  const columns = schema.fields.map(({ name }) => name);
  const source = { now: tx.now, newUuid: randomUUID };
  const turns = takeTurns();
  const refused: RefusedLine[] = [];
  let inserted = 0;
  let waiting: { readonly line: number; readonly row: CheckedRow }[] = [];
  const write = async (): Promise<void> => {
    const lineOf = new Map<string, number>();
    for (const { line, row } of waiting) {
      const key = String(row[table.primaryKey]);
      if (lineOf.has(key)) refused.push({ line, message: sameKey(table.primaryKey) });
      else lineOf.set(key, line);
    }
    const written = await writeNewRows(
      tx,
      table,
      columns,
      waiting.map(({ row }) => row),
    );
    for (const [key, line] of lineOf) if (!written.has(key)) refused.push({ line, message: sameKey(table.primaryKey) });
    inserted += written.size;
    waiting = [];
  };
  await deleteRows(tx, table);
  for await (const { line, values } of read(schema.fields, table.primaryKey)) {
    const { rows, errors } = checkRows([values], checks, source, { fillMissing: true });
    const [wrong] = errors;
    const [row] = rows;
    if (wrong !== undefined) refused.push({ line, message: `${columnOf(wrong.path)} ${wrong.message}` });
    else if (row !== undefined) waiting.push({ line, row });
    if (waiting.length === rowsAtOnce) await write();
    if (refused.length >= maximumErrors) break;
    await turns();
  }
  if (waiting.length > 0) await write();
  await forgetStats(tx, schema.id);
  return { inserted, refused: refused.toSorted((a, b) => a.line - b.line).slice(0, maximumErrors) };
}

const sameKey = (column: string): string => `${column} repeats the value of an earlier row`;

/** The last part of the pointer to a value of a row. */
const columnOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
