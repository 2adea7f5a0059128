import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Delivery, WebhookAnswer } from '@arbiter/contract';
import { sized } from '../../../../../../test/form.ts';
import { systemActor } from '../../../db/index.ts';
import { type CallResult, startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { queueDeliveries } from '../deliveries/index.ts';

/** What providers report about messages (docs/design/api-access.md 12.4 and 22, docs/design/quality.md T15). */

const key = 'a signing secret of the test';
const appSecret = 'an app secret of the test';
const sendgrid = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
let server: TestServer;
before(async () => {
  server = await startTestServer({
    tenants: 2,
    publicUrl: 'https://arbiter.example',
    config: {
      WEBHOOK_SIGNING_SECRET: key,
      WHATSAPP_APP_SECRET: appSecret,
      WHATSAPP_WEBHOOK_VERIFY_TOKEN: 'a token of the test',
      SENDGRID_WEBHOOK_PUBLIC_KEY: sendgrid.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    },
  });
});
after(() => server?.close());

/** Deliveries that were sent, by the ids of their messages. */
async function sent(messageIds: readonly string[], tenant = 0, channelId = newId()): Promise<string[]> {
  const tenantId = server.tenants[tenant]!.id;
  const ids = await server.database.withTenant(tenantId, systemActor('test'), (tx) =>
    queueDeliveries(
      tx,
      messageIds.map((effectKey) => ({
        ...{ origin: { source: 'journey' as const, journeyId: newId() }, customerId: 'C-1', offerId: newId() },
        ...{ creativeId: null, channelId, recommendationId: null, effectKey: `${newId()} ${effectKey}` },
      })),
    ),
  );
  await server.testDatabase.ownerQuery(
    `update arbiter.deliveries d set status = 'sent', provider = 'twilio', provider_message_id = s.message
       from unnest($1::uuid[], $2::text[]) as s (id, message) where d.id = s.id`,
    [ids, messageIds],
  );
  return ids;
}

const read = async (id: string): Promise<Delivery> =>
  (await server.call<Delivery>('GET', `/api/v1/deliveries/${id}`)).body;
const status = async (id: string) => (await read(id)).status;

type Answer = CallResult<WebhookAnswer & { code?: string; errors?: { message: string }[] }>;

/** Posts the bytes as they are. */
async function send(path: string, payload: string, headers: Record<string, string>): Promise<Answer> {
  const answer = await server.app.inject({ method: 'POST', url: path, payload: Buffer.from(payload), headers });
  return { status: answer.statusCode, body: answer.json(), text: answer.body, headers: answer.headers };
}
const hmac = (payload: string, secret = key) => `sha256=${createHmac('sha256', secret).update(payload).digest('hex')}`;
const deliver = '/api/v1/webhooks/delivery';
const post = (payload: string, more: Record<string, string> = {}) =>
  send(deliver, payload, { 'content-type': 'application/json', 'x-webhook-signature': hmac(payload), ...more });
const report = async (value: unknown, more: Record<string, string> = {}) => {
  const { status: code, body, text } = await post(JSON.stringify(value), more);
  assert.equal(code, 200, text);
  return [body.received, body.applied, body.duplicates, body.ignored];
};

test('accepts only bodies whose signature matches', async () => {
  const body = '{ "providerMessageId": "none",  "event": "opened" }';
  assert.equal((await post(body)).status, 200);
  const hex = hmac(body);
  const wrong: [string, string | undefined][] = [
    [body, undefined],
    [body, ''],
    [body, hex.slice('sha256='.length)],
    [body, `sha256=${hex.slice('sha256='.length).toUpperCase()}`],
    [body, hex.slice(0, -1)],
    [body, `${hex.slice(0, -2)}zz`],
    [body, `${hex}, ${hex}`],
    [body, hmac(JSON.stringify(JSON.parse(body)))],
    [body, hmac(body, 'another secret')],
    [`${body}\r\n`, hex],
  ];
  for (const [payload, signature] of wrong) {
    const headers = signature === undefined ? {} : { 'x-webhook-signature': signature };
    const { status: code, body: problem } = await send(deliver, payload, {
      'content-type': 'application/json',
      ...headers,
    });
    assert.deepEqual([code, problem.code], [401, 'bad_signature'], String(signature));
  }
  assert.equal((await post(`${body}\r\n`)).status, 200);
  const unsigned = await send(deliver, '<x/>', { 'content-type': 'application/xml' });
  assert.equal(unsigned.status, 401);
  assert.equal((await post('<x/>', { 'content-type': 'application/xml' })).status, 415);
  const large = `[${' '.repeat(1024 * 1024)}]`;
  assert.equal((await post(large)).status, 413);
});

test('a status only moves forward, and each event counts once', async () => {
  const [id] = await sent(['one']);
  const at = '2026-11-20T10:00:00.000Z';
  const event = (name: string, more: object = {}) => ({ providerMessageId: 'one', event: name, ...more });
  assert.deepEqual(
    await report(event('clicked', { timestamp: at, eventId: 'e-1', reason: 'link for ada@example.com' })),
    [1, 1, 0, 0],
  );
  assert.deepEqual(await report([event('opened'), event('delivered'), event('opened')]), [3, 2, 1, 0]);
  assert.deepEqual(await report(event('clicked', { eventId: 'e-1' })), [1, 0, 1, 0]);
  const { status: now, events } = await read(id!);
  assert.equal(now, 'clicked');
  assert.deepEqual(
    events.map(({ event: name, eventId, reason }) => [name, eventId, reason]),
    [
      ['clicked', 'e-1', 'other'],
      ['opened', null, null],
      ['delivered', null, null],
    ],
  );
  assert.equal(events[0]?.timestamp, at);
  for (const [name, status] of [
    ['failed', 'failed'],
    ['clicked', 'failed'],
    ['bounced', 'bounced'],
    ['failed', 'bounced'],
  ] as const) {
    await report(event(name, { eventId: newId() }));
    assert.equal(await read(id!).then((delivery) => delivery.status), status);
  }
});

test('any order of one set of events, with repetitions, ends in the same state', async () => {
  const names = ['delivered', 'opened', 'clicked', 'failed', 'bounced'];
  // A generator of its own, so that a failure can be repeated.
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const messages = Array.from(
    { length: sized('DELIVERY_ORDERS', { short: 200, long: 17_000 }) },
    (_, at) => `order ${at}`,
  );
  const ids = await sent(messages);
  const all = messages.flatMap((providerMessageId, at) =>
    [...names.slice(0, 1 + (at % 5)), ...names.slice(0, 1 + (at % 5))].map((event) => ({
      providerMessageId,
      event,
      sort: random(),
    })),
  );
  all.sort((one, other) => one.sort - other.sort);
  let [applied, duplicates] = [0, 0];
  for (let at = 0; at < all.length; at += 400) {
    const [, a, d, ignored] = await report(all.slice(at, at + 400).map(({ sort: _, ...event }) => event));
    applied += a!;
    duplicates += d!;
    assert.equal(ignored, 0);
  }
  assert.deepEqual([applied, duplicates], [all.length / 2, all.length / 2]);
  const rows = await server.testDatabase.ownerQuery<{ id: string; status: string; events: number }>(
    `select d.id, d.status, count(*)::int as events from arbiter.deliveries d
       join arbiter.delivery_events e on e.delivery_id = d.id where d.id = any($1::uuid[]) group by d.id, d.tenant_id`,
    [ids],
  );
  const found = new Map(rows.map((row) => [row.id, [row.status, row.events]]));
  for (const [at, id] of ids.entries()) assert.deepEqual(found.get(id), [names[at % 5], 1 + (at % 5)]);
});

test('one bad item among 500 is ignored alone', async () => {
  const messages = Array.from({ length: 499 }, (_, at) => `many ${at}`);
  await sent(messages);
  const items: unknown[] = messages.map((providerMessageId) => ({ providerMessageId, event: 'delivered' }));
  items.splice(250, 0, { providerMessageId: { no: 'text' }, event: 'delivered' });
  assert.deepEqual(await report(items), [500, 499, 0, 1]);
});

test("doesn't replace an unreadable instant", async () => {
  const [id] = await sent(['when']);
  const event = (timestamp: unknown) => ({ providerMessageId: 'when', event: 'opened', timestamp });
  const wrong = ['yesterday', '2026-11-20', '2026-13-20T10:00:00Z', 1_795_000_000, {}, ''];
  assert.deepEqual(await report(wrong.map(event)), [wrong.length, 0, 0, wrong.length]);
  assert.equal(await status(id!), 'sent');
  assert.deepEqual(await report(event(null)), [1, 1, 0, 0]);
  assert.equal(await status(id!), 'opened');
});

test("an event that arrives before its message's ID is stored counts afterwards", async () => {
  const early = { providerMessageId: 'early', event: 'opened', timestamp: '2026-11-20T10:00:00.000Z' };
  assert.deepEqual(await report([early, { ...early, event: 'delivered' }, early]), [3, 0, 0, 3]);
  const [id] = await sent(['early']);
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  const sendAgain = () => server.jobs.get('delivery.send')!.run({ deliveryId: id }, facts, server.tenants[0].id);
  await sendAgain();
  await sendAgain();
  const { status: now, events } = await read(id!);
  assert.equal(now, 'opened');
  assert.deepEqual(events.map(({ event, timestamp }) => [event, timestamp]).sort(), [
    ['delivered', early.timestamp],
    ['opened', early.timestamp],
  ]);
  assert.deepEqual(await report(early), [1, 0, 1, 0]);
  const held = await server.testDatabase.ownerQuery(
    "select from arbiter.early_delivery_events where message_id = 'early'",
  );
  assert.equal(held.length, 0);
});

test('ignores unknown events, and rejects bodies in no known format', async () => {
  await sent(['known', 'twice']);
  await sent(['twice'], 1);
  assert.deepEqual(
    await report([
      { providerMessageId: 'unknown', event: 'opened' },
      { providerMessageId: 'known', event: 'processed' },
      { providerMessageId: 'twice', event: 'opened' },
      { providerMessageId: 'a\0b', event: 'opened' },
      null,
    ]),
    [5, 0, 0, 5],
  );
  assert.ok(server.log.some(({ msg }) => msg === 'two deliveries have one message id'));
  const tooMany = Array.from({ length: 1_001 }, () => ({ providerMessageId: 'x', event: 'opened' }));
  for (const body of ['[]', '{}', '[1]', '"text"', 'not json', '', JSON.stringify(tooMany)]) {
    const { status: code, body: problem } = await post(body);
    assert.deepEqual([code, problem.code], [400, 'validation_failed'], body.slice(0, 20));
  }
});

test('reads SES, alone and in SNS', async () => {
  const [id] = await sent(['ses-1']);
  const ses = (notificationType: string, more: object = {}) => ({
    ...{ notificationType, mail: { messageId: 'ses-1', timestamp: '2026-11-20T09:00:00.000Z' } },
    ...more,
  });
  const sns = (message: unknown, more: object = {}) => ({
    ...{ Type: 'Notification', MessageId: newId(), TopicArn: 'arn:aws:sns:eu-west-1:123456789012:ses' },
    ...{ Message: typeof message === 'string' ? message : JSON.stringify(message), ...more },
  });
  assert.deepEqual(await report(ses('Delivery')), [1, 1, 0, 0]);
  const open = sns({ ...ses(''), notificationType: undefined, eventType: 'Open' });
  assert.deepEqual(await report(open, { 'content-type': 'text/plain; charset=UTF-8' }), [1, 1, 0, 0]);
  assert.deepEqual(await report(open), [1, 0, 1, 0]);
  assert.equal(await status(id!), 'opened');
  for (const nothing of [sns(ses('Send')), sns('plain text'), { ...sns(''), Type: 'UnsubscribeConfirmation' }]) {
    assert.deepEqual(await report(nothing), [1, 0, 0, 1]);
  }
  const complaint = ses('Complaint', {
    complaint: { complaintFeedbackType: 'abuse', timestamp: '2026-11-20T09:30:00Z' },
  });
  await report(sns(complaint), { 'x-provider': 'ses' });
  const { status: now, events } = await read(id!);
  assert.deepEqual([now, events.at(-1)?.reason], ['bounced', 'complaint']);
  const elsewhere = {
    ...sns(''),
    ...{
      Type: 'SubscriptionConfirmation',
      Token: 't',
      SubscribeURL: 'https://sns.eu-west-1.amazonaws.com.evil.example/',
    },
  };
  assert.deepEqual(await report(elsewhere), [1, 0, 0, 1]);
});

test('reads SendGrid, with our signature or its own', async () => {
  const [id] = await sent(['sg-1']);
  const event = (name: string) => ({
    event: name,
    sg_message_id: 'sg-1.filter.0',
    sg_event_id: newId(),
    timestamp: 1_795_000_000,
  });
  assert.deepEqual(await report([event('delivered'), event('processed'), event('open')]), [3, 2, 0, 1]);
  const dropped = { ...event('bounce'), reason: '550 5.1.1 <ada@example.com>: unknown user', status: '5.1.1' };
  assert.deepEqual(await report([dropped]), [1, 1, 0, 0]);
  assert.equal((await read(id!)).events.at(-1)?.reason, 'invalid_address');
  const tooMany = Array.from({ length: 5_001 }, () => ({ event: 'open', sg_message_id: 'x', sg_event_id: 'y' }));
  assert.equal((await post(JSON.stringify(tooMany))).status, 400);
  const payload = JSON.stringify([event('spamreport')]);
  const timestamp = '1795000000';
  const signature = sign('sha256', Buffer.from(timestamp + payload), sendgrid.privateKey).toString('base64');
  const own = (text: string, value = signature) =>
    send(deliver, text, {
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-signature': value,
      'x-twilio-email-event-webhook-timestamp': timestamp,
    });
  assert.equal((await own(`${payload} `)).status, 401);
  assert.equal((await own(payload, 'AAAA')).status, 401);
  assert.equal((await own(payload)).status, 200);
  assert.equal(await status(id!), 'bounced');
});

test('reads Twilio, with our signature or its own', async () => {
  const channelId = await server.create('channels', {
    ...{ name: 'Text messages', channelType: 'sms', deliveryMode: 'integration' },
    providerConfig: {
      provider: 'twilio',
      accountSid: 'AC1',
      authToken: 'the token of the account',
      from: '+491700000',
    },
  });
  const [id, other] = await sent(['SM1', 'SM2'], 0, channelId);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const callback = (MessageSid: string, MessageStatus: string) =>
    new URLSearchParams({ MessageSid, MessageStatus, To: '+4915', From: '+491700000' }).toString();
  const count = async (text: string) => (await post(text, form)).body;
  assert.equal((await count(callback('SM1', 'sent'))).ignored, 1);
  assert.equal((await count(callback('SM1', 'delivered'))).applied, 1);
  assert.equal((await count(callback('SM1', 'delivered'))).duplicates, 1);
  assert.equal(await status(id!), 'delivered');
  const text = callback('SM2', 'undelivered');
  const signed = [...new URLSearchParams(text)].sort().flat().join('');
  const signature = (url: string) =>
    createHmac('sha1', 'the token of the account').update(`${url}${signed}`).digest('base64');
  const own = (value: string, path = deliver) => send(path, text, { ...form, 'x-twilio-signature': value });
  const url = `https://arbiter.example${deliver}`;
  assert.equal((await own(signature('https://elsewhere.example/'))).status, 401);
  assert.equal((await own('')).status, 401);
  assert.equal((await own(signature(`${url}?a=1`), `${deliver}?a=1`)).status, 200);
  assert.equal(await status(other!), 'failed');
});

test('WhatsApp: the challenge, and statuses that are always accepted when signed', async () => {
  const path = '/api/v1/webhooks/whatsapp';
  const ask = (query: string) => server.call('GET', `${path}?${query}`, { key: null });
  const right = 'hub.mode=subscribe&hub.verify_token=a%20token%20of%20the%20test&hub.challenge=4711';
  const { status: code, text, headers } = await ask(right);
  assert.deepEqual([code, text], [200, '4711']);
  assert.match(String(headers['content-type']), /^text\/plain/);
  for (const wrong of ['', right.replace('subscribe', 'x'), right.replace('token%20', ''), 'hub.mode=subscribe']) {
    assert.equal((await ask(wrong)).status, 403, wrong);
  }
  const [id] = await sent(['wamid.1']);
  const call = async (value: unknown, signature?: string) => {
    const payload = typeof value === 'string' ? value : JSON.stringify(value);
    return send(path, payload, {
      ...{ 'content-type': 'application/json', 'x-hub-signature-256': signature ?? hmac(payload, appSecret) },
    });
  };
  const statuses = (...list: unknown[]) => ({
    object: 'whatsapp_business_account',
    entry: [{ changes: [{ value: { statuses: list } }, { value: { messages: [] } }] }],
  });
  const of = (name: string) => ({ id: 'wamid.1', status: name, timestamp: '1795000000' });
  const both = await call(statuses(of('sent'), of('delivered'), null));
  assert.deepEqual(both.body, { received: 3, applied: 1, duplicates: 1, ignored: 1 });
  await call(statuses(of('read')));
  assert.equal(await status(id!), 'opened');
  for (const odd of ['not json', '[]', '{"entry":[1,{"changes":{}}]}'])
    assert.equal((await call(odd)).status, 200, odd);
  assert.equal((await call(statuses(of('failed')), hmac('x', appSecret))).status, 401);
});

test('rejects every call without its secret', async () => {
  const closed = await startTestServer();
  try {
    const body = JSON.stringify({ providerMessageId: 'x', event: 'opened' });
    for (const [path, header] of [
      [deliver, 'x-webhook-signature'],
      ['/api/v1/webhooks/whatsapp', 'x-hub-signature-256'],
    ] as const) {
      for (const secret of ['', 'null', 'undefined', key]) {
        const answer = await closed.app.inject({
          method: 'POST',
          url: path,
          payload: body,
          headers: { 'content-type': 'application/json', [header]: secret === '' ? '' : hmac(body, secret) },
        });
        assert.equal(answer.statusCode, 401, path);
      }
    }
    const verify = '/api/v1/webhooks/whatsapp?hub.mode=subscribe&hub.challenge=1&hub.verify_token=';
    for (const token of ['', 'null'])
      assert.equal((await closed.call('GET', verify + token, { key: null })).status, 403);
  } finally {
    await closed.close();
  }
});

test('parallel calls with the same events count each once', async () => {
  const [id] = await sent(['parallel']);
  const events = ['delivered', 'opened', 'clicked', 'bounced'].map((event) => ({
    providerMessageId: 'parallel',
    event,
  }));
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => report(at % 2 === 0 ? events : [...events].reverse())),
  );
  assert.equal(
    answers.reduce((sum, [, applied]) => sum + applied!, 0),
    events.length,
  );
  const { status: now, events: stored } = await read(id!);
  assert.deepEqual([now, stored.length], ['bounced', events.length]);
});

test("a provider's valid signature doesn't excuse a wrong one of ours", async () => {
  const payload = JSON.stringify([{ event: 'open', sg_message_id: 'x', sg_event_id: 'y' }]);
  const timestamp = '1795000000';
  const signature = sign('sha256', Buffer.from(timestamp + payload), sendgrid.privateKey).toString('base64');
  const headers = {
    'content-type': 'application/json',
    'x-twilio-email-event-webhook-signature': signature,
    'x-twilio-email-event-webhook-timestamp': timestamp,
  };
  assert.equal((await send(deliver, payload, headers)).status, 200);
  assert.equal((await send(deliver, payload, { ...headers, 'x-webhook-signature': 'sha256=0' })).status, 401);
  const later = { ...headers, 'x-twilio-email-event-webhook-timestamp': '1795000001' };
  assert.equal((await send(deliver, payload, later)).status, 401);
});
