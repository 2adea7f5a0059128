import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CustomerEligibility, WhyNotAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** Why-not and eligibility over flows that call others, with limits counted across all customers. */

let server: TestServer;
const offers: Record<string, string> = {};
const flows: Record<string, string> = {};

async function publish(key: string, nodes: readonly object[]): Promise<void> {
  const numbered = nodes.map((node, at) => ({ id: `${key}${at}`, config: {}, ...node }));
  const id = await server.create('decision-flows', {
    key,
    name: key,
    draftConfig: { version: 2, nodes: numbered, flowConfig: {} },
  });
  flows[key] = id;
  const { status, text } = await server.call('POST', '/api/v1/decision-flows/publish', { body: { id } });
  assert.equal(status, 200, text);
}

const inventory = { type: 'inventory' };
const score = { type: 'score', config: { method: 'priority_weighted' } };
const only = (...value: string[]) => ({
  type: 'filter',
  config: { conditions: [{ field: 'offer.name', operator: 'in', value }] },
});
const calls = (flowKey: string, mode: string) => ({ type: 'call_flow', config: { flowKey, mode } });

async function ask(flow: string, offer: string, limit = 5): Promise<WhyNotAnswer> {
  const { status, body, text } = await server.call<WhyNotAnswer>(
    'POST',
    `/api/v1/customers/C1/why-not/${offers[offer]}`,
    {
      body: { decisionFlowKey: flow, limit },
    },
  );
  assert.equal(status, 200, text);
  return body;
}

before(async () => {
  server = await startTestServer();
  for (const [at, name] of ['A', 'B', 'C'].entries()) {
    offers[name] = await server.create('offers', { name, status: 'active', priority: 90 - 10 * at });
  }
  await publish('counting', [
    inventory,
    score,
    { type: 'optimize', config: { weights: { engagement: 1, fairness: 1 }, combine: 'blend' } },
  ]);
  await publish('inner', [inventory, only('B', 'C'), score]);
  await publish('merging', [inventory, only('A'), calls('inner', 'merge'), score]);
  await publish('late', [inventory, score, calls('inner', 'narrow'), { type: 'rank' }]);
});
after(() => server?.close());

test('searches a flow that weighs counted history like any other', async () => {
  const { verdict, selected, rank, flips } = await ask('counting', 'C', 1);
  assert.deepEqual([verdict, selected, rank], ['eligible', false, 3]);
  assert.ok(flips.length > 0);
});

test('blames no gate for an offer that came through a called flow, and one in both lists blocks the others', async () => {
  for (const limit of [5, 1]) {
    const { verdict, selected, gates } = await ask('merging', 'C', limit);
    assert.deepEqual([verdict, selected], ['eligible', limit === 5]);
    assert.deepEqual(
      gates.filter(({ status }) => status === 'blocked'),
      [],
    );
  }
  const late = await ask('late', 'A');
  assert.deepEqual(
    [late.verdict, late.gates.filter(({ status }) => status === 'blocked').map(({ stage }) => stage)],
    ['blocked', ['call_flow:inner/filter']],
  );
});

test('eligibility adds the offers of a called flow, and drops those it drops after scoring', async () => {
  const eligible = async (flow: string) => {
    const routed = await server.call('PUT', '/api/v1/decision-flows', { body: { id: flows[flow], isDefault: true } });
    assert.equal(routed.status, 200, routed.text);
    const { status, body, text } = await server.call<CustomerEligibility>('GET', '/api/v1/customers/C1/eligibility');
    assert.equal(status, 200, text);
    return body.offers.map(
      ({ offerName, eligible: is, primaryReason }) => `${offerName} ${is ? 'yes' : primaryReason}`,
    );
  };
  assert.deepEqual(await eligible('merging'), ['A yes', 'B yes', 'C yes']);
  assert.deepEqual(await eligible('late'), ['B yes', 'C yes', 'A filter']);
});
