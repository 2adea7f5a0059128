import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type DecisionTest,
  type DecisionTestDraft,
  type DecisionTestRun,
  maxDecisionTests,
  type PolicyExport,
} from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { testPolicyFolder } from './folder/run-folder.ts';

/** Decision tests over HTTP: stored, run with published versions, drafts and overlays, and when a flow is published. */

interface Problem {
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

let server: TestServer;
let flowId: string;
let loan: string;

const node = (type: string, config: object = {}) => ({ id: type, type, config });
const nodes = [
  node('inventory'),
  node('qualify'),
  node('contact_policy'),
  node('score', { method: 'priority_weighted' }),
];
const draftConfig = { version: 2, nodes, flowConfig: {} };
const now = '2026-12-01T12:00:00Z';

before(async () => {
  server = await startTestServer({ tenants: 2 });
  await server.create('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      { name: 'customer_id', dataType: 'varchar', isPrimaryKey: true },
      { name: 'age', dataType: 'integer' },
    ],
  });
  await server.create('channels', { name: 'Web site', key: 'web', channelType: 'web' });
  await server.create('offers', { name: 'Card', status: 'active', priority: 80 });
  loan = await server.create('offers', { name: 'Loan', status: 'active', priority: 60 });
  await server.create('offers', { name: 'Old', status: 'paused' });
  await server.create('qualification-rules', {
    name: 'Adults',
    ruleType: 'attribute_condition',
    config: { attribute: 'customer.age', operator: 'gte', value: 18 },
    scopes: [{ scope: 'offer', scopeId: loan }],
    status: 'active',
  });
  flowId = await server.create('decision-flows', { key: 'main', name: 'Main', draftConfig });
});
after(() => server?.close());

const path = '/api/v1/decision-tests';
const minors = {
  name: 'Minors get no loan',
  given: { now, customer: { age: 17 } },
  expect: { includes: ['Card'], excludes: [{ offer: 'Loan', by: 'Adults' }, { offer: 'Old' }] },
};

async function store(body: object, status = 201): Promise<DecisionTest & Problem> {
  const response = await server.call<DecisionTest & Problem>('POST', path, {
    body: { decisionFlowId: flowId, ...body },
  });
  assert.equal(response.status, status, response.text);
  return response.body;
}

async function run(body: object, status = 200): Promise<DecisionTestRun & Problem> {
  const response = await server.call<DecisionTestRun & Problem>('POST', `${path}/run`, { body });
  assert.equal(response.status, status, response.text);
  return response.body;
}

test("stores tests by flow and name, and rejects those that can't pass or can't fail", async () => {
  const made = await store(minors);
  assert.deepEqual([made.description, made.version, made.given], ['', 1, minors.given]);
  assert.equal((await store(minors, 409)).code, 'duplicate_name');
  const refused = async (given: object, expect: object) => (await store({ name: 'x', given, expect }, 400)).errors[0];
  assert.equal((await refused({ now }, {}))?.path, '/expect');
  assert.equal((await refused({ now: 'today' }, { count: 1 }))?.path, '/given/now');
  const typo = await refused({ now, custmer: {} }, { count: 1 });
  assert.deepEqual([typo?.path, /did you mean customer\?/.test(typo?.message ?? '')], ['/given/custmer', true]);
  assert.equal(
    (await refused({ now }, { includes: ['A'], excludes: [{ offer: 'A' }] }))?.path,
    '/expect/excludes/0/offer',
  );
  assert.equal((await refused({ now }, { probability: { A: [0.5, 2] } }))?.path, '/expect/probability/A/1');
  const late = { now, contacts: [{ offer: 'Card', at: '2026-12-02T00:00:00Z' }] };
  assert.equal((await refused(late, { count: 1 }))?.path, '/given/contacts/0/at');
  const changed = await server.call<Problem>('PUT', `${path}/${made.id}`, { body: { given: late } });
  assert.deepEqual([changed.status, changed.body.errors[0]?.path], [400, '/given/contacts/0/at'], changed.text);
  const { body } = await server.call<DecisionTest>('GET', `${path}/${made.id}`);
  assert.deepEqual([body.version, body.expect], [1, minors.expect]);
});

test('runs the tests of a draft, and tells by names what differs', async () => {
  await store({ name: 'Adults get both', given: { now, customer: { age: 30 } }, expect: { order: ['Loan', 'Card'] } });
  await store({ name: 'Typo', given: { now }, expect: { includes: ['Crad'] } });
  const answer = await run({ flowId: 'main', version: 'draft' });
  assert.deepEqual(
    [answer.flowId, answer.version, answer.passed, answer.failed, answer.errors],
    [flowId, null, 1, 1, 1],
  );
  const [adults, child, typo] = answer.results;
  assert.deepEqual(adults?.differences, [
    { path: '/expect/order/1', message: 'expected “Card” after “Loan”; the answer is “Card”, “Loan”' },
  ]);
  assert.deepEqual([child?.status, child?.items.map(({ offer }) => offer)], ['passed', ['Card']]);
  assert.equal(typo?.status, 'error');
  assert.match(typo?.differences[0]?.message ?? '', /did you mean Card\?/);
});

test('runs chosen tests on the catalogue as an overlay would change it, and stores nothing', async () => {
  const { body } = await server.call<{ data: DecisionTest[] }>('GET', `${path}?search=Minors`);
  const testIds = body.data.map(({ id }) => id);
  const overlay = [{ kind: 'qualification-rules', key: 'Adults', patch: { status: 'paused' } }];
  const question = { flowId: 'main', version: 'draft', testIds };
  const tried = await run({ ...question, overlay });
  assert.deepEqual([tried.failed, tried.results[0]?.differences[0]?.path], [1, '/expect/excludes/0']);
  assert.equal((await run(question)).passed, 1);
  assert.equal(
    (await run({ ...question, overlay: [{ kind: 'offers', key: 'Nothing', patch: null }] }, 422)).code,
    'overlay_invalid',
  );
});

test('tells a publisher which tests the flow doesn’t pass, and publishes', async () => {
  const published = await server.call<{ warnings: { message: string }[]; publishedVersion: number }>(
    'POST',
    '/api/v1/decision-flows/publish',
    { body: { id: flowId } },
  );
  assert.equal(published.status, 200, published.text);
  assert.deepEqual(
    published.body.warnings.map(({ message }) => message.slice(0, 36)),
    ['The test “Adults get both” fails: ex', 'The test “Typo” fails: refers to the'],
  );
  const answer = await run({ flowId: 'main' });
  assert.deepEqual([answer.version, answer.passed], [1, 1]);
});

test('gives the same results in a folder as on the server', async () => {
  await store({
    name: 'Contacts and evidence',
    given: {
      now,
      customer: { age: 40 },
      contacts: [{ offer: 'Card', channel: 'web', at: '2026-11-30T12:00:00Z' }],
      evidence: { offers: { Loan: [5, 5] } },
      request: { channel: 'web', limit: 1 },
    },
    expect: { first: 'Card', count: 1, emptyReason: undefined },
  });
  const exported = await server.call<PolicyExport>('POST', '/api/v1/gitops/export', { body: {} });
  assert.equal(exported.status, 200, exported.text);
  const folder = await testPolicyFolder(exported.body.files, { usesDrafts: false, mutates: false });
  const main = folder.flows.find(({ flow }) => flow === 'main');
  const { results } = await run({ flowId: 'main' });
  const inFolder = main?.results.map(({ file: _file, ...result }) => result);
  const onServer = results.map(({ testId: _id, ...result }) => result);
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  assert.deepEqual(inFolder?.toSorted(byName), onServer.toSorted(byName));
  assert.equal(onServer.length, 4);
});

test('rejects unknown flows and versions, tests of another flow, and other tenants', async () => {
  await run({ flowId: 'unknown' }, 404);
  await run({ flowId: 'main', version: 9 }, 404);
  const other = await server.create('decision-flows', { key: 'other', name: 'Other', draftConfig });
  const stranger = await store({ decisionFlowId: other, name: 'Elsewhere', given: { now }, expect: { count: 1 } });
  const refused = await run({ flowId: 'main', testIds: [stranger.id] }, 400);
  assert.deepEqual([refused.code, refused.errors[0]?.path], ['reference_not_found', '/testIds/0']);
  const key = server.tenants[1]!.keys.admin;
  assert.equal((await server.call('GET', `${path}/${stranger.id}`, { key })).status, 404);
  assert.equal((await server.call('POST', `${path}/run`, { body: { flowId: 'main' }, key })).status, 404);
  const foreign = { ...minors, decisionFlowId: flowId };
  assert.equal((await server.call('POST', path, { body: foreign, key })).status, 400);
  const viewer = server.tenants[0]!.keys.viewer;
  assert.equal((await server.call('POST', path, { body: foreign, key: viewer })).status, 403);
  assert.equal((await server.call('POST', `${path}/run`, { body: { flowId: 'main' }, key: viewer })).status, 200);
});

test('deletes the tests of a flow with it, each with an audit row', async () => {
  const doomed = await server.create('decision-flows', { key: 'doomed', name: 'Doomed', draftConfig });
  const { id } = await store({ decisionFlowId: doomed, name: 'Short', given: { now }, expect: { count: 1 } });
  const deleted = await server.call<{ cascaded: number }>('DELETE', `/api/v1/decision-flows?id=${doomed}`);
  assert.deepEqual([deleted.status, deleted.body.cascaded], [200, 1], deleted.text);
  assert.equal((await server.call('GET', `${path}/${id}`)).status, 404);
  const audit = await server.call<{ data: { entityId: string }[] }>(
    'GET',
    '/api/v1/audit-logs?entityType=decisionTest&action=soft_delete&limit=1',
  );
  assert.equal(audit.body.data[0]?.entityId, id);
});

test('limits the tests of a flow', async () => {
  const full = await server.create('decision-flows', { key: 'full', name: 'Full', draftConfig });
  await server.database.withTenant(server.tenants[0]!.id, systemActor('test'), (tx) =>
    tx.query(
      `insert into arbiter.decision_tests (tenant_id, id, decision_flow_id, name, given, expect, version, created_at, updated_at)
       select $1, id, $2, 'Test ' || id, $3, '{"count":1}', 1, now(), now() from unnest($4::uuid[]) id`,
      [tx.tenantId, full, JSON.stringify({ now }), Array.from({ length: maxDecisionTests }, () => newId())],
    ),
  );
  const refused = await store({ ...minors, decisionFlowId: full }, 409);
  assert.equal(refused.code, 'limit_reached');
  const answer = await run({ flowId: 'full', version: 'draft' });
  assert.equal(answer.results.length, maxDecisionTests);
});

test('makes a test of a decision, without values unless asked to', async () => {
  const schemas = await server.call<{ data: { id: string; name: string }[] }>('GET', '/api/v1/schemas');
  const people = schemas.body.data.find(({ name }) => name === 'people')!;
  const rows = { rows: [{ customer_id: 'C-31', age: 31 }] };
  const written = await server.call('POST', `/api/v1/schemas/${people.id}/data`, { body: rows });
  assert.ok(written.status < 300, written.text);
  const request = { customerId: 'C-31', decisionFlowKey: 'main', limit: 1 };
  const made = await server.call<{ recommendationId: string }>('POST', '/api/v1/recommend', { body: request });
  assert.equal(made.status, 200, made.text);
  const decisionPath = `/api/v1/decisions/${made.body.recommendationId}/decision-test`;
  const draft = async (body: object, key?: string) =>
    server.call<DecisionTestDraft>('POST', decisionPath, key === undefined ? { body } : { body, key });
  const plain = await draft({});
  assert.equal(plain.status, 200, plain.text);
  assert.deepEqual([plain.body.leftOut, plain.body.test.given.customer], [['customer.age'], {}]);
  assert.doesNotMatch(plain.text, /31|C-31/);
  const { test: copied, leftOut } = (await draft({ copyValues: true })).body;
  assert.deepEqual([leftOut, copied.given.customer], [[], { age: 31 }]);
  assert.deepEqual(copied.expect, { count: 1, includes: ['Card'] });
  const { id } = await store({ ...copied });
  const answer = await run({ flowId: 'main', testIds: [id] });
  assert.equal(answer.passed, 1, JSON.stringify(answer.results));
  const audit = await server.call<{ data: object[] }>('GET', '/api/v1/audit-logs?action=read_decision_inputs');
  assert.equal(audit.body.data.length, 2);
  assert.equal((await draft({}, server.tenants[0]!.keys.viewer)).status, 403);
  assert.equal((await draft({}, server.tenants[1]!.keys.admin)).status, 404);
});
