import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { createJobRegistry, createWorker, handleJob } from '../../../jobs/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { createEnvelope } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import { createOutbound } from '../../../platform/outbound/outbound.ts';
import { type DeliveryResult, deliver } from './deliver.service.ts';
import { createNotifier, enqueueDelivery, type NewDelivery } from './index.ts';
import { deliverJob } from './notifications.jobs.ts';
import { reachesDestinations, says, startDestination, type TestDestination } from './test-destination.ts';

/** Messages in the background (docs/design/api-access.md 9; docs/design/quality.md T28, R9). */

let server: TestServer;
let peer: TestDestination;
const outbound = createOutbound({ allowHttp: true, allowNetworks: ['127.0.0.0/8'] });
before(async () => {
  [server, peer] = await Promise.all([
    startTestServer({ tenants: 2, config: reachesDestinations }),
    startDestination(),
  ]);
});
after(async () => {
  await Promise.all([server?.close(), peer?.close(), outbound.close()]);
});

const told: DeliveryResult[] = [];
/** Epoch ms. */
let now = Date.now();
const notifier = () =>
  createNotifier({
    outbound,
    clock: { now: () => now },
    transport: { about: '', send: () => Promise.reject(new Error('no mail here')) },
    sender: { name: '', address: 'a@b.example' },
  });
const deps = (own = notifier()) => ({
  database: server.database,
  envelope: createEnvelope(Buffer.alloc(32, 7).toString('base64')),
  notifier: own,
  filesOf: async () => [],
  tellDelivery: async (_tx: unknown, result: DeliveryResult) => void told.push(result),
});

let counter = 0;
async function provider(path: string): Promise<string> {
  const { body } = await server.call<{ id: string }>('POST', '/api/v1/notifications/providers', {
    body: {
      kind: 'webhook',
      name: `Destination ${++counter}`,
      config: { url: peer.url(path), secret: 'a secret of the test' },
    },
  });
  return body.id;
}
async function waiting(to: NewDelivery['to']): Promise<string> {
  const tenantId = server.tenants[0].id;
  const originId = newId();
  await server.database.withTenant(tenantId, systemActor('test'), (tx) =>
    enqueueDelivery(tx, {
      to,
      type: 'alert',
      originId,
      channel: 0,
      message: {
        severity: 'warning',
        title: 'T',
        message: 'M',
        fields: [],
        sourceUrl: null,
        sentAt: tx.now.toISOString(),
      },
    }),
  );
  const [row] = await server.testDatabase.ownerQuery<{ id: string }>(
    'select id from arbiter.notification_deliveries where origin_id = $1',
    [originId],
  );
  return row!.id;
}
const remains = async (id: string) =>
  (await server.testDatabase.ownerQuery('select from arbiter.notification_deliveries where id = $1', [id])).length ===
  1;
const tryOnce = (id: string, own = notifier()) => deliver(deps(own), server.tenants[0].id, id);

test('delivers a message once, under its own ID; a second attempt does nothing', async () => {
  const id = await waiting(await provider('/taken'));
  await tryOnce(id);
  await tryOnce(id);
  const [got, ...more] = peer.got('/taken');
  assert.deepEqual([got?.headers['webhook-id'], more.length, await remains(id)], [id, 0, false]);
  assert.deepEqual(told.at(-1), { ...told.at(-1), ok: true, error: null, providerMessageId: id, channel: 0 });
  assert.ok(got?.headers['x-service-signature'] !== undefined);
});

test('reports a failure, and retries through the queue, no sooner than the receiver wants', async () => {
  peer.on('/busy', says(429, { 'retry-after': '120' }));
  const id = await waiting(await provider('/busy'));
  await assert.rejects(tryOnce(id), {
    name: 'DeliveryError',
    message: 'not delivered: responded with 429; retry after 120 s',
  });
  assert.equal(await remains(id), true);
  assert.deepEqual([told.at(-1)?.ok, told.at(-1)?.error], [false, 'responded with 429']);
  peer.on('/busy', says(204));
  now += 3_600_000;
  await tryOnce(id);
  assert.deepEqual([await remains(id), told.at(-1)?.ok], [false, true]);
  assert.deepEqual(
    peer.got('/busy').map(({ headers }) => headers['webhook-id']),
    [id, id],
    'the same message under the same id',
  );
  // Receivers refuse what was signed long ago.
  const [first, second] = peer.got('/busy').map(({ headers }) => Number(headers['webhook-timestamp']));
  assert.equal(second! - first!, 3600);
  const { headers, text } = peer.got('/busy')[1]!;
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  const signature = createHmac('sha256', 'a secret of the test').update(signed).digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${signature}`);
});

test("an email beyond the limit per minute waits, which isn't an attempt", async () => {
  let wait: number | null = 7;
  const sent: string[] = [];
  const counted: unknown[] = [];
  const mailer = createNotifier({
    outbound,
    clock: { now: () => now },
    transport: {
      about: '',
      send: async ({ to }) => {
        sent.push(to);
        return {};
      },
    },
    sender: { name: '', address: 'a@b.example' },
    countMails: async (...asked) => {
      counted.push(asked);
      return wait;
    },
  });
  const id = await waiting({ type: 'email', target: 'ops@example.com' });
  const before = told.length;
  await assert.rejects(tryOnce(id, mailer), { name: 'Postponed', message: 'postponed; again after 7 s' });
  assert.deepEqual([await remains(id), sent.length, told.length], [true, 0, before]);
  wait = null;
  await tryOnce(id, mailer);
  assert.deepEqual([await remains(id), sent, told.at(-1)?.ok], [false, ['ops@example.com'], true]);
  assert.deepEqual(counted, Array(2).fill([server.tenants[0].id, 1]));
});

test('the queue waits as long as requested, up to an hour', async () => {
  for (const [error, least, most] of [
    ['DeliveryError: not delivered: answered 503', 4, 6],
    ['DeliveryError: not delivered: responded with 429; retry after 120 s', 120, 120],
    ['DeliveryError: not delivered: responded with 429; retry after 999999 s', 3600, 3600],
  ] as const) {
    const [job] = await server.testDatabase.ownerQuery<{ id: string }>(
      `with made as (
         insert into graphile_worker._private_jobs (task_id, payload, locked_at, locked_by, attempts, max_attempts)
         select id, '{}', now(), 'a worker', 1, 6 from graphile_worker._private_tasks limit 1 returning id)
       select id from made`,
    );
    const { id } = job!;
    const [after] = await server.testDatabase.ownerQuery<{ seconds: number }>(
      `update graphile_worker._private_jobs set locked_at = null, locked_by = null, last_error = $2,
         run_at = now() + interval '1 second' where id = $1
       returning extract(epoch from run_at - now())::float8 as seconds`,
      [id, error],
    );
    assert.ok(after!.seconds >= least - 0.01 && after!.seconds <= most + 0.01, `${error}: ${after!.seconds}`);
    await server.testDatabase.ownerQuery('delete from graphile_worker._private_jobs where id = $1', [id]);
  }
});

test("doesn't retry a destination that is deleted, disabled or responds 410", async () => {
  const off = await provider('/off');
  await server.call('PATCH', `/api/v1/notifications/providers/${off}`, { body: { enabled: false } });
  peer.on('/gone', says(410));
  const gone = await provider('/gone');
  for (const [to, error] of [
    [newId(), 'destination_deleted'],
    [off, 'disabled'],
    [gone, 'responded with 410'],
  ] as const) {
    const id = await waiting(to);
    await tryOnce(id);
    assert.deepEqual([await remains(id), told.at(-1)?.error], [false, error]);
  }
  const { body } = await server.call<{ enabled: boolean }>('GET', `/api/v1/notifications/providers/${gone}`);
  assert.equal(body.enabled, false);
});

test("a rule's own address is unsigned, and follows the rules of outbound calls", async () => {
  const id = await waiting({ type: 'webhook', target: peer.url('/inline') });
  await tryOnce(id);
  assert.equal(peer.got('/inline')[0]?.headers['x-service-signature'], undefined);
  const metadata = await waiting({ type: 'webhook', target: 'http://169.254.169.254/latest' });
  await assert.rejects(tryOnce(metadata), /forbidden_address/);
});

test('sends two messages at a time to a slow destination; the others wait without blocking a worker', async () => {
  const open: (() => void)[] = [];
  peer.on('/slow', (response) => void open.push(() => response.end('ok')));
  const to = await provider('/slow');
  const own = notifier();
  const [first, second, third] = [await waiting(to), await waiting(to), await waiting(to)];
  const under = [tryOnce(first, own), tryOnce(second, own)];
  while (open.length < 2) await new Promise((resolve) => setImmediate(resolve));
  // Doesn't count as an attempt, and isn't reported.
  const before = told.length;
  await assert.rejects(tryOnce(third, own), { name: 'Postponed', message: 'postponed; again after 2 s' });
  assert.deepEqual([told.length, await remains(third)], [before, true]);
  for (const answer of open) answer();
  await Promise.all(under);
  peer.on('/slow', says(200));
  await tryOnce(third, own);
  assert.equal(await remains(third), false);
});

test("a tenant with many messages doesn't delay the few of others", async () => {
  const [many, few] = [server.tenants[0].id, server.tenants[1]!.id];
  const to = { type: 'webhook', target: peer.url('/many') } as const;
  const send = (tenantId: string, count: number) =>
    server.database.withTenant(tenantId, systemActor('test'), async (tx) => {
      const message = { severity: 'warning', title: 'T', message: 'M', fields: [], sourceUrl: null } as const;
      for (let at = 0; at < count; at++) {
        const sent = { ...message, sentAt: tx.now.toISOString() };
        await enqueueDelivery(tx, { to, type: 'alert', originId: newId(), channel: 0, message: sent });
      }
    });
  await server.testDatabase.ownerQuery(`delete from graphile_worker._private_jobs`);
  await server.testDatabase.ownerQuery(`delete from arbiter.notification_deliveries`);
  await send(many, 300);
  await send(few, 2);
  await send(many, 5);
  const taken: string[] = [];
  const worker = await createWorker({
    url: server.testDatabase.url,
    registry: createJobRegistry([handleJob(deliverJob, async (_, { tenantId }) => void taken.push(tenantId))]),
    concurrency: 1,
    graceMs: 5_000,
    onError: assert.ifError,
  });
  while (taken.length < 307) await new Promise((resolve) => setTimeout(resolve, 10));
  await worker.stop();
  assert.deepEqual(
    taken.flatMap((tenantId, place) => (tenantId === few ? [place] : [])),
    [10, 11],
  );
});
