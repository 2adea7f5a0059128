import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Delivery } from '@arbiter/contract';
import { readSmtpUrl } from '../../../config/mail-settings.ts';
import { systemActor, type Tx } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { startTestSmtpServer, type TestSmtpServer } from '../../../platform/mail/test-smtp-server.ts';
import {
  reachesDestinations,
  says,
  startDestination,
  type TestDestination,
} from '../../operations/notifications/test-destination.ts';
import { publishAll } from '../../operations/stream/test-publish.ts';
import { type NewDelivery, queueDelivery } from './index.ts';

/** How queued messages go out (docs/design/api-access.md 12.4). */

let server: TestServer;
let peer: TestDestination;
let offerId: string;
let mails: TestSmtpServer;
before(async () => {
  mails = await startTestSmtpServer({
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('full') ? mailError(452) : gone(address)),
  });
  const config = { ...reachesDestinations, SMTP_URL: readSmtpUrl(`smtp://127.0.0.1:${mails.port}?tls=unverified`) };
  [server, peer] = await Promise.all([startTestServer({ config }), startDestination()]);
  const categoryId = await server.create('categories', { name: 'Cards' });
  offerId = await server.create('offers', { name: 'Gold', status: 'active', categoryId });
  const schema = await server.create('schemas', {
    ...{ name: 'people', displayName: 'People', schemaType: 'customer', autoEnrich: true },
    fields: ['customer_id', 'first_name', 'email'].map((name, at) => ({
      ...{ name, displayName: name, dataType: 'varchar', length: 100, isNullable: at > 0 },
      ...(at === 0 ? { isPrimaryKey: true, isUnique: true } : {}),
    })),
  });
  const rows = [
    { customer_id: 'C-1', first_name: 'Ada & Bo', email: 'ada@example.com' },
    { customer_id: 'C-2', first_name: 'Cy', email: ' ' },
    { customer_id: 'C-3', first_name: 'Di', email: 'a@b.example, c@d.example' },
    { customer_id: 'C-4', first_name: 'Ed', email: 'gone@example.com' },
    { customer_id: 'C-5', first_name: 'Flo', email: 'full@example.com' },
  ];
  const { status, text } = await server.call('POST', `/api/v1/schemas/${schema}/data`, { body: { rows } });
  assert.ok(status < 300, text);
});
after(async () => {
  await Promise.all([server?.close(), peer?.close(), mails?.close()]);
});

const mailError = (responseCode: number) => Object.assign(new Error('no'), { responseCode });
const gone = (address: string) => (address.startsWith('gone') ? mailError(550) : null);

let counter = 0;
/** A channel with a creative for it. */
async function channel(path: string, more: object = {}) {
  const channelId = await server.create('channels', {
    ...{ name: `Channel ${++counter}`, channelType: 'webhook', deliveryMode: 'integration' },
    providerConfig: {
      provider: 'webhook',
      url: peer.url(path),
      secret: 'a secret of the test',
      headers: { 'X-Own': 'o' },
    },
    ...more,
  });
  const creativeId = await server.create('creatives', {
    ...{ name: `Creative ${counter}`, offerId, channelId, status: 'active', templateType: 'email_html' },
    content: { subject: 'Hello {first_name}', html: '<p>{first_name}: {offer.name}</p>', text: 'Hi {first_name}' },
  });
  return { channelId, creativeId };
}

const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  server.database.withTenant(server.tenants[0].id, systemActor('test'), work);

const queue = (to: { channelId: string; creativeId: string }, more: Partial<NewDelivery> = {}): Promise<string> =>
  inTenant((tx) =>
    queueDelivery(tx, {
      ...{ origin: { source: 'journey', journeyId: newId() }, customerId: 'C-1', offerId, ...to },
      ...{ recommendationId: null, effectKey: newId(), ...more },
    }),
  );

/** One try of a worker. Returns the delivery, and what the job threw. */
async function send(deliveryId: string, attempt = 1) {
  const facts = { jobId: '1', attempt, dueAt: null, signal: new AbortController().signal };
  const thrown = await server.jobs
    .get('delivery.send')!
    .run({ deliveryId }, facts, server.tenants[0].id)
    .then(
      () => null,
      (error: unknown) => String(error),
    );
  const { body } = await server.call<Delivery>('GET', `/api/v1/deliveries/${deliveryId}`);
  return { ...body, thrown };
}

test('a webhook gets the signed delivery with rendered content, once', async () => {
  peer.on('/takes', (response) => void response.end(JSON.stringify({ messageId: 'their-1', id: 'other' })));
  const id = await queue(await channel('/takes'));
  const sent = await send(id);
  assert.deepEqual(
    [sent.thrown, sent.status, sent.provider, sent.providerMessageId, sent.tries, sent.error],
    [null, 'sent', 'webhook', 'their-1', 1, null],
  );
  assert.equal((await send(id)).tries, 1);
  peer.on('/odd', (response) => void response.end(JSON.stringify({ id: 'x\0'.repeat(300) })));
  const odd = await queue(await channel('/odd'));
  assert.equal((await send(odd)).providerMessageId, odd);
  const [got, ...more] = peer.got('/takes');
  assert.equal(more.length, 0);
  const body = JSON.parse(got!.text);
  assert.deepEqual([body.id, body.customerId, body.status], [id, 'C-1', 'queued']);
  assert.deepEqual(body.data, {
    subject: 'Hello Ada & Bo',
    html: '<p>Ada &amp; Bo: Gold</p>',
    text: 'Hi Ada &amp; Bo',
  });
  const { 'x-service-signature': signature, 'webhook-id': webhookId, 'x-own': own } = got!.headers;
  const expected = createHmac('sha256', 'a secret of the test').update(got!.text).digest('hex');
  assert.deepEqual([signature, webhookId, own], [`sha256=${expected}`, id, 'o']);
  await publishAll(server);
  const { body: page } = await server.call<{ data: { payload: Record<string, unknown> }[] }>(
    'GET',
    '/api/v1/events/stream?topic=delivery.updated.v1',
  );
  const { deliveryId, oldStatus, newStatus } = page.data[0]!.payload;
  assert.deepEqual([deliveryId, oldStatus, newStatus], [id, 'queued', 'sent']);
});

test('email goes to the address of the customer; without one, the delivery fails', async () => {
  const mail = await channel('', {
    channelType: 'email',
    providerConfig: { provider: 'smtp', from: 'Shop <shop@x.example>' },
  });
  const id = await queue(mail);
  const sent = await send(id);
  assert.deepEqual([sent.status, sent.providerMessageId], ['sent', `${id}@x.example`]);
  const [email] = mails.mails;
  assert.deepEqual([email?.to, email?.from, email?.secure], [['ada@example.com'], 'shop@x.example', true]);
  assert.deepEqual([email?.parsed.subject, email?.parsed.messageId], ['Hello Ada & Bo', `<${id}@x.example>`]);
  assert.match(String(email?.parsed.html), /<p>Ada &amp; Bo: Gold<\/p>/);
  const errors = [];
  for (const customerId of ['C-2', 'C-3', 'unknown', 'C-4', 'C-5']) {
    const { status, error, thrown } = await send(await queue(mail, { customerId }));
    errors.push([status, error, thrown]);
  }
  assert.deepEqual(errors, [
    ['failed', 'no_address', null],
    ['failed', 'invalid_address', null],
    ['failed', 'no_address', null],
    ['failed', 'rejected', null],
    ['queued', 'refused', 'DeliveryError: not delivered: refused'],
  ]);
});

test('tries again while the provider may take it, and fails after the last try; a dead letter can still succeed', async () => {
  const to = await channel('/away');
  peer.on('/away', says(503));
  const id = await queue(to);
  const first = await send(id);
  assert.deepEqual([first.status, first.error, first.tries], ['queued', 'responded_with_503', 1]);
  assert.equal(first.thrown, 'DeliveryError: not delivered: responded_with_503');
  const last = await send(id, 6);
  assert.deepEqual([last.status, last.tries], ['failed', 2]);
  assert.match(last.thrown!, /^DeliveryError/);
  peer.on('/away', says(204));
  const retried = await send(id);
  assert.deepEqual([retried.status, retried.error, retried.providerMessageId], ['sent', null, id]);

  peer.on('/away', says(422));
  const rejected = await send(await queue(to));
  assert.deepEqual([rejected.status, rejected.error, rejected.thrown], ['failed', 'responded_with_422', null]);
});

test('a provider that asks to wait gets nothing until then', async () => {
  const to = await channel('/wait');
  peer.on('/wait', says(429, { 'retry-after': '77' }));
  const first = await send(await queue(to));
  assert.equal(first.thrown, 'DeliveryError: not delivered: responded_with_429; retry after 77 s');
  const second = await send(await queue(to));
  assert.match(second.thrown!, /postponed; again after 7\d s$/);
  assert.deepEqual([second.status, second.tries, peer.got('/wait').length], ['queued', 0, 1]);
});

test('skips a destination that failed five times in a row, and no other', async () => {
  const to = await channel('/broken');
  peer.on('/broken', (response) => void response.destroy());
  const id = await queue(to);
  for (let attempt = 1; attempt <= 5; attempt += 1) assert.match((await send(id)).thrown!, /DeliveryError/);
  const skipped = await send(id);
  assert.match(skipped.thrown!, /postponed; again after 30 s$/);
  assert.equal(peer.got('/broken').length, 5);
  assert.equal((await send(await queue(await channel('/fine')))).status, 'sent');
});

test('a provider gets as long to answer as the setting defaultChannelTimeout says', async () => {
  const to = await channel('/slow');
  peer.on('/slow', (response) => void setTimeout(() => response.end(), 500));
  const give = (defaultChannelTimeout: number) =>
    server.call('PUT', '/api/v1/tenant-settings', { body: { defaultChannelTimeout } });
  await give(100);
  const impatient = await send(await queue(to));
  assert.deepEqual([impatient.status, impatient.error], ['queued', 'timeout']);
  await give(60_000);
  assert.equal((await send(await queue(to))).status, 'sent');
});

test('resends a message with an unknown result only if it was queued that way', async () => {
  const hangUp = { provider: 'webhook', url: peer.url('/hangs') };
  // A process ended during the try: nothing tells whether the provider took the message.
  const interrupted = async (more: Partial<NewDelivery>, provider: string) => {
    const id = await queue(await channel('/hangs', { providerConfig: hangUp }), more);
    await server.testDatabase.ownerQuery(
      `update arbiter.deliveries set trying_since = now(), tries = 1, provider = '${provider}' where id = '${id}'`,
    );
    const { status, error } = await send(id);
    return [status, error];
  };
  assert.deepEqual(await interrupted({}, 'twilio'), ['failed', 'doubtful']);
  assert.deepEqual(await interrupted({ guarantee: 'at_least_once' }, 'twilio'), ['sent', null]);
  assert.deepEqual(await interrupted({}, 'webhook'), ['sent', null]);
});

test('a disabled, deleted or unconfigured channel sends nothing', async () => {
  const off = await channel('/off');
  const id = await queue(off);
  await server.call('PUT', `/api/v1/channels/${off.channelId}`, { body: { status: 'paused' } });
  assert.deepEqual([(await send(id)).error, peer.got('/off').length], ['channel_not_active', 0]);
  const none = await channel('', { providerConfig: {} });
  assert.equal((await send(await queue(none))).error, 'no_provider');
  assert.equal((await send(await queue({ ...off, channelId: newId() }))).error, 'channel_deleted');
});

test('erasing a customer deletes their deliveries', async () => {
  const id = await queue(await channel('/erased'), { customerId: 'C-9' });
  const { body, status } = await server.call<{ counts: { deliveries?: number } }>(
    'DELETE',
    '/api/v1/customers/C-9/data?scope=everything',
    { headers: { 'x-confirm-delete': 'C-9' } },
  );
  assert.deepEqual([status, body.counts?.deliveries], [200, 1], JSON.stringify(body));
  assert.equal((await server.call('GET', `/api/v1/deliveries/${id}`)).status, 404);
});
