import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { OutboundError } from '../../../platform/outbound/outbound.ts';
import { otherKeys, providerKeys } from '../../identity/sso/test-keys.ts';
import { createIsSignedBySns, type SnsMessage, snsMessageOf, snsUrlOf } from './sns.ts';
import { answerSubscription } from './subscriptions.service.ts';

/** Amazon SNS: its signature, its certificate, its subscriptions (docs/design/quality.md T15). */

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db?.close());

const certificateUrl = `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${'0'.repeat(32)}.pem`;

function message(more: Record<string, unknown> = {}): SnsMessage {
  const found = snsMessageOf({
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: 'arn:aws:sns:eu-west-1:123456789012:deliveries',
    Message: 'Hello',
    Timestamp: '2026-05-01T10:00:00.000Z',
    SignatureVersion: '2',
    SigningCertURL: certificateUrl,
    ...more,
  });
  assert.ok(found !== null);
  return found;
}

/** Signs the members in the order that the documentation of SNS lists. */
function signed(more: Record<string, unknown> = {}, key = providerKeys.privateKey): SnsMessage {
  const whole = message(more);
  const names =
    whole.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const text = names.flatMap((name) => (whole[name] === undefined ? [] : [`${name}\n${whole[name]}\n`])).join('');
  const algorithm = whole.SignatureVersion === '1' ? 'sha1' : 'sha256';
  return { ...whole, Signature: sign(algorithm, Buffer.from(text), key).toString('base64') };
}

/** Plays SNS: returns the certificate, and notes each address. */
function peer(status = 200) {
  const visited: string[] = [];
  return {
    visited,
    call: async (url: string) => {
      visited.push(url);
      return { status, headers: {}, body: Buffer.from(providerKeys.certificate) };
    },
  };
}

const now = new Date('2027-05-01T10:00:00Z');

test('accepts both versions of the signature, and fetches the certificate once', async () => {
  const sns = peer();
  const isSigned = createIsSignedBySns(sns);
  const confirmation = { Type: 'SubscriptionConfirmation', SubscribeURL: 'https://x', Token: 't' };
  for (const more of [{}, { Subject: 'a' }, { SignatureVersion: '1' }, confirmation]) {
    assert.equal(await isSigned(signed(more), now), true, JSON.stringify(more));
  }
  assert.deepEqual(sns.visited, [certificateUrl]);
  for (const more of [{ Message: 'Other' }, { Subject: 'new' }, { SignatureVersion: '3' }, { Signature: '' }]) {
    assert.equal(await isSigned({ ...signed(), ...more }, now), false, JSON.stringify(more));
  }
  assert.equal(await isSigned(signed({}, otherKeys.privateKey), now), false);
  assert.equal(await isSigned(signed(), new Date('2020-01-01T00:00:00Z')), false);
});

test('fetches certificates from SNS only', async () => {
  const sns = peer();
  const isSigned = createIsSignedBySns(sns);
  const path = new URL(certificateUrl).pathname;
  const wrong = [
    ...[`http://sns.eu-west-1.amazonaws.com${path}`, `https://sns.eu-west-1.amazonaws.com.evil.test${path}`],
    ...[`https://evil.test/sns.eu-west-1.amazonaws.com${path}`, `https://sns.eu-west-1.amazonaws.com@evil.test${path}`],
    ...[`https://bucket.s3.amazonaws.com${path}`, `https://sns.eu-west-1.amazonaws.com:8443${path}`],
    ...['https://sns.eu-west-1.amazonaws.com/?Action=Publish', `${certificateUrl}?x=1`, 'x', undefined],
  ];
  for (const SigningCertURL of wrong) assert.equal(await isSigned(signed({ SigningCertURL }), now), false);
  assert.deepEqual(sns.visited, []);
  assert.ok(snsUrlOf('https://sns.cn-north-1.amazonaws.com.cn/') !== null);
  assert.ok(snsUrlOf('https://sns.us-gov-west-1.amazonaws.com/') !== null);
  assert.equal(await createIsSignedBySns(peer(404))(signed(), now), false);
});

test('confirms a subscription once, at SNS only, and again after a failure', async () => {
  const SubscribeURL = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t';
  const ask = message({ Type: 'SubscriptionConfirmation', SubscribeURL, Token: 't' });
  const { database } = db;
  await assert.rejects(answerSubscription({ database, outbound: peer(500) }, ask), { code: 'unavailable' });
  const unreachable = { call: () => Promise.reject(new OutboundError('forbidden_address')) };
  await assert.rejects(answerSubscription({ database, outbound: unreachable }, ask), { code: 'unavailable' });
  const outbound = peer();
  const answers = await Promise.all([1, 2, 3].map(() => answerSubscription({ database, outbound }, ask)));
  assert.deepEqual(answers.sort(), ['confirmed', 'known', 'known']);
  assert.equal(await answerSubscription({ database, outbound }, ask), 'known');
  assert.deepEqual(outbound.visited, [SubscribeURL]);
  for (const url of [
    'https://169.254.169.254/latest',
    'http://sns.eu-west-1.amazonaws.com/',
    'https://sns.evil.test/',
  ]) {
    const other = { ...ask, SubscribeURL: url, MessageId: 'other' };
    await assert.rejects(answerSubscription({ database, outbound }, other), { code: 'validation_failed' });
  }
  assert.equal(outbound.visited.length, 1);
});
