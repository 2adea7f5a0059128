import type { SnapshotJoin } from '@arbiter/engine';
import { columns, select } from '../../../../db/columns.ts';
import type { Tx } from '../../../../db/tx.ts';
import { indexColumn, indexGroup } from '../fields/columns.store.ts';
import { primaryKeyOf } from '../fields/fields.rules.ts';
import { schemaSpec } from '../schemas.store.ts';
import { schemaJoinSpec } from './joins.store.ts';
import { enrichingJoins } from './joins-in-decisions.rules.ts';

const linkColumns = columns(schemaSpec, [
  'id',
  'schemaType',
  'tableName',
  'autoEnrich',
  'linkedSchemaId',
  'joinMapping',
  'summaryColumns',
  'fields',
]);

const joinColumns = columns(schemaJoinSpec, [
  'primarySchemaId',
  'primaryKey',
  'foreignSchemaId',
  'foreignKey',
  'prefix',
  'summaryColumns',
]);

async function readAll(tx: Tx) {
  const schemas = await select(tx, linkColumns, 'from arbiter.schemas where tenant_id = $1 order by id', [tx.tenantId]);
  const joins = await select(
    tx,
    joinColumns,
    `from arbiter.schema_joins where tenant_id = $1 and status = 'active' and auto_enrich order by id`,
    [tx.tenantId],
  );
  return { schemas, joins: enrichingJoins(schemas, joins) };
}

/** Returns what linked schemas and active joins add to customers, in the order in which they write names. */
export async function readJoins(tx: Tx): Promise<SnapshotJoin[]> {
  return (await readAll(tx)).joins;
}

/**
 * Creates the indexes by which decisions read joined rows of this schema, and of what's joined to it. Building one
 * makes writers of its table wait, but not readers.
 */
export async function indexJoins(tx: Tx, schemaId: string): Promise<void> {
  const { schemas, joins } = await readAll(tx);
  const tables = new Map(schemas.map((schema) => [schema.id, schema]));
  for (const join of joins) {
    const steps = [...join.path, join];
    if (!steps.some((step) => step.schemaId === schemaId)) continue;
    for (const step of steps) {
      const table = tables.get(step.schemaId);
      const column = table?.fields.find(({ name }) => name === step.lookupColumn);
      // No jsonb is ever a key, and the column `id` has its index.
      if (table === undefined || column === undefined || column.dataType === 'jsonb') continue;
      if (table.schemaType === 'customer') await indexColumn(tx, table.tableName, column.name);
      else await indexGroup(tx, table.tableName, column.name, primaryKeyOf(table.fields));
    }
  }
}
