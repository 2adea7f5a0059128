import assert from 'node:assert/strict';
import type { Pipeline, PipelineProgress, PipelineRun, PipelineRunCreated, Problem } from '@arbiter/contract';
import { type CallResult, startTestServer, type TestServer } from '../../../main/test-server.ts';
import type { SourceBatch, SourceReader } from '../connectors/index.ts';

/** CRON_TOKEN of the server. */
const token = 'the token of the tick';

/** A source of a test. Its cursor is the number of rows read. */
export interface TestSource {
  rows: readonly Readonly<Record<string, unknown>>[];
  rowsPerBatch: number;
  isResumable: boolean;
  /** Where a read begins after a crash, once this many rows are committed. Less than them: the batch is partial. */
  cursorAfter: (rows: number) => number;
  /** Called before each batch. */
  before: (from: number, signal: AbortSignal) => Promise<void> | void;
  /** Called when the source is opened. */
  onOpen: () => void;
  /** Cursors that reads began with. */
  readonly begun: unknown[];
  /** Cursors that were committed. */
  readonly committed: unknown[];
  closed: number;
}

export type Answered<T> = CallResult<T & Omit<Problem, 'status' | 'errors'> & { errors?: Problem['errors'] }>;

export interface PipelineServer {
  readonly server: TestServer;
  readonly source: TestSource;
  readonly ids: { readonly connector: string; readonly schema: string };
  /** Empties the schema and resets the source. */
  reset(): Promise<void>;
  pipeline(more?: object): Promise<Pipeline>;
  start(id: string): Promise<PipelineRunCreated>;
  /** Tries a run like a worker. Throws what the job throws. */
  work(runId: string, options?: { attempt?: number; signal?: AbortSignal }): Promise<void>;
  progress(run: Pick<PipelineRunCreated, 'id' | 'pipelineId'>): Promise<PipelineProgress>;
  /** Starts a pipeline, works on it, and returns its progress. */
  run(id: string): Promise<PipelineProgress>;
  read(id: string): Promise<Pipeline>;
  runs(id: string): Promise<PipelineRun[]>;
  /** Rows of the schema by primary key. */
  table(): Promise<Record<string, unknown>[]>;
  tick(): Promise<void>;
  call<T>(method: string, path: string, body?: object, key?: string): Promise<Answered<T>>;
  close(): Promise<void>;
}

const field = (name: string, dataType: string, more: object = {}) => ({ name, displayName: name, dataType, ...more });

const peopleFields = [
  field('customer_id', 'varchar', { length: 64, isPrimaryKey: true, isNullable: false }),
  field('age', 'integer'),
  field('email', 'varchar', { length: 100, isUnique: true }),
  field('joined', 'date'),
  field('vip', 'boolean'),
];

const fresh = () => ({
  ...{ rows: [], rowsPerBatch: 2, isResumable: true, closed: 0 },
  cursorAfter: (rows: number) => rows,
  before: () => undefined,
  onOpen: () => undefined,
});

function readerOf(source: TestSource): SourceReader {
  return {
    isResumable: source.isResumable,
    async *read({ cursor, signal, rowLimit }): AsyncGenerator<SourceBatch> {
      source.begun.push(cursor);
      const begin = typeof cursor === 'number' ? cursor : 0;
      const end = rowLimit === 0 ? source.rows.length : Math.min(source.rows.length, begin + rowLimit);
      for (let from = begin; from < end; from += source.rowsPerBatch) {
        await source.before(from, signal);
        const to = Math.min(from + source.rowsPerBatch, end);
        const cursorAfter = source.cursorAfter(to);
        yield { rows: source.rows.slice(from, to), cursor: cursorAfter, isPartial: cursorAfter < to };
      }
    },
    async committed(cursor) {
      source.committed.push(cursor);
    },
    async close() {
      source.closed += 1;
    },
  };
}

export async function startPipelineServer(
  options: Parameters<typeof startTestServer>[0] = {},
): Promise<PipelineServer> {
  const source: TestSource = { ...fresh(), begun: [], committed: [] };
  const server = await startTestServer({
    tenants: 2,
    openReader: async () => {
      source.onOpen();
      return readerOf(source);
    },
    ...options,
    config: { CRON_TOKEN: token, ...options.config },
  });
  const call = <T>(method: string, path: string, body?: object, key?: string) =>
    server.call<Answered<T>['body']>(method, path, {
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { key }),
    });
  const connector = await server.create('connectors', { name: 'Warehouse', type: 'postgresql' });
  const schema = await server.create('schemas', {
    ...{ name: 'people', displayName: 'People', schemaType: 'customer', fields: peopleFields },
  });
  let pipelines = 0;
  const world: PipelineServer = {
    ...{ server, source, call, ids: { connector, schema } },
    async reset() {
      Object.assign(source, fresh());
      source.begun.length = 0;
      source.committed.length = 0;
      const tables = await server.testDatabase.ownerQuery<{ t: string }>(
        `select format('%I.%I', schemaname, tablename) as t from pg_tables where tablename = 'ds_people'`,
      );
      for (const { t } of tables) await server.testDatabase.ownerQuery(`delete from ${t}`);
    },
    async pipeline(more = {}) {
      pipelines += 1;
      const body = { name: `Pipeline ${pipelines}`, connectorId: connector, schemaId: schema, ...more };
      const { status, body: record, text } = await call<Pipeline>('POST', '/api/v1/pipelines', body);
      assert.equal(status, 201, text);
      return record;
    },
    async start(id) {
      const { status, body, text } = await call<PipelineRunCreated>('POST', `/api/v1/pipelines/${id}/runs`);
      assert.equal(status, 201, text);
      return body;
    },
    async work(runId, { attempt = 1, signal = new AbortController().signal } = {}) {
      const facts = { jobId: '1', attempt, dueAt: null, signal };
      await server.jobs.get('pipeline.run')!.run({ runId }, facts, server.tenants[0].id);
    },
    async progress({ pipelineId, id }) {
      const path = `/api/v1/pipelines/${pipelineId}/runs/${id}/progress`;
      return (await call<PipelineProgress>('GET', path)).body;
    },
    async run(id) {
      const run = await world.start(id);
      await world.work(run.id);
      return world.progress(run);
    },
    read: async (id) => (await call<Pipeline>('GET', `/api/v1/pipelines/${id}`)).body,
    runs: async (id) => (await call<{ data: PipelineRun[] }>('GET', `/api/v1/pipelines/${id}/runs`)).body.data,
    table: async () =>
      (await call<{ rows: Record<string, unknown>[] }>('GET', `/api/v1/schemas/${schema}/data?limit=500`)).body.rows,
    async tick() {
      const headers = { 'x-cron-token': token };
      const { status, text } = await server.call('POST', '/api/cron/tick', { key: null, headers });
      assert.equal(status, 200, text);
    },
    close: () => server.close(),
  };
  return world;
}
