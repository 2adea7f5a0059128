import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import type { Tx } from '../../../db/tx.ts';
import { keyOf } from '../../../platform/crypto/crypto.ts';
import { createPasswords } from '../../../platform/crypto/passwords.ts';
import { verifyChain } from '../../identity/audit/index.ts';
import { createAuthenticator } from '../../identity/credentials/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { applyBootstrap, type BootstrapDependencies, createDemoTenant } from './index.ts';

const pepper = keyOf('a pepper for tests');
const key = (name: string) => `krn_${name.padEnd(24, '0')}`;

let db: TestDatabase;
let loaded: string[];
let hooked: string[];
const deps: BootstrapDependencies = {
  pepper,
  passwords: createPasswords(),
  onTenantCreated: [
    async (tx: Tx) => {
      hooked.push(tx.tenantId);
    },
  ],
  packs: {
    keys: ['coffee_rewards'],
    loadWhenNone: async (tx, pack) => {
      const mark = `${tx.tenantId} ${pack}`;
      if (loaded.includes(mark)) return false;
      loaded.push(mark);
      return true;
    },
  },
};

before(async () => {
  db = await createTestDatabase();
  loaded = [];
  hooked = [];
});
after(() => db.close());

const apply = (file: unknown, use: BootstrapDependencies = deps) => applyBootstrap(db.database, file, use);
const applied = async (file: unknown) => {
  const result = await apply(file);
  assert.ok('tenants' in result, JSON.stringify(result));
  return result.tenants;
};
const problemsOf = async (file: unknown, use: BootstrapDependencies = deps) => {
  const result = await apply(file, use);
  assert.ok('problems' in result, JSON.stringify(result));
  return result.problems.map(({ path }) => path);
};
const auditRows = (tenantId: string) =>
  db.ownerQuery<{ action: string; entity_type: string; user_id: string }>(
    'select action, entity_type, user_id from arbiter.audit_logs where tenant_id = $1 order by sequence',
    [tenantId],
  );

const bank = {
  tenants: [
    {
      name: 'Bank',
      users: [{ email: 'Ada@bank.test', password: 'Passw0rd', name: 'Ada', role: 'admin' }],
      apiKeys: [{ name: 'loader', key: key('bank'), scopes: ['write', 'read'] }],
      settings: { timezone: 'Europe/Berlin', aiAnalyzerSettings: { llmExplanationsEnabled: true } },
      pack: 'coffee_rewards',
    },
  ],
};

test('a file creates tenant, settings, users, keys and pack, audited as system:bootstrap', async () => {
  const [tenant] = await applied(bank);
  assert.ok(tenant);
  assert.deepEqual([tenant.name, tenant.created, tenant.changed], ['Bank', true, true]);
  assert.deepEqual(await auditRows(tenant.id), [
    { action: 'create', entity_type: 'tenant', user_id: 'system:bootstrap' },
    { action: 'update', entity_type: 'tenantSettings', user_id: 'system:bootstrap' },
    { action: 'create', entity_type: 'user', user_id: 'system:bootstrap' },
    { action: 'create', entity_type: 'apiKey', user_id: 'system:bootstrap' },
  ]);
  assert.ok(hooked.includes(tenant.id));
  assert.ok(loaded.includes(`${tenant.id} coffee_rewards`));
  const settings = await db.database.withTenant(tenant.id, systemActor('test'), readSettings);
  assert.equal(settings.timezone, 'Europe/Berlin');

  const authenticator = createAuthenticator({ database: db.database, pepper, clock: { now: () => Date.now() } });
  const principal = await authenticator.authenticate({ kind: 'apiKey', value: key('bank') });
  authenticator.close();
  assert.deepEqual([principal?.tenantId, principal?.role, principal?.scopes], [tenant.id, 'editor', ['read', 'write']]);
});

test('a second application finds everything and writes nothing', async () => {
  const [first] = await applied(bank);
  assert.ok(first);
  const rows = await auditRows(first.id);
  const [second] = await applied(bank);
  assert.deepEqual(second, { id: first.id, name: 'Bank', created: false, changed: false });
  assert.deepEqual(await auditRows(first.id), rows);
});

test('updates name, role and scopes of known users and keys, with one audit row per real change', async () => {
  const [tenant] = await applied({
    tenants: [{ name: 'Change', users: [user('A', 'viewer'), user('B', 'viewer')], apiKeys: [apiKey(['read'])] }],
  });
  assert.ok(tenant);
  const rows = (await auditRows(tenant.id)).length;
  await applied({
    tenants: [{ name: 'Change', users: [user('a', 'admin'), user('B', 'viewer')], apiKeys: [apiKey(['admin'])] }],
  });
  assert.deepEqual((await auditRows(tenant.id)).slice(rows), [
    { action: 'update', entity_type: 'user', user_id: 'system:bootstrap' },
    { action: 'update', entity_type: 'apiKey', user_id: 'system:bootstrap' },
  ]);
  const users = await db.ownerQuery('select email, role from arbiter.users where tenant_id = $1 order by email', [
    tenant.id,
  ]);
  assert.deepEqual(users, [
    { email: 'A@change.test', role: 'admin' },
    { email: 'B@change.test', role: 'viewer' },
  ]);
  const chain = await db.database.withTenant(tenant.id, systemActor('test'), (tx) => verifyChain(tx));
  assert.equal(chain.intact, true);
});

function user(name: string, role: string) {
  return { email: `${name}@change.test`, password: 'Passw0rd', name: name.toUpperCase(), role };
}
function apiKey(scopes: string[]) {
  return { name: 'k', key: key('change'), scopes };
}

test('finds a tenant that renamed itself by its name in the file', async () => {
  const file = { tenants: [{ name: 'Stable' }] };
  const [first] = await applied(file);
  await db.ownerQuery(`update arbiter.tenants set name = 'Renamed' where id = $1`, [first?.id]);
  assert.equal((await applied(file))[0]?.id, first?.id);
});

test('two nodes that start with the same file create one tenant', async () => {
  const file = { tenants: [{ name: 'Twins', apiKeys: [{ name: 'k', key: key('twins') }] }] };
  const results = await Promise.all([applied(file), applied(file), applied(file)]);
  assert.equal(new Set(results.map(([tenant]) => tenant?.id)).size, 1);
  const rows = await db.ownerQuery(`select id from arbiter.tenants where bootstrap_name = 'Twins'`);
  assert.equal(rows.length, 1);
});

test('names the place of each problem in a bad file, and applies nothing of it', async () => {
  const good = { name: 'Never' };
  const cases: readonly [paths: string[], tenants: unknown[]][] = [
    [['/tenants/1/name'], [good, { name: '  ' }]],
    [['/tenants/1/name'], [good, good]],
    [['/tenants/1/extra'], [good, { name: 'x', extra: 1 }]],
    [['/tenants/1/apiKeys/0/key'], [good, { name: 'x', apiKeys: [{ name: 'k', key: 'krn_short' }] }]],
    [['/tenants/1/settings/timezone'], [good, { name: 'x', settings: { timezone: 'Nowhere' } }]],
    [['/tenants/1/settings/unheard'], [good, { name: 'x', settings: { unheard: 1 } }]],
    [['/tenants/1/pack'], [good, { name: 'x', pack: 'unknown' }]],
    [['/tenants/1/users/0/email'], [good, { name: 'x', users: [{ ...user('a', 'admin'), email: 'nobody' }] }]],
    [['/tenants/1/users/1/email'], [good, { name: 'x', users: [user('a', 'admin'), user('A', 'admin')] }]],
    [
      ['/tenants/1/apiKeys/0/key'],
      [
        { ...good, apiKeys: [{ name: 'k', key: key('same') }] },
        { name: 'x', apiKeys: [{ name: 'k', key: key('same') }] },
      ],
    ],
    [['/tenants/1/apiKeys/0/key'], [good, { name: 'x', apiKeys: [{ name: 'stolen', key: key('bank') }] }]],
  ];
  await applied(bank);
  for (const [paths, tenants] of cases) assert.deepEqual(await problemsOf({ tenants }), paths, JSON.stringify(tenants));
  assert.deepEqual(await problemsOf([]), ['']);
  assert.deepEqual(
    await problemsOf({ tenants: [{ name: 'x', apiKeys: [{ name: 'k', key: key('x') }] }] }, { ...deps, pepper: null }),
    ['/tenants/0/apiKeys'],
  );
  assert.deepEqual(await db.ownerQuery(`select id from arbiter.tenants where name in ('Never', 'x')`), []);
});

test('creates the demo tenant once, with traces, an admin, the pack and a key that opens it', async () => {
  const demo = await createDemoTenant(db.database, deps, { withData: true });
  assert.ok(demo);
  assert.match(demo.apiKey, /^krn_[0-9a-f]{64}$/);
  const settings = await db.database.withTenant(demo.tenantId, systemActor('test'), readSettings);
  assert.equal(settings.decisionTraceEnabled, true);
  assert.ok(loaded.includes(`${demo.tenantId} coffee_rewards`));
  assert.equal(await createDemoTenant(db.database, deps, { withData: true }), null);
  const [found] = await applied({ tenants: [{ name: 'Demo' }] });
  assert.equal(found?.id, demo.tenantId);
});

test('without demo data the first tenant has an admin and a key, and no pack', async () => {
  const own = await createTestDatabase();
  try {
    const tenant = await createDemoTenant(own.database, deps, { withData: false });
    assert.ok(tenant);
    assert.equal(tenant.tenantName, 'My tenant');
    assert.ok(!loaded.some((entry) => entry.startsWith(tenant.tenantId)));
    assert.equal(await createDemoTenant(own.database, deps, { withData: true }), null, 'it is made once');
  } finally {
    await own.close();
  }
});
