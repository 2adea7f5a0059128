import type { ErrorEntry, SchemaJoin, SchemaJoinCreate } from '@arbiter/contract';
import type { Tx } from '../../../../db/tx.ts';
import { refuseProblems } from '../../../../platform/app-error.ts';
import {
  createRecord,
  type RecordChange,
  readRelated,
  requireLive,
  toWire,
  updateRecord,
} from '../../catalogue-records/index.ts';
import { hasColumn } from '../fields/fields.rules.ts';
import { type SchemaJoinRow, schemaJoinSpec } from './joins.store.ts';
import { indexJoins } from './joins-in-decisions.store.ts';

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

/**
 * Locks two schemas of the tenant until the end, and returns a column of each. A join that enriches starts from the
 * customer's only row in a schema.
 */
async function assertSides(tx: Tx, sides: Sides, autoEnrich: boolean): Promise<void> {
  if (isSelfJoin(sides)) refuseProblems([selfJoin]);
  const primary = await requireLive(tx, 'dataSchema', sides.primarySchemaId, '/primarySchemaId', [
    'fields',
    'schemaType',
  ]);
  const foreign = await requireLive(tx, 'dataSchema', sides.foreignSchemaId, '/foreignSchemaId', ['fields']);
  refuseProblems(joinSideProblems(sides, primary, foreign, autoEnrich));
}

const isSelfJoin = ({ primarySchemaId, foreignSchemaId }: Sides): boolean =>
  primarySchemaId.toLowerCase() === foreignSchemaId.toLowerCase();
const selfJoin: ErrorEntry = { path: '/foreignSchemaId', message: 'must be a different schema from primarySchemaId' };

/** Returns the first thing that's wrong with the sides of a join. */
export function joinSideProblems(
  sides: Sides,
  primary: Pick<DataSchemaRow, 'fields' | 'schemaType'>,
  foreign: Pick<DataSchemaRow, 'fields'>,
  autoEnrich: boolean,
): ErrorEntry[] {
  if (isSelfJoin(sides)) return [selfJoin];
  const refused = (path: string, message: string): ErrorEntry[] => [{ path, message }];
  if (!hasColumn(primary.fields, sides.primaryKey)) return refused('/primaryKey', 'must be a column of the schema');
  if (!hasColumn(foreign.fields, sides.foreignKey)) return refused('/foreignKey', 'must be a column of the schema');
  if (!autoEnrich || primary.schemaType === 'customer') return [];
  const why = 'requires a primary schema of type customer, with one row per customer; otherwise send false';
  return refused('/autoEnrich', why);
}

/** A schema as its joins need it. */
interface DataSchemaRow {
  readonly fields: Parameters<typeof hasColumn>[0];
  readonly schemaType: string;
}

/** 400 for schemas or columns that are not there, 409 `duplicate_key` for a pair that is joined already. */
export async function createJoin(tx: Tx, body: SchemaJoinCreate): Promise<SchemaJoinRow> {
  await assertSides(tx, body, body.autoEnrich ?? true);
  const join = await createRecord(tx, schemaJoinSpec, body);
  await indexJoins(tx, join.foreignSchemaId);
  return join;
}

export async function changeJoin(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<SchemaJoinRow>,
): Promise<SchemaJoinRow> {
  const changed = await updateRecord(tx, schemaJoinSpec, id, {
    rowVersion,
    async change(current) {
      const sides = {
        primarySchemaId: changes.primarySchemaId ?? current.primarySchemaId,
        primaryKey: changes.primaryKey ?? current.primaryKey,
        foreignSchemaId: changes.foreignSchemaId ?? current.foreignSchemaId,
        foreignKey: changes.foreignKey ?? current.foreignKey,
      };
      await assertSides(tx, sides, changes.autoEnrich ?? current.autoEnrich);
      return changes;
    },
  });
  await indexJoins(tx, changed.foreignSchemaId);
  return changed;
}
