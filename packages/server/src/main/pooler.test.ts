import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ConfigError, readConfig } from '../config.ts';
import { createDatabase, createHotPath, systemActor } from '../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts';
import { poolerMissing, startTestPooler, type TestPooler } from '../db/test-pooler.ts';
import { newId } from '../platform/ids.ts';
import { createLogger } from '../platform/logger.ts';
import { startServer } from './start.ts';
import { startTestServer, type TestServer } from './test-server.ts';

const missing = poolerMissing();
const logger = createLogger('silent');

describe('starting behind a pooler in transaction mode', { skip: missing ?? false }, () => {
  let folder: string;
  let db: TestDatabase;
  let other: TestDatabase;
  let pooler: TestPooler;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'arbiter-pooler-start-'));
    db = await createTestDatabase();
    other = await createTestDatabase();
    pooler = await startTestPooler({ clusterUrl: db.adminUrl, mode: 'transaction', sessions: 5 });
  });
  after(async () => {
    await pooler?.stop();
    await db?.close();
    await other?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (environment: Record<string, string>) =>
    startServer(readConfig({ PORT: '0', DATA_DIR: join(folder, 'data'), AUTO_SECRETS: 'on', ...environment }), {
      logger,
      print: () => undefined,
    });
  const refused = (pattern: RegExp) => (error: unknown) => error instanceof ConfigError && pattern.test(error.message);

  test('is rejected with the reason if no URL bypasses it', async () => {
    await assert.rejects(
      start({ DATABASE_URL: pooler.urlOf(db.url) }),
      refused(/^DATABASE_DIRECT_URL must be set.*pooler in transaction mode \(it rejects session settings\)/),
    );
  });

  test('is rejected if the other URL also uses it, or another database', async () => {
    const DATABASE_URL = pooler.urlOf(db.url);
    await assert.rejects(
      start({ DATABASE_URL, DATABASE_DIRECT_URL: DATABASE_URL }),
      refused(/^DATABASE_DIRECT_URL must point to the database itself/),
    );
    await assert.rejects(
      start({ DATABASE_URL: db.url, DATABASE_ADMIN_URL: pooler.urlOf(db.adminUrl) }),
      refused(/^DATABASE_ADMIN_URL must point to the database itself/),
    );
    await assert.rejects(
      start({ DATABASE_URL, DATABASE_DIRECT_URL: other.url }),
      refused(/^DATABASE_URL and DATABASE_DIRECT_URL must point to the same database/),
    );
  });

  test('works with both: creates the demo, answers its call, and stops cleanly', async () => {
    const server = await start({ DATABASE_URL: pooler.urlOf(db.url), DATABASE_DIRECT_URL: db.url, SCHEDULER: 'on' });
    const ready = await fetch(`${server.url}/api/v1/ready`);
    assert.equal(ready.status, 200, await ready.text());
    await server.stop();
    assert.deepEqual(await db.ownerQuery('select name from arbiter.tenants'), [{ name: 'Demo' }]);
  });
});

describe('behind a pooler in transaction mode', { skip: missing ?? false }, () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ tenants: 2, poolerSessions: 3 });
  });
  after(() => server?.close());

  async function create(path: string, body: object): Promise<string> {
    const made = await server.call<{ id: string }>('POST', `/api/v1/${path}`, { body });
    assert.equal(made.status, 201, `${path}: ${made.text}`);
    return made.body.id;
  }
  const decide = (customerId: string) =>
    server.call('POST', '/api/v1/recommend', { body: { customerId, channel: 'email', limit: 1 } });

  test('caps are exact for parallel decisions, and every decision is recorded and replays', async () => {
    const channelId = await create('channels', { name: 'Email', channelType: 'email' });
    for (let n = 0; n < 6; n++) {
      const offerId = await create('offers', { name: `Offer ${n}`, status: 'active', priority: 90 - n });
      await create('creatives', { name: `mail ${n}`, offerId, channelId, status: 'active' });
    }
    const cap = { ruleType: 'frequency_cap', scope: 'global', config: { windows: [{ max: 3, days: 7 }] } };
    await create('contact-policies', { name: 'Three a week', ...cap });
    const answers = await Promise.all(Array.from({ length: 40 }, () => decide('P-1')));
    for (const { status, text } of answers) assert.equal(status, 200, text);
    const shown = answers.filter(({ body }) => body.count === 1);
    assert.equal(shown.length, 3);
    for (const { body } of shown) {
      const replayed = await server.call('POST', `/api/v1/decisions/${String(body.recommendationId)}/replay`);
      assert.equal(replayed.body.identical, true, replayed.text);
    }
    // Many customers at once: more than the pooler has sessions.
    const many = await Promise.all(Array.from({ length: 60 }, (_, n) => decide(`P-many-${n % 20}`)));
    for (const { status, text } of many) assert.equal(status, 200, text);
  });

  test('announces a catalogue change past it: the next decision obeys', async () => {
    assert.equal((await decide('P-fresh')).body.count, 1);
    const never = { ruleType: 'frequency_cap', scope: 'global', config: { windows: [{ max: 1, days: 7 }] } };
    await create('contact-policies', { name: 'One a week', ...never });
    assert.equal((await decide('P-fresh')).body.count, 0);
  });

  test('settings of a hot transaction stay in it, and no statement has a name', async () => {
    const sessions = 2;
    const pooler = await startTestPooler({ clusterUrl: server.testDatabase.adminUrl, mode: 'transaction', sessions });
    const url = pooler.urlOf(server.testDatabase.url);
    const hot = createHotPath({ url, pooled: true, connections: 6 });
    const beside = createDatabase({ url });
    try {
      const read = `select current_setting('app.tenant') as tenant, current_setting('search_path') as path,
        current_setting('enable_seqscan') as seqscan, pg_backend_pid() as pid`;
      const tenants = Array.from({ length: 30 }, () => newId());
      const seen = await Promise.all(
        tenants.map((tenantId) =>
          hot.run(tenantId, async (tx) => {
            const [first] = await tx.send([{ name: 'pooler.read', text: read, values: [] }]);
            const [second] = await tx.send([{ name: 'pooler.read', text: read, values: [] }]);
            if (tenantId > tenants[15]!) await tx.commit([]);
            return [first![0]!, second![0]!] as const;
          }),
        ),
      );
      for (const [i, both] of seen.entries()) {
        for (const one of both) {
          assert.deepEqual([one.tenant, one.path, one.seqscan], [tenants[i], 'arbiter,pg_temp', 'off']);
        }
        assert.equal(both[0].pid, both[1].pid, 'a transaction stays in its session');
      }
      assert.ok(new Set(seen.map(([{ pid }]) => pid)).size <= sessions);
      // Any session of the pooler, outside of a tenant's transaction.
      for (let n = 0; n < 10; n++) {
        const [row] = await beside.withSystem('test', (tx) =>
          tx.query<{ tenant: string | null; seqscan: string; prepared: number }>(
            `select current_setting('app.tenant', true) as tenant, current_setting('enable_seqscan') as seqscan,
               (select count(*)::int from pg_prepared_statements) as prepared`,
          ),
        );
        assert.deepEqual([row!.tenant, row!.seqscan, row!.prepared], ['', 'on', 0]);
      }
    } finally {
      await hot.close();
      await beside.close();
      await pooler.stop();
    }
  });

  test('roles end with their transaction', async () => {
    const [tenant] = server.tenants;
    const roleIn = (run: typeof server.database.withSystem) =>
      run('test', (tx) => tx.query<{ role: string }>('select current_user as role'));
    for (let n = 0; n < 5; n++) {
      assert.deepEqual(await roleIn(server.database.withSystem), [{ role: 'arbiter_system' }]);
      const rows = await server.database.withTenant(tenant.id, systemActor('test'), (tx) =>
        tx.query<{ role: string }>('select current_user as role'),
      );
      assert.deepEqual(rows, [{ role: 'arbiter_test_app' }]);
    }
  });
});
