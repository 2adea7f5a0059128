import assert from 'node:assert/strict';
import type { RecommendAnswer } from '@arbiter/contract';
import type { TestServer } from '../../../main/test-server.ts';

/** A flow over six offers on an implicit and an explicit channel, with a cap and exploration. */
export interface StudyWorld {
  readonly flowId: string;
  /** In the order of their priority. */
  readonly offers: readonly string[];
  readonly policyId: string;
  readonly channels: { readonly email: string; readonly phone: string };
}

export const flowNodes = (more: readonly object[] = []) => [
  ...['inventory', 'match_creatives', 'qualify', 'contact_policy'].map((type) => ({ id: type, type, config: {} })),
  ...more,
  { id: 's', type: 'score', config: { method: 'priority_weighted' } },
];

export async function makeWorld(server: TestServer, rate = 0.1): Promise<StudyWorld> {
  const channel = (name: string, impressionMode: string) =>
    server.create('channels', { name, channelType: name.toLowerCase(), impressionMode });
  const channels = { email: await channel('Email', 'implicit'), phone: await channel('Phone', 'explicit') };
  const offers: string[] = [];
  for (let at = 0; at < 6; at += 1) {
    const offer = { name: `Offer ${at}`, status: 'active', priority: 90 - at, businessValue: 10 + at };
    const id = await server.create('offers', offer);
    offers.push(id);
    for (const [name, channelId] of Object.entries(channels)) {
      const creative = { name: `${name} ${at}`, offerId: id, channelId, status: 'active', content: {} };
      await server.create('creatives', creative);
    }
  }
  const policyId = await server.create('contact-policies', {
    name: 'Cap',
    ...{ ruleType: 'frequency_cap', scope: 'global', config: { maxPerDay: 3, per: 'offer' } },
  });
  const flowId = await server.create('decision-flows', {
    ...{ key: 'main', name: 'Main' },
    draftConfig: { version: 2, nodes: flowNodes(), flowConfig: { explore: { rate } } },
  });
  await server.publishFlow(flowId);
  return { flowId, offers, policyId, channels };
}

/** Makes decisions for customers `C0`, `C1` and so on, round by round, and reports outcomes in between. */
export async function decideRounds(server: TestServer, rounds: number, customers: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const shown: string[] = [];
    for (let customer = 0; customer < customers; customer += 1) {
      const channel = (customer + round) % 3 === 0 ? 'phone' : 'email';
      const body = { customerId: `C${customer}`, channel, limit: 1 + (customer % 2), decisionFlowKey: 'main' };
      const made = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
      assert.equal(made.status, 200, made.text);
      shown.push(...made.body.decisions.flatMap(({ interactionId }) => interactionId ?? []));
    }
    for (const [at, interactionId] of shown.entries()) {
      const outcome = ['impression', 'not_presented', 'click', 'dismiss'][at % 4];
      await server.call('POST', '/api/v1/respond', { body: { interactionId, outcome } });
    }
  }
}
