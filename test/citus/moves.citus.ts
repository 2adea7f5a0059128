import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startServerOn,
  startTestServer,
  type TestNode,
  type TestServer,
} from '../../packages/server/src/main/test-server.ts';
import { type Answer, type Caller, itemsOf } from '../faults/api.ts';
import { loadCatalogue } from '../faults/catalogue.ts';
import { placementOf } from './spread.ts';

// A tenant decides on two servers while its rows move to another worker: no decision is lost and no cap exceeded.

const cap = 3;
const customers = 40;
const callers = 16;
/** Items that each customer saw, over all tests. */
const shown = new Map<string, number>();

let server: TestServer;
let second: TestNode;
let calls: readonly Caller[];

before(async () => {
  server = await startTestServer();
  // One decides through the coordinator, the other on the workers.
  second = startServerOn(server.testDatabase, { workers: (await portsOfWorkers()).map((port) => `127.0.0.1:${port}`) });
  const key = server.tenants[0].keys.admin;
  calls = [server, second].map(
    (node): Caller =>
      async (method, path, body) => {
        const startedAt = performance.now();
        const answer = await node.call(method, `/api${path}`, { key, ...(body === undefined ? {} : { body }) });
        const headers = answer.headers as Answer['headers'];
        return { ...answer, headers, error: null, ms: performance.now() - startedAt };
      },
  );
  await loadCatalogue(calls[0]!, { offers: 5, cap });
});
after(async () => {
  await second?.app.close();
  await server?.close();
});

/** Decides in a loop, for one customer after the other, until `isOver`. */
async function decideUntil(isOver: () => boolean, answers: { readonly customerId: string; readonly answer: Answer }[]) {
  await Promise.all(
    Array.from({ length: callers }, async (_, i) => {
      for (let turn = 0; !isOver(); turn++) {
        const customerId = `customer ${(i + turn * callers) % customers}`;
        const answer = await calls[i % 2]!('POST', '/v1/recommend', { customerId, channel: 'email', limit: 1 });
        answers.push({ customerId, answer });
      }
    }),
  );
}

async function portsOfWorkers(): Promise<number[]> {
  const rows = await server.testDatabase.ownerQuery<{ port: number }>(
    'select nodeport as port from pg_dist_node where groupid > 0 order by 1',
  );
  return rows.map(({ port }) => port);
}

test('two servers on two nodes show a customer exactly as much as the cap allows', async () => {
  for (const customerId of ['raced 1', 'raced 2', 'raced 3']) {
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        calls[i % 2]!('POST', '/v1/recommend', { customerId, channel: 'email', limit: 1 }),
      ),
    );
    for (const { status, text } of answers) assert.equal(status, 200, text);
    const items = answers.flatMap(({ body }) => itemsOf(body));
    assert.equal(items.length, cap, customerId);
  }
});

const moves = [
  {
    name: 'moved to the other worker',
    run: async (tenantId: string) => {
      const { shardId, port } = await placementOf(server, tenantId);
      const other = (await portsOfWorkers()).find((each) => each !== port);
      await server.testDatabase.ownerQuery(
        `select citus_move_shard_placement($1::bigint, '127.0.0.1', $2::int, '127.0.0.1', $3::int, 'block_writes')`,
        [shardId, port, other],
      );
      assert.equal((await placementOf(server, tenantId)).port, other);
    },
  },
  {
    name: 'isolated in shards of its own',
    run: async (tenantId: string) => {
      const { shardId } = await placementOf(server, tenantId);
      await server.testDatabase.ownerQuery(
        `select isolate_tenant_to_new_shard('arbiter.tenants', $1::uuid, 'CASCADE', 'block_writes')`,
        [tenantId],
      );
      assert.notEqual((await placementOf(server, tenantId)).shardId, shardId);
    },
  },
] as const;

for (const move of moves) {
  test(`a tenant that is ${move.name} while it decides loses no decision and exceeds no cap`, async (t) => {
    const tenantId = server.tenants[0].id;
    const answers: { readonly customerId: string; readonly answer: Answer }[] = [];
    let isMoved = false;
    const load = decideUntil(() => isMoved && answers.length > 400, answers);
    const startedAt = performance.now();
    await move.run(tenantId).finally(() => {
      isMoved = true;
    });
    const moveMs = performance.now() - startedAt;
    await load;
    const refused = answers.filter(({ answer }) => answer.status !== 200);
    const longest = Math.max(...answers.map(({ answer }) => answer.ms));
    t.diagnostic(
      `moved in ${Math.round(moveMs)} ms; longest decision ${Math.round(longest)} ms; ${answers.length} decisions, ${refused.length} refused`,
    );
    for (const { answer } of refused) {
      assert.equal(answer.status, 503, answer.text);
      // Citus blocks writes for as long as it moves. Whoever comes after it is decided where the tenant is now.
      assert.ok(answer.ms > 1_500, `refused within ${Math.round(answer.ms)} ms`);
    }
    for (const { customerId, answer } of answers) {
      if (answer.status === 200) shown.set(customerId, (shown.get(customerId) ?? 0) + itemsOf(answer.body).length);
    }
    for (const [customerId, count] of shown) assert.ok(count <= cap, `${customerId} saw ${count}`);
    const confirmed = answers.flatMap(({ answer }) => (answer.status === 200 ? [answer.body.recommendationId] : []));
    const [stored] = await server.testDatabase.ownerQuery<{ count: number }>(
      'select count(*)::int as count from arbiter.decisions where tenant_id = $1 and id = any($2::uuid[])',
      [tenantId, confirmed],
    );
    assert.equal(stored?.count, confirmed.length, 'every confirmed decision is stored');
  });
}
