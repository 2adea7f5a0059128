import assert from 'node:assert/strict';
import type { RecommendAnswer } from '@arbiter/contract';
import type { TestServer } from '../../../main/test-server.ts';

/** A tenant with offers on one channel and a flow that scores by models, over HTTP. */
export interface ModelWorld {
  readonly offers: readonly string[];
  readonly flow: string;
  create(path: string, body: object): Promise<string>;
  /** Puts and publishes the flow with this score node; answers with the statuses of both and the last answer. */
  publish(score: object, more?: readonly object[]): Promise<{ readonly status: number; readonly text: string }>;
  recommend(customerId: string, body?: object): Promise<RecommendAnswer>;
  respond(answer: RecommendAnswer, rank: number, outcome: string, body?: object): Promise<void>;
  /** Replays a decision and wants it to be the same. */
  replays(answer: RecommendAnswer): Promise<void>;
}

export async function modelWorld(server: TestServer, count = 4, impressionMode = 'implicit'): Promise<ModelWorld> {
  const create = async (path: string, body: object): Promise<string> => {
    const made = await server.call<{ id: string }>('POST', `/api/v1/${path}`, { body });
    assert.equal(made.status, 201, `${path}: ${made.text}`);
    return made.body.id;
  };
  const channelId = await create('channels', { name: 'Web', channelType: 'web', impressionMode });
  const offers: string[] = [];
  for (let at = 0; at < count; at++) {
    const offerId = await create('offers', { name: `Offer ${at}`, status: 'active', priority: 90 - at * 10 });
    await create('creatives', { name: `Creative ${at}`, offerId, channelId, status: 'active' });
    offers.push(offerId);
  }
  const flow = await create('decision-flows', { key: 'models', name: 'Models' });
  return {
    offers,
    flow,
    create,
    async publish(score, more = []) {
      const draftConfig = {
        version: 2,
        nodes: [{ id: 'i', type: 'inventory' }, ...more, { id: 's', type: 'score', config: score }],
      };
      const changed = await server.call('PUT', '/api/v1/decision-flows', { body: { id: flow, draftConfig } });
      if (changed.status !== 200) return changed;
      return server.call('POST', '/api/v1/decision-flows/publish', { body: { id: flow } });
    },
    async recommend(customerId, body = {}) {
      const made = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: { customerId, ...body } });
      assert.equal(made.status, 200, made.text);
      return made.body;
    },
    async respond(answer, rank, outcome, body = {}) {
      const done = await server.call('POST', '/api/v1/respond', {
        body: { recommendationId: answer.recommendationId, rank, outcome, ...body },
      });
      assert.equal(done.status, 200, done.text);
    },
    async replays(answer) {
      const replay = await server.call('POST', `/api/v1/decisions/${answer.recommendationId}/replay`, { body: {} });
      assert.deepEqual([replay.status, replay.body.identical, replay.body.differences], [200, true, []], replay.text);
    },
  };
}
