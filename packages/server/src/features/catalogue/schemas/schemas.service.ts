import type { DataSchema, DataSchemaCreate } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import type { Remark } from '../../../platform/remark.ts';
import {
  type Addressed,
  assertNotReferenced,
  createRecord,
  findRecords,
  hardDeleteRecord,
  inUse,
  inUseEntry,
  type RecordChange,
  requireLive,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { createTable, dropTable } from './fields/columns.store.ts';
import { draftFields, rowKeyOf } from './fields/fields.rules.ts';
import { sanitiseSchemaName, schemaNameProblem } from './fields/names.rules.ts';
import { indexJoins } from './joins/joins-in-decisions.store.ts';
import { activeJoin, joinMappingProblems, joinMappingRemarks } from './joins/links.rules.ts';
import { hasRows, tableExists } from './rows/rows.store.ts';
import { schemaTable } from './schema-tables.store.ts';
import { ancestorsOf, lockLinks, type SchemaRow, schemaSpec, wholeField } from './schemas.store.ts';
import { forgetStats } from './stats/stats.store.ts';
import { unreadRemark } from './unread.rules.ts';

/** A record above the catalogue that uses a schema, as `in_use` names it. */
export interface SchemaUse {
  readonly noun: string;
  readonly name: string;
  readonly id: string;
}

/** Port for dependents: who uses this schema? `main` plugs in the flows. */
export type FindSchemaUses = (tx: Tx, schema: { readonly id: string; readonly name: string }) => Promise<SchemaUse[]>;

/** Schemas as answers carry them. */
export async function showSchemas(tx: Tx, rows: readonly SchemaRow[]): Promise<DataSchema[]> {
  const parentIds = rows.flatMap((row) => (row.linkedSchemaId === null ? [] : [row.linkedSchemaId]));
  const parents = new Map((await findRecords(tx, schemaSpec, 'id', parentIds)).map((row) => [row.id, row]));
  return rows.map((row) => {
    const parent = row.linkedSchemaId === null ? undefined : parents.get(row.linkedSchemaId);
    return {
      ...toWire(row),
      fields: row.fields.map(wholeField),
      rowKey: rowKeyOf(row.fields),
      linkActive: parent !== undefined && activeJoin(row.joinMapping, parent.fields, row.fields) !== null,
    };
  });
}

type LinkProperties = Pick<RecordChange<SchemaRow>, 'linkedSchemaId' | 'joinMapping'>;

/** The parent must be a customer-type schema of the tenant and not below the schema itself. */
async function assertLink(tx: Tx, own: string | null, { linkedSchemaId, joinMapping }: LinkProperties): Promise<void> {
  if (joinMapping !== undefined && joinMapping !== null) {
    const errors = joinMappingProblems(joinMapping);
    if (errors.length > 0) throw new AppError('validation_failed', { detail: 'joinMapping is invalid.', errors });
    tx.remarks.push(...joinMappingRemarks(joinMapping));
  }
  if (linkedSchemaId === undefined || linkedSchemaId === null) return;
  await lockLinks(tx);
  const parent = await requireLive(tx, 'dataSchema', linkedSchemaId, '/linkedSchemaId', ['schemaType']);
  if (parent.schemaType !== 'customer') throw invalid('/linkedSchemaId', 'must be a schema of type customer');
  if (own !== null && (await ancestorsOf(tx, linkedSchemaId)).has(own)) {
    throw invalid('/linkedSchemaId', 'would link the schema to itself, directly or through other schemas');
  }
}

/**
 * Warns about customer rows that no decision reads (docs/design/api-catalogue.md 2.2): the schema doesn't auto-enrich
 * and nothing names it. `findUses`: who names a schema.
 */
export async function unreadRemarks(tx: Tx, schema: SchemaRow, findUses: FindSchemaUses): Promise<Remark[]> {
  if (schema.schemaType !== 'customer' || schema.autoEnrich) return [];
  const table = schemaTable(tx.tenantId, schema);
  if (!(await tableExists(tx, table)) || !(await hasRows(tx, table))) return [];
  const uses = await findUses(tx, { id: schema.id, name: schema.name });
  return uses.length > 0 ? [] : [unreadRemark(schema.name)];
}

/** Creates the record and its table in one transaction: both or neither (docs/design/quality.md E35). */
export async function createSchema(tx: Tx, body: DataSchemaCreate): Promise<SchemaRow> {
  const { fields: definitions = [], ...values } = body;
  const name = sanitiseSchemaName(values.name);
  const nameProblem = schemaNameProblem(name);
  if (nameProblem !== null) throw invalid('/name', nameProblem);
  const { drafts, problems } = draftFields(definitions);
  if (problems.length > 0) {
    throw new AppError('validation_failed', { detail: 'Some fields are invalid.', errors: problems });
  }
  await assertLink(tx, null, values);
  const id = newId();
  const fields = drafts.map((draft, ordinal) => ({ ...draft, id: newId(), schemaId: id, ordinal }));
  const summaryColumns = values.summaryColumns === undefined ? [] : values.summaryColumns;
  const schema = await createRecord(tx, schemaSpec, { ...values, name, fields, summaryColumns }, { id });
  await createTable(tx, schema.tableName, fields);
  await indexJoins(tx, schema.id);
  return schema;
}

/** Changes what describes the schema; its table stays as it is, but for indexes by which decisions read joined rows. */
export async function changeSchema(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<SchemaRow>,
): Promise<SchemaRow> {
  const changed = await updateRecord(tx, schemaSpec, id, {
    rowVersion,
    async change(current) {
      await assertLink(tx, current.id, changes);
      // A mapping describes how to reach the parent, so without a parent it goes too (docs/design/api-settled.md 35).
      const unlinked = changes.linkedSchemaId === null ? { joinMapping: null } : {};
      const leavesCustomers = current.schemaType === 'customer' && (changes.schemaType ?? 'customer') !== 'customer';
      if (leavesCustomers) await assertNotReferenced(tx, schemaSpec.resource, current.id, 'path');
      return { ...changes, ...unlinked };
    },
  });
  await indexJoins(tx, changed.id);
  return changed;
}

/**
 * Deletes the schema, its table and its data. Waits for running inserts, so that each completes before the deletion, or
 * finds no schema. Throws 409 `in_use` while another schema links to it or a flow names it.
 */
export async function deleteSchema(tx: Tx, id: string, addressed: Addressed, findUses: FindSchemaUses): Promise<void> {
  const schema = await hardDeleteRecord(tx, schemaSpec, id, {
    addressed,
    async check(row) {
      const uses = await findUses(tx, { id: row.id, name: row.name });
      if (uses.length > 0) {
        throw inUse(
          'schema',
          uses.map((use) => inUseEntry(addressed, use.noun, use.name, use.id)),
        );
      }
      await forgetStats(tx, row.id);
    },
  });
  await dropTable(tx, schema.tableName);
}
