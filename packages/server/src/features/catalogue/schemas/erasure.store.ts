import { columns, type RowOf, select, table as tableOf } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { lockErasedRows } from './erasure-lock.store.ts';
import { sqlType } from './fields/data-types.ts';
import { rowKeyOf } from './fields/fields.rules.ts';
import { activeJoin } from './joins/links.rules.ts';
import { tableExists } from './rows/rows.store.ts';
import { canBeKey } from './rows/rows-by-key.store.ts';
import { quoteName, schemaTable } from './schema-tables.store.ts';
import { schemaSpec } from './schemas.store.ts';
import { forgetStats } from './stats/stats.store.ts';

const erasedColumns = columns(schemaSpec, [
  'id',
  'name',
  'schemaType',
  'tableName',
  'autoEnrich',
  'linkedSchemaId',
  'joinMapping',
  'fields',
]);
type ErasedSchema = RowOf<typeof erasedColumns> & {
  /** Columns that name customers, because a join uses them as the row key of a customer schema. */
  readonly joinedBy: readonly string[];
};

const joinColumns = columns(tableOf('schema_joins'), [
  'primarySchemaId',
  'primaryKey',
  'foreignSchemaId',
  'foreignKey',
]);

/**
 * Deletes a customer's rows from all schemas. Returns their number. A row is the customer's when its customer column
 * says so, when a schema join (active or not) ties it to the customer's id, and when it's linked to such a row and to
 * no other row of the parent.
 */
export async function eraseRows(tx: Tx, customerId: string): Promise<number> {
  await lockErasedRows(tx);
  const all = await select(tx, erasedColumns, 'from arbiter.schemas where tenant_id = $1 order by id for share', [
    tx.tenantId,
  ]);
  const joins = await select(tx, joinColumns, 'from arbiter.schema_joins where tenant_id = $1', [tx.tenantId]);
  const customerKeys = new Map(
    all.filter(({ schemaType }) => schemaType === 'customer').map(({ id, fields }) => [id, rowKeyOf(fields)] as const),
  );
  const schemas = new Map<string, ErasedSchema>();
  for (const schema of all) {
    if (!(await tableExists(tx, schemaTable(tx.tenantId, schema)))) continue;
    const joinedBy = joins.flatMap(({ primarySchemaId, primaryKey, foreignSchemaId, foreignKey }) =>
      foreignSchemaId === schema.id && customerKeys.get(primarySchemaId) === primaryKey ? [foreignKey] : [],
    );
    schemas.set(schema.id, { ...schema, joinedBy });
  }
  let deleted = 0;
  // Deepest first: a deleted row can't show what was linked to it.
  const deepestFirst = [...schemas.values()].sort((a, b) => depthOf(schemas, b) - depthOf(schemas, a));
  for (const schema of deepestFirst) {
    const condition = ownRows(tx.tenantId, schemas, schema, customerId, 'r0');
    if (condition === null) continue;
    const { table } = schemaTable(tx.tenantId, schema);
    // Only a statement whose text names the customer may have the parameter.
    const values = condition.includes('$1') ? [customerId] : [];
    const [row] = await tx.query<{ rows: number }>(
      `with gone as (delete from ${table} r0 where r0.tenant_id = '${tx.tenantId}'::uuid and ${condition} returning 1)
       select count(*)::int as rows from gone`,
      values,
    );
    const rows = row?.rows ?? 0;
    deleted += rows;
    if (rows > 0) await forgetStats(tx, schema.id);
  }
  return deleted;
}

function depthOf(schemas: ReadonlyMap<string, ErasedSchema>, schema: ErasedSchema): number {
  let depth = 0;
  for (let at = parentOf(schemas, schema); at !== undefined; at = parentOf(schemas, at)) depth += 1;
  return depth;
}

const parentOf = (schemas: ReadonlyMap<string, ErasedSchema>, { linkedSchemaId }: ErasedSchema) =>
  linkedSchemaId === null ? undefined : schemas.get(linkedSchemaId);

/** SQL: rows `alias` of the schema that are the customer's ($1); null when it has none. */
function ownRows(
  tenantId: string,
  schemas: ReadonlyMap<string, ErasedSchema>,
  schema: ErasedSchema,
  customerId: string,
  alias: string,
): string | null {
  const ways = [
    keyOf(schema, customerId, alias),
    ...schema.joinedBy.map((name) => columnIs(schema, name, customerId, alias)),
  ];
  const parent = parentOf(schemas, schema);
  const join = parent === undefined ? null : activeJoin(schema.joinMapping, parent.fields, schema.fields);
  if (parent !== undefined && join !== null) {
    const above = `${alias}p`;
    const owns = ownRows(tenantId, schemas, parent, customerId, above);
    const { table } = schemaTable(tenantId, parent);
    const linked = `${above}.${quoteName(join.parentField)}::text = ${alias}.${quoteName(join.childField)}::text`;
    if (owns !== null)
      ways.push(
        `(exists (select from ${table} ${above} where ${linked} and ${owns})
          and not exists (select from ${table} ${above} where ${linked} and not coalesce(${owns}, false)))`,
      );
  }
  const known = ways.filter((way) => way !== null);
  return known.length === 0 ? null : `(${known.join(' or ')})`;
}

/** A customer schema has customers in its row key; another schema only if it has a column with that name. */
function keyOf(schema: ErasedSchema, customerId: string, alias: string): string | null {
  const name = rowKeyOf(schema.fields);
  if (schema.schemaType !== 'customer' && name !== 'customer_id' && name !== 'customerId') return null;
  return columnIs(schema, name, customerId, alias);
}

/** SQL: the column holds the customer's id; null if the column doesn't exist, or when it cannot hold this id. */
function columnIs({ fields }: ErasedSchema, name: string | null, customerId: string, alias: string): string | null {
  const field = fields.find((each) => each.name === name);
  if (field === undefined || !canBeKey(field.dataType, customerId)) return null;
  return `${alias}.${quoteName(field.name)} = $1::${sqlType(field.dataType)}`;
}
