import { createHmac, createPublicKey, verify, type X509Certificate } from 'node:crypto';
import { type Database, systemActor } from '../../../db/index.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import { sameSecret } from '../../../platform/crypto/crypto.ts';
import { isObject } from '../../../platform/json.ts';
import { type Outbound, OutboundError } from '../../../platform/outbound/outbound.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import { readSendingChannel } from '../../catalogue/channels/index.ts';
import { findMessages } from '../deliveries/index.ts';
import { isSignedBy, readCertificate, snsUrl } from './sns.rules.ts';

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
  const certificates = new Map<string, X509Certificate>();
  return async (request, bytes) => {
    const { headers } = request;
    if (headers['x-twilio-signature'] !== undefined) return isOfTwilio(deps, request, bytes);
    if (headers['x-twilio-email-event-webhook-signature'] !== undefined) return isOfSendgrid(deps, request, bytes);
    if (headers['x-amz-sns-message-type'] !== undefined) return isOfSns(deps, certificates, bytes);
    return false;
  };
}

const textOf = (value: string | readonly string[] | undefined): string => (typeof value === 'string' ? value : '');

/** Signed Event Webhook of SendGrid: ECDSA over timestamp and body. */
async function isOfSendgrid({ sendgridKey }: SignatureDeps, { headers }: SignedRequest, bytes: Uint8Array) {
  if (sendgridKey === null) return false;
  const timestamp = textOf(headers['x-twilio-email-event-webhook-timestamp']);
  const signature = Buffer.from(textOf(headers['x-twilio-email-event-webhook-signature']), 'base64');
  try {
    const key = createPublicKey({ key: Buffer.from(sendgridKey, 'base64'), format: 'der', type: 'spki' });
    return verify('sha256', Buffer.concat([Buffer.from(timestamp), bytes]), key, signature);
  } catch {
    return false;
  }
}

/** Twilio: HMAC-SHA1 of the URL and the sorted parameters, with the auth token of the channel that sent the message. */
async function isOfTwilio(
  { database, envelope, publicUrl }: SignatureDeps,
  { headers, url = '' }: SignedRequest,
  bytes: Uint8Array,
): Promise<boolean> {
  const form = new URLSearchParams(Buffer.from(bytes).toString('utf8'));
  const messageId = form.get('MessageSid') ?? form.get('SmsSid');
  if (messageId === null || messageId.length > 64 || messageId.includes('\0')) return false;
  const found = await database.withSystem('delivery-webhook', (tx) => findMessages(tx, [messageId]));
  const [message] = found;
  if (message === undefined || found.length > 1) return false;
  const channel = await database.withTenant(message.tenantId, systemActor('delivery-webhook'), (tx) =>
    readSendingChannel(tx, envelope, message.channelId),
  );
  const token = channel?.config?.authToken;
  if (token === undefined) return false;
  const parameters = [...form].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  const signed = `${publicUrl}${url}${parameters.map(([name, value]) => name + value).join('')}`;
  const expected = createHmac('sha1', token).update(signed).digest('base64');
  return sameSecret(expected, textOf(headers['x-twilio-signature']));
}

const mostCertificates = 20;

/** SNS, for a known topic. The certificate comes from a host of SNS, once. */
async function isOfSns(
  { outbound, clock, snsTopics }: SignatureDeps,
  certificates: Map<string, X509Certificate>,
  bytes: Uint8Array,
): Promise<boolean> {
  const message = jsonObject(bytes);
  if (message === null || typeof message.TopicArn !== 'string' || !snsTopics.includes(message.TopicArn)) return false;
  const url = snsUrl(message.SigningCertURL);
  if (url === null || !url.pathname.endsWith('.pem')) return false;
  const now = new Date(clock.now());
  const certificate = certificates.get(url.href) ?? (await fetchCertificate(outbound, url, now));
  if (certificate === null) return false;
  if (certificates.size >= mostCertificates) certificates.clear();
  certificates.set(url.href, certificate);
  return isSignedBy(message, certificate);
}

async function fetchCertificate(
  outbound: Pick<Outbound, 'call'>,
  url: URL,
  now: Date,
): Promise<X509Certificate | null> {
  try {
    const { status, body } = await outbound.call(url.href, { timeoutMs: 3_000 });
    return status === 200 ? readCertificate(body, now) : null;
  } catch (error) {
    if (error instanceof OutboundError) return null;
    throw error;
  }
}

function jsonObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
