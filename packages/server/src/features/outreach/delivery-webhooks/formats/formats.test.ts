import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReports } from './read-reports.ts';
import { readWhatsapp } from './whatsapp.ts';

/** The formats of providers, as their documentation shows them (docs/design/api-access.md 12.4 and 22). */

const json = (value: unknown, hint?: string) => readReports({ kind: 'json', value }, hint);
const form = (text: string) =>
  readReports(
    { kind: 'form', form: new Map([...new URLSearchParams(text)].map(([name, value]) => [name, [value]])) },
    undefined,
  );
const short = ({ events, ignored }: ReturnType<typeof json>) => [
  ...events.map(({ messageId, event, occurredAt, eventId }) =>
    [messageId, event, occurredAt?.toISOString() ?? null, eventId].join(' '),
  ),
  ignored,
];

const mail = { messageId: 'ses-1', timestamp: '2026-05-01T10:00:00.000Z', destination: ['jane@example.com'] };

test('reads SES, with and without the envelope of SNS, under either name of its type', () => {
  const bounce = {
    notificationType: 'Bounce',
    bounce: {
      bounceType: 'Permanent',
      bounceSubType: 'General',
      bouncedRecipients: [{ emailAddress: 'jane@example.com', diagnosticCode: 'smtp; 550 jane@example.com unknown' }],
      timestamp: '2026-05-01T10:00:05.000Z',
    },
    mail,
  };
  const { events } = json(bounce);
  assert.deepEqual(events[0], {
    messageId: 'ses-1',
    event: 'bounced',
    occurredAt: new Date('2026-05-01T10:00:05.000Z'),
    reason: 'Permanent General',
    eventId: null,
  });
  const wrapped = (message: unknown, more = {}) => ({
    Type: 'Notification',
    MessageId: 'sns-1',
    TopicArn: 'arn:aws:sns:eu-west-1:123456789012:deliveries',
    Message: typeof message === 'string' ? message : JSON.stringify(message),
    ...more,
  });
  assert.deepEqual(short(json(wrapped(bounce))), ['ses-1 bounced 2026-05-01T10:00:05.000Z sns-1', 0]);
  const types = {
    ...{ Delivery: 'delivered', Open: 'opened', Click: 'clicked', Complaint: 'bounced', Reject: 'failed' },
    'Rendering Failure': 'failed',
  };
  for (const [eventType, event] of Object.entries(types)) {
    assert.deepEqual(short(json({ eventType, mail })), [`ses-1 ${event} 2026-05-01T10:00:00.000Z `, 0], eventType);
  }
  for (const eventType of ['Send', 'DeliveryDelay', 'Subscription', 'Other']) {
    assert.deepEqual(short(json({ eventType, mail })), [1], eventType);
  }
  assert.deepEqual(short(json(wrapped('Top of the morning'))), [1]);
  assert.deepEqual(short(json(wrapped('', { Type: 'UnsubscribeConfirmation' }))), [1]);
});

test('reads SendGrid: the id up to its first dot, the words it counts as an end', () => {
  const item = (event: string) => ({
    ...{ email: 'jane@example.com', timestamp: 1777629600, event, sg_event_id: `e-${event}` },
    sg_message_id: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0',
  });
  const words = {
    ...{ delivered: 'delivered', open: 'opened', click: 'clicked', bounce: 'bounced', dropped: 'bounced' },
    spamreport: 'bounced',
  };
  const known = Object.keys(words).map(item);
  const others = ['processed', 'deferred', 'unsubscribe', 'group_unsubscribe', 'group_resubscribe'].map(item);
  assert.deepEqual(short(json([...known, ...others, 7, { sg_message_id: 5, event: 'open' }])), [
    ...Object.entries(words).map(([word, event]) => `14c5d75ce93 ${event} 2026-05-01T10:00:00.000Z e-${word}`),
    7,
  ]);
});

test('reads Twilio: SmsSid alone is enough', () => {
  const statuses = {
    delivered: 'delivered',
    read: 'opened',
    failed: 'failed',
    undelivered: 'failed',
    canceled: 'failed',
  };
  for (const [status, event] of Object.entries(statuses)) {
    assert.deepEqual(short(form(`MessageSid=SM1&MessageStatus=${status}&To=%2B1`)), [`SM1 ${event}  `, 0]);
  }
  for (const status of ['queued', 'accepted', 'sending', 'sent', 'x']) {
    assert.deepEqual(short(form(`MessageSid=SM1&MessageStatus=${status}`)), [1]);
  }
  assert.equal(form('SmsSid=SM2&SmsStatus=delivered').events[0]?.messageId, 'SM2');
  assert.equal(form('SmsSid=SM2&MessageStatus=failed&ErrorCode=30008').events[0]?.reason, '30008');
});

test('reads the standard format; a malformed item is ignored, the others count', () => {
  const one = {
    providerMessageId: 'm',
    event: 'clicked',
    timestamp: '2026-05-01T12:00:00+02:00',
    eventId: 'e',
    reason: 'a\r\nb',
  };
  assert.deepEqual(short(json(one)), ['m clicked 2026-05-01T10:00:00.000Z e', 0]);
  assert.equal(json(one).events[0]?.reason, 'a b');
  const bad = [
    ...[{ event: 'sent' }, { event: 5 }, { timestamp: 'now' }, { timestamp: '0000-01-01T00:00:00Z' }],
    ...[
      { providerMessageId: '' },
      { providerMessageId: 'x'.repeat(513) },
      { providerMessageId: 'a\0' },
      { eventId: 7 },
    ],
  ];
  for (const more of bad) assert.deepEqual(short(json({ ...one, ...more })), [1], JSON.stringify(more));
  const list = Array.from({ length: 500 }, (_, index) => (index === 250 ? null : { ...one, eventId: `e${index}` }));
  assert.deepEqual([json(list).events.length, json(list).ignored], [499, 1]);
  for (const wrong of [[], Array.from({ length: 1_001 }, () => one), {}, [{}], null, 'x', { providerMessageId: 'm' }]) {
    assert.throws(() => json(wrong), { code: 'validation_failed' });
  }
  assert.throws(() => form('a=b'), { code: 'validation_failed' });
});

test('reads all statuses of WhatsApp, and nothing of a body without any', () => {
  const entry = (...statuses: unknown[]) => ({ id: 'waba', changes: [{ field: 'messages', value: { statuses } }] });
  const status = (id: string, word: string, more = {}) => ({ id, status: word, timestamp: '1777629600', ...more });
  const body = {
    object: 'whatsapp_business_account',
    entry: [
      entry(status('w1', 'sent'), status('w1', 'delivered'), status('w1', 'read')),
      entry(
        status('w2', 'failed', { errors: [{ code: 131026, title: 'Message undeliverable' }] }),
        status('w2', 'warning'),
        5,
      ),
    ],
  };
  const at = '2026-05-01T10:00:00.000Z';
  assert.deepEqual(short(readWhatsapp(body)), [
    ...[`w1 delivered ${at} `, `w1 delivered ${at} `, `w1 opened ${at} `, `w2 failed ${at} `],
    2,
  ]);
  assert.equal(readWhatsapp(body).events[3]?.reason, '131026 Message undeliverable');
  for (const other of [{}, [], null, 5, { entry: 5 }, { entry: [{ changes: [{ value: { messages: [] } }] }] }]) {
    assert.deepEqual(short(readWhatsapp(other)), [0]);
  }
});
