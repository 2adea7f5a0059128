import type { schemaFigureOperations, schemaJoinOperations, schemaOperations } from '@arbiter/contract';
import type { Database, TransactionOptions } from '../../db/index.ts';
import type { Tx } from '../../db/tx.ts';
import {
  type AnyHandler,
  configVersionHeader,
  type Handlers,
  type RequestFacts,
  reply,
  type TenantHandler,
} from '../../http/handler.ts';
import { hardDeleteRecord, noContent, recordHandlers } from '../catalogue-records/index.ts';
import { analyseUpload } from './csv-upload.service.ts';
import { changeField, createField, deleteField, type FindFieldUses, listFields } from './fields.service.ts';
import { changeJoin, createJoin, showJoins } from './joins.service.ts';
import { joinsOf, schemaJoinSpec } from './joins.store.ts';
import { insertRows, listRows } from './rows.service.ts';
import type { AppendEvents } from './schemas.events.ts';
import { changeSchema, createSchema, deleteSchema, type FindSchemaUses, showSchemas } from './schemas.service.ts';
import { schemaSpec } from './schemas.store.ts';
import { schemaStats } from './stats.service.ts';
import { changeInside, changeOfTable } from './table-changes.ts';

/** What the schemas need of the process and of features above: who names them, and the tenant's stream. */
export interface SchemaPorts {
  readonly database: Pick<Database, 'withTenant'>;
  readonly findSchemaUses: FindSchemaUses;
  readonly findFieldUses: FindFieldUses;
  readonly appendEvents: AppendEvents;
}

/** How long adding or dropping a column may take (docs/design/api-settled.md 17). */
const tableChangeMs = 60_000;

/** Transactions of the handler's own, as the caller and in its tenant. */
const runOf =
  ({ database }: SchemaPorts, { tenantId, actor, requestId }: RequestFacts) =>
  <T>(work: (tx: Tx) => Promise<T>, options: TransactionOptions = {}): Promise<T> =>
    database.withTenant(tenantId, actor, work, { requestId, ...options });

/** Adding and dropping fields as part of a transaction that is there already, for work that must be done whole or not at all. */
export const fieldHandlersInside = (findFieldUses: FindFieldUses): ReadonlyMap<string, AnyHandler> => {
  const create: TenantHandler<typeof schemaOperations.createField> = async (tx, { body }) => {
    const { schemaId, ...definition } = body;
    return reply(201, await createField(changeInside(tx), schemaId, definition));
  };
  const remove: TenantHandler<typeof schemaOperations.deleteField> = async (tx, { query }) => {
    await deleteField(changeInside(tx), query.fieldId, findFieldUses);
    return reply(204, null);
  };
  return new Map<string, AnyHandler>([
    ['schemas.createField', create],
    ['schemas.deleteField', remove],
  ]);
};

export function schemaRoutes(ports: SchemaPorts): Handlers<typeof schemaOperations> {
  /** Steps of a change, and the header that names the catalogue's version after the last of them. */
  const tableChange = (request: RequestFacts) => {
    const run = runOf(ports, request);
    let version = 0;
    const onCatalogueVersion = (told: number): void => {
      version = told;
    };
    const steps = changeOfTable((work, options) => run(work, { ...options, onCatalogueVersion }), tableChangeMs);
    return { steps, headers: () => configVersionHeader(version) };
  };
  return {
    ...recordHandlers(schemaSpec, {
      show: showSchemas,
      create: createSchema,
      change: changeSchema,
      remove: (tx, id, addressed) => noContent(deleteSchema(tx, id, addressed, ports.findSchemaUses)),
    }),
    async listFields(tx, { query }) {
      return reply(200, await listFields(tx, query.schemaId));
    },
    async createField(request) {
      const { schemaId, ...definition } = request.body;
      const { steps, headers } = tableChange(request);
      const field = await createField(steps, schemaId, definition);
      return reply(201, field, headers());
    },
    async updateField(tx, { body: { fieldId, ...changes } }) {
      return reply(200, await changeField(tx, fieldId, changes));
    },
    async deleteField(request) {
      const { steps, headers } = tableChange(request);
      await deleteField(steps, request.query.fieldId, ports.findFieldUses);
      return reply(204, null, headers());
    },
    async insertRows(tx, { params, body }) {
      const { rows, onDuplicate = 'skip' } = body;
      return reply(201, await insertRows(tx, params.id, rows, onDuplicate, ports.appendEvents));
    },
    async listRows(tx, { params, query }) {
      return reply(200, await listRows(tx, params.id, query));
    },
  };
}

export function schemaFigureRoutes(ports: SchemaPorts): Handlers<typeof schemaFigureOperations> {
  return {
    async stats(request) {
      return reply(200, await schemaStats(runOf(ports, request), request.params.id));
    },
    async upload({ body }) {
      return reply(200, await analyseUpload(body));
    },
  };
}

export const schemaJoinRoutes = (): Handlers<typeof schemaJoinOperations> =>
  recordHandlers(schemaJoinSpec, {
    show: showJoins,
    create: createJoin,
    change: changeJoin,
    remove: (tx, id, addressed) => noContent(hardDeleteRecord(tx, schemaJoinSpec, id, { addressed })),
    narrow: ({ schemaId }) => joinsOf(schemaId),
  });
