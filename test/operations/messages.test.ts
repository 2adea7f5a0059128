import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { createFixtures, type DecisionWorld, type Fixtures } from './fixtures.ts';

/** Messages say what is allowed and suggest the word that was probably meant. */

let server: TestServer;
let fixtures: Fixtures;
let world: DecisionWorld;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  fixtures = createFixtures(server, server.tenants[0]);
  world = await fixtures.decisionWorld();
});
after(() => server?.close());

interface Problem {
  readonly detail: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

async function refusal(method: string, path: string, body: unknown, status = 400): Promise<Problem> {
  const answer = await server.call<Problem>(method, `/api/v1/${path}`, { body });
  assert.equal(answer.status, status, answer.text);
  return answer.body;
}

async function messageAt(path: string, resource: string, body: unknown): Promise<string> {
  const { errors } = await refusal('POST', resource, body);
  return errors.find((error) => error.path === path)?.message ?? JSON.stringify(errors);
}

const flow = (...nodes: object[]) => ({
  key: fixtures.name('flow'),
  name: fixtures.name('Flow'),
  draftConfig: { version: 2, nodes: [{ id: 'i', type: 'inventory' }, ...nodes], flowConfig: {} },
});

test('suggests an operator', async () => {
  const rule = (operator: string) => ({
    name: fixtures.name('Rule'),
    ruleType: 'attribute_condition',
    config: { attribute: 'age', operator, value: 1 },
  });
  const message = await messageAt('/config/operator', 'qualification-rules', rule('greaterThan'));
  assert.match(message, /^must be one of eq, neq, gt, .*; did you mean greater_than\?$/);
  assert.match(await messageAt('/config/operator', 'qualification-rules', rule('zzz')), /within_last_days$/);
});

test('suggests a node type, an enum of a node, a namespace of a condition', async () => {
  const type = await messageAt('/draftConfig/nodes/1/type', 'decision-flows', flow({ id: 'f', type: 'fliter' }));
  assert.match(type, /^the node type fliter does not exist; it must be one of inventory, .*; did you mean filter\?$/);
  const long = await messageAt(
    '/draftConfig/nodes/1/type',
    'decision-flows',
    flow({ id: 'f', type: 'x'.repeat(9000) }),
  );
  assert.ok(long.length < 400, long);
  const rank = flow({ id: 'r', type: 'rank', config: { method: 'topn' } });
  const method = await messageAt('/draftConfig/nodes/1/config/method', 'decision-flows', rank);
  assert.match(method, /^must be one of topN, .*; did you mean topN\?$/);
  const conditions = [{ field: 'ofer.name', operator: 'eq', value: 1 }];
  const filter = flow({ id: 'f', type: 'filter', config: { conditions } });
  const field = await messageAt('/draftConfig/nodes/1/config/conditions/0/field', 'decision-flows', filter);
  assert.match(field, /^must start with offer, .*; did you mean offer\?$/);
});

test('suggests a value of an enum, anywhere in a body and in a query', async () => {
  assert.equal(
    await messageAt('/status', 'offers', { name: 'x', status: 'activ' }),
    'must be one of "draft", "active", "paused", "archived"; did you mean active?',
  );
  const { errors } = await refusal('GET', 'offers?status=Archive', undefined);
  assert.deepEqual(errors, [
    { path: 'query.status', message: 'must be one of "draft", "active", "paused", "archived"; did you mean archived?' },
  ]);
  const { errors: closed } = await refusal('PUT', 'tenant-settings', { recordReads: { custmer: [], segments: [] } });
  assert.deepEqual(
    closed.find(({ path }) => path === '/recordReads/custmer')?.message,
    'is not a known property; did you mean customer?',
  );
  const { errors: settings } = await refusal('PUT', 'tenant-settings', { timeZone: 'UTC' });
  assert.deepEqual(settings, [{ path: '/timeZone', message: 'is not a known setting; did you mean timezone?' }]);
});

test('suggests names and functions of a formula', async () => {
  const compute = (formula: string) =>
    flow({
      id: 'c',
      type: 'compute',
      config: {
        formulaExtras: [
          { key: 'total', formula: '1' },
          { key: 'x', formula },
        ],
      },
    });
  const at = '/draftConfig/nodes/1/config/formulaExtras/1/formula';
  assert.match(
    await messageAt(at, 'decision-flows', compute('rond(1)')),
    /no function "rond".*; did you mean round\?$/,
  );
  assert.match(await messageAt(at, 'decision-flows', compute('zzzzzz(1)')), /; there are if, coalesce, .* more$/);
  assert.match(
    await messageAt(at, 'decision-flows', compute('totl + 1')),
    /"totl" is not known.*; did you mean total\?$/,
  );
  assert.match(await messageAt(at, 'decision-flows', compute('custmer.age')), /; did you mean customer\?$/);
  const category = {
    name: fixtures.name('Category'),
    customFields: [
      { key: 'cost', type: 'number' },
      { key: 'twice', type: 'computed', formula: 'cots * 2' },
    ],
  };
  assert.match(await messageAt('/customFields/1/formula', 'categories', category), /; did you mean cost\?$/);
});

test('lists channels and placements in debug only', async () => {
  const hintOf = async (target: object, debug: boolean) => {
    const body = { customerId: 'x', decisionFlowKey: world.flow.key, dryRun: true, debug, ...target };
    const answer = await server.call<{ meta?: { hint?: string } }>('POST', '/api/v1/recommend', { body });
    assert.equal(answer.status, 200, answer.text);
    if (!debug) assert.doesNotMatch(answer.text, /did you mean/);
    return answer.body.meta?.hint;
  };
  const type = String(world.channel.channelType);
  const key = String(world.placement.key);
  assert.equal(
    await hintOf({ channel: 'emial' }, true),
    `no active channel has the type emial; active: ${type}; did you mean ${type}?`,
  );
  assert.equal(await hintOf({ channel: 'emial' }, false), undefined);
  const placement = await hintOf({ channel: type, placement: `${key}x` }, true);
  assert.match(
    String(placement),
    new RegExp(`^no active placement has the key ${key}x; active: .*did you mean ${key}\\?$`),
  );
  assert.equal(await hintOf({ channel: type }, true), undefined);
});

test('suggests flow keys of the tenant only', async () => {
  const named = `${String(world.flow.key).slice(0, -1)}`;
  const body = { customerId: 'x', decisionFlowKey: named };
  const { detail } = await refusal('POST', 'recommend', body, 404);
  assert.equal(detail, `Decision flow not found; did you mean ${String(world.flow.key)}?`);
  const stranger = createFixtures(server, server.tenants[1]!);
  await stranger.decisionWorld();
  const other = await server.call<Problem>('POST', '/api/v1/recommend', { body, key: stranger.tenant.keys.admin });
  assert.equal(other.status, 404);
  assert.doesNotMatch(other.text, new RegExp(fixtures.marker));
});

test('names where a body stops being JSON, and possible values of a missing X-Requested-With', async () => {
  const headers = { authorization: `Bearer ${server.tenants[0].keys.admin}`, 'content-type': 'application/json' };
  const url = '/api/v1/offers';
  const broken = await server.app.inject({
    method: 'POST',
    url,
    headers: { ...headers, 'x-requested-with': 'x' },
    payload: '{\n  "name": "x",\n}',
  });
  assert.deepEqual([broken.statusCode, broken.json().code], [400, 'malformed_json']);
  assert.equal(broken.json().detail, 'The body is not valid JSON at line 3, column 1.');
  const plain = await server.app.inject({ method: 'POST', url, headers, payload: '{}' });
  assert.deepEqual([plain.statusCode, plain.json().code], [403, 'csrf_header_required']);
  assert.equal(plain.json().detail, 'The header X-Requested-With is required; it can have any value.');
});
