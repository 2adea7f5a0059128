import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts';
import { createArchive } from '../features/deciding/archived-months/index.ts';
import { createCustomerKeys, createKeyedHash } from '../features/deciding/customer-states/index.ts';
import { mailQueue } from '../features/identity/mail/index.ts';
import { mailForNobody } from '../features/identity/mail/test-mailbox.ts';
import { createLinks } from '../features/identity/sessions/index.ts';
import { templateWriter } from '../features/operations/narration/index.ts';
import { createNotifier } from '../features/operations/notifications/index.ts';
import { newId } from '../platform/ids.ts';
import { createPrivateFolder } from '../platform/private-folder.ts';
import { systemClock } from '../platform/time/clock.ts';
import { jobRegistry } from './jobs.ts';

/** These jobs don't call any destination. */
const notifier = createNotifier({
  ...mailForNobody,
  clock: systemClock,
  outbound: { call: () => Promise.reject(new Error('no call goes out')) },
});

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

test('stream.expire deletes published rows older than 7 days, of its tenant only', async () => {
  const [tenant, other] = [newId(), newId()];
  for (const id of [tenant, other]) {
    await db.ownerQuery(`insert into arbiter.tenants (id, name) values ($1, 'T')`, [id]);
    await db.ownerQuery(
      `insert into arbiter.outbox (tenant_id, events, created_at, position)
       select $1, '[]', now() - make_interval(days => age), position
         from (select 8 as age, n as position from generate_series(1, 4500) n
               union all values (6, 4501), (0, 4502), (30, null::int)) rows`,
      [id],
    );
  }
  await run('stream.expire', tenant);
  const left = async (id: string) =>
    (
      await db.ownerQuery<{ position: number }>(
        'select position from arbiter.outbox where tenant_id = $1 order by position',
        [id],
      )
    ).map((row) => row.position);
  assert.deepEqual(await left(tenant), [4501, 4502, null]);
  assert.equal((await left(other)).length, 4503);
  await assert.rejects(run('stream.expire', null), /one tenant/);
});

test('the partition jobs create missing months ahead', async () => {
  const partitions = async () =>
    Number(
      (
        await db.ownerQuery<{ n: number }>(
          `select count(*) as n from pg_inherits where inhparent in ('arbiter.decisions'::regclass, 'arbiter.interactions'::regclass, 'arbiter.decision_impressions'::regclass)`,
        )
      )[0]!.n,
    );
  const before = await partitions();
  for (const table of ['arbiter.decisions', 'arbiter.interactions', 'arbiter.decision_impressions']) {
    const [last] = await db.ownerQuery<{ name: string }>(
      'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1 desc limit 1',
      [table],
    );
    await db.ownerQuery(`drop table ${last!.name}`);
  }
  await run('interactions.partition', null);
  await run('sealed-records.partition', null);
  assert.equal(await partitions(), before);
});

async function run(name: string, tenantId: string | null): Promise<void> {
  const given = {
    approvalMaxAgeHours: 168,
    customerHash: createKeyedHash([], 'customer'),
    customerKeys: createCustomerKeys([]),
    decideForGeofence: () => assert.fail('no decisions here'),
    chunkDesk: { runChunk: () => assert.fail('no decisions here'), maxOpen: 1, hasCalls: () => false },
    decideForTrigger: () => assert.fail('no decisions here'),
    eventListeners: { listensTo: async () => new Set<never>(), react: () => assert.fail('no events here') },
    decideForJourney: () => assert.fail('no decisions here'),
    database: db.database,
    deliverySender: { send: () => assert.fail('no messages here'), waitSeconds: () => 0 },
    enqueueMail: mailQueue(null),
    envelope: null,
    exportBucket: null,
    exportFolder: createPrivateFolder(join(tmpdir(), 'no exports here')),
    links: createLinks('a secret of these tests, 32 characters'),
    logger: mailForNobody.logger,
    mail: mailForNobody,
    narrativeWriter: templateWriter,
    notifier,
    onDelivery: () => undefined,
    openBreakers: () => 0,
    openReader: () => Promise.reject(new Error('no sources here')),
    pipelineHash: createKeyedHash([], 'pipelineValue'),
    publicUrl: mailForNobody.publicUrl,
    reapOutbox: () => Promise.reject(new Error('no outbox here')),
    renderReport: () => Promise.reject(new Error('no reports here')),
    signUp: { isOpen: false, makesPlaygrounds: false, onTenantCreated: [] },
    trials: () => assert.fail('no decisions here'),
    measureModel: () => assert.fail('no promotions here'),
    trainInThread: () => assert.fail('no trainings here'),
    onTrained: () => undefined,
    onStudyEnded: () => undefined,
    onContradiction: () => undefined,
    studyThreads: { count: 1, claim: () => null, start: () => assert.fail('no studies here') },
    archive: createArchive(null),
    archiveAfterDays: 90,
    onArchived: () => undefined,
  };
  const handler = jobRegistry(given).get(name);
  await handler!.run({}, { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal }, tenantId);
}
