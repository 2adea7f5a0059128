import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { defaultTenantSettings } from '@arbiter/contract';
import { newId } from '../../../platform/ids.ts';
import { type AccessServer, createAccessServer } from '../../operations/admin/test-access-server.ts';

let server: AccessServer;
before(async () => {
  server = await createAccessServer();
});
after(() => server.close());

const url = '/api/v1/tenant-settings';

test('GET returns all defaults, on both paths', async () => {
  const tenant = await server.makeTenant();
  for (const path of [url, '/api/v1/settings']) {
    const { status, body } = await server.call(tenant.viewer, 'GET', path);
    assert.deepEqual([status, body], [200, { ...defaultTenantSettings, settingsVersion: 1 }]);
  }
});

test('PUT merges deeply, null resets, and the response matches GET, with an audit row and a new catalogue version', async () => {
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

test('resetting aiAnalyzerSettings resets the four-eyes rule it shows', async () => {
  const tenant = await server.makeTenant();
  const put = (body: unknown) => server.call(tenant.admin, 'PUT', url, { body });
  const analyzer = { llmExplanationsEnabled: true, governance: { fourEyesEnabled: true } };
  assert.equal((await put({ aiAnalyzerSettings: analyzer })).body.fourEyesEnabled, true);
  const reset = await put({ aiAnalyzerSettings: null });
  assert.deepEqual(reset.body, { ...defaultTenantSettings, settingsVersion: 3 });
  // The other name of the setting, given in the same call, counts.
  assert.equal((await put({ fourEyesEnabled: true })).body.fourEyesEnabled, true);
  const kept = await put({ fourEyesEnabled: true, aiAnalyzerSettings: null });
  assert.deepEqual([kept.status, kept.body.fourEyesEnabled], [200, true]);
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
    ['/consentRequired', { consentRequired: true }],
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

test('a PUT without changes keeps the version and writes no audit row', async () => {
  const tenant = await server.makeTenant();
  const put = (body: unknown) => server.call(tenant.admin, 'PUT', url, { body });
  const facts = async () => {
    const { body } = await server.call(tenant.admin, 'GET', '/api/v1/audit-logs?entityType=tenantSettings');
    const [row] = await server.db.ownerQuery<{ version: number }>(
      'select version::int as version from arbiter.catalogue_versions where tenant_id = $1',
      [tenant.id],
    );
    return { audited: body.pagination.total, catalogue: row?.version ?? 0 };
  };
  const untouched = await facts();
  for (const body of [{}, { timezone: 'UTC' }, { timezone: null }, { aiAnalyzerSettings: {} }, { neverStore: [] }]) {
    const { status, body: answer } = await put(body);
    assert.deepEqual([status, answer.settingsVersion], [200, 1], JSON.stringify(body));
  }
  assert.deepEqual(await facts(), untouched);

  const changed = await put({ timezone: 'Asia/Tokyo', fourEyesEnabled: true });
  assert.equal(changed.body.settingsVersion, 2);
  const once = await facts();
  assert.deepEqual(once, { audited: untouched.audited + 1, catalogue: untouched.catalogue + 1 });
  const { settingsVersion: _version, ...all } = changed.body;
  for (const body of [
    { timezone: 'Asia/Tokyo' },
    { aiAnalyzerSettings: { governance: { fourEyesEnabled: true } } },
    // Everything as GET shows it, sent back.
    all,
  ]) {
    const again = await put(body);
    assert.equal(again.status, 200, JSON.stringify(again.body));
    assert.deepEqual(again.body, changed.body);
  }
  assert.deepEqual(await facts(), once);
});

test('both names of fourEyesEnabled with different values are 400, and change nothing', async () => {
  const tenant = await server.makeTenant();
  for (const [own, alias] of [
    [true, false],
    [false, true],
    [true, null],
    [null, true],
  ]) {
    const body = { fourEyesEnabled: own, aiAnalyzerSettings: { governance: { fourEyesEnabled: alias } } };
    const { status, body: problem } = await server.call(tenant.admin, 'PUT', url, { body });
    assert.deepEqual([status, problem.code], [400, 'validation_failed'], JSON.stringify(body));
    assert.equal(problem.errors[0].path, '/aiAnalyzerSettings/governance/fourEyesEnabled');
  }
  const { body } = await server.call(tenant.viewer, 'GET', url);
  assert.deepEqual([body.settingsVersion, body.fourEyesEnabled], [1, false]);
});

test('spells a time zone as in the IANA list, and suggests it for another spelling', async () => {
  const tenant = await server.makeTenant();
  for (const [timezone, near] of [
    ['europe/paris', 'Europe/Paris'],
    ['EUROPE/PARIS', 'Europe/Paris'],
    ['utc', 'UTC'],
    ['new york', 'America/New_York'],
    ['asia/kolkata', 'Asia/Kolkata'],
  ]) {
    const { status, body } = await server.call(tenant.admin, 'PUT', url, { body: { timezone } });
    assert.deepEqual([status, body.code, body.errors[0].path], [400, 'validation_failed', '/timezone']);
    assert.ok(body.errors[0].message.endsWith(`(${near}?)`), body.errors[0].message);
  }
  for (const timezone of ['Asia/Kolkata', 'Europe/Kyiv', 'US/Pacific', 'Etc/GMT+5']) {
    const { status, body } = await server.call(tenant.admin, 'PUT', url, { body: { timezone } });
    assert.deepEqual([status, body.timezone], [200, timezone]);
  }
});

test('T23: parallel merges lose nothing', async () => {
  const tenant = await server.makeTenant();
  const wanted = {
    enableExperiments: false,
    enableBudgets: false,
    enableJourneys: false,
    enableContentManagement: false,
    enableBehavioralMetrics: false,
    enableGeofences: false,
    decisionTraceEnabled: true,
    decisionTraceSampleRate: 0.5,
    timezone: 'Asia/Tokyo',
    locale: 'de-CH',
    currency: 'CHF',
    theme: 'light',
    maxOffersPerDecision: 7,
    holdoutPercentage: 3,
    defaultChannelTimeout: 900,
    reservationTtlSeconds: 90,
    mandatoryDailyCap: 2,
    fourEyesEnabled: true,
  };
  await Promise.all(
    Object.entries(wanted).map(([key, value]) => server.call(tenant.admin, 'PUT', url, { body: { [key]: value } })),
  );
  const { body } = await server.call(tenant.viewer, 'GET', url);
  assert.equal(body.settingsVersion, Object.keys(wanted).length + 1);
  assert.partialDeepStrictEqual(body, wanted);
  const verify = await server.call(tenant.admin, 'GET', '/api/v1/audit-logs/verify');
  assert.equal(verify.body.intact, true);
});
