import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { defaultTenantSettings } from '@arbiter/contract';
import { newId } from '../../platform/ids.ts';
import { type AccessServer, createAccessServer } from '../admin/test-access-server.ts';

let server: AccessServer;
before(async () => {
  server = await createAccessServer();
});
after(() => server.close());

const url = '/api/v1/tenant-settings';

test('GET gives all defaults, on both paths', async () => {
  const tenant = await server.makeTenant();
  for (const path of [url, '/api/v1/settings']) {
    const { status, body } = await server.call(tenant.viewer, 'GET', path);
    assert.deepEqual([status, body], [200, { ...defaultTenantSettings, settingsVersion: 1 }]);
  }
});

test('PUT merges deeply, null resets, the answer is as GET, with an audit row and a new catalogue version', async () => {
  const tenant = await server.makeTenant();
  const put = (body: unknown) => server.call(tenant.admin, 'PUT', url, { body });
  const first = await put({ timezone: 'Asia/Tokyo', aiAnalyzerSettings: { llmExplanationsEnabled: true } });
  assert.equal(first.status, 200);
  assert.deepEqual([first.body.timezone, first.body.settingsVersion], ['Asia/Tokyo', 2]);
  assert.equal(first.body.aiAnalyzerSettings.llmExplanationsEnabled, true);
  const second = await put({ timezone: null, aiAnalyzerSettings: { governance: { fourEyesEnabled: true } } });
  assert.deepEqual([second.body.timezone, second.body.fourEyesEnabled, second.body.settingsVersion], ['UTC', true, 3]);
  assert.equal(second.body.aiAnalyzerSettings.llmExplanationsEnabled, true);
  assert.deepEqual((await server.call(tenant.viewer, 'GET', url)).body, second.body);

  const { body } = await server.call(tenant.admin, 'GET', '/api/v1/audit-logs?entityType=tenantSettings');
  assert.deepEqual(body.data[0].changes, {
    timezone: { before: 'Asia/Tokyo', after: 'UTC' },
    fourEyesEnabled: { before: false, after: true },
    'aiAnalyzerSettings.governance.fourEyesEnabled': { before: false, after: true },
  });
  const [version] = await server.db.ownerQuery<{ version: number }>(
    'select version::int as version from arbiter.catalogue_versions where tenant_id = $1',
    [tenant.id],
  );
  assert.equal(version?.version, 2);
});

test('unknown keys, wrong types and reserved values are 400, name the key and change nothing', async () => {
  const tenant = await server.makeTenant();
  for (const [path, body] of [
    ['/unheard', { unheard: true, timezone: 'Asia/Tokyo' }],
    ['/decisionTraceEnabled', { decisionTraceEnabled: 1 }],
    ['/aiAnalyzerSettings/unheard', { aiAnalyzerSettings: { unheard: true } }],
    [
      '/aiAnalyzerSettings/ml/counterfactualTrainingEnabled',
      { aiAnalyzerSettings: { ml: { counterfactualTrainingEnabled: true } } },
    ],
    ['/mfaRequired', { mfaRequired: true }],
    ['/fairnessPolicy', { fairnessPolicy: { x: 1 } }],
    ['/timezone', { timezone: 'Europe/Atlantis' }],
  ] as const) {
    const { status, body: problem } = await server.call(tenant.admin, 'PUT', url, { body });
    assert.deepEqual([status, problem.code], [400, 'validation_failed'], JSON.stringify(body));
    assert.ok(
      problem.errors.some((entry: { path: string }) => entry.path === path),
      JSON.stringify(problem.errors),
    );
  }
  const profile = await server.call(tenant.admin, 'PUT', url, { body: { defaultArbitrationProfileId: newId() } });
  assert.deepEqual([profile.status, profile.body.code], [400, 'reference_not_found']);
  assert.equal((await server.call(tenant.admin, 'PUT', url, { body: [] })).status, 400);
  assert.equal((await server.call(tenant.viewer, 'GET', url)).body.settingsVersion, 1);
});

test('T23: 20 parallel merges lose none', async () => {
  const tenant = await server.makeTenant();
  const names = Array.from({ length: 20 }, (_, n) => n);
  const keys = ['enableBudgets', 'enableJourneys', 'enableGuardrails', 'flowIrEnabled', 'enableGeofences'];
  await Promise.all(
    names.map((n) => server.call(tenant.admin, 'PUT', url, { body: { [keys[n % keys.length]!]: false } })),
  );
  const { body } = await server.call(tenant.viewer, 'GET', url);
  assert.equal(body.settingsVersion, 21);
  for (const key of keys) assert.equal(body[key], false, key);
  const verify = await server.call(tenant.admin, 'GET', '/api/v1/audit-logs/verify');
  assert.equal(verify.body.intact, true);
});
