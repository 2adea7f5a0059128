import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type EventPage, resources, type StreamEvent } from '@arbiter/contract';
import { findPack } from '@arbiter/packs';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { loadPack } from '../../packages/server/src/features/operations/seed-packs/index.ts';
import { publishAll } from '../../packages/server/src/features/operations/stream/test-publish.ts';
import { startTestServer, type TestServer, testLoadPorts } from '../../packages/server/src/main/test-server.ts';
import { createFixtures, type Fixtures } from './fixtures.ts';

/** `catalogue.changed.v1`: every change of the catalogue is in the stream, by whatever means it was made. */

let server: TestServer;
let fixtures: Fixtures;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  fixtures = createFixtures(server, server.tenants[0]);
});
after(() => server?.close());

/** Returns the events since a position, and the new position. */
async function read(from: string, key: string = fixtures.tenant.keys.viewer) {
  await publishAll(server);
  const events: StreamEvent[] = [];
  for (let after = from; ; ) {
    const query = `topic=catalogue.changed.v1&limit=1000&after=${after}`;
    const { status, text, body } = await server.call<EventPage>('GET', `/api/v1/events/stream?${query}`, { key });
    assert.equal(status, 200, text);
    events.push(...body.data);
    if (body.nextAfter === after) return { events, position: after };
    after = body.nextAfter;
  }
}

/** Returns what the events of some work say. */
async function changesOf(work: () => Promise<unknown>): Promise<string[]> {
  await publishAll(server);
  const { position } = await read('latest');
  await work();
  const { events } = await read(position);
  for (const { tenantId } of events) assert.equal(tenantId, fixtures.tenant.id);
  return events.map(({ payload: { entityType, id, version, ...others } }) => {
    assert.deepEqual(others, {});
    return `${entityType} ${id} ${version}`;
  });
}

async function remove(path: string, id: string): Promise<void> {
  const { status, text } = await server.call('DELETE', `/api/v1/${path}/${id}`);
  assert.ok(status < 300, text);
}

for (const { entityType, path, ...resource } of Object.values(resources)) {
  test(`${entityType}: reports that it was created, changed and deleted`, async () => {
    let id = '';
    const created = await changesOf(async () => ({ id } = await fixtures.make(path)));
    assert.ok(created.includes(`${entityType} ${id} 1`), created.join('\n'));
    assert.ok(
      (await changesOf(() => fixtures.must('PUT', `${path}/${id}`, {}, 200))).includes(`${entityType} ${id} 2`),
    );
    const deleted = await changesOf(() => remove(path, id));
    const last = 'archives' in resource ? 2 : 3;
    assert.ok(deleted.includes(`${entityType} ${id} ${last}`), deleted.join('\n'));
  });
}

test('reports a restored record, and those deleted with another', async () => {
  const creative = await fixtures.make('creatives');
  const offer = String(creative.offerId);
  assert.deepEqual((await changesOf(() => remove('offers', offer))).sort(), [
    `creative ${creative.id} 2`,
    `offer ${offer} 2`,
  ]);
  const restore = () => fixtures.must('POST', `restore?entityType=offer&id=${offer}`, undefined, 200);
  assert.deepEqual(await changesOf(restore), [`offer ${offer} 3`]);
});

test('reports settings, and a published flow twice: its draft and its version', async () => {
  const flow = await fixtures.make('decision-flows');
  const publish = () => fixtures.must('POST', 'decision-flows/publish', { id: flow.id }, 200);
  assert.deepEqual((await changesOf(publish)).sort(), [`decisionFlow ${flow.id} 2`, `flowVersion ${flow.id} 1`]);
  const change = () => fixtures.must('PUT', 'tenant-settings', { decisionTraceEnabled: true }, 200);
  assert.deepEqual(await changesOf(change), [`tenantSettings ${fixtures.tenant.id} 2`]);
  assert.deepEqual(await changesOf(change), [], 'the same value changes nothing');
});

test('reports nothing for a rejected change, and one event for two changes in a transaction', async () => {
  const { id } = await fixtures.make('categories');
  assert.deepEqual(await changesOf(() => fixtures.must('PUT', `categories/${id}`, { name: '' }, 400)), []);
  const twice = () =>
    server.testDatabase.ownerQuery(
      `with one as (update arbiter.categories set version = version + 1, description = 'a' where id = $1 returning id)
       select from one`,
      [id],
    );
  assert.deepEqual(await changesOf(twice), [`category ${id} 2`], 'a repair by hand');
  const both = () =>
    server.database.withTenant(fixtures.tenant.id, systemActor('test'), async (tx) => {
      for (const text of ['b', 'c'])
        await tx.query(
          'update categories set version = version + 1, description = $3 where tenant_id = $1 and id = $2',
          [...[fixtures.tenant.id, id, text]],
        );
      tx.touchCatalogue();
    });
  assert.deepEqual(await changesOf(both), [`category ${id} 4`]);
});

test('reports what an approval and a policy file change', async () => {
  const offer = await fixtures.make('offers');
  const asked = await fixtures.must(
    'POST',
    'approvals',
    { entityType: 'offer', entityId: offer.id, entityName: 'Offer', action: 'update', payload: { name: 'Approved' } },
    201,
    await fixtures.otherPerson(),
  );
  const approve = () => fixtures.must('POST', `approvals/${asked.id}`, { action: 'approve' }, 200);
  assert.deepEqual(await changesOf(approve), [`offer ${offer.id} 2`]);

  const { files } = await fixtures.must('POST', 'gitops/export', {}, 200);
  const changed = (files as { readonly path: string; readonly content: string }[])
    .filter(({ path }) => path.startsWith('categories/'))
    .map((file) => ({ ...file, content: file.content.replace(/^( *description): .*$/m, '$1: From a file') }));
  const { changes } = await fixtures.must('POST', 'gitops/diff', { files: changed }, 200);
  const events = await changesOf(() => fixtures.must('POST', 'gitops/apply', { files: changed }, 200));
  assert.ok(events.length > 0);
  assert.equal(events.length, (changes as unknown[]).length);
});

test('reports a bulk change completely: the newest version of every record, to its tenant only', async () => {
  const [, other] = server.tenants;
  const pack = findPack('coffee_rewards');
  assert.ok(pack && other);
  const own = await read('latest');
  await server.database.withTenant(other.id, systemActor('test'), (tx) => loadPack(tx, pack, testLoadPorts));
  const { events } = await read('0', other.keys.viewer);
  const rows = await server.testDatabase.ownerQuery<{ change: string }>(
    `select distinct on (config_version, entity_type, entity_id) entity_type || ' ' || entity_id || ' ' || version as change
       from arbiter.record_versions where tenant_id = $1 order by config_version, entity_type, entity_id, number desc`,
    [other.id],
  );
  const reported = events.map(({ payload: { entityType, id, version } }) => `${entityType} ${id} ${version}`);
  assert.ok(reported.length > 60);
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
  assert.deepEqual(reported.sort(), rows.map(({ change }) => change).sort());
  assert.deepEqual((await read(own.position)).events, []);
});
