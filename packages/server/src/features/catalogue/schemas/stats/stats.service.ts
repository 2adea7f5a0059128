import type { SchemaStats } from '@arbiter/contract';
import { DatabaseError, type TransactionOptions } from '../../../../db/index.ts';
import type { Tx } from '../../../../db/tx.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { newId } from '../../../../platform/ids.ts';
import { getRecord, lockRecord } from '../../catalogue-records/index.ts';
import { schemaTable } from '../schema-tables.store.ts';
import { type SchemaRow, schemaSpec } from '../schemas.store.ts';
import { isSchemaTable, sampleEvery } from './stats.rules.ts';
import { countColumn, countRows, keepStats, markCounting, readStats } from './stats.store.ts';

/** How long figures stay valid. */
const cachedMs = 5 * 60_000;
/** Maximum time of one statement: each column needs a scan of a large table. */
const countingMs = 60_000;

const maximumTries = 3;

/** Runs work in a transaction of its own. */
export type RunWith = <T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions) => Promise<T>;

/**
 * Returns figures of a schema's rows, counted at most every five minutes unless rows are written
 * (docs/design/api-catalogue.md 2.5). The cache is a table, so all processes see a write. Counting blocks nobody: it
 * sets a mark while no rows are being written, counts the columns, and stores the result if no writer has removed the
 * mark.
 */
export async function schemaStats(run: RunWith, schemaId: string): Promise<SchemaStats> {
  const known = await run(async (tx) => {
    const schema = await getRecord(tx, schemaSpec, schemaId);
    assertSchemaTable(schema);
    return readStats(tx, schema.id, schema.version, new Date(tx.now.getTime() - cachedMs));
  });
  if (known !== null) return known;

  for (let tries = 1; ; tries += 1) {
    try {
      return await countAndKeep(run, schemaId);
    } catch (error) {
      // A column, or the table, was dropped while its neighbours were counted: the schema is read again.
      const isDropped = error instanceof DatabaseError && error.kind === 'undefined_object';
      if (!isDropped || tries === maximumTries) throw error;
    }
  }
}

function assertSchemaTable({ tableName }: SchemaRow): void {
  if (!isSchemaTable(tableName)) throw new AppError('forbidden', { detail: "The table doesn't belong to a schema." });
}

async function countAndKeep(run: RunWith, schemaId: string): Promise<SchemaStats> {
  const mark = newId();
  const { schema, table, at } = await run(async (tx) => {
    const locked = await lockRecord(tx, schemaSpec, schemaId, 'delete');
    await markCounting(tx, locked.id, locked.version, mark);
    return { schema: locked, table: schemaTable(tx.tenantId, locked), at: tx.now };
  });
  const counting = { statementTimeoutMs: countingMs };
  const totalRows = await run((tx) => countRows(tx, table), counting);
  const every = sampleEvery(totalRows);
  const fields: SchemaStats['fields'] = [];
  for (const { name } of schema.fields) {
    const column = table.columns.find((candidate) => candidate.name === name);
    if (column === undefined) throw new Error(`schema ${schema.id} has no column ${name}`);
    // One transaction per column, so that a change of the table waits for one column at most.
    fields.push(await run((tx) => countColumn(tx, table, column, every), counting));
  }
  const stats = { fields, totalRows, sampled: every > 1, cachedAt: at.toISOString() };
  await run((tx) => keepStats(tx, schema.id, mark, stats));
  return stats;
}
