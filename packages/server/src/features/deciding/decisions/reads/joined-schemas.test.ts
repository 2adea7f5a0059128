import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { systemActor } from '../../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { readCustomerProfile } from '../../../catalogue/schemas/index.ts';

/** What linked schemas and joins add to the customers of decisions (docs/design/api-catalogue.md 2.3, docs/design/api-settled.md 32 to 35). */

let server: TestServer;
/** IDs by name. */
const schemas: Record<string, string> = {};
let flowId = '';
const offers: Record<string, string> = {};

async function call<Body = Record<string, never>>(method: string, path: string, body: object, key?: string) {
  const answer = await server.call<Body>(method, `/api/v1/${path}`, { body, ...(key === undefined ? {} : { key }) });
  assert.ok(answer.status < 300, `${path}: ${answer.text}`);
  return answer.body;
}
const create = async (path: string, body: object, key?: string): Promise<string> =>
  (await call<{ id: string }>('POST', path, body, key)).id;

async function schema(
  name: string,
  fields: readonly object[],
  rows: readonly object[],
  more: object = {},
  key?: string,
) {
  const id = await create('schemas', { name, displayName: name, fields, ...more }, key);
  if (rows.length > 0) await call('POST', `schemas/${id}/data`, { rows }, key);
  return id;
}

const text = (name: string, more: object = {}) => ({ name, dataType: 'text', ...more });
const pk = (name: string, more: object = {}) => ({ name, isPrimaryKey: true, isNullable: false, ...more });

interface Seen {
  readonly id: string;
  readonly known: boolean;
  readonly subject: unknown;
  readonly weight: unknown;
  readonly offers: readonly string[];
  readonly warnings: readonly string[];
  readonly configVersion: number;
  readonly profile: Readonly<Record<string, unknown>>;
  readonly withheld: readonly string[];
}

const warningsOf = ({ warnings }: RecommendAnswer['trace']['summary']): readonly string[] =>
  Array.isArray(warnings) ? warnings.map(String) : [];

async function decide(customerId: string, more: object = {}, key?: string): Promise<Seen> {
  const body = { customerId, decisionFlowKey: 'main', ...more };
  const answer = await call<RecommendAnswer>('POST', 'recommend', body, key);
  const id = answer.recommendationId!;
  const record = await server.call<{ inputs: { profile: Record<string, unknown> }; withheld: string[] }>(
    'GET',
    `/api/v1/decisions/${id}?include=inputs`,
    key === undefined ? {} : { key },
  );
  return {
    id,
    known: answer.known,
    subject: answer.decisions[0]?.content?.subject,
    weight: answer.properties.weight,
    offers: answer.decisions.map(({ offerName }) => String(offerName)),
    warnings: warningsOf(answer.trace.summary),
    configVersion: answer.freshness.configVersion,
    profile: record.body.inputs.profile,
    withheld: record.body.withheld,
  };
}

async function replay(id: string) {
  const { status, body, text: told } = await server.call('POST', `/api/v1/decisions/${id}/replay`, { body: {} });
  return { status, identical: body.identical, told };
}
async function assertReplays(id: string): Promise<void> {
  const { identical, told } = await replay(id);
  assert.equal(identical, true, told);
}

const subject = [
  'tier',
  'balance',
  'city',
  'visits_count',
  'visits_amount_sum',
  'visits_amount_avg',
  'visits_amount_min',
  'visits_amount_max',
  'visits_amount_last',
  'visits_store_last',
  'visits_day_last',
  'visits_note_last',
  't_tickets_count',
  't_tickets_severity_max',
  't_tickets_severity_sum',
]
  .map((name) => `${name}={${name}}`)
  .join(' ');

before(async () => {
  server = await startTestServer({ tenants: 2 });
  schemas.people = await schema(
    'people',
    [pk('customer_id'), text('account_id'), text('tier')],
    [
      { customer_id: 'C1', account_id: 'A1', tier: 'gold' },
      { customer_id: 'C2', account_id: 'A2', tier: 'silver' },
      { customer_id: 'C3', account_id: null, tier: null },
      ...Array.from({ length: 64 }, (_, at) => ({ customer_id: `M${at}`, account_id: `MA${at}`, tier: 'bronze' })),
    ],
    { autoEnrich: true },
  );
  schemas.accounts = await schema(
    'accounts',
    [
      pk('account_id'),
      { name: 'branch', dataType: 'integer' },
      { name: 'balance', dataType: 'numeric(30,2)' },
      text('tier'),
    ],
    [
      { account_id: 'A1', branch: 7, balance: '12345678901234567.89', tier: 'of the account' },
      { account_id: 'A2', branch: null, balance: 0.1, tier: 'of the account' },
      ...Array.from({ length: 64 }, (_, at) => ({
        account_id: `MA${at}`,
        branch: 7 + (at % 2),
        balance: at,
        tier: 'x',
      })),
    ],
    {
      linkedSchemaId: schemas.people,
      joinMapping: { parentField: 'account_id', childField: 'account_id', joinType: 'inner' },
      autoEnrich: true,
    },
  );
  schemas.branches = await schema(
    'branches',
    [pk('nr', { dataType: 'integer' }), text('city'), text('phone')],
    [
      { nr: 7, city: 'Bern', phone: '1' },
      { nr: 8, city: 'Thun', phone: '2' },
    ],
    {
      linkedSchemaId: schemas.accounts,
      joinMapping: { parentKey: 'branch', childKey: 'nr' },
      summaryColumns: ['city'],
      autoEnrich: true,
    },
  );
  const visit = (visit_id: number, customer_id: string, amount: number | null, more: object = {}) => ({
    visit_id,
    customer_id,
    amount,
    ...more,
  });
  schemas.visits = await schema(
    'visits',
    [
      pk('visit_id', { dataType: 'integer' }),
      text('customer_id'),
      { name: 'amount', dataType: 'numeric(10,2)' },
      text('store'),
      { name: 'day', dataType: 'date' },
      { name: 'note', dataType: 'jsonb' },
      { name: 'secret', dataType: 'integer', neverStore: true },
    ],
    [
      visit(3, 'C1', 20.1, { store: 'east', day: '2026-05-03', note: { mood: 'glad' } }),
      visit(1, 'C1', 60.2, { store: 'west', day: '2026-05-01', secret: 5 }),
      visit(2, 'C1', 29.7, { store: 'west', day: '2026-05-02' }),
      visit(4, 'C2', null),
      ...Array.from({ length: 64 }, (_, at) => visit(100 + at, `M${at}`, at + 0.5, { store: `s${at}` })),
    ],
    {
      schemaType: 'event',
      linkedSchemaId: schemas.people,
      summaryColumns: ['amount', 'store', 'day', 'note', 'secret', 'later'],
      autoEnrich: true,
    },
  );
  schemas.tickets = await schema(
    'tickets',
    [text('account'), { name: 'severity', dataType: 'smallint' }],
    [
      { account: 'A1', severity: 2 },
      { account: 'A1', severity: 4 },
    ],
    { schemaType: 'transaction' },
  );
  await create('schema-joins', {
    name: 'Tickets',
    primarySchemaId: schemas.people,
    primaryKey: 'account_id',
    foreignSchemaId: schemas.tickets,
    foreignKey: 'account',
    prefix: 't_',
    summaryColumns: ['severity'],
  });
  const channelId = await create('channels', { name: 'Mail', channelType: 'email' });
  for (const name of ['All', 'Spenders']) {
    offers[name] = await create('offers', { name, status: 'active', priority: name === 'All' ? 90 : 10 });
    const content = { subject };
    await create('creatives', { name, offerId: offers[name], channelId, status: 'active', content });
  }
  await create('qualification-rules', {
    name: 'Spends',
    ruleType: 'attribute_condition',
    scope: 'offer',
    scopeId: offers.Spenders,
    config: { attribute: 'customer.visits_amount_sum', operator: 'gte', value: 110 },
  });
  flowId = await create('decision-flows', {
    key: 'main',
    name: 'Main',
    draftConfig: {
      version: 2,
      nodes: [
        { id: 'i', type: 'inventory', config: {} },
        { id: 'm', type: 'match_creatives', config: {} },
        { id: 'q', type: 'qualify', config: {} },
        { id: 's', type: 'score', config: { method: 'priority_weighted' } },
        {
          id: 'p',
          type: 'set_properties',
          config: {
            properties: [
              {
                key: 'weight',
                formula: 'customer.t_tickets_severity_sum * 10 + customer.visits_count',
                target: 'response',
              },
            ],
          },
        },
      ],
    },
  });
  await call('POST', 'decision-flows/publish', { id: flowId });
});
after(() => server?.close());

const ofC1 = {
  tier: 'gold',
  balance: '12345678901234567.89',
  city: 'Bern',
  visits_count: 3,
  visits_amount_sum: 110,
  visits_amount_avg: 36.6666666666667,
  visits_amount_min: 20.1,
  visits_amount_max: 60.2,
  visits_amount_last: 20.1,
  visits_store_last: 'east',
  visits_day_last: '2026-05-03',
  visits_note_last: { mood: 'glad' },
  t_tickets_count: 2,
  t_tickets_severity_max: 4,
  t_tickets_severity_sum: 6,
};

test('rules, formulas and texts read one-to-one rows and figures of one-to-many rows', async () => {
  const seen = await decide('C1');
  assert.deepEqual(seen.offers, ['All', 'Spenders']);
  assert.deepEqual(seen.profile, ofC1);
  assert.equal(seen.weight, 63);
  assert.match(
    String(seen.subject),
    /^tier=gold balance=12345678901234567.89 city=Bern visits_count=3 visits_amount_sum=110 /,
  );
  assert.match(String(seen.subject), / t_tickets_severity_max=4 t_tickets_severity_sum=6$/);
  assert.deepEqual([seen.known, seen.warnings, seen.withheld], [true, [], []]);
  await assertReplays(seen.id);
});

test('without rows, count and sums are 0 and other figures missing; a missing row or value ends the path', async () => {
  const second = await decide('C2');
  assert.deepEqual(second.profile, {
    tier: 'silver',
    balance: 0.1,
    visits_count: 1,
    visits_amount_sum: 0,
    visits_amount_avg: null,
    visits_amount_min: null,
    visits_amount_max: null,
    visits_amount_last: null,
    visits_store_last: null,
    visits_day_last: null,
    visits_note_last: null,
    t_tickets_count: 0,
    t_tickets_severity_sum: 0,
  });
  assert.deepEqual(second.offers, ['All']);
  const zeros = { visits_count: 0, visits_amount_sum: 0, t_tickets_count: 0, t_tickets_severity_sum: 0 };
  const third = await decide('C3');
  assert.deepEqual([third.profile, third.known], [{ tier: null, ...zeros }, true]);
  const unknown = await decide('nobody');
  assert.deepEqual([unknown.profile, unknown.known], [zeros, false]);
  for (const { id } of [second, third, unknown]) await assertReplays(id);
});

test('64 customers of a batch each get their own values, in one trip per row on the path', async () => {
  await decide('M0');
  const caller = {
    tenantId: server.tenants[0].id,
    credentialId: 'test',
    ip: '127.0.0.1',
    userAgent: 'test',
    idempotencyKey: null,
    until: performance.now() + 600_000,
  };
  const before = server.hot.trips();
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, at) =>
      server.decisions.recommend(caller, { customerId: `M${at}`, limit: 1, decisionFlowKey: 'main', dryRun: true }),
    ),
  );
  answers.forEach(({ text: told }, at) => {
    const { decisions } = JSON.parse(told) as RecommendAnswer;
    const city = at % 2 === 0 ? 'Bern' : 'Thun';
    const wanted = `tier=bronze balance=${at} city=${city} visits_count=1 visits_amount_sum=${at + 0.5} `;
    assert.ok(String(decisions[0]?.content?.subject).startsWith(wanted), told);
  });
  // Read, accounts and tickets, branches, roll back.
  assert.equal(server.hot.trips() - before, 4);
});

test('a record replays the same after the rows changed, and the next decision uses the change', async () => {
  const old = await decide('C1');
  await call('POST', `schemas/${schemas.visits}/data`, {
    rows: [{ visit_id: 50, customer_id: 'C1', amount: 0.05, store: 'north', note: [1, 'two'], day: '2026-06-01' }],
  });
  await call('POST', `schemas/${schemas.accounts}/data`, {
    rows: [{ account_id: 'A1', branch: 8, balance: 1, tier: 'new' }],
    onDuplicate: 'update',
  });
  await assertReplays(old.id);
  const now = await decide('C1');
  assert.deepEqual(now.profile, {
    ...ofC1,
    balance: 1,
    city: 'Thun',
    visits_count: 4,
    visits_amount_sum: 110.05,
    visits_amount_avg: 27.5125,
    visits_amount_min: 0.05,
    visits_amount_last: 0.05,
    visits_store_last: 'north',
    visits_day_last: '2026-06-01',
    visits_note_last: [1, 'two'],
  });
  await assertReplays(now.id);
});

test('a row of an enrich node wins over all others, and can start from a joined value', async () => {
  const towns = await schema('towns', [pk('name'), text('tier')], [{ name: 'Thun', tier: 'of the town' }], {
    schemaType: 'reference',
  });
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    {
      id: 'e',
      type: 'enrich',
      config: { sources: [{ schemaId: towns }], lookupKey: 'name', lookupFrom: 'customer.city' },
    },
    { id: 'm', type: 'match_creatives', config: {} },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
  ];
  await create('decision-flows', { key: 'towns', name: 'Towns', draftConfig: { version: 2, nodes } });
  const flows = await server.call<{ data: { id: string; key: string }[] }>('GET', '/api/v1/decision-flows');
  await call('POST', 'decision-flows/publish', { id: flows.body.data.find(({ key }) => key === 'towns')!.id });
  const seen = await decide('C1', { decisionFlowKey: 'towns' });
  assert.match(String(seen.subject), /^tier=of the town balance=1 city=Thun /);
  await assertReplays(seen.id);
});

test('figures over more than 10,000 rows use the newest, and the response says so', async () => {
  const [tenant] = server.tenants;
  const most = 10_000;
  await server.testDatabase.ownerQuery(
    `insert into t_${tenant.id.replaceAll('-', '')}.ds_visits (tenant_id, visit_id, customer_id, amount, store)
     select $1::uuid, 1000 + n, 'busy', case when n = 1 then 5000000 else 1 end, 's' || n from generate_series(1, $2::int) n`,
    [tenant.id, most],
  );
  const whole = await decide('busy');
  const facts = ({ profile: p }: Seen) => [
    p.visits_count,
    p.visits_amount_sum,
    p.visits_amount_max,
    p.visits_store_last,
  ];
  assert.deepEqual([facts(whole), whole.warnings], [[most, 5_009_999, 5_000_000, `s${most}`], []]);
  await call('POST', `schemas/${schemas.visits}/data`, {
    rows: [{ visit_id: 900_000, customer_id: 'busy', amount: 2, store: 'newest' }],
  });
  const cut = await decide('busy');
  assert.deepEqual([facts(cut), cut.warnings], [[most, most + 1, 2, 'newest'], ['join_truncated']]);
  await assertReplays(whole.id);
  await assertReplays(cut.id);
});

test('a column that is never stored still decides, and is in no record', async () => {
  const hidden = await create('qualification-rules', {
    name: 'Secret',
    ruleType: 'attribute_condition',
    scope: 'offer',
    scopeId: offers.All,
    config: { attribute: 'customer.visits_secret_sum', operator: 'eq', value: 5 },
  });
  const seen = await decide('C1');
  assert.deepEqual(seen.offers, ['All', 'Spenders']);
  assert.deepEqual((await decide('C2')).offers, []);
  assert.deepEqual([seen.withheld, Object.hasOwn(seen.profile, 'visits_secret_sum')], [['visits_secret_sum'], false]);
  assert.equal((await replay(seen.id)).status, 409);
  const put = await server.call<{ errors: { path: string }[] }>('PUT', '/api/v1/tenant-settings', {
    body: { recordReads: { customer: ['visits_secret_last'] } },
  });
  assert.deepEqual([put.status, put.body.errors[0]?.path], [400, '/recordReads/customer/0'], put.text);
  const gone = await server.call('DELETE', `/api/v1/qualification-rules/${hidden}`);
  assert.ok(gone.status < 300, gone.text);
});

test('records store unused figures when recordReads names them', async () => {
  const read = async () => (await decide('C1')).profile.t_tickets_severity_min;
  assert.equal(await read(), undefined);
  await call('PUT', 'tenant-settings', { recordReads: { customer: ['t_tickets_severity_min'] } });
  assert.equal(await read(), 2);
  await call('PUT', 'tenant-settings', { recordReads: null });
});

test('joins raise the catalogue version, and give nothing while they or a link are inactive', async () => {
  const joins = await server.call<{ data: { id: string }[] }>('GET', '/api/v1/schema-joins');
  const id = joins.body.data[0]!.id;
  const first = await decide('C1');
  await call('PUT', 'schema-joins', { id, status: 'inactive' });
  const without = await decide('C1');
  assert.ok(without.configVersion > first.configVersion);
  assert.ok(!Object.hasOwn(without.profile, 't_tickets_count'));
  await call('PUT', 'schema-joins', { id, status: 'active' });
  assert.equal((await decide('C1')).profile.t_tickets_count, 2);

  const mapping = { parentField: 'gone', childField: 'customer_id' };
  const inactive = await call<{ linkActive: boolean }>('PUT', 'schemas', { id: schemas.visits, joinMapping: mapping });
  assert.equal(inactive.linkActive, false);
  assert.ok(!Object.hasOwn((await decide('C1')).profile, 'visits_count'));
  await call('PUT', 'schemas', { id: schemas.visits, joinMapping: null });
  assert.equal((await decide('C1')).profile.visits_count, 4);
});

test('a summary column applies as soon as it exists', async () => {
  const name = 'later';
  const rule = await create('qualification-rules', {
    name: 'Later',
    ruleType: 'attribute_condition',
    scope: 'offer',
    scopeId: offers.Spenders,
    config: { attribute: 'customer.visits_later_sum', operator: 'gt', value: 1 },
  });
  const old = await decide('C1');
  assert.deepEqual(old.offers, ['All']);
  await create('schemas/fields', { schemaId: schemas.visits, name, dataType: 'double', defaultValue: '0.5' });
  const seen = await decide('C1');
  assert.deepEqual([seen.offers, seen.profile.visits_later_sum], [['All', 'Spenders'], 2]);
  await assertReplays(old.id);
  await server.call('DELETE', `/api/v1/qualification-rules/${rule}`);
});

test("joined schemas can't be deleted", async () => {
  const parent = await server.call('DELETE', `/api/v1/schemas/${schemas.accounts}`);
  assert.deepEqual([parent.status, parent.body.code], [409, 'in_use'], parent.text);
  const joined = await server.call('DELETE', `/api/v1/schemas/${schemas.tickets}`);
  assert.deepEqual([joined.status, joined.body.code], [409, 'in_use'], joined.text);
});

test('content previews read the same for a customer', async () => {
  const [tenant, other] = server.tenants;
  const read = (tenantId: string, customerId: string) =>
    server.database.withTenant(tenantId, systemActor('test'), (tx) => readCustomerProfile(tx, customerId), {});
  const seen = await read(tenant.id, 'C1');
  const { profile } = await decide('C1');
  for (const [name, value] of Object.entries(profile)) assert.deepEqual(seen[name], value, name);
  assert.deepEqual(await read(other!.id, 'C1'), {});
});

test('another tenant with the same names has its own rows', async () => {
  const key = server.tenants[1]!.keys.admin;
  const people = await schema('people', [pk('customer_id')], [{ customer_id: 'C1' }], { autoEnrich: true }, key);
  await schema(
    'visits',
    [text('customer_id'), { name: 'amount', dataType: 'integer' }],
    [{ customer_id: 'C1', amount: 3 }],
    { schemaType: 'event', linkedSchemaId: people, summaryColumns: ['amount'], autoEnrich: true },
    key,
  );
  const channelId = await create('channels', { name: 'Mail', channelType: 'email' }, key);
  const offerId = await create('offers', { name: 'Theirs', status: 'active' }, key);
  const content = { subject: '{visits_count} {visits_amount_sum}' };
  await create('creatives', { name: 'a', offerId, channelId, status: 'active', content }, key);
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
  ];
  const id = await create('decision-flows', { key: 'main', name: 'Main', draftConfig: { version: 2, nodes } }, key);
  await call('POST', 'decision-flows/publish', { id }, key);
  const seen = await decide('C1', {}, key);
  assert.equal(seen.subject, '1 3');
  assert.equal((await decide('C1')).profile.visits_count, 4);
});
