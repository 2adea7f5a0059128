import type { schemaOperations } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { type Handlers, reply } from '../../http/handler.ts';
import { getRecord, listRecords, newestFirst, sameId } from '../records/index.ts';
import { changeField, createField, deleteField, listFields } from './fields.service.ts';
import { insertRows, listRows } from './rows.service.ts';
import { changeSchema, createSchema, deleteSchema, type FindSchemaUses, showSchemas } from './schemas.service.ts';
import { type SchemaRow, schemaSpec } from './schemas.store.ts';

/** `findUses`: port, who above the catalogue uses a schema. */
export function schemaRoutes(deps: { readonly findUses: FindSchemaUses }): Handlers<typeof schemaOperations> {
  const show = async (tx: Tx, row: SchemaRow) => (await showSchemas(tx, [row]))[0]!;
  return {
    async list(tx, { query }) {
      const { rows, pagination } = await listRecords(tx, schemaSpec, {
        order: newestFirst,
        defaultLimit: 20,
        maximumLimit: 200,
        limit: query.limit,
        cursor: query.cursor,
        search: query.search ?? query.q,
        filters: { entityType: query.entityType, schemaType: query.schemaType },
      });
      return reply(200, { data: await showSchemas(tx, rows), pagination });
    },
    async create(tx, { body }) {
      return reply(201, await show(tx, await createSchema(tx, body)));
    },
    async get(tx, { params }) {
      return reply(200, await show(tx, await getRecord(tx, schemaSpec, params.id)));
    },
    async update(tx, { body: { id, rowVersion, ...changes } }) {
      return reply(200, await show(tx, await changeSchema(tx, id, rowVersion, changes)));
    },
    async updateById(tx, { params, body: { id, rowVersion, ...changes } }) {
      return reply(200, await show(tx, await changeSchema(tx, sameId(params.id, id), rowVersion, changes)));
    },
    async delete(tx, { query }) {
      await deleteSchema(tx, query.id, 'query', deps.findUses);
      return reply(204, null);
    },
    async deleteById(tx, { params }) {
      await deleteSchema(tx, params.id, 'path', deps.findUses);
      return reply(204, null);
    },
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
