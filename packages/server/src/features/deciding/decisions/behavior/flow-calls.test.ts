import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer, type TestTenant } from '../../../../main/test-server.ts';

let server: TestServer;
let home: TestTenant;
let number = 0;
const offers: string[] = [];
const flows = new Map<string, string>();

type Problem = { errors: { path: string; code: string }[] };
const call = <Body = Record<string, unknown>>(method: string, path: string, body?: object) =>
  server.call<Body>(method, `/api/v1/${path}`, { ...(body === undefined ? {} : { body }), key: home.keys.admin });

async function must<Body = { id: string }>(method: string, path: string, body: object | undefined, status: number) {
  const answer = await call<Body>(method, path, body);
  assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
  return answer.body;
}

const inventory = { id: 'i', type: 'inventory', config: {} };
const score = { id: 's', type: 'score', config: { method: 'priority_weighted' } };
const only = (...names: string[]) => ({
  id: 'f',
  type: 'filter',
  config: { conditions: [{ field: 'offer.name', operator: 'in', value: names }] },
});
const calls = (flowKey: string, mode = 'narrow') => ({ id: 'k', type: 'call_flow', config: { flowKey, mode } });
const branch = (onTrue: object) => ({
  id: 'c',
  type: 'conditional',
  config: { conditions: [{ field: 'attributes.vip', operator: 'eq', value: true }], onTrue },
});
const draftOf = (nodes: readonly object[]) => ({ version: 2, nodes, flowConfig: {} });

/** Makes or changes a flow and publishes it. */
async function publish(key: string, ...nodes: readonly object[]): Promise<void> {
  const draftConfig = draftOf(nodes);
  const known = flows.get(key);
  if (known === undefined)
    flows.set(key, (await must('POST', 'decision-flows', { key, name: key, draftConfig }, 201)).id);
  else await must('PUT', `decision-flows/${known}`, { draftConfig }, 200);
  await must('POST', 'decision-flows/publish', { id: flows.get(key) }, 200);
}

interface DecisionRecord {
  readonly planHash: string;
  readonly flows: readonly { readonly key: string; readonly version: number }[];
}

/** Decides, replays byte for byte, and reads the record. */
async function decide(flow: string, body: object = {}) {
  number += 1;
  const asked = { customerId: `C${number}`, decisionFlowKey: flow, debug: true, ...body };
  const answer = await must<RecommendAnswer>('POST', 'recommend', asked, 200);
  const path = `decisions/${answer.recommendationId}`;
  const replay = await must<{ identical: boolean; differences: unknown[] }>('POST', `${path}/replay`, {}, 200);
  assert.deepEqual([replay.identical, replay.differences], [true, []]);
  const record = await must<DecisionRecord>('GET', path, undefined, 200);
  return {
    answer,
    names: answer.decisions.map(({ offerName }) => offerName),
    ran: record.flows.map(({ key, version }) => `${key} ${version}`),
    planHash: record.planHash,
  };
}

before(async () => {
  server = await startTestServer();
  [home] = server.tenants;
  for (const [at, name] of ['A', 'B', 'C'].entries()) {
    const { id } = await must('POST', 'offers', { name, status: 'active', priority: 80 - at * 20 }, 201);
    offers.push(id);
  }
});
after(() => server?.close());

test("the plan includes the called flow: publishing it changes the caller's next decision", async () => {
  await publish('called', inventory, only('A', 'B'), score);
  await publish('caller', inventory, calls('called'), score);
  const first = await decide('caller');
  assert.deepEqual(
    [first.names, first.ran],
    [
      ['A', 'B'],
      ['caller 1', 'called 1'],
    ],
  );
  await publish('called', inventory, only('B'), score);
  const second = await decide('caller');
  assert.deepEqual([second.names, second.ran], [['B'], ['caller 1', 'called 2']]);
  assert.notEqual(second.planHash, first.planHash);
  // Without calls only the flow itself is named.
  assert.deepEqual((await decide('called')).ran, ['called 2']);
});

test('merge, replace, and calls in phases 2 and 3 replay like all others', async () => {
  await publish('found', inventory, only('B', 'C'), score);
  await publish('merging', inventory, only('A'), calls('found', 'merge'), score);
  assert.deepEqual((await decide('merging')).names, ['A', 'B', 'C']);
  await publish('replacing', inventory, only('A'), calls('found', 'replace'), score);
  assert.deepEqual((await decide('replacing')).names, ['B', 'C']);
  await publish(
    'rescored',
    inventory,
    { ...score, config: { method: 'formula', formula: { emphasisWeight: 0 } } },
    { id: 'r', type: 'rank', config: { topN: 2 } },
  );
  await publish('rescoring', inventory, score, calls('rescored'), { id: 'r', type: 'rank' });
  assert.equal((await decide('rescoring')).names.length, 2);
  const property = { id: 'p', type: 'set_properties', config: { properties: [{ key: 'note', value: 'called' }] } };
  await publish('dressed', inventory, score, property);
  await publish(
    'dressing',
    inventory,
    score,
    { id: 'r', type: 'rank' },
    { id: 'x', type: 'compute' },
    calls('dressed'),
  );
  const { answer, ran } = await decide('dressing');
  assert.deepEqual(
    answer.decisions.map(({ personalization }) => personalization),
    Array(3).fill({ note: 'called' }),
  );
  assert.deepEqual(ran, ['dressing 1', 'dressed 1']);
});

test("a call inside a conditional is listed when it's taken, and its stages name their flow", async () => {
  await publish('vip', inventory, only('C'), score);
  await publish('branching', inventory, branch({ action: 'call_flow', flowKey: 'vip' }), score);
  const taken = await decide('branching', { attributes: { vip: true } });
  assert.deepEqual([taken.names, taken.ran], [['C'], ['branching 1', 'vip 1']]);
  const stages = taken.answer.meta?.stages as { stage: string; nodeId: string | null }[];
  assert.deepEqual(
    stages.slice(0, 3).map(({ stage, nodeId }) => [stage, nodeId]),
    [
      ['inventory', 'i'],
      ['conditional', 'c'],
      ['call_flow:vip/filter', 'c.onTrue/f'],
    ],
  );
  const other = await decide('branching', { attributes: { vip: false } });
  assert.deepEqual([other.names, other.ran], [['A', 'B', 'C'], ['branching 1']]);
});

test("the trace lists nodes that a conditional skips; policies can't be skipped", async () => {
  const policy = { name: 'One a day', ruleType: 'frequency_cap', scope: 'global', config: { maxPerDay: 1 } };
  await must('POST', 'contact-policies', policy, 201);
  const all = { id: 'p', type: 'contact_policy', config: { mode: 'selected', policyIds: [] } };
  await publish('skipping', inventory, branch({ action: 'skip_to', nodeId: 's' }), only('A'), all, score);
  const body = { customerId: 'returning', attributes: { vip: true } };
  const first = await decide('skipping', body);
  assert.deepEqual(first.names, ['A']);
  const stages = first.answer.meta?.stages as {
    stage: string;
    nodeId: string | null;
    skipped?: boolean;
    candidates: number;
    passed: number;
  }[];
  assert.deepEqual(
    stages
      .filter(({ skipped }) => skipped === true)
      .map(({ nodeId, candidates, passed }) => [nodeId, candidates, passed]),
    [
      ['f', 3, 3],
      ['p', 3, 3],
    ],
  );
  // The node alone would have asked nothing. The stage that runs in its place asks all.
  assert.deepEqual((await decide('skipping', body)).names, []);
  assert.deepEqual((await decide('skipping', { ...body, attributes: {} })).names, ['A']);
  const [found] = (await must<{ data: { id: string }[] }>('GET', 'contact-policies?limit=10', undefined, 200)).data;
  await must('DELETE', `contact-policies?id=${found?.id}`, undefined, 200);
});

test('pausing, archiving or deleting a flow closes its callers; the reverse opens them', async () => {
  await publish('gate', inventory, score);
  await publish('gated', inventory, calls('gate'), score);
  assert.deepEqual((await decide('gated')).names, ['A', 'B', 'C']);
  const id = flows.get('gate')!;
  for (const status of ['paused', 'archived']) {
    await must('PUT', `decision-flows/${id}`, { status }, 200);
    const closed = await decide('gated');
    assert.deepEqual([closed.names, closed.ran], [[], ['gated 1']], status);
    assert.equal(closed.answer.meta?.dropped === undefined, false);
    assert.equal(closed.answer.emptyReason, 'call_flow');
  }
  await must('PUT', `decision-flows/${id}`, { status: 'active' }, 200);
  assert.deepEqual((await decide('gated')).names, ['A', 'B', 'C']);
  await must('PUT', `decision-flows/${id}`, { isProtected: false }, 200);
  await must('DELETE', `decision-flows/${id}`, undefined, 200);
  assert.deepEqual((await decide('gated')).names, []);
  const refused = await call<Problem>('PUT', `decision-flows/${flows.get('gated')}`, {
    draftConfig: draftOf([inventory, calls('gate'), score]),
  });
  assert.equal(refused.status, 422);
  assert.deepEqual(
    refused.body.errors.map(({ code, path }) => [code, path]),
    [['unknown_reference', '/draftConfig/nodes/1/config/flowKey']],
  );
});

test("a called flow must be published first, and can't call its caller later", async () => {
  const draft = async (key: string, ...nodes: object[]) =>
    (await must('POST', 'decision-flows', { key, name: key, draftConfig: draftOf(nodes) }, 201)).id;
  const later = await draft('later', inventory, score);
  const sooner = await draft('sooner', inventory, calls('later'), score);
  const publishing = (id: string) => call<Problem>('POST', 'decision-flows/publish', { id });
  const codes = ({ body }: { body: Problem }) => body.errors.map(({ code, path }) => `${code} ${path}`);
  const unpublished = await publishing(sooner);
  assert.deepEqual(
    [unpublished.status, codes(unpublished)],
    [422, ['sub_flow_unpublished /draftConfig/nodes/1/config/flowKey']],
  );
  assert.equal((await publishing(later)).status, 200);
  assert.equal((await publishing(sooner)).status, 200);
  const back = await call<Problem>('PUT', `decision-flows/${later}`, {
    draftConfig: draftOf([inventory, calls('sooner'), score]),
  });
  assert.deepEqual([back.status, codes(back)], [422, ['cycle_in_call_flow /draftConfig/nodes/1/config/flowKey']]);
});

test('flows published at the same moment that call each other still decide: the cycle is closed', async () => {
  await publish('left', inventory, score);
  await publish('right', inventory, calls('left'), score);
  // The state that two transactions would leave that didn't see each other.
  await server.testDatabase.ownerQuery(
    `update arbiter.flow_versions set config = jsonb_set(config, '{nodes}', $2::jsonb) where flow_id = $1`,
    [flows.get('left'), JSON.stringify([inventory, calls('right'), score])],
  );
  await must('POST', 'offers', { name: 'D', status: 'draft', priority: 1 }, 201);
  const { names, ran } = await decide('right');
  assert.deepEqual([names, ran], [[], ['right 1', 'left 1']]);
});

test("record and trace include the share of a called flow's champion, and replay", async () => {
  const keys: string[] = [];
  for (const baseScore of [40, 60]) {
    const body = { key: `card-${baseScore}`, name: `Card ${baseScore}`, modelType: 'scorecard', status: 'active' };
    const config = { baseScore, normalization: 'linear' };
    keys.push((await must<{ key: string }>('POST', 'algorithm-models', { ...body, config }, 201)).key);
  }
  const championChallenger = {
    enabled: true,
    champion: { modelKey: keys[0], weight: 75 },
    challengers: [{ modelKey: keys[1], weight: 25 }],
  };
  await publish('shared', inventory, {
    id: 's',
    type: 'score',
    config: { method: 'propensity', championChallenger },
  });
  await publish('sharing', inventory, score, calls('shared'), { id: 'r', type: 'rank' });
  await must('PUT', 'tenant-settings', { decisionTraceEnabled: true, decisionTraceSampleRate: 1 }, 200);
  const seen = new Map<string, string>();
  for (let at = 0; at < 20; at++) {
    const { answer } = await decide('sharing');
    const record = await must<{ assignment: object }>('GET', `decisions/${answer.recommendationId}`, undefined, 200);
    const [own] = (record.assignment as { called: { variant: string; share: number }[] }).called;
    assert.deepEqual({ ...own, variant: '', share: 0 }, { flowKey: 'shared', nodeId: 'k/s', variant: '', share: 0 });
    seen.set(own!.variant, `${own!.share} ${answer.decisions[0]?.modelKey}`);
    const trace = await must<{ assignment: object }>('GET', `decision-traces/${answer.trace.traceId}`, undefined, 200);
    assert.deepEqual(trace.assignment, record.assignment);
  }
  assert.deepEqual(Object.fromEntries(seen), { __champion__: '0.75 card-40', 'card-60': '0.25 card-60' });
  // A flow whose called flows have no challengers reports none.
  await publish('unshared', inventory, score);
  await publish('unsharing', inventory, score, calls('unshared'), { id: 'r', type: 'rank' });
  const { answer } = await decide('unsharing');
  const plain = await must<{ assignment: object }>('GET', `decisions/${answer.recommendationId}`, undefined, 200);
  assert.ok(!('called' in plain.assignment));
});
