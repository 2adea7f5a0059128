import { DataSchemaCreate, SchemaJoinCreate } from '@arbiter/contract';
import type { SnapshotJoin, SnapshotSchema } from '@arbiter/engine';
import { columnDefaults } from '../../../../db/column-defaults.ts';
import { withDefaults } from '../../../catalogue/catalogue-records/index.ts';
import { draftFields, enrichingJoins, schemaTable, toSnapshotSchema } from '../../../catalogue/schemas/index.ts';
import type { FolderObject } from '../../gitops/index.ts';
import { bodiesOf } from './folder-bodies.ts';
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
  const joins = bodiesOf(objects, 'schema-joins', SchemaJoinCreate)
    .map(({ body }) => withDefaults(columnDefaults.schema_joins, body))
    .filter(({ status, autoEnrich }) => status === 'active' && autoEnrich);
  return {
    schemas: schemas.map((schema) => toSnapshotSchema(schemaTable(noTenant, schema))),
    joins: enrichingJoins(schemas, joins),
  };
}

/** Tables are named after tenants; a folder has none, and nothing reads its tables. */
const noTenant = '';
