import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { u } from '@arbiter/engine';
import { startTriggerServer, type TriggerServer } from './test-triggers.ts';

// Decisions of triggers and journeys are part of experiments like those of applications: they assign customers, keep the
// assignments and record them.

const customers = Array.from({ length: 12 }, (_, at) => `C${at}`);
const variantOf = (customerId: string): string => (u(`exp:${customerId}`) * 100 < 50 ? '__champion__' : 'two');

let world: TriggerServer;
let experimentId: string;
before(async () => {
  world = await startTriggerServer();
  const { server, ids } = world;
  const [one, two] = await Promise.all(
    [30, 70].map((baseScore, at) =>
      server.create('algorithm-models', {
        ...{ key: at === 0 ? 'one' : 'two', name: `Model ${at}`, modelType: 'scorecard', status: 'active' },
        config: { baseScore, normalization: 'linear' },
      }),
    ),
  );
  experimentId = await server.create('experiments', {
    ...{ key: 'exp', name: 'Experiment', status: 'active', championModelId: one, trafficSplit: 50 },
    challengers: [{ modelId: two, trafficPct: 50 }],
  });
  const score = { id: 's', type: 'score', config: { method: 'propensity', modelKey: 'one' } };
  const match = { id: 'm', type: 'match_creatives', config: { channelIds: [ids.batchChannel] } };
  const draftConfig = { version: 2, nodes: [{ id: 'i', type: 'inventory' }, match, score] };
  await server.publishFlow(await server.create('decision-flows', { key: 'tested', name: 'Tested', draftConfig }));
});
after(() => world?.close());

interface Decided {
  readonly id: string;
  readonly customerId: string;
}

/** Asserts that each customer's newest decision has this source and the customer's variant, and replays. */
async function assertAssigned(source: string): Promise<void> {
  const { server } = world;
  const made = await server.testDatabase.ownerQuery<Decided>(
    `select d.id, s.customer_id as "customerId" from arbiter.decisions d
     join arbiter.customer_states s on s.tenant_id = d.tenant_id and s.ref = d.customer_ref where d.source = $1`,
    [source],
  );
  assert.deepEqual(made.map(({ customerId }) => customerId).sort(), [...customers].sort());
  for (const { id, customerId } of made) {
    const variant = variantOf(customerId);
    const read = await server.call<{ inputs: { experiments: object[] } }>(
      'GET',
      `/api/v1/decisions/${id}?include=inputs`,
    );
    assert.deepEqual(read.body.inputs?.experiments, [{ key: 'exp', variant, share: 0.5 }], read.text);
    const replay = await server.call('POST', `/api/v1/decisions/${id}/replay`, { body: {} });
    assert.deepEqual([replay.body.identical, replay.body.differences], [true, []], replay.text);
  }
}

const assignments = () =>
  world.server.testDatabase.ownerQuery<{ customerId: string; variant: string; experimentId: string }>(
    `select customer_id as "customerId", variant, experiment_id as "experimentId" from arbiter.experiment_assignments
     order by customer_id`,
  );

test('decisions of triggers assign customers to variants and record them', async () => {
  assert.deepEqual(new Set(customers.map(variantOf)).size, 2, 'both variants have customers');
  await world.trigger({
    actionType: 'recommend',
    actionConfig: { decisionFlowKey: 'tested', channelId: world.ids.batchChannel },
  });
  for (const customerId of customers) {
    const answer = await world.ingest({ type: 'purchase', customerId });
    assert.deepEqual([answer.status, answer.body.actionErrors], [200, undefined], answer.text);
  }
  await assertAssigned('trigger');
  const wanted = customers
    .map((customerId) => ({ customerId, variant: variantOf(customerId), experimentId }))
    .sort((a, b) => (a.customerId < b.customerId ? -1 : 1));
  assert.deepEqual(await assignments(), wanted);
});

test('decisions of journeys keep and record the assignments', async () => {
  const before = await assignments();
  const node = (id: string, type: string, config: object) => ({ id, type, config });
  const decide = { decisionFlowKey: 'tested', channelId: world.ids.batchChannel };
  const journeyId = await world.server.create('journeys', {
    ...{ name: 'Tested', status: 'active' },
    definition: {
      nodes: [
        node('start', 'entry_trigger', {}),
        node('decide', 'nba_decision', decide),
        node('end', 'exit', { reason: 'end' }),
      ],
      edges: [
        { from: 'start', to: 'decide' },
        { from: 'decide', to: 'end' },
      ],
    },
  });
  for (const customerId of customers) {
    const { status, text } = await world.server.call('POST', `/api/v1/journeys/${journeyId}/enroll`, {
      body: { customerId },
    });
    assert.equal(status, 201, text);
  }
  assert.deepEqual(await world.settle(), []);
  await assertAssigned('journey');
  assert.deepEqual(await assignments(), before);
});
