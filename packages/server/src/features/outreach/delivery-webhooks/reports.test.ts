import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Delivery, WebhookAnswer } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import {
  reachesDestinations,
  startDestination,
  type TestDestination,
} from '../../operations/notifications/test-destination.ts';
import { queueDelivery } from '../deliveries/index.ts';

/** The stored parts of a report: its reason, its time, its size, and when it comes early (docs/design/api-access.md 12.4). */

const key = 'a signing secret of the test';
const deliver = '/api/v1/webhooks/delivery';
let server: TestServer;
let peer: TestDestination;
before(async () => {
  [server, peer] = await Promise.all([
    startTestServer({
      publicUrl: 'https://arbiter.example',
      config: { ...reachesDestinations, WEBHOOK_SIGNING_SECRET: key, WHATSAPP_APP_SECRET: key },
    }),
    startDestination(),
  ]);
});
after(async () => {
  await Promise.all([server?.close(), peer?.close()]);
});

const newDelivery = (channelId: string) =>
  server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
    queueDelivery(tx, {
      ...{ origin: { source: 'journey', journeyId: newId() }, customerId: 'C-1', offerId: newId(), creativeId: null },
      ...{ channelId, recommendationId: null, effectKey: newId() },
    }),
  );

/** A delivery that a provider accepted under this id. */
async function sent(messageId: string): Promise<string> {
  const id = await newDelivery(newId());
  await server.testDatabase.ownerQuery(
    `update arbiter.deliveries set status = 'sent', provider = 'webhook', provider_message_id = $2 where id = $1`,
    [id, messageId],
  );
  return id;
}

const facts = () => ({ jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal });

/** Queues a message through a webhook. Returns a function that runs its job. */
async function queue(path: string) {
  const channelId = await server.create('channels', {
    ...{ name: `Channel ${path}`, channelType: 'webhook', deliveryMode: 'integration' },
    providerConfig: { provider: 'webhook', url: peer.url(path), secret: 'a secret of the test' },
  });
  const deliveryId = await newDelivery(channelId);
  return async () => {
    await server.jobs.get('delivery.send')!.run({ deliveryId }, facts(), server.tenants[0].id);
    return read(deliveryId);
  };
}

const read = async (id: string): Promise<Delivery> =>
  (await server.call<Delivery>('GET', `/api/v1/deliveries/${id}`)).body;

async function post(payload: string, more: Record<string, string> = {}, path = deliver) {
  const signature = `sha256=${createHmac('sha256', key).update(payload).digest('hex')}`;
  const header = path === deliver ? 'x-webhook-signature' : 'x-hub-signature-256';
  const headers = { 'content-type': 'application/json', [header]: signature, ...more };
  const { statusCode, body } = await server.app.inject({ method: 'POST', url: path, payload, headers });
  return { status: statusCode, body: JSON.parse(body) as WebhookAnswer & { code?: string }, text: body };
}

async function counts({ status, body, text }: Awaited<ReturnType<typeof post>>): Promise<number[]> {
  assert.equal(status, 200, text);
  return [body.received, body.applied, body.duplicates, body.ignored];
}
const report = async (value: unknown) => counts(await post(JSON.stringify(value)));
const whatsapp = async (statuses: unknown[]) =>
  counts(
    await post(JSON.stringify({ entry: [{ changes: [{ value: { statuses } }] }] }), {}, '/api/v1/webhooks/whatsapp'),
  );
const form = async (values: Record<string, string>) =>
  counts(await post(new URLSearchParams(values).toString(), { 'content-type': 'application/x-www-form-urlencoded' }));

test('stores our own reason, and nothing that the provider wrote', async () => {
  const [address, number] = ['ada@x.example', '+491701234567'];
  const standard = (reason: string) => ({ event: 'bounced', recipient: address, reason });
  const bounce = { event: 'bounce', email: address, reason: `550 5.1.1 <${address}>: unknown` };
  const ses = (more: object) => ({
    notificationType: 'Bounce',
    bounce: { ...more, bouncedRecipients: [{ emailAddress: address, diagnosticCode: `smtp; 550 <${address}>` }] },
  });
  const twilio = { MessageStatus: 'failed', To: number };
  const failure = (code: unknown) => ({
    ...{ status: 'failed', recipient_id: number },
    errors: [{ code, title: `Not for ${number}`, error_data: { details: number } }],
  });
  const cases: readonly (readonly [string, (id: string) => Promise<number[]>])[] = [
    ['other', (providerMessageId) => report({ ...standard(`550 <${address}> unknown`), providerMessageId })],
    ['mailbox_full', (providerMessageId) => report({ ...standard('Mailbox full'), providerMessageId })],
    ['invalid_address', (sg_message_id) => report([{ ...bounce, status: '5.1.1', sg_message_id }])],
    ['content_rejected', (id) => report([{ ...bounce, bounce_classification: 'Content', sg_message_id: id }])],
    ['blocked', (id) => report([{ ...bounce, type: 'blocked', sg_message_id: id }])],
    ['other', (sg_message_id) => report([{ ...bounce, sg_message_id }])],
    ['suppressed', (id) => report([{ event: 'dropped', reason: 'Bounced Address', sg_message_id: id }])],
    ['other', (id) => report([{ event: 'dropped', reason: address, sg_message_id: id }])],
    ['complaint', (id) => report([{ event: 'spamreport', email: address, sg_message_id: id }])],
    [
      'permanent',
      (id) => report({ ...ses({ bounceType: 'Permanent', bounceSubType: 'General' }), mail: { messageId: id } }),
    ],
    ['mailbox_full', (id) => report({ ...ses({ bounceSubType: 'MailboxFull' }), mail: { messageId: id } })],
    ['other', (id) => report({ ...ses({ bounceType: address }), mail: { messageId: id } })],
    ['unreachable', (MessageSid) => form({ ...twilio, ErrorCode: '30003', MessageSid })],
    ['other', (MessageSid) => form({ ...twilio, ErrorCode: `30003 ${number}`, MessageSid })],
    ['limit_exceeded', (id) => whatsapp([{ ...failure(131056), id }])],
    ['other', (id) => whatsapp([{ ...failure(number), id }])],
  ];
  for (const [at, [expected, call]] of cases.entries()) {
    const messageId = `reason-${at}`;
    const id = await sent(messageId);
    assert.deepEqual(await call(messageId), [1, 1, 0, 0], messageId);
    assert.equal((await read(id)).events[0]?.reason, expected, messageId);
  }
  const stored = await server.testDatabase.ownerQuery(
    `select to_jsonb(e) as event, (select jsonb_agg(to_jsonb(o)) from arbiter.outbox o) as outbox from arbiter.delivery_events e`,
  );
  assert.doesNotMatch(JSON.stringify([stored, server.log]), /ada@|4917012/);
});

test('ignores an event with an unreadable time, and dates one without a time by its arrival', async () => {
  const id = await sent('t-1');
  const at = (timestamp: unknown, event = 'opened') => ({ providerMessageId: 't-1', event, timestamp });
  const wrong = ['yesterday', '', '2026-11-20', '2026-11-20T10:00:00', '2026-02-30T10:00:00Z', 1_795_000_000, {}, true];
  const odd = ['1969-12-31T23:59:59Z', '2026-11-20T25:00:00Z'];
  const items = [...wrong, ...odd].map((timestamp) => at(timestamp));
  assert.deepEqual(await report([...items, at('2026-11-20T10:00:00+01:00', 'delivered')]), [11, 1, 0, 10]);
  assert.deepEqual(await report([at(undefined), at(null, 'clicked')]), [2, 2, 0, 0]);
  const { events } = await read(id);
  assert.equal(events[0]?.timestamp, '2026-11-20T09:00:00.000Z');
  assert.equal(events[1]?.timestamp, events[1]?.receivedAt);
  assert.deepEqual(await report([{ event: 'bounce', sg_message_id: 't-1', timestamp: 'soon' }]), [1, 0, 0, 1]);
  const mail = { messageId: 't-1', timestamp: '2026-11-20T09:00:00Z' };
  const bounce = { bounceType: 'Permanent', timestamp: 'soon' };
  assert.deepEqual(await report({ notificationType: 'Bounce', mail, bounce }), [1, 0, 0, 1]);
  assert.deepEqual(await whatsapp([{ id: 't-1', status: 'failed', timestamp: 'soon' }]), [1, 0, 0, 1]);
  assert.equal((await read(id)).status, 'clicked');
});

test('limits the events of a body, and stores a large one in slices', async () => {
  const id = await sent('bulk');
  const open = (at: number) => ({ event: 'open', sg_message_id: 'bulk', sg_event_id: `e-${at}` });
  const many = (count: number) => Array.from({ length: count }, (_, at) => open(at));
  assert.deepEqual(await report(many(1_200)), [1_200, 1_200, 0, 0]);
  const [slices] = await server.testDatabase.ownerQuery<{ count: number }>(
    'select count(distinct xmin::text)::int as count from arbiter.delivery_events where delivery_id = $1',
    [id],
  );
  assert.equal(slices?.count, 3);
  const refused = await post(JSON.stringify(many(5_001)));
  assert.deepEqual([refused.status, refused.body.code], [400, 'validation_failed']);
  assert.match(refused.text, /at most 5,000 events/);
  const statuses = [...Array.from({ length: 4_999 }, () => 0), { id: 'bulk', status: 'delivered' }];
  assert.deepEqual(await whatsapp([...statuses, { id: 'bulk', status: 'failed' }]), [5_001, 1, 0, 5_000]);
});

const held = () =>
  server.testDatabase.ownerQuery<{ id: string }>(
    'select message_id as id from arbiter.early_delivery_events order by message_id',
  );

test('applies what a provider reports before it answers the send, once', async () => {
  const event = { providerMessageId: 'early-1', event: 'opened', timestamp: '2026-11-20T10:00:00Z', eventId: 'e' };
  let answers: number[][] = [];
  peer.on('/early', async (response) => {
    answers = [await report([event, { ...event, event: 'delivered', eventId: 'f' }]), await report(event)];
    response.end(JSON.stringify({ messageId: 'early-1' }));
  });
  const { status, providerMessageId, events } = await (await queue('/early'))();
  assert.deepEqual([status, providerMessageId], ['opened', 'early-1']);
  assert.deepEqual(events.map(({ event: name, eventId }) => [name, eventId]).sort(), [
    ['delivered', 'f'],
    ['opened', 'e'],
  ]);
  assert.equal(events.find(({ eventId }) => eventId === 'e')?.timestamp, '2026-11-20T10:00:00.000Z');
  assert.deepEqual(
    answers.map(([, , , ignored]) => ignored),
    [2, 1],
  );
  assert.deepEqual(await report(event), [1, 0, 1, 0]);
  assert.deepEqual(await held(), []);
});

test('applies it when the job is repeated because its process ended after the send', async () => {
  peer.on('/ended', (response) => void response.end(JSON.stringify({ messageId: 'early-2' })));
  const send = await queue('/ended');
  assert.equal((await send()).status, 'sent');
  await server.testDatabase.ownerQuery(
    `insert into arbiter.early_delivery_events (message_id, dedupe_key, event, occurred_at, received_at)
     values ('early-2', 'event clicked', 'clicked', now(), now())`,
  );
  assert.equal((await send()).status, 'clicked');
});

test('forgets events of unknown messages after an hour', async () => {
  await report(['nobody-1', 'nobody-2'].map((providerMessageId) => ({ providerMessageId, event: 'opened' })));
  await server.testDatabase.ownerQuery(
    `update arbiter.early_delivery_events set received_at = now() - interval '61 minutes' where message_id = 'nobody-1'`,
  );
  await server.jobs.get('deliveries.expire-early')!.run({}, facts(), null);
  assert.deepEqual(await held(), [{ id: 'nobody-2' }]);
});

test('Twilio signs an early callback with the token of the channel that its URL names', async () => {
  const channelId = await server.create('channels', {
    ...{ name: 'Text messages', channelType: 'sms', deliveryMode: 'integration' },
    providerConfig: { provider: 'twilio', accountSid: 'AC1', authToken: 'the token', from: '+491700000' },
  });
  const call = async (path: string, token = 'the token') => {
    const text = `https://arbiter.example${path}MessageSidSM-earlyMessageStatusdelivered`;
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': createHmac('sha1', token).update(text).digest('base64'),
    };
    const payload = 'MessageSid=SM-early&MessageStatus=delivered';
    return (await server.app.inject({ method: 'POST', url: path, payload, headers })).statusCode;
  };
  const tenantId = server.tenants[0].id;
  const own = `${deliver}?channel=${tenantId}.${channelId}`;
  assert.equal(await call(own, 'another token'), 401);
  for (const named of [`${newId()}.${channelId}`, `${tenantId}.${newId()}`, 'x.y', '', channelId]) {
    assert.equal(await call(`${deliver}?channel=${named}`), 401, named);
  }
  assert.equal(await call(deliver), 401);
  assert.equal(await call(own), 200);
  assert.ok((await held()).some(({ id }) => id === 'SM-early'));
});
