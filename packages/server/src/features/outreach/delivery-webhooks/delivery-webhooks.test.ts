import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, sign as signWith } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Delivery, ReportsAnswer } from '@arbiter/contract';
import { sized } from '../../../../../../test/form.ts';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { queueDeliveries } from '../deliveries/index.ts';

/** Calls of providers: signatures, duplicates, order, isolation (docs/design/quality.md T15). */

const signingSecret = 'a signing secret of the relay';
const appSecret = 'an app secret';
const verifyToken = 'a verify token of the app';
const sendgrid: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', {
  namedCurve: 'prime256v1',
});

let server: TestServer;
before(async () => {
  server = await startTestServer({
    tenants: 2,
    config: {
      WEBHOOK_SIGNING_SECRET: signingSecret,
      WHATSAPP_APP_SECRET: appSecret,
      WHATSAPP_WEBHOOK_VERIFY_TOKEN: verifyToken,
      SENDGRID_WEBHOOK_PUBLIC_KEY: sendgrid.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    },
  });
});
after(() => server?.close());

/** Stores deliveries that a provider accepted under these ids. Returns their ids. */
async function sent(messageIds: readonly string[], { tenant = 0, channelId = newId() } = {}): Promise<string[]> {
  const tenantId = server.tenants[tenant]!.id;
  const ids = await server.database.withTenant(tenantId, systemActor('test'), (tx) =>
    queueDeliveries(
      tx,
      messageIds.map((effectKey) => ({
        ...{ origin: { source: 'journey', journeyId: newId() }, customerId: 'C-1', offerId: newId() },
        ...{ creativeId: null, channelId, recommendationId: null, effectKey: `${channelId} ${effectKey}` },
      })),
    ),
  );
  await server.testDatabase.ownerQuery(
    `update arbiter.deliveries d set status = 'sent', provider = 'webhook', provider_message_id = m.message
       from unnest($1::uuid[], $2::text[]) as m (id, message) where d.id = m.id`,
    [ids, messageIds],
  );
  return ids;
}

const hmac = (key: string, body: string) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;

async function post(body: string, headers: Record<string, string | string[]>, path = 'delivery') {
  const { statusCode, body: text } = await server.app.inject({
    method: 'POST',
    url: `/api/v1/webhooks/${path}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: body,
  });
  return { status: statusCode, text, counts: () => JSON.parse(text) as ReportsAnswer };
}

async function report(value: unknown, more: Record<string, string> = {}): Promise<ReportsAnswer> {
  const body = JSON.stringify(value);
  const answer = await post(body, { 'x-webhook-signature': hmac(signingSecret, body), ...more });
  assert.equal(answer.status, 200, answer.text);
  const { received, applied, duplicates, ignored } = answer.counts();
  assert.equal(received, applied + duplicates + ignored);
  return answer.counts();
}

const read = async (id: string | undefined) => (await server.call<Delivery>('GET', `/api/v1/deliveries/${id}`)).body;

test('accepts exactly the signature over the bytes', async () => {
  await sent(['signed']);
  const body = '{"providerMessageId":"signed",  "event":"delivered"}';
  const right = hmac(signingSecret, body);
  const wrong: (string | string[] | undefined)[] = [
    ...[undefined, '', 'sha256=', right.toUpperCase(), `sha256=${right.slice(7).toUpperCase()}`, right.slice(7)],
    ...[right.slice(0, -1), `${right}0`, `sha256=${'z'.repeat(64)}`, [right, right], hmac('', body)],
    hmac(signingSecret, JSON.stringify(JSON.parse(body))),
  ];
  for (const signature of wrong) {
    const answer = await post(body, signature === undefined ? {} : { 'x-webhook-signature': signature });
    assert.deepEqual([answer.status, JSON.parse(answer.text).code], [401, 'bad_signature'], String(signature));
  }
  assert.equal((await post(`${body}\r\n`, { 'x-webhook-signature': right })).status, 401);
  assert.equal((await post(body, { 'x-webhook-signature': right, 'content-type': 'text/html' })).status, 415);
  assert.equal((await post(body, { 'content-type': 'text/html' })).status, 401);
  const large = ' '.repeat(1024 * 1024 + 1);
  assert.equal((await post(large, { 'x-webhook-signature': hmac(signingSecret, large) })).status, 413);
  assert.equal((await post(body, { 'x-webhook-signature': right })).counts().applied, 1);
  for (const unknown of ['{}', '[]', '5', '{']) {
    assert.equal((await post(unknown, { 'x-webhook-signature': hmac(signingSecret, unknown) })).status, 400, unknown);
  }
});

test('counts one bad item among 500, a second time and an unknown message', async () => {
  const ids = Array.from({ length: 500 }, (_, index) => `many-${index}`);
  await sent(ids.slice(0, 499));
  const events = ids.map((providerMessageId, index) => ({
    ...{ providerMessageId, event: index === 250 ? 'unknown' : 'delivered' },
  }));
  assert.deepEqual(await report(events), { received: 500, applied: 498, duplicates: 0, ignored: 2 });
  assert.deepEqual(await report(events), { received: 500, applied: 0, duplicates: 498, ignored: 2 });
});

test('any order of one set with duplicates leads to one state, published step by step', async () => {
  const words = ['delivered', 'opened', 'clicked', 'failed', 'bounced', 'opened', 'clicked'];
  // Each message has an order of its own: about ten events with their duplicates.
  const orders = sized('DELIVERY_ORDERS', { short: 200, long: 10_000 });
  const names = Array.from({ length: orders }, (_, index) => `order-${index}`);
  const ids = await sent(names);
  // Each message has its own last event, so that all statuses are tested.
  const setOf = (index: number) =>
    words.slice(0, 1 + (index % words.length)).map((event, number) => ({
      providerMessageId: names[index],
      ...{ event, timestamp: `2026-05-01T10:00:0${number}Z`, eventId: `${names[index]} ${event}` },
    }));
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed;
  };
  const all = names.flatMap((_, index) => [...setOf(index), ...setOf(index)]);
  const shuffled = all.map((event) => ({ event, at: random() })).sort((a, b) => a.at - b.at);
  let [applied, duplicates] = [0, 0];
  for (let from = 0; from < shuffled.length; from += 190) {
    const counts = await report(shuffled.slice(from, from + 190).map(({ event }) => event));
    applied += counts.applied;
    duplicates += counts.duplicates;
  }
  const distinct = names.flatMap((_, index) => [...new Set(setOf(index).map(({ event }) => event))]);
  assert.deepEqual([applied, applied + duplicates], [distinct.length, all.length]);
  const order = ['sent', 'delivered', 'opened', 'clicked', 'failed', 'bounced'];
  const rows = await server.testDatabase.ownerQuery<{ status: string; events: string[] }>(
    `select status, array(select event from arbiter.delivery_events e where e.delivery_id = d.id) as events
       from arbiter.deliveries d where id = any($1::uuid[]) order by array_position($1::uuid[], id)`,
    [ids],
  );
  for (const [index, { status, events }] of rows.entries()) {
    const expected = [...new Set(setOf(index).map(({ event }) => event))];
    assert.equal(
      status,
      order.findLast((word) => expected.includes(word)),
      names[index],
    );
    assert.deepEqual(events.sort(), expected.sort());
  }
  assert.equal(rows.length, orders);
  const updates = await server.testDatabase.ownerQuery<{ old: string; new: string }>(
    `select event -> 'payload' ->> 'oldStatus' as old, event -> 'payload' ->> 'newStatus' as new
       from arbiter.outbox, jsonb_array_elements(events::jsonb) as event
      where event ->> 'type' = 'delivery.updated.v1' and event -> 'payload' ->> 'deliveryId' = any($1::text[])`,
    [ids],
  );
  assert.ok(updates.length >= ids.length);
  for (const { old, new: now } of updates) assert.ok(order.indexOf(now) > order.indexOf(old), `${old} ${now}`);
});

test('parallel calls with the same events count each once', async () => {
  const [id] = await sent(['parallel']);
  const words = ['delivered', 'opened', 'clicked', 'bounced'];
  const events = words.map((event) => ({ providerMessageId: 'parallel', event }));
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => report(index % 2 === 0 ? events : [...events].reverse())),
  );
  assert.equal(
    answers.reduce((sum, { applied }) => sum + applied, 0),
    words.length,
  );
  const { status, events: stored } = await read(id);
  assert.deepEqual([status, stored.length], ['bounced', words.length]);
});

test('ignores a message id that two tenants have, and one that no longer exists', async () => {
  const [own] = await sent(['twice']);
  await sent(['twice'], { tenant: 1 });
  const counts = { received: 1, applied: 0, duplicates: 0, ignored: 1 };
  assert.deepEqual(await report({ providerMessageId: 'twice', event: 'bounced' }), counts);
  assert.equal((await read(own)).status, 'sent');
  assert.deepEqual(await report({ providerMessageId: 'nobody', event: 'bounced' }), counts);
  const [foreign] = await sent(['foreign'], { tenant: 1 });
  assert.equal((await report({ providerMessageId: 'foreign', event: 'opened' })).applied, 1);
  assert.equal((await server.call('GET', `/api/v1/deliveries/${foreign}`)).status, 404);
});

test('takes SendGrid’s own signature and keeps the words of its events', async () => {
  const [id] = await sent(['sg-1']);
  const event = { event: 'spamreport', timestamp: 1777629600, sg_event_id: 'e', sg_message_id: 'sg-1.filter' };
  const body = JSON.stringify([event, { ...event, event: 'deferred', sg_event_id: 'f' }]);
  const timestamp = '1777629601';
  const signature = signWith('sha256', Buffer.from(timestamp + body), sendgrid.privateKey).toString('base64');
  const headers = {
    'x-twilio-email-event-webhook-signature': signature,
    'x-twilio-email-event-webhook-timestamp': timestamp,
  };
  assert.equal((await post(`${body} `, headers)).status, 401);
  assert.equal((await post(body, { ...headers, 'x-twilio-email-event-webhook-timestamp': '1' })).status, 401);
  // A wrong signature of ours isn't made good by another.
  assert.equal((await post(body, { ...headers, 'x-webhook-signature': 'sha256=0' })).status, 401);
  const counts = { received: 2, applied: 1, duplicates: 0, ignored: 1 };
  assert.deepEqual((await post(body, headers)).counts(), counts);
  const { status, events } = await read(id);
  assert.deepEqual([status, events[0]?.timestamp, events[0]?.eventId], ['bounced', '2026-05-01T10:00:00.000Z', 'e']);
});

test('takes Twilio’s own signature with the auth token of the channel', async () => {
  const providerConfig = {
    provider: 'twilio',
    accountSid: 'AC1',
    authToken: 'a token of twilio',
    from: '+15005550006',
  };
  const channel = await server.call<{ id: string }>('POST', '/api/v1/channels', {
    body: { name: 'SMS', channelType: 'sms', providerConfig },
  });
  assert.equal(channel.status, 201, channel.text);
  const [id] = await sent(['SM1'], { channelId: channel.body.id });
  const values = {
    To: '+1 555',
    MessageSid: 'SM1',
    MessageStatus: 'undelivered',
    ErrorCode: '30003',
    From: '+15005550006',
  };
  const body = new URLSearchParams(values).toString();
  const sorted = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = `http://localhost:3000/api/v1/webhooks/delivery${sorted.map((pair) => pair.join('')).join('')}`;
  const signed = (token: string) => createHmac('sha1', token).update(text).digest('base64');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const wrong of ['', signed(''), signed('another token')]) {
    assert.equal((await post(body, { ...headers, 'x-twilio-signature': wrong })).status, 401);
  }
  const right = { ...headers, 'x-twilio-signature': signed('a token of twilio') };
  assert.equal((await post(body.replace('SM1', 'SM2'), right)).status, 401);
  assert.equal((await post(body, right)).counts().applied, 1);
  assert.deepEqual((await read(id)).events[0]?.reason, '30003');
});

test('WhatsApp: confirms its subscription, counts sent and delivered once, never fails a signed body', async () => {
  const verify = (query: Record<string, string>) =>
    server.app.inject({ method: 'GET', url: `/api/v1/webhooks/whatsapp?${new URLSearchParams(query)}` });
  const right = { 'hub.mode': 'subscribe', 'hub.verify_token': verifyToken, 'hub.challenge': '<b>1158201444' };
  const confirmed = await verify(right);
  assert.deepEqual([confirmed.statusCode, confirmed.body], [200, '<b>1158201444']);
  assert.match(String(confirmed.headers['content-type']), /^text\/plain/);
  for (const more of [{ 'hub.mode': 'x' }, { 'hub.verify_token': '' }, { 'hub.verify_token': `${verifyToken}x` }]) {
    assert.equal((await verify({ ...right, ...more })).statusCode, 403);
  }
  assert.equal((await verify({})).statusCode, 403);

  const [id] = await sent(['wamid.1']);
  const statuses = ['sent', 'delivered', 'read', 'other'].map((status) => ({
    id: 'wamid.1',
    status,
    timestamp: '1777629600',
  }));
  const send = (body: string) => post(body, { 'x-hub-signature-256': hmac(appSecret, body) }, 'whatsapp');
  const body = JSON.stringify({ object: 'x', entry: [{ changes: [{ value: { statuses } }] }] });
  assert.deepEqual((await send(body)).counts(), { received: 4, applied: 2, duplicates: 1, ignored: 1 });
  assert.equal((await read(id)).status, 'opened');
  for (const other of ['{}', '[]', '{', 'null', '{"entry":[{"changes":5}]}']) {
    const answer = await send(other);
    assert.deepEqual([answer.status, answer.counts().received], [200, 0], other);
  }
  assert.equal((await post(body, { 'x-hub-signature-256': hmac(signingSecret, body) }, 'whatsapp')).status, 401);
  assert.equal((await post(body, { 'x-webhook-signature': hmac(signingSecret, body) }, 'whatsapp')).status, 401);
});
