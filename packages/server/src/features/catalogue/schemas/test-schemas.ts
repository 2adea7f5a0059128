import assert from 'node:assert/strict';
import { schemaFigureOperations, schemaJoinOperations, schemaOperations } from '@arbiter/contract';
import type { FastifyInstance } from 'fastify';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { createTestApp, tenantA, tenantB } from '../../../http/test-app.ts';
import { type Answer, type Call, callsOf } from '../../../http/test-calls.ts';
import type { StreamEvent } from '../../../jobs/index.ts';
import { type SchemaPorts, schemaFigureRoutes, schemaJoinRoutes, schemaRoutes } from './schemas.routes.ts';
import type { SchemaUse } from './schemas.service.ts';

export const url = '/api/v1/schemas';
export const fieldsUrl = '/api/v1/schemas/fields';
export const joinsUrl = '/api/v1/schema-joins';

/** The names of the two groups overlap. */
const byJoin = Object.fromEntries(Object.values(schemaJoinOperations).map((operation) => [operation.id, operation]));

/** The schema operations over HTTP and a real database with two tenants. */
export interface TestSchemas {
  readonly db: TestDatabase;
  readonly call: Call;
  readonly app: FastifyInstance;
  /** Published events, in order. */
  readonly events: StreamEvent[];
  /** Answers of the dependent features' ports, by schema id, and by schema id and field name. */
  readonly uses: Map<string, SchemaUse[]>;
  /** Creates a schema and says what it is. */
  create(body?: Record<string, unknown>): Promise<Answer['json']>;
  insert(schemaId: string, rows: unknown[], onDuplicate?: string): Promise<Answer>;
  rows(schemaId: string, query?: string): Promise<Answer>;
  /** Number of tables of all tenants. */
  tables(): Promise<string[]>;
}

export async function createTestSchemas(): Promise<TestSchemas> {
  const db = await createTestDatabase();
  await db.ownerQuery('insert into arbiter.tenants (id, name) values ($1, $3), ($2, $4)', [tenantA, tenantB, 'A', 'B']);
  const uses = new Map<string, SchemaUse[]>();
  const events: StreamEvent[] = [];
  const ports: SchemaPorts = {
    database: db.database,
    findSchemaUses: async (_, schema) => uses.get(schema.id) ?? [],
    findFieldUses: async (_, field) => uses.get(`${field.schemaId} ${field.name}`) ?? [],
    appendEvents: async (_, appended) => {
      events.push(...appended);
    },
  };
  const { app } = createTestApp({
    operations: { ...schemaOperations, ...schemaFigureOperations, ...byJoin },
    handlers: new Map([
      ...handlerEntries(schemaOperations, schemaRoutes(ports)),
      ...handlerEntries(schemaFigureOperations, schemaFigureRoutes(ports)),
      ...handlerEntries(schemaJoinOperations, schemaJoinRoutes()),
    ]),
    database: db.database,
  });
  const call = callsOf(app);
  let counter = 0;
  return {
    db,
    call,
    app,
    events,
    uses,
    async create(body = {}) {
      counter += 1;
      const made = await call('POST', url, { name: `s_${counter}`, displayName: 'S', ...body });
      assert.equal(made.status, 201, made.text);
      return made.json;
    },
    insert: (schemaId, rows, onDuplicate) =>
      call('POST', `${url}/${schemaId}/data`, { rows, ...(onDuplicate === undefined ? {} : { onDuplicate }) }),
    rows: (schemaId, query = '') => call('GET', `${url}/${schemaId}/data${query}`),
    async tables() {
      const found = await db.ownerQuery<{ name: string }>(
        `select schemaname || '.' || tablename as name from pg_tables where schemaname like 't\\_%' order by 1`,
      );
      return found.map((row) => row.name);
    },
  };
}
