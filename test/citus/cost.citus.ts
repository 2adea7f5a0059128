import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { readTestCitusFolder } from '../../packages/server/src/config.ts';
import { createDatabase, migrate } from '../../packages/server/src/db/index.ts';
import { createOnNodes, dropCitusDatabase, joinNodes } from '../../packages/server/src/db/test-citus.ts';
import { type TestDatabase, testCitusUrl, withDatabase, withUser } from '../../packages/server/src/db/test-database.ts';
import { startTestServer } from '../../packages/server/src/main/test-server.ts';
import { sized } from '../form.ts';
import { populate } from '../tenancy/world.ts';

// Processor time of a decision: one database and clusters of one and two workers, alternating within a run.

const folder = readTestCitusFolder() ?? '';
const ticksMs = 10;
const decisions = sized('CITUS_COST_DECISIONS', { short: 800, long: 4_000 });
const rounds = 3;
const parallel = 32;
/** The goal is 1.3, which other work on the machine can hide. */
const maxTimes = 1.6;
/** Measured for the guide: planning on the coordinator costs about the same again. */
const throughCoordinator = 'two workers, through the coordinator';

interface Cost {
  readonly nodeMs: number;
  /** Of the coordinator, or the only server, and the workers. */
  readonly serversMs: readonly number[];
}

/** Processor time of a PostgreSQL server and everything it started, in ms. */
function serverMs(node: number): number {
  const postmaster = readFileSync(join(folder, `n${node}`, 'postmaster.pid'), 'utf8').split('\n')[0]!;
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = statOf(pid);
    if (fields === null) continue;
    const [, parent] = fields;
    // utime and stime; for the postmaster also those of its children that ended.
    if (pid === postmaster) ticks += fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
    else if (parent === postmaster) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * ticksMs;
}

/** Fields of /proc/<pid>/stat from the state on; null when the process ended. */
function statOf(pid: string): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

const closes: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closes) await close();
});

/** Starts a server on a database with this many workers. Returns a function that measures a round of decisions. */
async function prepare(workers: number, isDirect = false): Promise<() => Promise<Cost>> {
  const cluster = testCitusUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  const adminUrl = withDatabase(cluster, name);
  const url = withUser(adminUrl, 'arbiter_test_app');
  const owner = new pg.Pool({ connectionString: adminUrl, max: 1 });
  owner.on('error', () => undefined);
  await createOnNodes(cluster, name);
  if (workers > 0) await joinNodes(cluster, name, workers);
  await migrate({ adminUrl, url });
  const isCluster = workers > 0;
  const testDatabase: TestDatabase = {
    database: createDatabase({ url, isCluster }),
    ownerQuery: async (text, values = []) => (await owner.query(text, [...values])).rows,
    ownerHold: () => Promise.reject(new Error('not in this test')),
    url,
    adminUrl,
    isCluster,
    async close() {
      await owner.end();
      await dropCitusDatabase(cluster, name);
    },
  };
  const { rows: nodes } =
    workers > 0
      ? await owner.query<{ node: string }>(
          `select nodename || ':' || nodeport as node from pg_dist_node where groupid > 0`,
        )
      : { rows: [] };
  const direct = isDirect ? nodes.map(({ node }) => node) : [];
  const server = await startTestServer({ testDatabase, checkResponses: false, workers: direct });
  closes.push(() => server.close());
  const [tenant] = server.tenants;
  const { world } = await populate(server, tenant);
  let turn = 0;
  return async () => {
    const before = { node: process.cpuUsage(), servers: [0, 1, 2].map(serverMs) };
    let sent = 0;
    await Promise.all(
      Array.from({ length: parallel }, async () => {
        while (sent < decisions) {
          sent += 1;
          const { status, text } = await server.call('POST', '/api/v1/recommend', {
            key: tenant.keys.admin,
            body: {
              customerId: `customer ${turn++ % 500}`,
              channelId: world.channel.id,
              decisionFlowKey: world.flow.key,
            },
          });
          assert.equal(status, 200, text);
        }
      }),
    );
    const node = process.cpuUsage(before.node);
    return {
      nodeMs: (node.user + node.system) / 1000 / decisions,
      serversMs: before.servers.map((ms, i) => (serverMs(i) - ms) / decisions),
    };
  };
}

test('a decision on a cluster takes at most 1.6 times the processor time', async (t) => {
  const kinds = [
    { name: 'one database', measure: await prepare(0) },
    { name: 'one worker', measure: await prepare(1, true) },
    { name: 'two workers', measure: await prepare(2, true) },
    { name: throughCoordinator, measure: await prepare(2) },
  ];
  for (const { measure } of kinds) await measure();
  const costs = new Map<string, Cost[]>(kinds.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, measure } of kinds) costs.get(name)!.push(await measure());
  }
  const medians = kinds.map(({ name }) => {
    const sorted = costs.get(name)!.toSorted((a, b) => totalOf(a) - totalOf(b));
    return { name, cost: sorted[Math.floor(sorted.length / 2)]! };
  });
  for (const { name, cost } of medians) {
    const servers = cost.serversMs.map((ms) => ms.toFixed(2)).join(' + ');
    t.diagnostic(`${name}: ${totalOf(cost).toFixed(2)} ms (Node ${cost.nodeMs.toFixed(2)}, PostgreSQL ${servers})`);
  }
  const [single, ...others] = medians;
  const clusters = others.filter(({ name }) => name !== throughCoordinator);
  for (const { name, cost } of clusters) {
    const times = totalOf(cost) / totalOf(single!.cost);
    assert.ok(times <= maxTimes, `${name}: ${times.toFixed(2)} times the processor time of one database`);
  }
});

const totalOf = ({ nodeMs, serversMs }: Cost): number => nodeMs + serversMs.reduce((sum, ms) => sum + ms, 0);
