import type { schemaFigureOperations, schemaJoinOperations, schemaOperations, Warning } from '@arbiter/contract';
import type { Database, TransactionOptions } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import { warningsOf } from '../../../http/answers/remarks.ts';
import { isLostRace } from '../../../http/binding/perform.ts';
import {
  type AnyHandler,
  configVersionHeader,
  type Handlers,
  type RequestFacts,
  reply,
  type TenantHandler,
} from '../../../http/handler.ts';
import { noContent, recordHandlers } from '../catalogue-records/index.ts';
import { changeField, createField, deleteField, type FindFieldUses, listFields } from './fields/fields.service.ts';
import { analyseUpload } from './imports/csv-upload.service.ts';
import { importEvents } from './imports/import-events.ts';
import { type ImportProgress, importFile } from './imports/import-rows.service.ts';
import { changeJoin, createJoin, showJoins } from './joins/joins.service.ts';
import { joinsOf, schemaJoinSpec } from './joins/joins.store.ts';
import { insertRows, listRows, lockSchema } from './rows/rows.service.ts';
import type { AppendEvents } from './schemas.events.ts';
import {
  changeSchema,
  createSchema,
  deleteSchema,
  type FindSchemaUses,
  showSchemas,
  unreadRemarks,
} from './schemas.service.ts';
import { schemaSpec } from './schemas.store.ts';
import { schemaStats } from './stats/stats.service.ts';
import { changeInside, changeOfTable } from './table-changes.ts';

/** What schemas need from the process and from features that refer to them. */
export interface SchemaPorts {
  readonly database: Pick<Database, 'withTenant'>;
  readonly findSchemaUses: FindSchemaUses;
  readonly findFieldUses: FindFieldUses;
  readonly appendEvents: AppendEvents;
}

/** Time limit for adding or dropping a column (docs/design/api-settled.md 17). */
const tableChangeMs = 60_000;

/** Opens the handler's own transactions, as the caller and in its tenant. */
const runOf =
  ({ database }: SchemaPorts, { tenantId, actor, requestId }: RequestFacts) =>
  <T>(work: (tx: Tx) => Promise<T>, options: TransactionOptions = {}): Promise<T> =>
    database.withTenant(tenantId, actor, work, { requestId, ...options });

/** Adds and drops fields within an open transaction, for work that must succeed or fail as a whole. */
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

/** Leaves out an empty list of warnings. */
const withWarnings = <T extends { readonly warnings: Warning[] }>({ warnings, ...answer }: T) =>
  warnings.length === 0 ? answer : { ...answer, warnings };

/** Attempts at work that loses a race in the database (deadlock, serialization failure). */
const maxTries = 3;

async function retryLostRaces<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxTries || !isLostRace(error)) throw error;
    }
  }
}

type RowsHandler = Handlers<typeof schemaOperations>['insertRows'];

const insertSentRows =
  (ports: SchemaPorts): RowsHandler =>
  async (request) => {
    const { body, params, query, wantsEvents, requestId, signal } = request;
    const run = runOf(ports, request);
    const warnings = async (tx: Tx) =>
      warningsOf(await unreadRemarks(tx, await lockSchema(tx, params.id), ports.findSchemaUses));
    if ('fileType' in body) {
      const begin = (onProgress: (progress: ImportProgress) => void) =>
        importFile(
          run,
          params.id,
          body,
          { onDuplicate: query.onDuplicate ?? 'skip', onProgress, signal },
          warnings,
        ).then(withWarnings);
      if (wantsEvents) return reply(201, importEvents(requestId, begin));
      return reply(201, await begin(() => undefined));
    }
    const { rows, onDuplicate = query.onDuplicate ?? 'skip' } = body;
    const store = async (tx: Tx) => {
      const inserted = await insertRows(tx, params.id, rows, onDuplicate, ports.appendEvents);
      return withWarnings({ ...inserted, warnings: await warnings(tx) });
    };
    const stored = () => retryLostRaces(() => run(store));
    return reply(201, wantsEvents ? importEvents(requestId, stored) : await stored());
  };

export function schemaRoutes(ports: SchemaPorts): Handlers<typeof schemaOperations> {
  /** Returns a table change with the header that names the catalogue version that includes it. */
  const changing = (request: RequestFacts) => {
    let version = 0;
    const onCatalogueVersion = (changedVersion: number): void => {
      version = changedVersion;
    };
    const run = runOf(ports, request);
    const change = changeOfTable((work, options) => run(work, { ...options, onCatalogueVersion }), tableChangeMs);
    return { change, header: () => configVersionHeader(version) };
  };
  return {
    ...recordHandlers(schemaSpec, {
      show: showSchemas,
      create: createSchema,
      change: changeSchema,
      remove: (tx, id, addressed) => noContent(deleteSchema(tx, id, addressed, ports.findSchemaUses)),
      remarks: (tx, schema) => unreadRemarks(tx, schema, ports.findSchemaUses),
    }),
    async listFields(tx, { query }) {
      return reply(200, await listFields(tx, query.schemaId));
    },
    async createField(request) {
      const { schemaId, ...definition } = request.body;
      const { change, header } = changing(request);
      const field = await createField(change, schemaId, definition);
      return reply(201, field, header());
    },
    async updateField(tx, { body: { fieldId, ...changes } }) {
      return reply(200, await changeField(tx, fieldId, changes));
    },
    async deleteField(request) {
      const { change, header } = changing(request);
      await deleteField(change, request.query.fieldId, ports.findFieldUses);
      return reply(204, null, header());
    },
    insertRows: insertSentRows(ports),
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
    narrow: ({ schemaId }) => joinsOf(schemaId),
  });
