import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OfferReach, PolicyConflicts, Study, StudyStarted } from '@arbiter/contract';
import { startServerOn, startTestServer, type TestServer } from '../../../main/test-server.ts';
import { readStudy, runStudies, startBacktest } from '../../deciding/studies/test-studies.ts';

/** The policy compiler over HTTP, on a catalogue with planted defects. */

let server: TestServer;
let flowId: string;
let peopleId: string;
const offers: Record<string, string> = {};

const node = (type: string, config: object = {}) => ({ id: type, type, config });
const nodes = [
  node('inventory'),
  node('qualify'),
  node('contact_policy'),
  node('score', { method: 'priority_weighted' }),
];
const draftConfig = { version: 2, nodes, flowConfig: {} };

async function rule(name: string, offer: string, config: object): Promise<string> {
  return server.create('qualification-rules', {
    name,
    ruleType: 'attribute_condition',
    config,
    scopes: [{ scope: 'offer', scopeId: offers[offer] }],
    status: 'active',
  });
}

before(async () => {
  server = await startTestServer({ tenants: 2 });
  peopleId = await server.create('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      { name: 'customer_id', dataType: 'varchar', isPrimaryKey: true },
      { name: 'age', dataType: 'integer' },
      { name: 'tier', dataType: 'varchar' },
      { name: 'pin', dataType: 'varchar', isSensitive: true },
      { name: 'note', dataType: 'text' },
    ],
  });
  for (const name of ['Open', 'Closed', 'Over']) {
    const schedule = name === 'Over' ? { schedule: { endDate: '2020-01-01' } } : {};
    offers[name] = await server.create('offers', { name, status: 'active', ...schedule });
  }
  await rule('Adults', 'Closed', { attribute: 'customer.age', operator: 'gte', value: 18 });
  await rule('Children', 'Closed', { attribute: 'customer.age', operator: 'lt', value: 12 });
  await rule('Gold', 'Open', { attribute: 'customer.tier', operator: 'eq', value: 'gold' });
  flowId = await server.create('decision-flows', { key: 'main', name: 'Main', draftConfig });
});
after(() => server?.close());

async function analyze(body: object, status = 200): Promise<PolicyConflicts> {
  const response = await server.call<PolicyConflicts>('POST', '/api/v1/policy-conflicts/analyze', { body });
  assert.equal(response.status, status, response.text);
  return response.body;
}

const codes = ({ findings }: Pick<PolicyConflicts, 'findings'>) =>
  findings.map(({ code, subject }) => `${code} ${subject.name}`).toSorted();

const planted = ['gates_exclude Closed', 'schedule_over Over'];

test('finds offers that nobody can get in a draft, with the gates that exclude each other and tried repairs', async () => {
  const answer = await analyze({ flowId: 'main', version: 'draft' });
  assert.deepEqual(codes(answer), planted);
  const { core, repairs } = answer.findings.find(({ code }) => code === 'gates_exclude')!;
  assert.deepEqual(core.map(({ name }) => name).toSorted(), ['Adults', 'Children']);
  assert.deepEqual(repairs.map(({ without }) => without.map(({ name }) => name)).toSorted(), [
    ['Adults'],
    ['Children'],
  ]);
  assert.deepEqual([answer.coverage.offers, answer.coverage.proved], [3, 3]);
});

test('tells publishers and validators what never works', async () => {
  const validated = await server.call<PolicyConflicts & { valid: boolean }>('POST', '/api/v1/decision-flows/validate', {
    body: { id: flowId, draftConfig },
  });
  assert.equal(validated.status, 200, validated.text);
  assert.deepEqual(codes(validated.body), planted);
  const published = await server.call<{ warnings: { message: string }[] }>('POST', '/api/v1/decision-flows/publish', {
    body: { id: flowId },
  });
  assert.equal(published.status, 200, published.text);
  assert.equal(published.body.warnings.length, 2);
});

test('checks the catalogue as an overlay would change it, and stores nothing', async () => {
  const overlay = [
    { kind: 'qualification-rules', key: 'Children', patch: { status: 'paused' } },
    { kind: 'offers', key: 'Over', patch: { schedule: null } },
  ];
  assert.deepEqual(codes(await analyze({ flowId: 'main', overlay })), []);
  assert.deepEqual(codes(await analyze({ flowId: 'main' })), planted);
  // The whole file of an object, without its schedule.
  const replaced = [{ kind: 'offers', key: 'Over', patch: { name: 'Over', status: 'active' }, replace: true }];
  assert.deepEqual(codes(await analyze({ flowId: 'main', overlay: replaced })), ['gates_exclude Closed']);
  const blocking = {
    kind: 'contact-policies',
    key: 'Nobody',
    patch: { ruleType: 'do_not_contact', config: {}, scopes: [{ scope: 'global' }], status: 'active' },
  };
  const answer = await analyze({ flowId: 'main', overlay: [blocking] });
  assert.ok(codes(answer).includes('never_eligible Open'), JSON.stringify(codes(answer)));
});

test("rejects overlays that can't be made, with paths", async () => {
  const refused = async (change: object) => {
    const response = await server.call<{ code: string; errors: { path: string }[] }>(
      'POST',
      '/api/v1/policy-conflicts/analyze',
      {
        body: { flowId: 'main', overlay: [change] },
      },
    );
    assert.equal(response.status, 422, response.text);
    assert.equal(response.body.code, 'overlay_invalid');
    return response.body.errors[0]?.path;
  };
  assert.equal(await refused({ kind: 'offers', key: 'Unknown', patch: null }), '/overlay/0/key');
  assert.equal(await refused({ kind: 'offers', key: 'Open', patch: 7 }), '/overlay/0/patch');
  assert.equal(
    await refused({ kind: 'offers', key: 'Open', patch: { priority: 'high' } }),
    '/overlay/0/patch/priority',
  );
  assert.equal(await refused({ kind: 'decision-flows', key: 'main', patch: null }), '/overlay/0');
  await analyze({ flowId: 'main', overlay: [{ kind: 'users', key: 'a', patch: {} }] }, 400);
});

test('says whether anybody can get an offer', async () => {
  const reach = async (name: string) => {
    const response = await server.call<OfferReach>('GET', `/api/v1/offers/${offers[name]}/reach?flowId=main`);
    assert.equal(response.status, 200, response.text);
    return response.body;
  };
  const open = await reach('Open');
  assert.deepEqual([open.verdict, open.witness?.profile], ['shown', { tier: 'gold' }]);
  const closed = await reach('Closed');
  assert.deepEqual([closed.verdict, closed.witness, codes(closed)], ['never', null, ['gates_exclude Closed']]);
});

test('names texts that no customer has and segments without members, once there are customers', async () => {
  const insert = (rows: readonly object[]) =>
    server.call('POST', `/api/v1/schemas/${peopleId}/data`, { body: { rows } });
  const segment = (name: string, value: string) =>
    server.create('segments', {
      name,
      baseSchemaId: peopleId,
      filters: { logic: 'and', conditions: [{ field: 'tier', operator: 'eq', value }] },
    });
  const segments = { Silver: await segment('Silver', 'silver'), Nobody: await segment('Nobody', 'platinum') };
  const ids: [path: string, id: string][] = [];
  const add = async (name: string, ruleType: string, config: object): Promise<void> => {
    const scopes = [{ scope: 'offer', scopeId: offers.Open }];
    ids.push([
      'qualification-rules',
      await server.create('qualification-rules', { name, ruleType, config, scopes, status: 'active' }),
    ]);
  };
  await add('Typo', 'attribute_condition', { attribute: 'customer.tier', operator: 'in', value: ['gold', 'sliver'] });
  await add('Secret', 'attribute_condition', { attribute: 'customer.pin', operator: 'eq', value: '1234' });
  await add('Many', 'attribute_condition', { attribute: 'customer.note', operator: 'eq', value: 'note' });
  await add('Members', 'segment_required', { requiredSegments: [segments.Silver] });
  await add('No members', 'segment_required', { requiredSegments: [segments.Nobody] });
  const found = async () =>
    (await analyze({ flowId: 'main' })).findings
      .filter(({ code }) => code === 'unknown_value' || code === 'segment_empty')
      .map(({ code, message }) => `${code}: ${message}`)
      .toSorted();
  assert.deepEqual(await found(), [], 'without customers, nothing is known');
  const people = Array.from({ length: 300 }, (_, at) => ({
    ...{ customer_id: `C${at}`, age: 40, tier: at % 2 === 0 ? 'gold' : 'silver', pin: '0000', note: `note ${at}` },
  }));
  assert.equal((await insert(people)).status, 201);
  assert.deepEqual(await found(), [
    'segment_empty: The segment “Nobody” has no members, so no customer passes “No members”.',
    'unknown_value: No customer has “sliver” in tier. Did you mean “silver”?',
  ]);
  // In the draft check as well.
  const validated = await server.call<PolicyConflicts>('POST', '/api/v1/decision-flows/validate', {
    body: { id: flowId, draftConfig },
  });
  assert.ok(codes(validated.body).includes('unknown_value Typo'), JSON.stringify(codes(validated.body)));
  // The next row makes the text known, and the segment is no longer empty.
  assert.equal(
    (
      await insert([
        { customer_id: 'D1', tier: 'sliver' },
        { customer_id: 'D2', tier: 'platinum' },
      ])
    ).status,
    201,
  );
  assert.deepEqual(await found(), []);
  for (const [path, id] of ids) await server.call('DELETE', `/api/v1/${path}/${id}`);
});

test('a check that takes too long continues as a study, with the same findings', async () => {
  const overlay = [
    { kind: 'qualification-rules', key: 'Children', patch: { status: 'paused' } },
    { kind: 'offers', key: 'Open', patch: { inventory: { totalStock: 0 } } },
  ];
  const body = { flowId: 'main', overlay };
  const expected = await analyze(body);
  assert.ok(codes(expected).includes('stock_zero Open'), JSON.stringify(codes(expected)));
  const slow = startServerOn({ ...server.testDatabase, close: async () => undefined }, { analysisMs: 0 });
  try {
    const { viewer } = server.tenants[0].keys;
    const call = (sent: object) =>
      slow.call<StudyStarted & { code: string }>('POST', '/api/v1/policy-conflicts/analyze', {
        body: sent,
        key: viewer,
      });
    const started = await call(body);
    assert.equal(started.status, 202, started.text);
    const again = await call(body);
    assert.deepEqual([again.status, again.body.code], [409, 'study_running']);
    const published = await call({ flowId: 'main', offerIds: [offers.Closed!.toUpperCase()] });
    assert.equal(published.status, 202, published.text);
    await runStudies(server);
    const { kind, status, spec, result, progress } = await readStudy<Study>(server, started.body.studyId, {
      key: viewer,
    });
    const { durationMs: _, ...findings } = expected;
    assert.deepEqual([kind, status, progress.total], ['check', 'completed', 0]);
    assert.deepEqual(spec, {
      ...{ version: 1, offerIds: null },
      overlay: overlay.map(({ kind: changed, key }) => ({ kind: changed, key })),
    });
    // Customers come from the start of each check on.
    const timeless = (value: unknown) => JSON.stringify(value).replaceAll(/"at":"[^"]*"/g, '"at":""');
    assert.deepEqual(JSON.parse(timeless(result)), JSON.parse(timeless(findings)));
    const single = await readStudy<Study & { readonly result: PolicyConflicts }>(server, published.body.studyId);
    assert.deepEqual(codes(single.result), ['gates_exclude Closed']);
    const other = await server.call('GET', `/api/v1/studies/${started.body.studyId}`, {
      key: server.tenants[1]!.keys.admin,
    });
    assert.equal(other.status, 404);
  } finally {
    await slow.close();
  }
});

test('a check doesn’t wait for a backtest of the same tenant', async () => {
  const backtest = await startBacktest(server, 'main', {});
  await server.testDatabase.ownerQuery('delete from graphile_worker._private_jobs');
  // As if another process worked on it.
  await server.testDatabase.ownerQuery(`update arbiter.studies set status = 'running' where id = $1`, [backtest]);
  const slow = startServerOn({ ...server.testDatabase, close: async () => undefined }, { analysisMs: 0 });
  try {
    const analysis = { body: { flowId: 'main' }, key: server.tenants[0].keys.admin };
    const started = await slow.call<StudyStarted>('POST', '/api/v1/policy-conflicts/analyze', analysis);
    assert.equal(started.status, 202, started.text);
    await runStudies(server);
    assert.equal((await readStudy(server, started.body.studyId)).status, 'completed');
    assert.equal((await readStudy(server, backtest)).status, 'running');
  } finally {
    await server.call('POST', `/api/v1/studies/${backtest}/cancel`, { body: {} });
    await slow.close();
  }
});

test('answers unknown flows, versions and offers, and other tenants, with 404', async () => {
  await analyze({ flowId: 'unknown' }, 404);
  await analyze({ flowId: 'main', version: 9 }, 404);
  const key = server.tenants[1]!.keys.admin;
  for (const path of [`/api/v1/offers/${offers.Open}/reach`, '/api/v1/offers/unknown/reach']) {
    assert.equal((await server.call('GET', path, { key })).status, 404);
  }
});
