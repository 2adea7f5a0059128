import { DataSchemaCreate, SchemaJoinCreate, SegmentCreate } from '@arbiter/contract';
import type { SnapshotJoin, SnapshotSchema } from '@arbiter/engine';
import { columnDefaults } from '../../../../db/column-defaults.ts';
import { withDefaults } from '../../../catalogue/catalogue-records/index.ts';
import {
  draftFields,
  enrichingJoins,
  joinSideProblems,
  schemaTable,
  toSnapshotSchema,
} from '../../../catalogue/schemas/index.ts';
import { type ConditionSchema, conditionSchema, definitionProblems } from '../../../catalogue/segments/index.ts';
import type { FolderObject } from '../../gitops/index.ts';
import { bodiesOf } from './folder-bodies.ts';
import { readMetrics } from './folder-models.ts';
import type { RefuseFile } from './folder-places.ts';

interface FolderSchemas {
  readonly schemas: readonly SnapshotSchema[];
  readonly joins: readonly SnapshotJoin[];
}

/** Returns schemas and what joins add to the customer, as decisions would read them. */
export function readSchemas(objects: readonly FolderObject[], refuse: RefuseFile): FolderSchemas {
  const schemas = bodiesOf(objects, 'schemas', DataSchemaCreate).map(({ id, path, body }) => {
    const { fields: definitions = [], ...values } = body;
    const { drafts, problems } = draftFields(definitions);
    if (problems.length > 0) refuse(path, problems);
    const fields = drafts.map((draft, ordinal) => ({ ...draft, id: `${id} ${ordinal}`, schemaId: id, ordinal }));
    return {
      ...withDefaults({ ...columnDefaults.schemas, summaryColumns: [] }, values),
      id,
      fields,
      tableName: values.name,
    };
  });
  const byId = new Map(schemas.map((schema) => [schema.id, schema]));
  const joins = bodiesOf(objects, 'schema-joins', SchemaJoinCreate)
    .map(({ path, body }) => {
      const row = withDefaults(columnDefaults.schema_joins, body);
      const [primary, foreign] = [byId.get(row.primarySchemaId), byId.get(row.foreignSchemaId)];
      if (primary !== undefined && foreign !== undefined) {
        refuse(path, joinSideProblems(row, primary, foreign, row.autoEnrich));
      }
      return row;
    })
    .filter(({ status, autoEnrich }) => status === 'active' && autoEnrich);
  refuseSegments(objects, new Map(schemas.map((schema) => [schema.id, conditionSchema(noTenant, schema)])), refuse);
  return {
    schemas: schemas.map((schema) => toSnapshotSchema(schemaTable(noTenant, schema))),
    joins: enrichingJoins(schemas, joins),
  };
}

/** No decision reads what a segment is made of, but an apply refuses one that can't be asked. */
function refuseSegments(
  objects: readonly FolderObject[],
  schemas: ReadonlyMap<string, ConditionSchema>,
  refuse: RefuseFile,
): void {
  const ofCustomers = [...schemas.values()].filter(({ schemaType }) => schemaType === 'customer');
  const metrics = new Map(
    readMetrics(objects).map(({ id, key, groupByDimensions }) => [
      key,
      { tenantId: noTenant, id, isGrouped: groupByDimensions.length > 0 },
    ]),
  );
  for (const { path, body } of bodiesOf(objects, 'segments', SegmentCreate)) {
    // Without a base, it's the oldest schema of customers, and files have no ages.
    const baseSchemaId = body.baseSchemaId ?? (ofCustomers.length === 1 ? ofCustomers[0]!.id : null);
    if (baseSchemaId !== null) refuse(path, definitionProblems({ ...body, baseSchemaId }, schemas, metrics));
  }
}

/** Tables are named after tenants; a folder has none, and nothing reads its tables. */
const noTenant = '';
