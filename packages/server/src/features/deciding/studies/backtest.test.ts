import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { backtest, readRows } from './test-studies.ts';

let server: TestServer;
let flowId: string;
const offers: string[] = [];

before(async () => {
  server = await startTestServer();
  const email = await server.create('channels', { name: 'Email', channelType: 'email', impressionMode: 'implicit' });
  const phone = await server.create('channels', { name: 'Phone', channelType: 'phone', impressionMode: 'explicit' });
  for (let at = 0; at < 6; at += 1) {
    const id = await server.create('offers', { name: `Offer ${at}`, status: 'active', priority: 90 - at });
    offers.push(id);
    for (const [name, channelId] of Object.entries({ email, phone })) {
      await server.create('creatives', {
        name: `${name} ${at}`,
        offerId: id,
        channelId,
        status: 'active',
        content: {},
      });
    }
  }
  await server.create('contact-policies', {
    name: 'Two a day each',
    ruleType: 'frequency_cap',
    scope: 'global',
    config: { maxPerDay: 2, per: 'offer' },
  });
  const nodes = ['inventory', 'match_creatives', 'qualify', 'contact_policy'].map((type) => ({
    id: type,
    type,
    config: {},
  }));
  flowId = await server.create('decision-flows', {
    key: 'main',
    name: 'Main',
    draftConfig: {
      version: 2,
      nodes: [...nodes, { id: 's', type: 'score', config: { method: 'priority_weighted' } }],
      flowConfig: { explore: { rate: 0.1 } },
    },
  });
  await server.publishFlow(flowId);
  const shown: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    for (let customer = 0; customer < 20; customer += 1) {
      const channel = (customer + round) % 2 === 0 ? 'email' : 'phone';
      const { status, body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
        body: { customerId: `C${customer}`, channel, limit: 2 },
      });
      assert.equal(status, 200, text);
      for (const { interactionId } of body.decisions) if (interactionId !== null) shown.push(interactionId);
    }
    for (const [at, interactionId] of shown.splice(0).entries()) {
      const outcome = ['impression', 'not_presented', 'click', 'dismiss'][at % 4];
      await server.call('POST', '/api/v1/respond', { body: { interactionId, outcome } });
    }
  }
});
after(() => server?.close());

for (const mode of ['independent', 'chained'] as const) {
  test(`${mode}: the live flow changes nothing`, async () => {
    const { result, id } = await backtest(server, 'main', { mode, verify: true });
    assert.deepEqual(
      [result.verdict, result.decisions, result.customers, result.changed, result.notReplayable],
      ['ok', 100, 20, 0, 0],
      JSON.stringify(result.notEvaluable),
    );
    assert.deepEqual(result.drift, { checked: 100, mismatches: 0 });
    assert.deepEqual(await readRows(server, id), []);
  });
}

test('a paused offer is lost', async () => {
  const overlay = [{ kind: 'offers', key: 'Offer 0', patch: { status: 'paused' } }];
  const { result, id } = await backtest(server, 'main', { overlay });
  assert.ok(result.changed > 20, JSON.stringify(result.byKind));
  assert.equal(result.lost[0]?.offerId, offers[0]);
  assert.equal((await readRows(server, id)).length, result.changed);
});
