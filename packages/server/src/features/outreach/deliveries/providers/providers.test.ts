import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import type { ChannelProvider, Delivery, ProviderConfig } from '@arbiter/contract';
import { MailError, type MailFate } from '../../../../platform/mail/mail-transport.ts';
import { createOutbound } from '../../../../platform/outbound/outbound.ts';
import {
  type Got,
  says,
  startDestination,
  type TestDestination,
} from '../../../operations/notifications/test-destination.ts';
import { addressOf, messageContent, phoneNumber } from '../content.rules.ts';
import type { OutgoingDelivery } from '../message.ts';
import { retryAfterSeconds } from './http-call.ts';
import type { ProviderDeps } from './provider.ts';
import { providers } from './providers.ts';

/** The wire formats of providers, played from their published documentation. */

let peer: TestDestination;
const outbound = createOutbound({ allowHttp: true, allowNetworks: ['127.0.0.0/8'] });
before(async () => {
  peer = await startDestination();
});
after(async () => void (await Promise.all([peer?.close(), outbound.close()])));

const content = {
  ...{ subject: 'Hello', html: '<p>Hello Ada</p>', body: 'Hello Ada', imageUrl: 'https://x.example/a.png' },
  ...{ ctaUrl: 'https://x.example/gold', deepLink: 'app://gold' },
};
const message = (more: Partial<OutgoingDelivery> = {}): OutgoingDelivery => ({
  ...{ id: 'delivery-1', tenantId: 'tenant-1', channelType: 'sms', address: '+49 170 1234567' },
  content: messageContent(content, 'Gold'),
  row: { offerId: 'offer-1', channelId: 'channel-1' } as Delivery,
  triedAt: new Date(),
  timeoutMs: 60_000,
  ...more,
});
const deps = (more: Partial<ProviderDeps> = {}): ProviderDeps => {
  const base = peer.url('');
  return {
    outbound,
    addresses: { sendgrid: base, twilio: base, whatsapp: base, fcm: base },
    smtp: { about: '', send: async () => ({ via: 'smtp' }) },
    ses: () => null,
    sender: { name: 'Shop', address: 'shop@x.example' },
    statusCallback: 'https://arbiter.example/api/v1/webhooks/delivery',
    ...more,
  };
};
const send = (provider: ChannelProvider, config: ProviderConfig, more: Partial<OutgoingDelivery> = {}, own = deps()) =>
  providers[provider](own, config, message(more));
const answers =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  (response: ServerResponse, _got: Got) =>
    void response.writeHead(status, headers).end(JSON.stringify(body));
const last = (path: string): Got => peer.got(path).at(-1)!;

test('SendGrid: POST /v3/mail/send, 202 with X-Message-Id', async () => {
  peer.on('/v3/mail/send', says(202, { 'X-Message-Id': 'sg-1' }));
  const address = 'ada@x.example';
  assert.deepEqual(await send('sendgrid', { apiKey: 'SG.key' }, { address }), { kind: 'sent', messageId: 'sg-1' });
  const { headers, text } = last('/v3/mail/send');
  assert.equal(headers.authorization, 'Bearer SG.key');
  assert.deepEqual(JSON.parse(text), {
    personalizations: [{ to: [{ email: address }], custom_args: { deliveryId: 'delivery-1' } }],
    from: { email: 'shop@x.example', name: 'Shop' },
    subject: 'Hello',
    content: [
      { type: 'text/plain', value: 'Hello Ada\n\nhttps://x.example/gold' },
      { type: 'text/html', value: '<p>Hello Ada</p>' },
    ],
  });
  peer.on('/v3/mail/send', says(413));
  assert.deepEqual(await send('sendgrid', { apiKey: 'k' }, { address }), {
    kind: 'rejected',
    error: 'responded_with_413',
  });
});

test('Twilio: a form with basic authentication, 201 with sid', async () => {
  const path = '/2010-04-01/Accounts/AC1/Messages.json';
  peer.on(path, answers(201, { sid: 'SM1', status: 'queued', error_code: null }));
  const config = { accountSid: 'AC1', authToken: 'token', from: '+491700' };
  assert.deepEqual(await send('twilio', config), { kind: 'sent', messageId: 'SM1' });
  const { headers, text } = last(path);
  assert.equal(headers.authorization, `Basic ${Buffer.from('AC1:token').toString('base64')}`);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(text)), {
    ...{ To: '+491701234567', From: '+491700', Body: 'Hello Ada\n\nhttps://x.example/gold' },
    StatusCallback: 'https://arbiter.example/api/v1/webhooks/delivery?channel=tenant-1.channel-1',
  });
  await send('twilio', { ...config, from: 'MG1' }, { channelType: 'whatsapp' });
  const form = new URLSearchParams(last(path).text);
  assert.deepEqual(
    [form.get('To'), form.get('MessagingServiceSid'), form.get('From')],
    ['whatsapp:+491701234567', 'MG1', null],
  );
  peer.on(path, answers(429, { code: 20429 }, { 'retry-after': '7' }));
  assert.deepEqual(await send('twilio', config), {
    kind: 'refused',
    error: 'responded_with_429',
    retryAfterSeconds: 7,
  });
});

test('WhatsApp: text or a template, 200 with messages[0].id', async () => {
  const path = '/v23.0/4711/messages';
  peer.on(path, answers(200, { messaging_product: 'whatsapp', contacts: [], messages: [{ id: 'wamid.1' }] }));
  const config = { phoneNumberId: '4711', accessToken: 'token' };
  assert.deepEqual(await send('whatsapp_cloud', config), { kind: 'sent', messageId: 'wamid.1' });
  const { headers, text } = last(path);
  assert.equal(headers.authorization, 'Bearer token');
  assert.deepEqual(JSON.parse(text), {
    ...{ messaging_product: 'whatsapp', recipient_type: 'individual', to: '491701234567', type: 'text' },
    text: { preview_url: true, body: 'Hello Ada\n\nhttps://x.example/gold' },
  });
  const template = { name: 'gold', language: { code: 'en' } };
  await send('whatsapp_cloud', config, { content: messageContent({ template }, 'Gold') });
  const sent = JSON.parse(last(path).text);
  assert.deepEqual([sent.type, sent.template], ['template', template]);
});

test('FCM: an access token for a signed assertion, then the message', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const account = {
    ...{ project_id: 'shop', client_email: 'sender@shop.example', token_uri: peer.url('/token') },
    private_key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
  peer.on('/token', answers(200, { access_token: 'ya29', expires_in: 3599 }));
  const path = '/v1/projects/shop/messages:send';
  peer.on(path, answers(200, { name: 'projects/shop/messages/1' }));
  const config = { serviceAccount: JSON.stringify(account) };
  const sent = await send('fcm', config, { address: 'device' });
  assert.deepEqual(sent, { kind: 'sent', messageId: 'projects/shop/messages/1' });
  const assertion = new URLSearchParams(last('/token').text).get('assertion') ?? '';
  const [head, claims, signature] = assertion.split('.');
  const key = createPublicKey(publicKey.export({ format: 'pem', type: 'spki' }));
  assert.ok(verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature!, 'base64url')));
  const { iss, aud, scope } = JSON.parse(Buffer.from(claims!, 'base64url').toString());
  assert.deepEqual(
    [iss, aud, scope],
    ['sender@shop.example', account.token_uri, 'https://www.googleapis.com/auth/firebase.messaging'],
  );
  assert.equal(last(path).headers.authorization, 'Bearer ya29');
  assert.deepEqual(JSON.parse(last(path).text), {
    message: {
      token: 'device',
      notification: { title: 'Hello', body: 'Hello Ada', image: 'https://x.example/a.png' },
      data: { deliveryId: 'delivery-1', offerId: 'offer-1', deepLink: 'app://gold', ctaUrl: 'https://x.example/gold' },
    },
  });
  peer.on(path, says(401));
  assert.equal((await send('fcm', config, { address: 'device' })).kind, 'refused');
  assert.equal(peer.got('/token').length, 1);
  await send('fcm', config, { address: 'device' });
  assert.equal(peer.got('/token').length, 2, 'a refused token is asked for again');
});

test('SES and SMTP: the id of the provider, or the Message-ID', async () => {
  const address = 'ada@x.example';
  const ses = () => ({ about: '', send: async () => ({ via: 'ses', messageId: '0100-ses' }) });
  assert.deepEqual(await send('ses', { region: 'eu-west-1' }, { address }, deps({ ses })), {
    ...{ kind: 'sent', messageId: '0100-ses' },
  });
  assert.deepEqual(await send('ses', {}, { address }), { kind: 'rejected', error: 'not_configured' });
  assert.deepEqual(await send('smtp', {}, { address }), { kind: 'sent', messageId: 'delivery-1@x.example' });
  const failing = async (fate: MailFate) => {
    const smtp = { about: '', send: () => Promise.reject(new MailError('failed', fate)) };
    return (await send('smtp', {}, { address }, deps({ smtp }))).kind;
  };
  assert.deepEqual(
    [await failing('unsent'), await failing('rejected'), await failing('unknown')],
    ['refused', 'rejected', 'unknown'],
  );
  const hangs = { about: '', send: () => new Promise<never>(() => undefined) };
  assert.deepEqual(await send('smtp', {}, { address, timeoutMs: 100 }, deps({ smtp: hangs })), {
    ...{ kind: 'unknown', error: 'timeout' },
  });
});

test('a provider that hangs, hangs up, or is nowhere', async () => {
  const url = (path: string) => ({ url: peer.url(path) });
  peer.on('/hangs', () => undefined);
  peer.on('/hangs-up', (response) => void response.destroy());
  assert.deepEqual(await send('webhook', url('/hangs'), { timeoutMs: 100 }), { kind: 'unknown', error: 'timeout' });
  assert.deepEqual(await send('webhook', url('/hangs-up')), { kind: 'unknown', error: 'failed' });
  peer.on('/gateway', says(504));
  assert.deepEqual(await send('webhook', url('/gateway')), { kind: 'unknown', error: 'responded_with_504' });
  const refused = { kind: 'refused', retryAfterSeconds: null };
  assert.deepEqual(await send('webhook', { url: 'http://127.0.0.1:1025/' }), { ...refused, error: 'failed' });
  assert.deepEqual(await send('webhook', { url: 'http://169.254.169.254/' }), {
    ...refused,
    error: 'forbidden_address',
  });
  assert.deepEqual(await send('webhook', { ...url('/x'), headers: { Host: 'x' } }), {
    ...{ kind: 'rejected', error: 'not_configured' },
  });
});

test('without its settings or a usable address, a provider is not called', async () => {
  for (const provider of ['sendgrid', 'twilio', 'whatsapp_cloud', 'fcm', 'webhook'] as const) {
    assert.deepEqual(await send(provider, {}), { kind: 'rejected', error: 'not_configured' }, provider);
  }
  const bad = { kind: 'rejected', error: 'invalid_address' };
  assert.deepEqual(await send('twilio', { accountSid: 'a', authToken: 'b', from: 'c' }, { address: 'x' }), bad);
  assert.deepEqual(await send('sendgrid', { apiKey: 'k' }, { address: 'a@b.example\r\nBcc: c@d.example' }), bad);
  assert.deepEqual(await send('fcm', { serviceAccount: 'not json' }), { kind: 'rejected', error: 'not_configured' });
});

test('addresses, phone numbers and pauses', () => {
  const profile = { email: ' a@b.example ', phone: 491701234567, nested: { mail: 'n' }, push_token: '' };
  const of = (channelType: string, addressAttribute: string | null = null) =>
    addressOf({ channelType, addressAttribute }, 'C-1', profile);
  assert.deepEqual(
    [of('email'), of('sms'), of('push'), of('webhook'), of('web', 'customer.nested.mail'), of('web', 'customer.none')],
    ['a@b.example', '491701234567', null, 'C-1', 'n', null],
  );
  const numbers = ['0049 (170) 123-4567', '+1 202.555.0100', '12345', 'none', '+49170123456789012'].map(phoneNumber);
  assert.deepEqual(numbers, ['+491701234567', '+12025550100', null, null, null]);
  const now = new Date('2026-11-20T10:00:00Z');
  const pauses = ['120', 'Fri, 20 Nov 2026 10:01:00 GMT', '-1', '1.5', 'soon', undefined];
  assert.deepEqual(
    pauses.map((text) => retryAfterSeconds(text, now)),
    [120, 60, null, null, null, null],
  );
});
