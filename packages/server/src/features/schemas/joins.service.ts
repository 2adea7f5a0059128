import type { SchemaJoin, SchemaJoinCreate } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { invalid } from '../../platform/app-error.ts';
import {
  createRecord,
  type RecordChange,
  readRelated,
  requireLive,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { hasColumn } from './fields.rules.ts';
import { type SchemaJoinRow, schemaJoinSpec } from './joins.store.ts';

/** Joins as answers carry them. */
export async function showJoins(tx: Tx, rows: readonly SchemaJoinRow[]): Promise<SchemaJoin[]> {
  const ids = rows.flatMap((row) => [row.primarySchemaId, row.foreignSchemaId]);
  const schemas = await readRelated(tx, 'dataSchema', ids, ['name']);
  const nameOf = (id: string): string => schemas.get(id)?.name ?? '';
  return rows.map((row) => ({
    ...toWire(row),
    primarySchemaName: nameOf(row.primarySchemaId),
    foreignSchemaName: nameOf(row.foreignSchemaId),
  }));
}

type Sides = Pick<SchemaJoinRow, 'primarySchemaId' | 'primaryKey' | 'foreignSchemaId' | 'foreignKey'>;

/** Two schemas of the tenant, kept as they are until the end, and a column of each. */
async function assertSides(tx: Tx, sides: Sides): Promise<void> {
  if (sides.primarySchemaId.toLowerCase() === sides.foreignSchemaId.toLowerCase()) {
    throw invalid('/foreignSchemaId', 'must be another schema than primarySchemaId');
  }
  const primary = await requireLive(tx, 'dataSchema', sides.primarySchemaId, '/primarySchemaId', ['fields']);
  const foreign = await requireLive(tx, 'dataSchema', sides.foreignSchemaId, '/foreignSchemaId', ['fields']);
  if (!hasColumn(primary.fields, sides.primaryKey)) throw invalid('/primaryKey', 'is not a column of the schema');
  if (!hasColumn(foreign.fields, sides.foreignKey)) throw invalid('/foreignKey', 'is not a column of the schema');
}

/** Decisions do not read joined rows yet; what does not act is refused (docs/design/api-settled.md 107). */
function assertCanEnrich(autoEnrich: boolean | undefined): void {
  if (autoEnrich === true) throw invalid('/autoEnrich', 'is not available for joins yet: send false');
}

/** 400 for schemas or columns that are not there, 409 `duplicate_key` for a pair that is joined already. */
export async function createJoin(tx: Tx, body: SchemaJoinCreate): Promise<SchemaJoinRow> {
  assertCanEnrich(body.autoEnrich ?? true);
  await assertSides(tx, body);
  return createRecord(tx, schemaJoinSpec, body);
}

export async function changeJoin(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<SchemaJoinRow>,
): Promise<SchemaJoinRow> {
  assertCanEnrich(changes.autoEnrich);
  return updateRecord(tx, schemaJoinSpec, id, {
    rowVersion,
    async change(current) {
      await assertSides(tx, {
        primarySchemaId: changes.primarySchemaId ?? current.primarySchemaId,
        primaryKey: changes.primaryKey ?? current.primaryKey,
        foreignSchemaId: changes.foreignSchemaId ?? current.foreignSchemaId,
        foreignKey: changes.foreignKey ?? current.foreignKey,
      });
      return changes;
    },
  });
}
