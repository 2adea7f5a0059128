import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inTime, systemActor, type Tx } from '../../../db/index.ts';
import type { JobHandler, StreamEvent } from '../../../jobs/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { appendEvents } from '../../operations/stream/index.ts';
import type { RefreshPorts } from './refresh.service.ts';
import { refreshSegmentJob, refreshSegmentsJob, segmentJobs } from './segments.jobs.ts';
import { segmentsUrl, type TestSegments, testSegments } from './test-segments.ts';

let server: TestServer;
let segments: TestSegments;
let people: string;

before(async () => {
  server = await startTestServer();
  segments = testSegments(server);
  people = await segments.schema('people', [
    { name: 'customer_id', dataType: 'text', isPrimaryKey: true },
    { name: 'tier', dataType: 'text' },
  ]);
  await segments.insert(people, [
    { customer_id: 'a', tier: 'gold' },
    { customer_id: 'b', tier: 'gold' },
    { customer_id: 'c', tier: 'silver' },
  ]);
});
after(() => server.close());

const watched = new Set<string>();
const events: StreamEvent[] = [];
const ports: RefreshPorts = {
  watchedSegments: async (_tx, ids) => new Set(ids.filter((id) => watched.has(id))),
  async publishEvents(tx, some) {
    events.push(...some);
    await appendEvents(tx, some, []);
  },
};

async function run(handler: JobHandler['job'], payload: object): Promise<void> {
  const found = segmentJobs({ ...ports, database: server.database }).find(({ job }) => job.name === handler.name);
  assert.ok(found);
  const facts = { jobId: newId(), attempt: 1, dueAt: null, signal: new AbortController().signal };
  await found.run(payload, facts, server.tenants[0].id);
}

/** The changes that a refresh tells, and forgets them. */
async function changesOf(segmentId: string): Promise<unknown[]> {
  await run(refreshSegmentJob, { segmentId });
  return events.splice(0).map(({ type, payload }) => [type, payload]);
}

const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  server.database.withTenant(server.tenants[0].id, systemActor('test'), work);

const put = async (rows: object[]): Promise<void> => {
  const answer = await segments.call('POST', `/api/v1/schemas/${people}/data`, { rows, onDuplicate: 'update' });
  assert.equal(answer.status, 201, answer.text);
};

test('a watched segment reports who entered and left, but nothing the first time', async () => {
  const { id } = await segments.create({ name: 'Gold', filters: [{ field: 'tier', operator: 'eq', value: 'gold' }] });
  assert.deepEqual(await changesOf(id), [], 'nobody watches');
  watched.add(id);
  assert.deepEqual(await changesOf(id), [], 'the first snapshot');
  assert.deepEqual(await changesOf(id), [], 'nothing changed');
  await put([
    { customer_id: 'a', tier: 'silver' },
    { customer_id: 'c', tier: 'gold' },
    { customer_id: 'd', tier: 'gold' },
  ]);
  const change = (customerId: string, event: string) => ['segment.changed.v1', { segmentId: id, customerId, event }];
  assert.deepEqual(await changesOf(id), [change('a', 'left'), change('c', 'entered'), change('d', 'entered')]);
  assert.deepEqual(await changesOf(id), []);
  const shown = await segments.call('GET', `${segmentsUrl}/${id}`);
  assert.deepEqual([shown.body.customerCount, shown.body.version], [3, 1], 'counted, and no new version');
  const rows = await server.testDatabase.ownerQuery<{ events: string }>(
    `select events::text as events from arbiter.outbox where events::text like '%segment.changed%'`,
  );
  assert.deepEqual(
    rows.flatMap((row) => (JSON.parse(row.events) as StreamEvent[]).map((each) => each.type)),
    ['segment.changed.v1', 'segment.changed.v1', 'segment.changed.v1'],
  );

  watched.delete(id);
  await put([{ customer_id: 'e', tier: 'gold' }]);
  assert.deepEqual(await changesOf(id), [], 'nobody watches any more');
  watched.add(id);
  assert.deepEqual(await changesOf(id), [], 'a later watcher begins anew');
});

test('an empty snapshot counts: the first customer afterwards entered', async () => {
  const { id } = await segments.create({
    name: 'Platinum',
    filters: [{ field: 'tier', operator: 'eq', value: 'platinum' }],
  });
  watched.add(id);
  assert.deepEqual(await changesOf(id), []);
  await put([{ customer_id: 'p', tier: 'platinum' }]);
  assert.deepEqual(await changesOf(id), [['segment.changed.v1', { segmentId: id, customerId: 'p', event: 'entered' }]]);
});

test('reports the difference of a new definition, and ignores a deleted segment', async () => {
  const { id } = await segments.create({ name: 'Moving', filters: [{ field: 'tier', operator: 'eq', value: 'gold' }] });
  watched.add(id);
  await changesOf(id);
  await segments.call('PUT', `${segmentsUrl}/${id}`, { filters: [{ field: 'tier', operator: 'neq', value: 'gold' }] });
  const told = (await changesOf(id)) as [string, { customerId: string; event: string }][];
  assert.deepEqual(told.map(([, { customerId, event }]) => `${customerId} ${event}`).sort(), [
    'a entered',
    'b left',
    'c left',
    'd left',
    'e left',
    'p entered',
  ]);
  assert.equal((await segments.call('DELETE', `${segmentsUrl}/${id}`)).status, 204);
  const left = await inTenant((tx) => tx.query('select from arbiter.segment_members where segment_id = $1', [id]));
  assert.equal(left.length, 0);
  assert.deepEqual(await changesOf(id), []);
  assert.deepEqual(await changesOf(newId()), []);
});

test('a field customer_id added later identifies the customers, in the view after the next refresh', async () => {
  const schemaId = await segments.schema('keyed', [{ name: 'no', dataType: 'integer', isPrimaryKey: true }]);
  await segments.insert(schemaId, [{ no: 1 }, { no: 2 }]);
  const { id, viewName } = await segments.create({ name: 'Keyed', baseSchemaId: schemaId });
  assert.deepEqual(await segments.viewed(viewName), ['1', '2']);
  const field = { schemaId, name: 'customer_id', dataType: 'text' };
  assert.equal((await segments.call('POST', '/api/v1/schemas/fields', field)).status, 201);
  await segments.insert(schemaId, [
    { no: 3, customer_id: 'c' },
    { no: 4, customer_id: 'c' },
  ]);
  assert.deepEqual(await segments.members(id), ['c']);
  await run(refreshSegmentJob, { segmentId: id });
  assert.deepEqual(await segments.viewed(viewName), ['c'], 'once, though it has two rows');
  assert.equal((await segments.call('GET', `${segmentsUrl}/${id}`)).body.customerCount, 1);
});

test('two refreshes at once report each change once', async () => {
  const { id } = await segments.create({ name: 'Twice' });
  watched.add(id);
  await changesOf(id);
  await put(Array.from({ length: 50 }, (_, n) => ({ customer_id: `n${n}`, tier: 'gold' })));
  await Promise.all([run(refreshSegmentJob, { segmentId: id }), run(refreshSegmentJob, { segmentId: id })]);
  assert.equal(events.splice(0).length, 50);
});

test("the hourly job refreshes every segment that isn't archived, each once", async () => {
  const archived = await segments.create({ name: 'Archived', status: 'archived' });
  await inTenant((tx) => tx.query('delete from arbiter.outbox'));
  await run(refreshSegmentsJob, {});
  await run(refreshSegmentsJob, {});
  const jobs = await server.testDatabase.ownerQuery<{ id: string }>(
    `select j.payload ->> 'segmentId' as id from graphile_worker._private_jobs j
       join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'segment.refresh'`,
  );
  const all = await segments.call('GET', `${segmentsUrl}?limit=200`);
  assert.deepEqual(
    jobs.map((each) => each.id).sort(),
    all.body.data
      .map((row) => row.id)
      .filter((id) => id !== archived.id)
      .sort(),
  );
  assert.equal(refreshSegmentsJob.schedule?.cron, '20 * * * *');
});

test('a count that takes too long continues as a job', async () => {
  await inTenant(async (tx) => {
    const slow = await inTime(tx, () => tx.query('select pg_sleep(5)'), 50);
    assert.equal(slow, null);
    const [{ limit } = { limit: '' }] = await tx.query<{ limit: string }>(
      `select current_setting('statement_timeout') as limit`,
    );
    assert.notEqual(limit, '50ms', 'the transaction goes on with its own limit');
  });
});
