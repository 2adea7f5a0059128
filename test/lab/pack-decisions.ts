import assert from 'node:assert/strict';
import type { RecommendAnswer } from '@arbiter/contract';
import type { Pack } from '@arbiter/packs';
import { type Chance, chanceOf } from '../../packages/engine/test/corpus/chance.ts';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { loadPack } from '../../packages/server/src/features/operations/seed-packs/index.ts';
import { startTestServer, type TestServer, testLoadPorts } from '../../packages/server/src/main/test-server.ts';

/** A server with a pack, whose studies have a thread. */
export async function startPackServer(pack: Pack): Promise<TestServer> {
  const server = await startTestServer({ checkResponses: false });
  await server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
    loadPack(tx, pack, testLoadPorts),
  );
  return server;
}

/** Decisions of a customer: many, so that caps act, but not enough to empty nearly all responses. */
const decisionsEach = 8;
/** Requests in flight. */
const together = 24;

/** Makes decisions for customers of the pack with a flow, some of which get responses. */
export async function decideMany(server: TestServer, pack: Pack, flowKey: string, count: number): Promise<void> {
  const chance = chanceOf('lab', `${pack.key} ${flowKey}`);
  const customers = customersOf(pack, Math.ceil(count / decisionsEach));
  let left = count;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await decideOne(server, pack, flowKey, customers, chance);
    }
  };
  await Promise.all(Array.from({ length: together }, lane));
}

/** Customers of the pack, then strangers. */
function customersOf(pack: Pack, count: number): readonly string[] {
  const found = new Set<string>();
  for (const { customerId } of pack.history(new Date())) {
    if (found.size === count) break;
    found.add(customerId);
  }
  for (let at = 0; found.size < count; at += 1) found.add(`newcomer-${at}`);
  return [...found];
}

async function decideOne(
  server: TestServer,
  pack: Pack,
  flow: string,
  customers: readonly string[],
  chance: Chance,
): Promise<void> {
  const { channelType } = chance.pick(pack.channels);
  const body = {
    customerId: chance.flip(0.95) ? chance.pick(customers) : `stranger-${chance.int(0, 50)}`,
    ...(chance.flip(0.9) ? { channel: channelType } : {}),
    ...(chance.flip(0.5) ? { limit: chance.int(1, 5) } : {}),
    decisionFlowKey: flow,
  };
  const answer = await recommend(server, body);
  for (const { interactionId } of answer.decisions) {
    if (interactionId === null || chance.flip(0.7)) continue;
    const outcome = chance.pick(['impression', 'not_presented', 'click', 'dismiss', 'accept']);
    await server.call('POST', '/api/v1/respond', { body: { interactionId, outcome } });
  }
}

/** Attempts at a decision, because a busy machine may miss the deadline. */
const maxTries = 30;

async function recommend(server: TestServer, body: object): Promise<RecommendAnswer> {
  for (let tries = 1; ; tries += 1) {
    const { status, body: answer, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
    if (status === 200) return answer;
    assert.ok(status === 503 && tries < maxTries, text);
  }
}
