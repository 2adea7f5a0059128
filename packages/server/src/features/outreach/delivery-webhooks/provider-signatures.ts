import { createHmac, type KeyObject, verify } from 'node:crypto';
import { readPublicKey } from '../../../config/public-key.ts';
import { type Database, systemActor } from '../../../db/index.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import { sameSecret } from '../../../platform/crypto/crypto.ts';
import { isObject } from '../../../platform/json.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import { readSendingChannel } from '../../catalogue/channels/index.ts';
import { type CallbackChannel, findMessages, readCallbackUrl } from '../deliveries/index.ts';
import { isSignedBy } from './sns.rules.ts';
import { createCertificates, type FindCertificate } from './sns-certificates.ts';

export interface SignatureDeps {
  readonly database: Database;
  readonly envelope: Envelope | null;
  readonly outbound: Pick<Outbound, 'call'>;
  readonly clock: Clock;
  /** Public address of the server: Twilio signs the URL that it calls. */
  readonly publicUrl: string;
  /** Topics of SNS whose messages count. */
  readonly snsTopics: readonly string[];
  /** SendGrid's verification key, as its console shows it. Null: its signatures don't count. */
  readonly sendgridKey: string | null;
}

/** A request, as signatures cover it. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Path and query. */
  readonly url?: string | undefined;
}

type Check = (request: SignedRequest, bytes: Uint8Array) => Promise<boolean>;

/** Returns a check whether SNS, SendGrid or Twilio signed a request with a key that is configured for them. */
export function createProviderSignatures(deps: SignatureDeps): Check {
  const findCertificate = createCertificates(deps.outbound);
  const sendgridKey = deps.sendgridKey === null ? null : readPublicKey(deps.sendgridKey);
  return async (request, bytes) => {
    const { headers } = request;
    if (headers['x-twilio-signature'] !== undefined) return isOfTwilio(deps, request, bytes);
    if (headers['x-twilio-email-event-webhook-signature'] !== undefined)
      return isOfSendgrid(sendgridKey, request, bytes);
    if (headers['x-amz-sns-message-type'] !== undefined) return isOfSns(deps, findCertificate, bytes);
    return false;
  };
}

const textOf = (value: string | readonly string[] | undefined): string => (typeof value === 'string' ? value : '');

/** Signed Event Webhook of SendGrid: ECDSA over timestamp and body. */
function isOfSendgrid(key: KeyObject | null, { headers }: SignedRequest, bytes: Uint8Array): boolean {
  if (key === null) return false;
  const timestamp = textOf(headers['x-twilio-email-event-webhook-timestamp']);
  const signature = Buffer.from(textOf(headers['x-twilio-email-event-webhook-signature']), 'base64');
  return verify('sha256', Buffer.concat([Buffer.from(timestamp), bytes]), key, signature);
}

/** Twilio: HMAC-SHA1 of the URL and the sorted parameters, with the auth token of the channel that sent the message. */
async function isOfTwilio(deps: SignatureDeps, { headers, url = '' }: SignedRequest, bytes: Uint8Array) {
  const form = new URLSearchParams(Buffer.from(bytes).toString('utf8'));
  const messageId = form.get('MessageSid') ?? form.get('SmsSid');
  if (messageId === null || messageId.length > 64 || messageId.includes('\0')) return false;
  const sender = await senderOf(deps, messageId, url);
  if (sender === null) return false;
  const channel = await deps.database.withTenant(sender.tenantId, systemActor('delivery-webhook'), (tx) =>
    readSendingChannel(tx, deps.envelope, sender.channelId),
  );
  const token = channel?.config?.authToken;
  if (token === undefined) return false;
  const parameters = [...form].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  const signed = `${deps.publicUrl}${url}${parameters.map(([name, value]) => name + value).join('')}`;
  const expected = createHmac('sha1', token).update(signed).digest('base64');
  return sameSecret(expected, textOf(headers['x-twilio-signature']));
}

/**
 * Returns the channel that sent a message. Twilio may call before the id of the message is stored; the URL of the callback,
 * which the signature covers, then names the channel.
 */
async function senderOf({ database }: SignatureDeps, messageId: string, url: string): Promise<CallbackChannel | null> {
  const found = await database.withSystem('delivery-webhook', (tx) => findMessages(tx, [messageId]));
  if (found.length > 1) return null;
  return found[0] ?? readCallbackUrl(url);
}

/** SNS, for a known topic. */
async function isOfSns(
  { clock, snsTopics }: SignatureDeps,
  findCertificate: FindCertificate,
  bytes: Uint8Array,
): Promise<boolean> {
  const message = jsonObject(bytes);
  if (message === null || typeof message.TopicArn !== 'string' || !snsTopics.includes(message.TopicArn)) return false;
  const certificate = await findCertificate(message.SigningCertURL, new Date(clock.now()));
  return certificate !== null && isSignedBy(message, certificate);
}

function jsonObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
