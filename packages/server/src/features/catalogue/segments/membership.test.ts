import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { segmentsAmong, segmentsOfCustomers } from './customers-segments.store.ts';
import { membershipReader, planMembership, readActiveSegments } from './membership.ts';
import { segmentsUrl, type TestSegments, testSegments } from './test-segments.ts';

let server: TestServer;
let segments: TestSegments;
let flowKey: string;
let offers: Record<string, string>;

interface Recommended {
  recommendationId: string;
  decisions: { offerName: string }[];
}

async function make(path: string, body: object): Promise<string> {
  const made = await segments.call('POST', `/api/v1/${path}`, body);
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

before(async () => {
  server = await startTestServer();
  segments = testSegments(server);
  const people = await segments.schema(
    'people',
    [
      { name: 'customer_id', dataType: 'varchar(64)', isPrimaryKey: true },
      { name: 'tier', dataType: 'text' },
    ],
    { autoEnrich: true },
  );
  const numbers = await segments.schema('numbers', [
    { name: 'customer_id', dataType: 'integer', isPrimaryKey: true },
    { name: 'score', dataType: 'integer' },
  ]);
  await segments.insert(people, [
    { customer_id: 'C1', tier: 'gold' },
    { customer_id: '2', tier: 'silver' },
  ]);
  await segments.insert(numbers, [{ customer_id: 2, score: 9 }]);
  const gold = await segments.create({
    name: 'Gold',
    baseSchemaId: people,
    filters: [{ field: 'tier', operator: 'eq', value: 'gold' }],
  });
  await segments.create({
    name: 'Scored',
    baseSchemaId: numbers,
    filters: [{ field: 'score', operator: 'gt', value: 5 }],
  });
  await segments.create({ name: 'Sleeping', baseSchemaId: people, status: 'paused' });
  await segments.create({ name: 'Unnamed', baseSchemaId: people });
  const categoryId = await make('categories', { name: 'K' });
  const channelId = await make('channels', { name: 'Web', channelType: 'web' });
  offers = {};
  for (const [name, eligibility] of [
    ['Everyone', {}],
    ['For gold', { requiredSegments: ['Gold'] }],
    ['For scored', { requiredSegments: ['Scored'] }],
    ['Not gold', { excludedSegments: [gold.id] }],
    ['Sleeping', { requiredSegments: ['Sleeping'] }],
    ['Ruled', {}],
    ['Policed', {}],
  ] as const) {
    const offer = await make('offers', { name, status: 'active', categoryId, eligibility });
    offers[name] = offer;
    await make('creatives', { name, offerId: offer, channelId, status: 'active', content: { subject: 'x' } });
  }
  await make('qualification-rules', {
    name: 'Needs gold',
    ruleType: 'segment_required',
    config: { requiredSegments: [gold.id] },
    scope: 'offer',
    scopeId: offers.Ruled,
  });
  await make('contact-policies', {
    name: 'No gold',
    ruleType: 'segment_exclusion',
    config: { excludeSegments: ['Gold'] },
    scope: 'offer',
    scopeId: offers.Policed,
  });
  flowKey = 'segments';
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 'm', type: 'match_creatives', config: {} },
    { id: 'q', type: 'qualify', config: {} },
    { id: 'p', type: 'contact_policy', config: {} },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
    { id: 'r', type: 'rank', config: { method: 'topN', topN: 20 } },
    { id: 'o', type: 'response', config: {} },
  ];
  const flow = await make('decision-flows', { key: flowKey, name: 'F', draftConfig: { version: 2, nodes } });
  const published = await segments.call('POST', '/api/v1/decision-flows/publish', { id: flow });
  assert.equal(published.status, 200, published.text);
});
after(() => server.close());

async function recommend(customerId: string, more: object = {}): Promise<Recommended> {
  const answer = await segments.call<Recommended>('POST', '/api/v1/recommend', {
    customerId,
    decisionFlowKey: flowKey,
    channel: 'web',
    limit: 20,
    ...more,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const offersFor = async (customerId: string, more: object = {}): Promise<string[]> =>
  (await recommend(customerId, more)).decisions.map(({ offerName }) => offerName).sort();

interface Shown {
  inputs: { segments: string[]; readSet: { segments: string[] } };
}

test('decisions know the active segments of their customer, and those of the request', async () => {
  assert.deepEqual(await offersFor('C1', { dryRun: true }), ['Everyone', 'For gold', 'Ruled']);
  assert.deepEqual(await offersFor('2', { dryRun: true }), ['Everyone', 'For scored', 'Not gold', 'Policed']);
  assert.deepEqual(await offersFor('nobody', { dryRun: true }), ['Everyone', 'Not gold', 'Policed']);
  assert.deepEqual(await offersFor('2', { dryRun: true, segments: ['Gold', 'Sleeping'] }), [
    'Everyone',
    'For gold',
    'For scored',
    'Ruled',
    'Sleeping',
  ]);
  // Whichever of its two words the request uses, and whichever the catalogue.
  const gold = (await segments.call('GET', `${segmentsUrl}?search=Gold`)).body.data[0]?.id ?? '';
  for (const word of ['Gold', gold]) {
    assert.deepEqual(await offersFor('nobody', { dryRun: true, segments: [word] }), ['Everyone', 'For gold', 'Ruled']);
  }
});

test('the record stores the membership, and replays without the segments', async () => {
  const { recommendationId } = await recommend('C1');
  const shown = await segments.call<Shown>('GET', `/api/v1/decisions/${recommendationId}?include=inputs`);
  assert.equal(shown.status, 200, shown.text);
  const { inputs } = shown.body;
  const gold = (await segments.call('GET', `${segmentsUrl}?search=Gold`)).body.data[0]?.id ?? '';
  assert.deepEqual(inputs.segments, [gold, 'Gold']);
  assert.deepEqual(inputs.readSet.segments, ['Gold', 'Scored', 'Sleeping', gold].sort());
  // The customer is no longer gold, but the record hasn't changed.
  await segments.call(
    'POST',
    `/api/v1/schemas/${(await segments.call('GET', '/api/v1/schemas?search=people')).body.data[0]?.id}/data`,
    {
      rows: [{ customer_id: 'C1', tier: 'silver' }],
      onDuplicate: 'update',
    },
  );
  assert.deepEqual(await offersFor('C1', { dryRun: true }), ['Everyone', 'Not gold', 'Policed']);
  const replayed = await segments.call<{ identical: boolean }>('POST', `/api/v1/decisions/${recommendationId}/replay`);
  assert.deepEqual([replayed.status, replayed.body.identical], [200, true], replayed.text);
});

test("recordReads stores the membership of more segments, and the decision doesn't change", async () => {
  const unknown = await segments.call('PUT', '/api/v1/tenant-settings', {
    recordReads: { customer: [], segments: ['Unnamed', 'Unnamd'] },
  });
  assert.deepEqual([unknown.status, unknown.body.errors[0]?.path], [400, '/recordReads/segments/1'], unknown.text);
  const before = await recommend('2');
  const set = await segments.call('PUT', '/api/v1/tenant-settings', {
    recordReads: { customer: [], segments: ['Unnamed'] },
  });
  assert.equal(set.status, 200, set.text);
  const after = await recommend('2');
  assert.deepEqual(
    after.decisions.map(({ offerName }) => offerName),
    before.decisions.map(({ offerName }) => offerName),
  );
  const shown = await segments.call<Shown>('GET', `/api/v1/decisions/${after.recommendationId}?include=inputs`);
  assert.deepEqual(shown.body.inputs.segments.sort(), ['Scored', 'Unnamed']);
  const replayed = await segments.call<{ identical: boolean }>(
    'POST',
    `/api/v1/decisions/${after.recommendationId}/replay`,
  );
  assert.equal(replayed.body.identical, true, replayed.text);
});

test('finds the segments of some customers, for estimates', async () => {
  await server.database.withTenant(server.tenants[0].id, systemActor('test'), async (tx) => {
    const among = await segmentsAmong(tx, ['C1', '2', 'nobody', 'x\u00e9']);
    assert.deepEqual(
      among.map(({ name, members }) => [name, [...members]]),
      [
        ['Gold', []],
        ['Scored', ['2']],
        ['Unnamed', ['C1', '2']],
      ],
    );
    const own = await segmentsOfCustomers(tx, ['2', 'nobody']);
    assert.deepEqual(
      [...own].map(([id, words]) => [id, words.size]),
      [
        ['2', 4],
        ['nobody', 0],
      ],
    );
  });
});

test('membership costs no additional trip', async () => {
  const tripsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = server.hot.trips();
    await work();
    return server.hot.trips() - before;
  };
  await recommend('2');
  const named = await tripsOf(() => recommend('2'));
  assert.equal(named, 2, 'read and commit');
});

test('the index finds one customer of many, with a join too, and reads pages in order', async () => {
  const crowd = await segments.schema('crowd', [
    { name: 'customer_id', dataType: 'varchar(64)', isPrimaryKey: true },
    { name: 'age', dataType: 'integer' },
  ]);
  const visits = await segments.schema(
    'visits',
    [
      { name: 'visit', dataType: 'bigint', isPrimaryKey: true },
      { name: 'who', dataType: 'varchar(64)' },
      { name: 'spent', dataType: 'numeric(10,2)' },
    ],
    { schemaType: 'event' },
  );
  const tenantId = server.tenants[0].id;
  const schema = `"t_${tenantId.replaceAll('-', '')}"`;
  await server.testDatabase.ownerQuery(
    `insert into ${schema}.ds_crowd (tenant_id, customer_id, age) select $1, 'C' || n, n % 90 from generate_series(1, 20000) n`,
    [tenantId],
  );
  await server.testDatabase.ownerQuery(
    `insert into ${schema}.ds_visits (tenant_id, visit, who, spent) select $1, n, 'C' || n % 10000, n % 100 from generate_series(1, 40000) n`,
    [tenantId],
  );
  await segments.create({
    name: 'Crowd',
    baseSchemaId: crowd,
    joins: [{ alias: 'v', schemaId: visits, baseField: 'customer_id', joinField: 'who' }],
    filters: [
      { field: 'age', operator: 'gte', value: 18 },
      { field: 'v.spent', operator: 'gt', value: 50 },
    ],
  });
  await server.testDatabase.ownerQuery('analyze');
  await server.database.withTenant(tenantId, systemActor('test'), async (tx) => {
    const active = await readActiveSegments(tx);
    const reader = membershipReader(active, { segments: ['Crowd'], interests: [] }, []);
    assert.ok(reader);
    const ask = (customerId: string) =>
      planMembership([{ flow: { membership: reader }, request: { customerId, segments: [] } }]);
    const planned = ask('C199');
    const [statement] = planned.statements;
    assert.ok(statement);
    assert.equal(planned.statements.length, 1);
    const rows = await tx.query(statement.text, statement.values);
    assert.deepEqual(planned.resolve([rows]), [{ kept: ['Crowd'], used: ['Crowd'] }]);
    const plan = await explained(`explain (format text) ${statement.text}`, statement.values);
    assert.match(plan, /Index/);
    assert.doesNotMatch(plan, /Seq Scan/);

    async function explained(text: string, values: readonly unknown[]): Promise<string> {
      const lines = await tx.query<{ 'QUERY PLAN': string }>(text, values);
      return lines.map((line) => line['QUERY PLAN']).join('\n');
    }
  });
});
