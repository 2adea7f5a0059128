import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Archive, ArchiveList, RecommendAnswer } from '@arbiter/contract';
import { systemActor, type Tx } from '../../../db/index.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../../main/test-server.ts';
import { createOutboxDispatcher } from '../stream/index.ts';

const dayMs = 86_400_000;
/** Small enough that reports, which cover 90 days, reach archived months. */
const archiveAfterDays = 10;
/** Days until the month of a decision made now has been closed that long. */
export const closedAfterDays = 45;

/** A server that archives into a folder, whose clock runs ahead of the ids it makes. */
export interface ArchiveWorld {
  readonly server: TestServer;
  readonly folder: string;
  readonly offers: readonly string[];
  /** Days that the clock is ahead. */
  ahead(days?: number): void;
  decide(customerId: string, body?: object): Promise<RecommendAnswer>;
  /** Runs a job of the first tenant once, as a worker does. */
  run(job: string, payload?: object, signal?: AbortSignal): Promise<void>;
  /** Publishes events, so that daily figures are counted. */
  publish(): Promise<void>;
  archives(query?: string): Promise<readonly Archive[]>;
  /** Number of rows of a table that the first tenant has. */
  count(table: string): Promise<number>;
  within<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Bytes of all archived files, by path. */
  files(): Promise<ReadonlyMap<string, Buffer>>;
  close(): Promise<void>;
}

export async function startArchiveWorld(options: TestServerOptions = {}): Promise<ArchiveWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-archive-'));
  let aheadMs = 0;
  const clock = { now: () => Date.now() + aheadMs };
  const server = await startTestServer({
    clock,
    ...options,
    config: { ARCHIVE_URL: { folder }, ARCHIVE_AFTER_DAYS: archiveAfterDays, ...options.config },
  });
  const tenantId = server.tenants[0].id;
  const offers = await makeOffers(server);
  const within = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    server.database.withTenant(tenantId, systemActor('test'), work);
  return {
    server,
    folder,
    offers,
    ahead(days = closedAfterDays) {
      aheadMs = days * dayMs;
    },
    async decide(customerId, body = {}) {
      const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
        body: { customerId, channel: 'email', limit: 2, ...body },
      });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    },
    async run(job, payload = {}, signal = new AbortController().signal) {
      const handler = server.jobs.get(job);
      assert.ok(handler, job);
      await handler.run(payload, { jobId: '1', attempt: 1, dueAt: null, signal }, tenantId);
    },
    async publish() {
      const rules = { zoneOf: async () => 'UTC', pause: async () => undefined, stopped: () => false };
      await createOutboxDispatcher(server.database, server.outboxPath, rules).drain();
    },
    async archives(query = '') {
      const { status, body, text } = await server.call<ArchiveList>('GET', `/api/v1/admin/archives${query}`);
      assert.equal(status, 200, text);
      assert.equal(body.total, body.data.length);
      return body.data;
    },
    async count(table) {
      const [row] = await server.testDatabase.ownerQuery<{ n: number }>(
        `select count(*)::int as n from arbiter.${table} where tenant_id = $1`,
        [tenantId],
      );
      return row?.n ?? 0;
    },
    within,
    files: () => filesIn(folder),
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Offers with creatives on a channel that shows at once, and on one that reserves. */
async function makeOffers(server: TestServer): Promise<string[]> {
  const email = await server.create('channels', { name: 'Email', channelType: 'email' });
  const desk = await server.create('channels', { name: 'Desk', channelType: 'phone', impressionMode: 'explicit' });
  const offers: string[] = [];
  for (const name of ['Card', 'Loan', 'Fund']) {
    const offerId = await server.create('offers', { name, status: 'active' });
    offers.push(offerId);
    for (const channelId of [email, desk]) {
      await server.create('creatives', { name: `${name} by ${channelId}`, offerId, channelId, status: 'active' });
    }
  }
  return offers;
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const)),
  );
}
