import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { readTestCitusFolder } from '../../packages/server/src/config.ts';
import { createDatabase, migrate } from '../../packages/server/src/db/index.ts';
import { createOnNodes, dropCitusDatabase, joinNodes } from '../../packages/server/src/db/test-citus.ts';
import { type TestDatabase, testCitusUrl, withDatabase, withUser } from '../../packages/server/src/db/test-database.ts';
import { startTestServer, type TestServer, type TestTenant } from '../../packages/server/src/main/test-server.ts';
import { sized } from '../form.ts';
import { type PopulatedTenant, populate } from '../tenancy/world.ts';
import { placementOf } from './spread.ts';

// Servers on a cluster whose nodes' processor time per decision is measured.

const folder = readTestCitusFolder() ?? '';
const ticksMs = 10;
const decisions = sized('CITUS_COST_DECISIONS', { short: 800, long: 4_000 });
const parallel = 32;

export interface Cost {
  readonly nodeMs: number;
  /** Of the coordinator, or the only server, and the workers. */
  readonly serversMs: readonly number[];
}

/**
 * Processor time of a node's sessions of a database, in ms. Leaves out its background work: with three nodes on one
 * machine, that takes more time than the decisions.
 */
function sessionsMs(node: number, database: string): number {
  const postmaster = readFileSync(join(folder, `n${node}`, 'postmaster.pid'), 'utf8').split('\n')[0]!;
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = statOf(pid);
    if (fields === null || fields[1] !== postmaster || !titleOf(pid).includes(` ${database} `)) continue;
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * ticksMs;
}

/** Title of a process; PostgreSQL shows the user and the database of a session in it. */
function titleOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
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

export const totalOf = ({ nodeMs, serversMs }: Cost): number => nodeMs + serversMs.reduce((sum, ms) => sum + ms, 0);

/** Shows where the time goes: Node, then the coordinator or the only server, then the workers. */
export const shownCost = (cost: Cost): string =>
  `${totalOf(cost).toFixed(2)} ms (Node ${cost.nodeMs.toFixed(2)}, PostgreSQL ${cost.serversMs.map((ms) => ms.toFixed(2)).join(' + ')})`;

export interface MeasuredServer {
  /** Decides for some of the tenants in turns. Returns the processor time of a decision. */
  measure(tenants?: number): Promise<Cost>;
  close(): Promise<void>;
}

export interface MeasuredOptions {
  /** 0: a single database. */
  readonly workers: number;
  /** Decisions connect to the workers. */
  readonly isDirect?: boolean;
  /** Tenants on different workers in turns. Default 1. */
  readonly tenants?: number;
}

/** Starts a server on a database of its own, with traces off, as they are by default. */
export async function startMeasured({
  workers,
  isDirect = false,
  tenants = 1,
}: MeasuredOptions): Promise<MeasuredServer> {
  const testDatabase = await createMeasuredDatabase(workers);
  const database = new URL(testDatabase.url).pathname.slice(1);
  const nodes = isDirect
    ? await testDatabase.ownerQuery<{ node: string }>(
        `select nodename || ':' || nodeport as node from pg_dist_node where groupid > 0`,
      )
    : [];
  const server = await startTestServer({ testDatabase, checkResponses: false, workers: nodes.map(({ node }) => node) });
  const worlds: PopulatedTenant[] = [];
  for (const tenant of await tenantsInTurns(server, workers, tenants)) {
    worlds.push(await populate(server, tenant));
    const { status, text } = await server.call('PUT', '/api/v1/tenant-settings', {
      key: tenant.keys.admin,
      body: { decisionTraceEnabled: false },
    });
    assert.equal(status, 200, text);
  }
  let turn = 0;
  const decide = async (among: readonly PopulatedTenant[]): Promise<void> => {
    const { tenant, world } = among[turn % among.length]!;
    const customerId = `customer ${turn++ % 500}`;
    const { status, text } = await server.call('POST', '/api/v1/recommend', {
      key: tenant.keys.admin,
      body: { customerId, channelId: world.channel.id, decisionFlowKey: world.flow.key },
    });
    assert.equal(status, 200, text);
  };
  return {
    async measure(count = tenants) {
      const among = worlds.slice(0, count);
      const before = { node: process.cpuUsage(), servers: [0, 1, 2].map((at) => sessionsMs(at, database)) };
      let sent = 0;
      await Promise.all(
        Array.from({ length: parallel }, async () => {
          while (sent++ < decisions) await decide(among);
        }),
      );
      const node = process.cpuUsage(before.node);
      return {
        nodeMs: (node.user + node.system) / 1000 / decisions,
        serversMs: before.servers.map((ms, at) => (sessionsMs(at, database) - ms) / decisions),
      };
    },
    close: () => server.close(),
  };
}

/** Returns tenants whose rows are on one worker after the other. */
async function tenantsInTurns(server: TestServer, workers: number, count: number): Promise<readonly TestTenant[]> {
  const [first] = server.tenants;
  const chosen: TestTenant[] = [first];
  const ports = workers > 1 ? [(await placementOf(server, first.id)).port] : [];
  while (chosen.length < count) {
    const tenant = await server.createTenant();
    if (workers > 1) {
      const { port } = await placementOf(server, tenant.id);
      if (ports.at(-1) === port) continue;
      ports.push(port);
    }
    chosen.push(tenant);
  }
  return chosen;
}

async function createMeasuredDatabase(workers: number): Promise<TestDatabase> {
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
  return {
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
}
