import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findPack, type Pack } from '@arbiter/packs';
import { systemActor, type Tx } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { testLoadPorts } from '../../../main/test-server.ts';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { createFlow } from '../../catalogue/flows/index.ts';
import { createOffer } from '../../catalogue/offers/index.ts';
import { insertSystemOutcomeTypes } from '../../catalogue/outcomes/index.ts';
import { createSchema } from '../../catalogue/schemas/index.ts';
import { createPackPort, listLoadedPacks, loadPack } from './index.ts';

const packPort = createPackPort(testLoadPorts);

const found = findPack('coffee_rewards');
assert.ok(found);
const pack: Pack = found;

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

const inTenant = <T>(tenantId: string, run: (tx: Tx) => Promise<T>) =>
  db.database.withTenant(tenantId, systemActor('test'), run);

async function makeTenant(): Promise<string> {
  const id = newId();
  await inTenant(id, async (tx) => {
    await tx.query('insert into arbiter.tenants (id, name) values ($1, $2)', [id, 'T']);
    await insertSystemOutcomeTypes(tx);
  });
  return id;
}

const count = async (tenantId: string, table: string) => {
  const [row] = await db.ownerQuery<{ n: string }>(`select count(*) as n from arbiter.${table} where tenant_id = $1`, [
    tenantId,
  ]);
  return Number(row?.n);
};

test('a pack brings its customers, catalogue and published flow, noted in the audit log', async () => {
  const tenantId = await makeTenant();
  const loaded = await inTenant(tenantId, async (tx) => {
    const answer = await loadPack(tx, pack, testLoadPorts);
    assert.deepEqual(tx.remarks, [], 'all that a pack holds has an effect');
    return answer;
  });
  assert.deepEqual(loaded.counts, {
    schemas: 2,
    coffee_members_rows: 1000,
    coffee_visits_rows: 5000,
    categories: 3,
    subCategories: 6,
    channels: 4,
    placements: 5,
    offers: 12,
    creatives: 48,
    outcomeTypes: 1,
    segments: 3,
    models: 4,
    experiments: 1,
    journeys: 0,
    behavioralMetrics: 0,
    triggers: 0,
    geofences: 0,
    qualificationRules: 6,
    contactPolicies: 6,
    decisionFlows: 2,
    interactions: 3000,
    interactionSummaries: loaded.counts.interactionSummaries,
    segmentCustomers: loaded.counts.segmentCustomers,
  });
  assert.equal(await count(tenantId, 'offers'), 12);
  assert.equal(await count(tenantId, 'creatives'), 48);
  const flows = await db.ownerQuery(
    'select key, status, is_default, published_version from arbiter.decision_flows where tenant_id = $1 order by id',
    [tenantId],
  );
  assert.deepEqual(flows, [
    { key: 'coffee-next-best-offer', status: 'active', is_default: true, published_version: 1 },
    { key: 'coffee-explore', status: 'active', is_default: false, published_version: 1 },
  ]);
  const rows = await db.ownerQuery<{ member_id: string }>(
    `select member_id from t_${tenantId.replaceAll('-', '')}.ds_coffee_members order by member_id limit 1`,
  );
  assert.equal(rows[0]?.member_id, pack.firstCustomer);
  const audit = await db.ownerQuery(
    `select entity_type, entity_id, after -> 'counts' ->> 'offers' as offers from arbiter.audit_logs
     where tenant_id = $1 and action = 'load_pack'`,
    [tenantId],
  );
  assert.deepEqual(audit, [{ entity_type: 'seedDataset', entity_id: 'coffee_rewards', offers: '12' }]);
});

test('rejects a second load, and the start loads a pack only if there is none', async () => {
  const tenantId = await makeTenant();
  assert.deepEqual(packPort.keys, ['coffee_rewards', 'retail_bank', 'telco_care']);
  assert.equal(await inTenant(tenantId, (tx) => packPort.loadWhenNone(tx, 'coffee_rewards')), true);
  assert.equal(await inTenant(tenantId, (tx) => packPort.loadWhenNone(tx, 'coffee_rewards')), false);
  await assert.rejects(
    inTenant(tenantId, (tx) => loadPack(tx, pack, testLoadPorts)),
    (error: unknown) => error instanceof AppError && error.code === 'duplicate_key',
  );
  const packs = await inTenant(tenantId, listLoadedPacks);
  assert.deepEqual(
    packs.map(({ key, version }) => [key, version]),
    [['coffee_rewards', 1]],
  );
});

test('auto-assembly of flows runs once for a whole pack', async () => {
  const tenantId = await makeTenant();
  const inventory = { id: 'i', type: 'inventory', config: { scope: 'category', autoInclude: true } };
  const score = { id: 's', type: 'score', config: { method: 'priority_weighted' } };
  const own = await inTenant(tenantId, (tx) =>
    createFlow(tx, {
      key: 'own',
      name: 'Own',
      status: 'active',
      draftConfig: { version: 2, nodes: [inventory, score], flowConfig: {} },
    }),
  );
  await inTenant(tenantId, (tx) => loadPack(tx, pack, testLoadPorts));
  const runs = await db.ownerQuery<{ own: boolean; trigger: string; applied: boolean; changes: number }>(
    `select flow_id = $2 as own, trigger, applied, jsonb_array_length(changes) as changes
       from arbiter.flow_assembly_runs where tenant_id = $1 order by own`,
    [tenantId, own.id],
  );
  const [flows, categories] = [await count(tenantId, 'decision_flows'), 3];
  assert.equal(runs.length, flows, 'one row for each flow');
  assert.deepEqual(runs.at(-1), { own: true, trigger: 'bulk', applied: true, changes: categories });
  assert.deepEqual(runs[0], { own: false, trigger: 'bulk', applied: false, changes: 0 });
});

test("prefixes a name taken by the tenant with the pack's", async () => {
  const tenantId = await makeTenant();
  await inTenant(tenantId, (tx) => createOffer(tx, { name: 'Morning Streak' }, () => {}));
  await inTenant(tenantId, (tx) => loadPack(tx, pack, testLoadPorts));
  const names = await db.ownerQuery<{ name: string }>(
    `select name from arbiter.offers where tenant_id = $1 and name like '%Morning Streak' order by name`,
    [tenantId],
  );
  assert.deepEqual(
    names.map((row) => row.name),
    ['Coffee rewards: Morning Streak', 'Morning Streak'],
  );
});

test('a taken schema name is a conflict, and leaves nothing of the pack', async () => {
  const tenantId = await makeTenant();
  await inTenant(tenantId, (tx) => createSchema(tx, { name: 'coffee_members', displayName: 'Mine' }));
  await assert.rejects(
    inTenant(tenantId, (tx) => loadPack(tx, pack, testLoadPorts)),
    (error: unknown) => error instanceof AppError && error.code === 'duplicate_name',
  );
  assert.equal(await count(tenantId, 'categories'), 0);
  assert.equal(await count(tenantId, 'seed_packs'), 0);
});
