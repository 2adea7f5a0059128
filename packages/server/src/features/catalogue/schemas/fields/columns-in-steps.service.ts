import type { SchemaField } from '@arbiter/contract';
import { DatabaseError } from '../../../../db/index.ts';
import type { Tx } from '../../../../db/tx.ts';
import { AppError, invalid } from '../../../../platform/app-error.ts';
import { overdue } from '../../../../platform/deadline.ts';
import { findRecord } from '../../catalogue-records/index.ts';
import { schemaTable } from '../schema-tables.store.ts';
import { type SchemaRow, schemaSpec } from '../schemas.store.ts';
import type { TableChange } from '../table-changes.ts';
import {
  beginColumn,
  dropUnfinished,
  fillColumn,
  finishColumn,
  indexColumn,
  requireColumn,
  unfinishedName,
  uniqueColumn,
} from './columns.store.ts';
import { rowKeyOf } from './fields.rules.ts';

/** A transaction in which the schema stays. */
type WithLockedSchema = <T>(work: (tx: Tx, schema: SchemaRow) => Promise<T>, steps?: TableChange) => Promise<T>;

/** How long dropping a failed column may take. */
const tidyingMs = 10_000;
/** Rows that get their default per transaction. */
const rowsAtOnce = 10_000;

/** Completes the change: gives the column its name, in the transaction that adds the field to the schema. */
type Finish = (schema: SchemaRow, field: SchemaField) => Promise<void>;

const fillsRows = (field: SchemaField): boolean => field.defaultValue === 'gen_random_uuid()';
const becomesRowKey = (field: SchemaField, fields: readonly SchemaField[]): boolean =>
  rowKeyOf([...fields, field]) === field.name;

/** Returns true when adding the field to many rows takes more than a change in the table's description. */
export function needsSteps(field: SchemaField, fields: readonly SchemaField[]): boolean {
  return field.isUnique || fillsRows(field) || becomesRowKey(field, fields);
}

/**
 * Adds a column to a large table while decisions read it (docs/design/api-settled.md 17): creates it under a reserved
 * name, fills and indexes it in separate transactions, and names it at the end. A failure drops the column; if the
 * process ends halfway, the next change of the fields drops it.
 */
export async function addInSteps(
  change: TableChange,
  schemaId: string,
  field: SchemaField,
  complete: (tx: Tx, finish: Finish) => Promise<SchemaRow>,
): Promise<SchemaRow> {
  const pending = unfinishedName(field.id);
  const locked: WithLockedSchema = (work, steps = change) =>
    steps.step(async (tx) => {
      const schema = await findRecord(tx, schemaSpec, schemaId, 'keep');
      if (schema === null) throw new AppError('not_found', { detail: 'This schema does not exist.' });
      return work(tx, schema);
    });

  try {
    await locked(async (tx, schema) => {
      assertPossible(field);
      await beginColumn(tx, schema.tableName, pending, field);
    });
    if (fillsRows(field)) {
      await fill(locked, pending);
      if (!field.isNullable) {
        for (const step of [1, 2, 3] as const) {
          await locked((tx, schema) => requireColumn(tx, schema.tableName, pending, step));
        }
      }
    }
    await locked(async (tx, { tableName, fields }) => {
      if (field.isUnique) await uniqueColumn(tx, tableName, pending);
      else if (becomesRowKey(field, fields)) await indexColumn(tx, tableName, pending);
    });
    return await change.step((tx) =>
      complete(tx, async (schema, added) => finishColumn(tx, schema.tableName, pending, added.name)),
    );
  } catch (error) {
    await tidyUp(locked, change.within(tidyingMs), pending, error);
    if (error instanceof DatabaseError && error.kind === 'unique') {
      throw invalid('/isUnique', "can't be enforced: rows written in the meantime share a value");
    }
    throw error;
  }
}

/** Throws, before anything is done, for what existing rows make impossible. */
function assertPossible(field: SchemaField): void {
  if (!field.isNullable && field.defaultValue === null) {
    throw invalid('/defaultValue', 'is required, because the table has rows and the field is not nullable');
  }
  if (field.isUnique && field.defaultValue !== null && !fillsRows(field)) {
    throw invalid('/isUnique', "can't be enforced: all rows of the table would have the default");
  }
}

/** Drops the column. The table may be gone too. If the column can't be dropped now, the next change does it. */
async function tidyUp(locked: WithLockedSchema, steps: TableChange, pending: string, failure: unknown): Promise<void> {
  try {
    await locked((tx, schema) => dropUnfinished(tx, schema.tableName, pending), steps);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return;
    throw overdue(new AggregateError([failure, error], 'a column was left unfinished'));
  }
}

async function fill(locked: WithLockedSchema, pending: string): Promise<void> {
  const fillFrom = (after: string | null): Promise<string | null> =>
    locked((tx, schema) => fillColumn(tx, schemaTable(tx.tenantId, schema), pending, after, rowsAtOnce));
  let last = await fillFrom(null);
  while (last !== null) last = await fillFrom(last);
}
