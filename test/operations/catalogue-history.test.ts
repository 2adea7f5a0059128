import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { resources } from '@arbiter/contract';
import { findPack } from '@arbiter/packs';
import { systemActor } from '../../packages/server/src/db/index.ts';
import type { Tx } from '../../packages/server/src/db/tx.ts';
import {
  catalogueAsOf,
  catalogueAt,
  type GovernedType,
  governedTypes,
  recordAsOf,
} from '../../packages/server/src/features/catalogue/catalogue-history/index.ts';
import { tableOf } from '../../packages/server/src/features/catalogue/catalogue-records/index.ts';
import { loadPack } from '../../packages/server/src/features/operations/seed-packs/index.ts';
import { startTestServer, type TestServer, testLoadPorts } from '../../packages/server/src/main/test-server.ts';
import { createFixtures, type Fixtures } from './fixtures.ts';

/**
 * Every state of every governed record is stored, and the catalogue of any instant can be read
 * (docs/design/recording.md S14).
 */

let server: TestServer;
let fixtures: Fixtures;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  fixtures = createFixtures(server, server.tenants[0]);
});
after(() => server?.close());

const owner = <Row>(text: string, values: unknown[] = []) => server.testDatabase.ownerQuery<Row>(text, values);
const read = <T>(fn: (tx: Tx) => Promise<T>, tenant = 0) =>
  server.testDatabase.database.withTenant(server.tenants[tenant]!.id, systemActor('test'), fn);

/** Returns the instant of the newest version, to the microsecond. */
async function latest(): Promise<string> {
  const [row] = await owner<{ at: string }>(
    `select to_char(committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
       from arbiter.catalogue_log where tenant_id = $1 order by config_version desc limit 1`,
    [fixtures.tenant.id],
  );
  return row!.at;
}

const asOf = (type: GovernedType, id: string, at: string) => read((tx) => recordAsOf(tx, type, id, at));

test('the table of each resource keeps its versions, as do published flows and the settings', async () => {
  const triggers = await owner<{ name: string; events: number; words: string }>(
    `select c.relname as name, count(*)::int as events, min(encode(t.tgargs, 'escape')) as words
       from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where t.tgname like 'keep\\_versions\\_%' and c.relnamespace = 'arbiter'::regnamespace group by 1`,
  );
  const kept = new Map(triggers.map(({ name, events, words }) => [name, { events, type: words.split('\\000')[0] }]));
  for (const resource of Object.values(resources)) {
    assert.deepEqual(kept.get(tableOf(resource)), { events: 3, type: resource.entityType }, resource.entityType);
  }
  assert.deepEqual(new Set([...kept.values()].map(({ type }) => type)), new Set(governedTypes));
});

for (const resource of Object.values(resources)) {
  const { entityType, path } = resource;
  const archives = 'archives' in resource;
  test(`${entityType}: created, changed and deleted, each state exists as of its instant`, async () => {
    const before = await latest();
    const { id } = await fixtures.make(path);
    const made = await latest();
    await fixtures.must('PUT', `${path}/${id}`, {}, 200);
    const changed = await latest();
    const deletion = await server.call('DELETE', `/api/v1/${path}/${id}`, { key: fixtures.tenant.keys.admin });
    assert.ok([200, 204].includes(deletion.status), deletion.text);
    const gone = await latest();
    assert.equal(await asOf(entityType, id, before), null);
    const [first, second, last] = [
      await asOf(entityType, id, made),
      await asOf(entityType, id, changed),
      await asOf(entityType, id, gone),
    ];
    // Archived records are still listed, in another status.
    assert.deepEqual([first?.version, second?.version, last?.version], [1, 2, archives ? 2 : 3]);
    assert.deepEqual([first?.deleted, second?.deleted, last?.deleted], [false, false, !archives]);
    if (archives) assert.deepEqual([second?.body.status, last?.body.status], ['draft', 'archived']);
    assert.equal(first?.body.id, id);
    assert.equal('tenant_id' in first.body, false);
    const listed = async (at: string) =>
      (await read((tx) => catalogueAsOf(tx, at)))?.records.some(({ entityId }) => entityId === id);
    assert.deepEqual([await listed(before), await listed(changed), await listed(gone)], [false, true, archives]);
  });
}

test('a body restores the row, column by column', async () => {
  const { id } = await fixtures.make('offers');
  const version = await asOf('offer', id, await latest());
  const [same] = await owner<{ same: boolean }>(
    `select jsonb_populate_record(null::arbiter.offers, $1::jsonb || jsonb_build_object('tenant_id', tenant_id)) = o.* as same
       from arbiter.offers o where id = $2`,
    [JSON.stringify(version!.body), id],
  );
  assert.equal(same!.same, true);
});

test('records deleted with another one have its number', async () => {
  const creative = await fixtures.make('creatives');
  const offer = String(creative.offerId);
  const deletion = await server.call('DELETE', `/api/v1/offers/${offer}`, { key: fixtures.tenant.keys.admin });
  assert.ok([200, 204].includes(deletion.status), deletion.text);
  const at = await latest();
  const states = [await asOf('offer', offer, at), await asOf('creative', creative.id, at)];
  assert.deepEqual(
    states.map((state) => state?.deleted),
    [true, true],
  );
  assert.equal(states[0]?.configVersion, states[1]?.configVersion);
});

test('manual deletion and restoration are states with their own numbers', async () => {
  const { id } = await fixtures.make('offers');
  const made = await latest();
  await owner('update arbiter.offers set deleted_at = now(), version = version + 1 where id = $1', [id]);
  const hidden = await latest();
  await owner('update arbiter.offers set deleted_at = null, version = version + 1 where id = $1', [id]);
  const restored = await latest();
  await owner('update arbiter.offers set priority = 7 where id = $1', [id]);
  const forgotten = await latest();
  const states = await Promise.all([made, hidden, restored, forgotten].map((at) => asOf('offer', id, at)));
  assert.deepEqual(
    states.map((state) => [state?.version, state?.deleted]),
    [
      [1, false],
      [2, true],
      [3, false],
      [3, false],
    ],
  );
  assert.equal(states[3]?.body.priority, 7);
  assert.notEqual(states[2]?.body.priority, 7);
  const [{ actor } = { actor: '' }] = await owner<{ actor: string }>(
    'select actor from arbiter.catalogue_log where tenant_id = $1 order by config_version desc limit 1',
    [fixtures.tenant.id],
  );
  assert.match(actor, /^database:/);
});

test('a flow published and changed again: draft and published version are two records', async () => {
  const flow = await fixtures.make('decision-flows');
  await fixtures.must('POST', 'decision-flows/publish', { id: flow.id, notes: 'first' }, 200);
  const published = await latest();
  const types: GovernedType[] = ['decisionFlow', 'flowVersion'];
  const states = (await read((tx) => catalogueAsOf(tx, published, types)))!.records.filter(
    ({ entityId }) => entityId === flow.id,
  );
  assert.deepEqual(
    states.map(({ entityType, version }) => [entityType, version]),
    [
      ['decisionFlow', 2],
      ['flowVersion', 1],
    ],
  );
  assert.deepEqual(states[0]!.body.draft_config, states[1]!.body.config);
});

test('settings: absent until changed, then one state per change; changing nothing adds none', async () => {
  const { id } = fixtures.tenant;
  const untouched = await latest();
  await fixtures.must('PUT', 'tenant-settings', { decisionTraceEnabled: true }, 200);
  const changed = await latest();
  await fixtures.must('PUT', 'tenant-settings', { decisionTraceEnabled: true }, 200);
  assert.equal(await latest(), changed);
  assert.equal(await asOf('tenantSettings', id, untouched), null);
  const state = await asOf('tenantSettings', id, changed);
  assert.equal(state?.version, 2);
  assert.deepEqual(state.body.overrides, { decisionTraceEnabled: true });
});

test('instants increase with the numbers, even within a microsecond and when the clock steps back', async () => {
  const { id } = fixtures.tenant;
  await owner(`update arbiter.catalogue_versions set updated_at = '2100-01-01T00:00:00Z' where tenant_id = $1`, [id]);
  const offer = await fixtures.make('offers', { name: 'first name' });
  const first = await latest();
  await fixtures.must('PUT', `offers/${offer.id}`, { name: 'second name' }, 200);
  const second = await latest();
  // Creating an offer also creates the records it refers to. Each step is one microsecond.
  const micros = (text: string) => Number(text.slice(-7, -1));
  assert.equal(micros(second), micros(first) + 1);
  assert.equal((await asOf('offer', offer.id, first))?.body.name, 'first name');
  assert.equal((await asOf('offer', offer.id, second))?.body.name, 'second name');
});

test('every version belongs to a number of the log, which names the same state as its instant', async () => {
  const [open] = await owner<{ open: number }>(
    `select count(*)::int as open from arbiter.record_versions v
      where not exists (select from arbiter.catalogue_log l
                         where l.tenant_id = v.tenant_id and l.config_version = v.config_version)`,
  );
  assert.equal(open!.open, 0);
  const at = await latest();
  const whole = await read((tx) => catalogueAsOf(tx, at));
  assert.deepEqual(await read((tx) => catalogueAt(tx, whole!.configVersion)), whole);
  const [actor] = await owner<{ actor: string }>(
    'select actor from arbiter.catalogue_log where tenant_id = $1 order by config_version desc limit 1',
    [fixtures.tenant.id],
  );
  assert.match(actor!.actor, /^apikey:/);
});

test('after loading a pack, the newest version of every record is its row, and none lacks one', async () => {
  const pack = findPack('coffee_rewards');
  assert.ok(pack);
  await read((tx) => loadPack(tx, pack, testLoadPorts), 1);
  const kept = await owner<{ name: string; words: string }>(
    `select c.relname as name, encode(t.tgargs, 'escape') as words from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where t.tgname = 'keep_versions_update' and c.relnamespace = 'arbiter'::regnamespace`,
  );
  let records = 0;
  for (const { name, words } of kept) {
    // Settings that were locked but never changed have a row and no version.
    const untouched = name === 'tenant_settings' ? 'where r.version > 1' : '';
    const [type, id, version, omitted] = words.split('\\000');
    const [row] = await owner<{ records: number; wrong: number }>(
      `select count(*)::int as records,
         count(*) filter (where v.body is null or v.body <> to_jsonb(r) - array_append($2::text[], 'tenant_id'))::int as wrong
         from arbiter.${name} r left join lateral (
           select body from arbiter.record_versions v
            where v.tenant_id = r.tenant_id and v.entity_type = $1 and v.entity_id = r.${id} and v.version = r.${version}
            order by number desc limit 1) v on true ${untouched}`,
      [type, omitted],
    );
    assert.equal(row!.wrong, 0, name);
    records += row!.records;
  }
  assert.ok(records > 100, `${records} records`);
});

test('before the first change the catalogue is empty; before a history that started late, unknown', async () => {
  const old = '2020-01-01T00:00:00Z';
  assert.deepEqual(await read((tx) => catalogueAsOf(tx, old)), { configVersion: 0, records: [] });
  await owner('delete from arbiter.catalogue_log where tenant_id = $1 and config_version = 1', [server.tenants[1]!.id]);
  await owner('update arbiter.catalogue_log set config_version = 5 where tenant_id = $1', [server.tenants[1]!.id]);
  await createFixtures(server, server.tenants[1]!).make('categories');
  assert.equal(await read((tx) => catalogueAsOf(tx, old), 1), null);
});

test('the application can neither rewrite nor remove history', async () => {
  for (const statement of [
    `update record_versions set body = '{}'`,
    'delete from record_versions',
    'update catalogue_log set committed_at = now()',
    'delete from catalogue_log',
  ]) {
    await assert.rejects(
      read((tx) => tx.query(statement)),
      /permission denied/,
      statement,
    );
  }
});
