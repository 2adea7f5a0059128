import type { schemaOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import { noContent, recordHandlers } from '../catalogue-records/index.ts';
import { changeField, createField, deleteField, listFields } from './fields.service.ts';
import { insertRows, listRows } from './rows.service.ts';
import { changeSchema, createSchema, deleteSchema, type FindSchemaUses, showSchemas } from './schemas.service.ts';
import { schemaSpec } from './schemas.store.ts';

/** `findUses`: port, who above the catalogue uses a schema. */
export function schemaRoutes(deps: { readonly findUses: FindSchemaUses }): Handlers<typeof schemaOperations> {
  return {
    ...recordHandlers(schemaSpec, {
      show: showSchemas,
      create: createSchema,
      change: changeSchema,
      remove: (tx, id, addressed) => noContent(deleteSchema(tx, id, addressed, deps.findUses)),
    }),
    async listFields(tx, { query }) {
      return reply(200, await listFields(tx, query.schemaId));
    },
    async createField(tx, { body: { schemaId, ...definition } }) {
      return reply(201, await createField(tx, schemaId, definition));
    },
    async updateField(tx, { body: { fieldId, ...changes } }) {
      return reply(200, await changeField(tx, fieldId, changes));
    },
    async deleteField(tx, { query }) {
      await deleteField(tx, query.fieldId);
      return reply(204, null);
    },
    async insertRows(tx, { params, body }) {
      return reply(201, await insertRows(tx, params.id, body.rows, body.onDuplicate ?? 'skip'));
    },
    async listRows(tx, { params, query }) {
      return reply(200, await listRows(tx, params.id, query));
    },
  };
}
