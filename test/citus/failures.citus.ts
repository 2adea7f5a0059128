import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTestCitusFolder } from '../../packages/server/src/config.ts';
import {
  startServerOn,
  startTestServer,
  type TestNode,
  type TestServer,
} from '../../packages/server/src/main/test-server.ts';
import { type PopulatedTenant, populate } from '../tenancy/world.ts';
import { placementOf, tenantsApart } from './spread.ts';

// kill -9 of a worker and of the coordinator, and what their tenants see.

const folder = readTestCitusFolder();
const withinMs = 2_000;
const times = 3;
const bin = '/usr/lib/postgresql/15/bin/pg_ctl';

let server: TestServer;
/** With the product's limits, which the test server stretches: one decides through the coordinator, one on the workers. */
let nodes: readonly TestNode[] = [];
let turn = 0;
let a: PopulatedTenant;
let b: PopulatedTenant;
let coordinatorPort: number;

before(async () => {
  server = await startTestServer({ tenants: 8 });
  const [first, second] = await tenantsApart(server);
  [a, b] = [await populate(server, first), await populate(server, second)];
  coordinatorPort = Number(new URL(server.testDatabase.adminUrl).port);
  const workers = await server.testDatabase.ownerQuery<{ node: string }>(
    `select nodename || ':' || nodeport as node from pg_dist_node where groupid > 0`,
  );
  const patience = { acquireTimeoutMs: 1_500, statementTimeoutMs: 1_900, answerWithinMs: 1_900 };
  nodes = [[], workers.map(({ node }) => node)].map((workers) =>
    startServerOn(server.testDatabase, { patience, workers }),
  );
});
after(async () => {
  for (const { app } of nodes) await app.close();
  await server?.close();
});

interface Outcome {
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: unknown;
  readonly id: unknown;
  /** The server decides on the workers. */
  readonly isOnWorkers: boolean;
}

/** One server after the other. */
function next(): TestNode {
  turn += 1;
  return nodes[turn % nodes.length] ?? assert.fail('no server');
}

async function decide({ tenant, world, fixtures }: PopulatedTenant): Promise<Outcome> {
  const node = next();
  const startedAt = performance.now();
  const answer = await node.call('POST', '/api/v1/recommend', {
    key: tenant.keys.admin,
    body: { customerId: `customer ${fixtures.marker}`, channelId: world.channel.id, decisionFlowKey: world.flow.key },
  });
  const ms = performance.now() - startedAt;
  return {
    ...{ status: answer.status, ms, retryAfter: answer.headers['retry-after'], id: answer.body.recommendationId },
    isOnWorkers: node === nodes[1],
  };
}

const timesOf = (outcomes: readonly Outcome[]): string =>
  outcomes.map(({ status, ms }) => `${status} after ${Math.round(ms)} ms`).join(', ');

const folderOf = (port: number): string => join(folder ?? '', `n${port - coordinatorPort}`);

/** Kills a node with its sessions, as when its machine loses power. */
function kill(port: number): void {
  const pid = readFileSync(join(folderOf(port), 'postmaster.pid'), 'utf8').split('\n')[0]!;
  spawnSync('sh', ['-c', `kill -9 ${pid} $(ps -o pid= --ppid ${pid})`]);
}

/**
 * Starts it again, and waits until both tenants are served. Each session of the coordinator finds out on its own that its
 * connection to the worker broke, so a few more calls fail.
 */
async function revive(port: number): Promise<void> {
  const path = folderOf(port);
  const until = performance.now() + 60_000;
  const start = ['-u', 'postgres', '--', bin, '-D', path, '-l', `${path}.log`, '-w', 'start'];
  // Processes of the dead server hold its memory for a moment.
  while (spawnSync('runuser', start).status !== 0) {
    assert.ok(performance.now() < until, `the node on port ${port} doesn't start`);
    await sleep(200);
  }
  for (let inARow = 0; inARow < 20; ) {
    const outcomes = await Promise.all([decide(a), decide(b), read(a), read(b)]);
    const served = outcomes.every(({ status }) => status === 200);
    inARow = served ? inARow + 1 : 0;
    assert.ok(performance.now() < until, `still ${outcomes.map(({ status }) => status).join(', ')}`);
    if (!served) await sleep(100);
  }
}

const read = ({ tenant }: PopulatedTenant) => next().call('GET', '/api/v1/offers', { key: tenant.keys.admin });

/** Decides for both tenants in the meantime, one call after the other for each, and checks that no confirmed decision is lost. */
async function underLoad(work: () => Promise<void>): Promise<string> {
  const outcomes: Outcome[] = [];
  let isDone = false;
  const load = [a, b].map(async (each) => {
    while (!isDone) outcomes.push(await decide(each));
  });
  await work().finally(() => {
    isDone = true;
  });
  await Promise.all(load);
  const confirmed = outcomes.filter(({ status }) => status === 200).map(({ id }) => id);
  const refused = outcomes.filter(({ status }) => status !== 200);
  for (const { status } of refused) assert.equal(status, 503);
  const [stored] = await server.testDatabase.ownerQuery<{ count: number }>(
    'select count(*)::int as count from arbiter.decisions where id = any($1::uuid[])',
    [confirmed],
  );
  assert.ok(confirmed.length > 0);
  assert.equal(stored?.count, confirmed.length, 'every confirmed decision is stored');
  return `${confirmed.length} confirmed and ${refused.length} refused meanwhile`;
}

async function isStored({ tenant }: PopulatedTenant, id: unknown): Promise<boolean> {
  const { status } = await next().call('GET', `/api/v1/decisions/${String(id)}`, { key: tenant.keys.admin });
  return status === 200;
}

test(`a worker dies ${times} times: its tenants get 503 within 2 s, others notice nothing, and nothing is lost`, async (t) => {
  const { port } = await placementOf(server, a.tenant.id);
  for (let time = 1; time <= times; time++) {
    // Both keys are known before, as those of callers who are at work.
    const confirmed = [await decide(a), await decide(a)];
    for (const { status } of [await decide(b), await decide(b)]) assert.equal(status, 200);
    const meanwhile = await underLoad(async () => {
      kill(port);
      const gone = [await decide(a), await decide(a), await decide(a), await decide(a)];
      const others = [await decide(b), await decide(b), await decide(b), await decide(b)];
      const list = await next().call('GET', '/api/v1/offers', { key: a.tenant.keys.admin });
      t.diagnostic(`${timesOf(gone)}; others ${timesOf(others)}; a list ${list.status}`);
      for (const { status, ms, retryAfter } of gone) {
        assert.equal(status, 503);
        assert.ok(ms <= withinMs, `${Math.round(ms)} ms`);
        assert.ok(Number(retryAfter) >= 1, `Retry-After ${String(retryAfter)}`);
      }
      assert.equal(list.status, 503);
      for (const { status, ms } of others) {
        assert.equal(status, 200);
        assert.ok(ms <= withinMs, `${Math.round(ms)} ms`);
      }
      await revive(port);
    });
    t.diagnostic(meanwhile);
    for (const { status, id } of confirmed) {
      assert.equal(status, 200);
      assert.ok(await isStored(a, id), 'a confirmed decision is there');
    }
  }
});

test(`the coordinator dies ${times} times: calls that need it get 503 within 2 s, and nothing is lost`, async (t) => {
  for (let time = 1; time <= times; time++) {
    const confirmed = [await decide(a), await decide(b)];
    for (const { status } of [await decide(b), await decide(a)]) assert.equal(status, 200);
    const meanwhile = await underLoad(async () => {
      kill(coordinatorPort);
      const gone = [await decide(a), await decide(a), await decide(b), await decide(b)];
      t.diagnostic(timesOf(gone));
      for (const { status, ms, retryAfter, isOnWorkers } of gone) {
        assert.ok(ms <= withinMs, `${Math.round(ms)} ms`);
        // What a decision on a worker needs of the coordinator may still be in memory.
        if (isOnWorkers && status === 200) continue;
        assert.equal(status, 503);
        assert.ok(Number(retryAfter) >= 1, `Retry-After ${String(retryAfter)}`);
      }
      await revive(coordinatorPort);
    });
    t.diagnostic(meanwhile);
    const [ofA, ofB] = confirmed;
    assert.ok((await isStored(a, ofA?.id)) && (await isStored(b, ofB?.id)), 'confirmed decisions are there');
  }
});
