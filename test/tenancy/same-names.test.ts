import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer, RespondAnswer } from '@arbiter/contract';
import { draftFlowConfig } from '@arbiter/contract';
import { startTestServer, type TestServer, type TestTenant } from '../../packages/server/src/main/test-server.ts';
import { type Made, randomId } from '../operations/fixtures.ts';

/**
 * Two tenants with the same names, keys, customers, request ids and idempotency keys don't mix (docs/design/quality.md
 * F8, T30, law 4). Only a color tells them apart.
 */

interface Twin {
  readonly tenant: TestTenant;
  readonly color: string;
  readonly offer: Made;
  readonly schema: Made;
}

let server: TestServer;
let red: Twin;
let blue: Twin;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  [red, blue] = [await makeTwin(server.tenants[0], 'vermilion'), await makeTwin(server.tenants[1]!, 'turquoise')];
});
after(() => server?.close());

async function call<Body = Made>(
  twin: { tenant: TestTenant },
  method: string,
  path: string,
  body?: unknown,
  headers = {},
) {
  return server.call<Body>(method, `/api/v1/${path}`, { key: twin.tenant.keys.admin, body, headers });
}

async function makeTwin(tenant: TestTenant, color: string): Promise<Twin> {
  const post = async (path: string, body: object, status = 201): Promise<Made> => {
    const answer = await call({ tenant }, 'POST', path, body);
    assert.equal(answer.status, status, `${color} ${path}: ${answer.text}`);
    return answer.body;
  };
  const settings = await call({ tenant }, 'PUT', 'tenant-settings', { decisionTraceEnabled: true });
  assert.equal(settings.status, 200, settings.text);
  const schema = await post('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      {
        name: 'customer_id',
        displayName: 'Id',
        dataType: 'varchar',
        length: 40,
        isPrimaryKey: true,
        isNullable: false,
      },
      { name: 'color', displayName: 'Color', dataType: 'text' },
    ],
  });
  await post(`schemas/${schema.id}/data`, { rows: [{ customer_id: 'C1', color }] });
  const category = await post('categories', { name: 'Cards' });
  const channel = await post('channels', { name: 'Mail', key: 'mail', channelType: 'email' });
  const offer = await post('offers', { name: 'Gold', status: 'active', categoryId: category.id });
  await post('creatives', {
    name: 'Gold mail',
    offerId: offer.id,
    channelId: channel.id,
    status: 'active',
    content: { subject: 'Your {color} card' },
    personalization: [{ variable: 'color', source: 'customer.color', fallback: 'none' }],
  });
  await post('contact-policies', {
    name: 'Once',
    ruleType: 'frequency_cap',
    scope: 'global',
    config: { maxPerDay: 1 },
  });
  await post('outcome-types', { key: 'loved', name: 'Loved', classification: 'positive' });
  const flow = await post('decision-flows', { key: 'main', name: 'Main', draftConfig: draftFlowConfig(category.id) });
  await post('decision-flows/publish', { id: flow.id }, 200);
  return { tenant, color, offer, schema };
}

async function recommend(twin: Twin, body: object = {}): Promise<RecommendAnswer> {
  const request = { customerId: 'C1', channel: 'email', decisionFlowKey: 'main', ...body };
  const answer = await call<RecommendAnswer>(twin, 'POST', 'recommend', request);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const requestId = randomId();
const decisions = new Map<Twin, RecommendAnswer>();

test('the same customer, request id and flow key: each tenant decides with its own catalogue, data and caps', async () => {
  for (const twin of [red, blue]) {
    const first = await recommend(twin, { requestId });
    assert.equal(first.count, 1, 'the other tenant’s contact does not count here');
    assert.equal(first.decisions[0]!.offerId, twin.offer.id);
    assert.equal(first.decisions[0]!.content!.subject, `Your ${twin.color} card`);
    assert.equal(first.known, true);
    decisions.set(twin, first);
    const again = await recommend(twin, { requestId });
    assert.equal(again.recommendationId, first.recommendationId, 'a repeat is the tenant’s own answer');
    const capped = await recommend(twin);
    assert.equal(capped.count, 0, 'the tenant’s own contact counts');
  }
  assert.notEqual(decisions.get(red)!.recommendationId, decisions.get(blue)!.recommendationId);
});

test("records and traces by the shared request ID are the tenant's own; the other's IDs don't exist", async () => {
  for (const [twin, other] of [
    [red, blue],
    [blue, red],
  ] as const) {
    const own = decisions.get(twin)!;
    const theirs = decisions.get(other)!;
    const record = await call<{ recommendationId: string }>(twin, 'GET', `decisions/${requestId}?include=inputs`);
    assert.equal(record.status, 200, record.text);
    assert.equal(record.body.recommendationId, own.recommendationId);
    assert.ok(record.text.includes(twin.color) && !record.text.includes(other.color));
    const replayed = await call<{ identical: boolean }>(twin, 'POST', `decisions/${requestId}/replay`, {});
    assert.equal(replayed.body.identical, true, replayed.text);
    for (const id of [theirs.recommendationId, theirs.trace.traceId]) {
      for (const [method, path] of [
        ['GET', `decisions/${id}`],
        ['POST', `decisions/${id}/replay`],
        ['GET', `decision-traces/${id}`],
      ] as const) {
        const answer = await call(twin, method, path, method === 'POST' ? {} : undefined);
        assert.equal(answer.status, 404, `${path}: ${answer.text}`);
      }
    }
    const traces = await call<{ total: number; traces: { id: string }[] }>(
      twin,
      'GET',
      'decision-traces?customerId=C1',
    );
    assert.equal(traces.body.total, 2, traces.text);
    assert.ok(!traces.text.includes(String(theirs.trace.traceId)));
    assert.ok(!traces.text.includes(other.offer.id));
  }
});

test('the same idempotency key and outcome: both are recorded, in the tenant’s own history', async () => {
  const body = (twin: Twin) => ({ recommendationId: decisions.get(twin)!.recommendationId, rank: 1, outcome: 'loved' });
  const keyed = { 'idempotency-key': 'the-same-key' };
  for (const twin of [red, blue]) {
    const answer = await call<RespondAnswer>(twin, 'POST', 'respond', body(twin), keyed);
    assert.deepEqual([answer.status, answer.body.status, answer.body.offerId], [200, 'recorded', twin.offer.id]);
    const again = await call<RespondAnswer>(twin, 'POST', 'respond', body(twin), keyed);
    assert.deepEqual([again.status, again.body.interactionId], [200, answer.body.interactionId]);
  }
  const foreign = await call(red, 'POST', 'respond', body(blue));
  const unknown = await call(red, 'POST', 'respond', { ...body(blue), recommendationId: randomId() });
  assert.deepEqual([foreign.status, foreign.body.code], [unknown.status, unknown.body.code]);
  const rows = await server.testDatabase.ownerQuery<{ responses: number }>(
    `select count(*)::int as responses from arbiter.interactions where outcome_key = 'loved' group by tenant_id`,
  );
  assert.deepEqual(rows, [{ responses: 1 }, { responses: 1 }]);
});

test('what one tenant changes, the other does not notice', async () => {
  const paused = await call(red, 'PUT', `offers/${red.offer.id}`, { status: 'paused' });
  assert.equal(paused.status, 200, paused.text);
  const lifted = await call<{ data: Made[] }>(red, 'GET', 'contact-policies');
  assert.equal((await call(red, 'DELETE', `contact-policies/${lifted.body.data[0]!.id}`)).status, 200);
  assert.equal((await call(red, 'DELETE', `schemas/${red.schema.id}`)).status, 204);
  assert.equal((await recommend(red, { customerId: 'C2' })).count, 0);
  const other = await recommend(blue, { customerId: 'C2' });
  assert.equal(other.count, 1);
  const rows = await call<{ rows: object[] }>(blue, 'GET', `schemas/${blue.schema.id}/data`);
  assert.deepEqual(rows.body.rows, [{ customer_id: 'C1', color: 'turquoise' }]);
});

test('E19: an admin of another tenant approves nothing here, and gets the response for an unknown user', async () => {
  const user = randomId();
  await server.testDatabase.ownerQuery(
    `insert into arbiter.users (tenant_id, id, email, email_key, name, role, source, email_verified_at, created_at, updated_at)
     values ($1, $2, 'a@example.com', 'a@example.com', 'A', 'admin', 'invite', now(), now(), now())`,
    [blue.tenant.id, user],
  );
  const answers = [];
  for (const id of [user, randomId()]) {
    const answer = await call(
      red,
      'POST',
      'offers',
      {
        name: 'Forced',
        mandatory: true,
        mandatoryReason: 'law',
        mandatoryExpiresAt: '2199-01-01T00:00:00Z',
        mandatoryApprovedBy: id,
      },
      { 'x-request-id': 'the-same' },
    );
    answers.push([answer.status, answer.text.replaceAll(id, 'ID')]);
  }
  assert.equal(answers[0]![0], 400, String(answers[0]![1]));
  assert.deepEqual(answers[0], answers[1]);
});
