import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { segmentsUrl, type TestSegments, testSegments } from './test-segments.ts';
import { segmentsAsking } from './uses.service.ts';

let server: TestServer;
let segments: TestSegments;
let people: string;
let accounts: string;

before(async () => {
  server = await startTestServer({ tenants: 2 });
  segments = testSegments(server);
  const without = await segments.call('POST', segmentsUrl, { name: 'Too early' });
  assert.deepEqual(
    [without.status, without.body.code, without.body.errors[0]?.path],
    [400, 'validation_failed', '/baseSchemaId'],
    without.text,
  );
  people = await segments.schema('people', [
    { name: 'customer_id', dataType: 'varchar(64)', isPrimaryKey: true },
    { name: 'tier', dataType: 'text' },
    { name: 'age', dataType: 'integer' },
    { name: 'joined', dataType: 'timestamptz' },
    { name: 'vip', dataType: 'boolean' },
    { name: 'unused', dataType: 'text' },
  ]);
  accounts = await segments.schema(
    'accounts',
    [
      { name: 'account_no', dataType: 'bigint', isPrimaryKey: true },
      { name: 'owner', dataType: 'varchar(64)' },
      { name: 'kind', dataType: 'text' },
      { name: 'balance', dataType: 'numeric(12,2)' },
    ],
    { schemaType: 'account', linkedSchemaId: people, joinMapping: { parentField: 'customer_id', childField: 'owner' } },
  );
  await segments.insert(people, [
    { customer_id: 'C1', tier: 'gold', age: 30, vip: true },
    { customer_id: 'C2', tier: 'silver', age: 17, vip: false },
    { customer_id: 'C3', tier: null, age: 65 },
    { customer_id: "O'Neil; drop table x--", tier: 'gold', age: 40 },
  ]);
  await segments.insert(accounts, [
    { account_no: 1, owner: 'C1', kind: 'loan', balance: 10 },
    { account_no: 2, owner: 'C1', kind: 'card', balance: 900.5 },
    { account_no: 3, owner: 'C2', kind: 'loan', balance: 900.5 },
  ]);
});
after(() => server.close());

test('a segment with only a name has all customers of the oldest customer schema', async () => {
  const made = await segments.create({ name: 'Everybody' });
  assert.deepEqual(
    {
      ...made,
      id: '',
      viewName: made.viewName.replace(/[0-9a-f]{12}$/, 'x'),
      lastRefreshedAt: typeof made.lastRefreshedAt,
      createdAt: '',
      updatedAt: '',
    },
    {
      id: '',
      tenantId: server.tenants[0].id,
      name: 'Everybody',
      description: '',
      status: 'active',
      entityType: 'customer',
      baseSchemaId: people,
      baseSchema: { id: people, name: 'people' },
      baseSchemaName: 'people',
      joins: [],
      filters: { logic: 'and', conditions: [] },
      customerCount: 4,
      viewName: 'seg_x',
      lastRefreshedAt: 'string',
      version: 1,
      createdAt: '',
      updatedAt: '',
    },
  );
  assert.deepEqual(await segments.members(made.id, 1), ['C1', 'C2', 'C3', "O'Neil; drop table x--"].sort());
  assert.deepEqual(await segments.viewed(made.viewName), ['C1', 'C2', 'C3', "O'Neil; drop table x--"]);
  const [page] = [await segments.call('GET', `${segmentsUrl}/${made.id}/customers?limit=3`)];
  assert.deepEqual([page.body.pagination.total, page.body.pagination.hasMore], [4, true]);
  const taken = await segments.call('POST', segmentsUrl, { name: 'Everybody' });
  assert.deepEqual([taken.status, taken.body.code], [409, 'duplicate_name']);
});

test('filters decide membership live, and PUT rebuilds the view under its name', async () => {
  const made = await segments.create({
    name: 'Gold',
    filters: [{ field: 'tier', operator: '=', value: 'gold', note: 'gone' }],
  });
  assert.equal(made.customerCount, 2);
  const asElsewhere = { filters: [{ field: 'customer.tier', operator: 'eq', value: 'gold' }] };
  assert.equal((await segments.call('POST', `${segmentsUrl}/preview`, asElsewhere)).body.count, 2);
  await segments.insert(people, [{ customer_id: 'C9', tier: 'gold', age: 1 }]);
  assert.deepEqual(await segments.viewed(made.viewName), ['C1', 'C9', "O'Neil; drop table x--"]);
  assert.equal((await segments.call('GET', `${segmentsUrl}/${made.id}`)).body.customerCount, 2, 'of the last count');
  const refreshed = await segments.call('POST', `${segmentsUrl}/${made.id}/refresh`);
  assert.deepEqual([refreshed.status, refreshed.body.customerCount], [200, 3]);
  const changed = await segments.call('PUT', segmentsUrl, {
    id: made.id,
    filters: {
      any: [
        { field: 'age', operator: 'lt', value: 18 },
        { field: 'tier', operator: 'is_null' },
      ],
    },
  });
  assert.deepEqual(
    [changed.status, changed.body.version, changed.body.viewName],
    [200, 2, made.viewName],
    changed.text,
  );
  assert.equal(changed.body.customerCount, 3);
  assert.deepEqual(await segments.viewed(made.viewName), ['C2', 'C3', 'C9']);
  const renamed = await segments.call('PUT', `${segmentsUrl}/${made.id}`, {
    name: 'Young or unknown',
    status: 'paused',
  });
  assert.deepEqual([renamed.body.version, renamed.body.customerCount], [3, 3]);
  const everybody = await segments.call('PUT', `${segmentsUrl}/${made.id}`, { filters: null });
  assert.equal(everybody.body.customerCount, 5);
  const late = await segments.call('PUT', `${segmentsUrl}/${made.id}`, { filters: [], rowVersion: 2 });
  assert.deepEqual([late.status, late.body.code], [409, 'row_version_conflict']);
  const gone = await segments.call('DELETE', `${segmentsUrl}/${made.id}`);
  assert.equal(gone.status, 204, gone.text);
  await assert.rejects(segments.viewed(made.viewName), /does not exist/);
  assert.equal((await segments.call('GET', `${segmentsUrl}/${made.id}`)).status, 404);
});

test('joins: any and none, and conditions on one alias apply to one row', async () => {
  const join = { alias: 'acc', schemaId: accounts };
  const loan = { field: 'acc.kind', operator: 'eq', value: 'loan' };
  const rich = { field: 'acc.balance', operator: 'gte', value: 900.5 };
  const expected: [string, object, string[]][] = [
    ['one row has both', { joins: [join], filters: [loan, rich] }, ['C2']],
    ['two rows have one each', { joins: [join], filters: [{ all: [loan] }, { all: [rich] }] }, ['C1', 'C2']],
    [
      'no row has both',
      { joins: [{ ...join, match: 'none' }], filters: [loan, rich] },
      ['C1', 'C3', 'C9', "O'Neil; drop table x--"],
    ],
    ['there is a row', { joins: [join] }, ['C1', 'C2']],
    ['there is none', { joins: [{ ...join, match: 'none' }] }, ['C3', 'C9', "O'Neil; drop table x--"]],
    [
      'or with the base',
      { joins: [join], filters: { logic: 'or', conditions: [loan, { field: 'vip', operator: 'eq', value: true }] } },
      ['C1', 'C2'],
    ],
    [
      'inner: no row of the base without a joined one',
      {
        joins: [{ ...join, match: 'none', joinType: 'inner' }],
        filters: [{ field: 'acc.kind', operator: 'eq', value: 'card' }],
      },
      ['C2'],
    ],
  ];
  for (const [name, body, members] of expected) {
    const made = await segments.create({ name, ...body });
    assert.deepEqual(await segments.viewed(made.viewName), members, name);
    assert.deepEqual((await segments.members(made.id)).sort(), members, name);
    const preview = await segments.call('POST', `${segmentsUrl}/preview`, body);
    assert.deepEqual(
      [preview.status, preview.body.count, preview.body.sample.map((row) => row.customer_id).sort()],
      [200, members.length, members],
      preview.text,
    );
  }
  const page = await segments.call<{ data: { joins: object[] }[] }>('GET', `${segmentsUrl}?search=there is a row`);
  assert.deepEqual(page.body.data[0]?.joins, [
    { alias: 'acc', schemaId: accounts, baseField: 'customer_id', joinField: 'owner', match: 'any', joinType: 'left' },
  ]);
});

test("rejects what can't be queried with its path, and changes nothing", async () => {
  const join = { alias: 'acc', schemaId: accounts };
  const cases: [object, string][] = [
    [{ filters: [{ field: 'tire', operator: 'eq', value: 'x' }] }, '/filters/0/field'],
    [{ filters: { all: [{ field: 'age', operator: 'eq', value: 'x' }] } }, '/filters/all/0/value'],
    [{ filters: [{ field: 'age', operator: 'contains', value: '1' }] }, '/filters/0/operator'],
    [{ filters: [{ field: 'age', operator: 'in', value: [1, 'x'] }] }, '/filters/0/value'],
    [{ filters: [{ field: 'vip', operator: 'eq', value: 'true' }] }, '/filters/0/value'],
    [{ filters: [{ field: 'vip', operator: 'gt', value: 1 }] }, '/filters/0/operator'],
    [{ filters: [{ field: 'joined', operator: 'gt', value: 'yesterday' }] }, '/filters/0/value'],
    [{ filters: [{ field: 'tier', operator: 'eq', value: true }] }, '/filters/0/value'],
    [{ filters: [{ field: 'tier', operator: 'eq', value: '\ud800' }] }, '/filters/0/value'],
    [{ filters: [{ field: 'tier', operator: 'regex', value: 'a' }] }, '/filters/0/operator'],
    [{ filters: [{ field: 'tenant_id', operator: 'exists' }] }, '/filters/0/field'],
    [{ filters: [{ field: 'tier" or true --', operator: 'exists' }] }, '/filters/0/field'],
    [{ filters: [{ field: 'metric.visits', operator: 'gt', value: 1 }] }, '/filters/0/field'],
    [{ filters: [{ field: 'acc.kind', operator: 'exists' }] }, '/filters/0/field'],
    [{ joins: [join], filters: [{ field: 'acc.kid', operator: 'exists' }] }, '/filters/0/field'],
    [{ joins: [join], filters: [{ field: 'other.kind', operator: 'exists' }] }, '/filters/0/field'],
    [{ joins: [join, join] }, '/joins/1/alias'],
    [{ joins: [{ ...join, alias: 'metric' }] }, '/joins/0/alias'],
    [{ joins: [{ ...join, alias: 'customer' }] }, '/joins/0/alias'],
    [{ filters: [{ field: 'customer.nonsense', operator: 'gt', value: 1 }] }, '/filters/0/field'],
    [{ filters: [{ field: 'customer.customer.age', operator: 'gt', value: 1 }] }, '/filters/0/field'],
    [{ joins: [{ ...join, alias: 'a b' }] }, '/joins/0/alias'],
    [{ joins: [{ ...join, baseField: 'tire' }] }, '/joins/0/baseField'],
    [{ joins: [{ ...join, joinField: 'balance' }] }, '/joins/0/joinField'],
    [{ joins: Array.from({ length: 6 }, (_, at) => ({ ...join, alias: `a${at}` })) }, '/joins'],
    [{ baseSchemaId: accounts }, '/baseSchemaId'],
    [{ filters: 'tier = 1' }, '/filters'],
  ];
  const before = (await segments.call('GET', `${segmentsUrl}?limit=1`)).body.pagination.total;
  for (const [body, path] of cases) {
    const made = await segments.call('POST', segmentsUrl, { name: 'Refused', ...body });
    assert.deepEqual([made.status, made.body.errors?.[0]?.path], [400, path], `${JSON.stringify(body)} ${made.text}`);
    if (!('name' in body)) {
      const preview = await segments.call('POST', `${segmentsUrl}/preview`, body);
      assert.deepEqual([preview.status, preview.body.errors?.[0]?.path], [400, path], preview.text);
    }
  }
  for (const [body, path] of [
    [{ baseSchemaId: newId() }, '/baseSchemaId'],
    [{ joins: [{ alias: 'a', schemaId: newId() }] }, '/joins/0/schemaId'],
  ] as const) {
    const made = await segments.call('POST', segmentsUrl, { name: 'Refused', ...body });
    assert.deepEqual([made.body.code, made.body.errors[0]?.path], ['reference_not_found', path], made.text);
  }
  assert.equal((await segments.call('GET', `${segmentsUrl}?limit=1`)).body.pagination.total, before);
});

test('a schema or column that a segment reads is in use', async () => {
  await segments.create({
    name: 'Old loans',
    joins: [{ alias: 'acc', schemaId: accounts }],
    filters: [
      { field: 'acc.balance', operator: 'gt', value: 1 },
      { field: 'age', operator: 'gt', value: 60 },
    ],
  });
  for (const id of [people, accounts]) {
    const refused = await segments.call('DELETE', `/api/v1/schemas/${id}`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'in_use'], refused.text);
  }
  const actor = { id: 'system:test', name: 'system', role: 'admin' } as const;
  await server.database.withTenant(server.tenants[0].id, actor, async (tx) => {
    const asking = async (id: string, column: string) =>
      (await segmentsAsking(tx, { id, column })).map(({ noun, name }) => `${noun} ${name}`);
    assert.deepEqual(await asking(accounts, 'account_no'), []);
    assert.ok((await asking(accounts, 'owner')).includes('segment Old loans'), 'the field of the join');
    assert.deepEqual(
      (await asking(accounts, 'balance')).filter((name) => name === 'segment Old loans'),
      ['segment Old loans'],
    );
    assert.deepEqual(await asking(people, 'unused'), []);
    assert.ok((await asking(people, 'age')).includes('segment Old loans'));
    assert.ok((await asking(people, 'customer_id')).includes('segment Everybody'), 'the row key');
  });
});

test('DELETE is rejected while a rule, policy or offer refers to the segment, by ID or name, or its members are restricted by it', async () => {
  const named = await segments.create({ name: 'Named' });
  const url = `${segmentsUrl}/${named.id}`;
  const uses: [string, object][] = [
    ['qualification-rules', { name: 'R1', ruleType: 'segment_required', config: { requiredSegments: ['Named'] } }],
    [
      'qualification-rules',
      {
        name: 'R2',
        ruleType: 'attribute_condition',
        config: { attribute: 'age', operator: 'exists' },
        scope: 'segment',
        scopeId: named.id,
      },
    ],
    [
      'contact-policies',
      { name: 'P1', ruleType: 'segment_exclusion', scope: 'global', config: { excludeSegments: [named.id] } },
    ],
    ['contact-policies', { name: 'P2', ruleType: 'do_not_contact', scope: 'global', config: { segments: ['Named'] } }],
    ['offers', { name: 'O1', eligibility: { excludedSegments: ['Named'] } }],
  ];
  for (const [path, body] of uses) {
    const made = await segments.call('POST', `/api/v1/${path}`, body);
    assert.equal(made.status, 201, made.text);
    const refused = await segments.call('DELETE', url);
    assert.deepEqual([refused.status, refused.body.code], [409, 'in_use'], path);
    assert.match(refused.body.errors[0]?.message ?? '', /"(R1|R2|P1|P2|O1)"/);
    const used = await segments.call<{ data: { id: string }[] }>('GET', `${url}/uses`);
    const { name } = body as { readonly name: string };
    const entityType = { R: 'qualificationRule', P: 'contactPolicy', O: 'offer' }[name[0]!];
    assert.deepEqual(used.body.data, [{ entityType, id: (made.body as { id: string }).id, name }]);
    const isByName = JSON.stringify(body).includes('Named');
    const renamed = await segments.call('PUT', url, { name: 'Other' });
    assert.deepEqual([renamed.status, renamed.body.code], isByName ? [409, 'in_use'] : [200, undefined], renamed.text);
    if (isByName) assert.deepEqual(renamed.body.errors[0]?.path, '/name');
    for (const status of ['paused', 'archived', 'draft']) {
      // Anything that requires the segment closes without members; everything else would show members what it withholds
      // from them.
      const requires = JSON.stringify(body).includes('required');
      const rested = await segments.call('PUT', url, { status });
      assert.deepEqual([rested.status, rested.body.code], requires ? [200, undefined] : [409, 'in_use'], rested.text);
      if (!requires) assert.equal(rested.body.errors[0]?.path, '/status');
      const now = await segments.call<{ status: string }>('GET', url);
      assert.equal(now.body.status, requires ? status : 'active');
      if (requires) assert.equal((await segments.call('PUT', url, { status: 'active' })).status, 200);
    }
    const same = await segments.call('PUT', url, { name: 'Named', description: path });
    assert.equal(same.status, 200, same.text);
    const gone = await segments.call('DELETE', `/api/v1/${path}/${made.body.id}`);
    assert.ok(gone.status < 300, gone.text);
  }
  const missing = await segments.call('POST', '/api/v1/qualification-rules', {
    name: 'R3',
    ruleType: 'attribute_condition',
    config: { attribute: 'age', operator: 'exists' },
    scope: 'segment',
    scopeId: newId(),
  });
  assert.deepEqual([missing.status, missing.body.code], [400, 'reference_not_found'], missing.text);
  assert.equal((await segments.call('DELETE', url)).status, 204);
});

test('cursors belong to this list, and roles and tenants are enforced', async () => {
  const made = await segments.create({ name: 'Paged' });
  const url = `${segmentsUrl}/${made.id}/customers`;
  for (const cursor of [
    'x',
    '%2B',
    Buffer.from('["a\\u0000"]').toString('base64url'),
    Buffer.from('[1]').toString('base64url'),
  ]) {
    const page = await segments.call('GET', `${url}?cursor=${cursor}`);
    assert.deepEqual([page.status, page.body.code], [400, 'invalid_cursor'], cursor);
  }
  assert.equal((await segments.call('GET', `${url}?limit=0`)).status, 400);
  const [tenant, other] = server.tenants;
  assert.ok(other !== undefined);
  for (const [method, path, body] of [
    ['GET', url, undefined],
    ['POST', `${segmentsUrl}/${made.id}/refresh`, undefined],
    ['GET', `${segmentsUrl}/${made.id}`, undefined],
  ] as const) {
    assert.equal((await segments.call(method, path, body, other.keys.admin)).status, 404, path);
  }
  const lost = Buffer.from('["no such customer"]').toString('base64url');
  assert.equal((await segments.call('GET', `${url}?cursor=${lost}`)).body.code, 'invalid_cursor', 'a row that is gone');
  const foreign = await segments.call('POST', segmentsUrl, { name: 'X', baseSchemaId: people }, other.keys.admin);
  assert.deepEqual([foreign.status, foreign.body.code], [400, 'reference_not_found']);
  assert.equal((await segments.call('POST', segmentsUrl, { name: 'V' }, tenant.keys.viewer)).status, 403);
  assert.equal(
    (await segments.call('POST', `${segmentsUrl}/${made.id}/refresh`, undefined, tenant.keys.viewer)).status,
    403,
  );
  assert.equal((await segments.call('POST', `${segmentsUrl}/preview`, {}, tenant.keys.viewer)).status, 200);
  // The view is the tenant's, and shows another tenant nothing.
  const qualified = `"t_${tenant.id.replaceAll('-', '')}"."${made.viewName}"`;
  const actor = { id: 'system:test', name: 'system', role: 'admin' } as const;
  const seen = await server.database.withTenant(other.id, actor, (tx) => tx.query(`select * from ${qualified}`));
  assert.deepEqual(seen, []);
});

test("parallel changes count up, and the view is the last one's", async () => {
  const made = await segments.create({ name: 'Raced' });
  const ages = Array.from({ length: 8 }, (_, at) => at * 10);
  const answers = await Promise.all(
    ages.map((age) =>
      segments.call('PUT', `${segmentsUrl}/${made.id}`, { filters: [{ field: 'age', operator: 'gte', value: age }] }),
    ),
  );
  assert.deepEqual(
    answers.map(({ body }) => body.version).sort((x, y) => x - y),
    [2, 3, 4, 5, 6, 7, 8, 9],
  );
  const last = (await segments.call('GET', `${segmentsUrl}/${made.id}`)).body;
  assert.deepEqual((await segments.members(made.id)).sort(), await segments.viewed(last.viewName));
});
