import assert from 'node:assert/strict';
import { sign, X509Certificate } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { createLogger } from '../../../platform/logger.ts';
import { testCertificate, testKey } from '../../../platform/mail/test-smtp-server.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { createProviderSignatures } from './provider-signatures.ts';
import { snsUrl } from './sns.rules.ts';
import { createConfirmSubscription } from './subscriptions.service.ts';

/** Messages of Amazon SNS (docs/design/quality.md T15). AWS is played: its hosts are pinned. */

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db?.close());

const topic = 'arn:aws:sns:eu-west-1:123456789012:ses';
const host = 'https://sns.eu-west-1.amazonaws.com';
/** Calls that went out. */
const calls: string[] = [];
let status = 200;
const outbound = {
  call: async (url: string) => {
    calls.push(url);
    if (status === 0) throw new OutboundError('timeout');
    return { status, headers: {}, body: Buffer.from(url.endsWith('.pem') ? testCertificate : '<Confirmed/>') };
  },
};

const notification = (more: Record<string, string> = {}) => ({
  ...{ Type: 'Notification', MessageId: 'm-1', TopicArn: topic, Message: '{}', Timestamp: '2026-11-20T10:00:00.000Z' },
  ...{ SignatureVersion: '2', SigningCertURL: `${host}/SimpleNotificationService-1a.pem`, ...more },
});
const keys = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
function signed(message: Record<string, string>): string {
  const text = keys.flatMap((key) => (message[key] === undefined ? [] : [`${key}\n${message[key]}\n`])).join('');
  const digest = message.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  return JSON.stringify({ ...message, Signature: sign(digest, Buffer.from(text), testKey).toString('base64') });
}

const isSigned = createProviderSignatures({
  ...{ database: { withSystem: assert.fail, withTenant: assert.fail } as never, envelope: null, outbound },
  ...{ clock: { now: () => Date.now() }, publicUrl: 'https://arbiter.example', sendgridKey: null, snsTopics: [topic] },
});
const accepts = (payload: string) =>
  isSigned({ headers: { 'x-amz-sns-message-type': 'Notification' } }, Buffer.from(payload));

test('accepts what SNS signed for a known topic, and fetches the certificate once', async () => {
  for (const message of [
    notification(),
    notification({ Subject: 'Amazon SES' }),
    notification({ SignatureVersion: '1' }),
    notification({ Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL: `${host}/?x=1` }),
  ]) {
    assert.equal(await accepts(signed(message)), true, JSON.stringify(message));
  }
  assert.equal(calls.length, 1);
  const changed = signed(notification()).replace('m-1', 'm-2');
  assert.equal(await accepts(changed), false);
  const elsewhere = 'arn:aws:sns:eu-west-1:999999999999:ses';
  assert.equal(await accepts(signed(notification({ TopicArn: elsewhere }))), false);
  assert.equal(await accepts(signed(notification({ SignatureVersion: '3' }))), false);
  assert.equal(await accepts(signed(notification({ Type: 'Other' }))), false);
  assert.equal(await accepts('not json'), false);
  assert.equal(calls.length, 1, 'nothing was fetched for those');
});

test("a certificate works only while it's valid, even if it's cached", async () => {
  let now = Date.parse(new X509Certificate(testCertificate).validTo) - 1_000;
  const isSignedThen = createProviderSignatures({
    ...{ database: { withSystem: assert.fail, withTenant: assert.fail } as never, envelope: null, outbound },
    ...{ clock: { now: () => now }, publicUrl: 'https://arbiter.example', sendgridKey: null, snsTopics: [topic] },
  });
  const accepted = () =>
    isSignedThen(
      { headers: { 'x-amz-sns-message-type': 'Notification' } },
      Buffer.from(signed(notification({ SigningCertURL: `${host}/SimpleNotificationService-2b.pem` }))),
    );
  assert.equal(await accepted(), true);
  now += 2_000;
  assert.equal(await accepted(), false);
});

test('remembers the last 20 certificates', async () => {
  const of = (digits: string) =>
    accepts(signed(notification({ SigningCertURL: `${host}/SimpleNotificationService-${digits}.pem` })));
  for (let at = 0; at < 25; at += 1) assert.equal(await of(`f${at}`), true);
  const before = calls.length;
  await of('f24');
  await of('f5');
  assert.equal(calls.length, before);
  await of('f4');
  assert.equal(calls.length, before + 1);
});

test('calls only hosts of SNS', async () => {
  for (const url of [
    'http://sns.eu-west-1.amazonaws.com/',
    'https://sns.eu-west-1.amazonaws.com.evil.example/',
    'https://sns.eu-west-1.amazonaws.com:8443/',
    'https://user@sns.eu-west-1.amazonaws.com/',
    'https://evil.example/sns.eu-west-1.amazonaws.com/x.pem',
    'https://s3.amazonaws.com/x.pem',
    'https://sns.a.b.amazonaws.com/x.pem',
    'https://sns.bucket.amazonaws.com/',
    'https://sns.eu-west-1.amazonaws.com.cn/',
    'https://169.254.169.254/x.pem',
    'nonsense',
    42,
  ]) {
    assert.equal(snsUrl(url), null, String(url));
  }
  assert.equal(snsUrl(`${host}/x.pem`)?.hostname, 'sns.eu-west-1.amazonaws.com');
  assert.ok(snsUrl('https://sns.us-gov-west-1.amazonaws.com/'));
  assert.ok(snsUrl('https://sns.cn-north-1.amazonaws.com.cn/'));
  const before = calls.length;
  const certificate = '/SimpleNotificationService-1a.pem';
  for (const SigningCertURL of [
    'https://evil.example/x.pem',
    `https://evil.example${certificate}`,
    `${host}/x.pem`,
    `${host}/x/..${certificate}`,
    `${host}:443${certificate}`,
    `${host}${certificate}?`,
    `${host}${certificate}#x`,
    `${host.replace('https', 'http')}${certificate}`,
  ]) {
    assert.equal(await accepts(signed(notification({ SigningCertURL }))), false, SigningCertURL);
  }
  assert.equal(calls.length, before);
});

test('confirms a subscription once; a failed confirmation can be repeated', async () => {
  const logger = createLogger('silent', { write: () => undefined });
  const confirming = (snsTopics: string[]) =>
    createConfirmSubscription({ database: db.database, logger, outbound, snsTopics });
  const ofAnyTopic = confirming([]);
  const message = (Token: string) => ({
    ...{ TopicArn: topic, Token, SubscribeURL: `${host}/?Action=ConfirmSubscription&Token=${Token}` },
  });
  const confirm = (token: string, more: object = {}) => ofAnyTopic({ ...message(token), ...more });
  calls.length = 0;
  status = 0;
  await assert.rejects(confirm('one'), { code: 'upstream_failed' });
  status = 403;
  await assert.rejects(confirm('one'), { code: 'upstream_failed' });
  const stored = async () =>
    (await db.ownerQuery<{ count: number }>('select count(*)::int as count from arbiter.webhook_subscriptions'))[0]
      ?.count;
  assert.equal(await stored(), 0);
  status = 200;
  calls.length = 0;
  const answers = await Promise.all([confirm('one'), confirm('one'), confirm('one')]);
  assert.deepEqual(answers.map(({ applied, duplicates }) => applied - duplicates).sort(), [-1, -1, 1]);
  assert.equal(calls.length, 1);
  assert.equal((await confirm('two', { SubscribeURL: 'https://evil.example/' })).ignored, 1);
  const ofAnother = confirming(['arn:aws:sns:eu-west-1:123456789012:other']);
  assert.equal((await ofAnother(message('three'))).ignored, 1);
  assert.equal(calls.length, 1);
  // Another process knows it from the database, and doesn't call either.
  assert.equal((await confirming([])(message('one'))).duplicates, 1);
  assert.equal(calls.length, 1);
  // While SNS answers another process, nothing is stored, and SNS is asked to retry.
  let during: unknown[] = [];
  const call = async (url: string) => {
    const refusal: unknown = await confirm('four').catch((error: unknown) => error);
    during = [Reflect.get(Object(refusal), 'code'), await stored()];
    return outbound.call(url);
  };
  const slow = createConfirmSubscription({ database: db.database, logger, outbound: { call }, snsTopics: [] });
  assert.equal((await slow(message('four'))).applied, 1);
  assert.deepEqual([during, calls.length, await stored()], [['upstream_failed', 1], 2, 2]);
  assert.equal((await confirm('four')).duplicates, 1);
});
