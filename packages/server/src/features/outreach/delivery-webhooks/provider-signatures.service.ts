import { createHmac, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type Database, systemActor } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { type Envelope, sameSecret } from '../../../platform/crypto/crypto.ts';
import { OutboundError } from '../../../platform/outbound/outbound.ts';
import { readSendingChannel } from '../../catalogue/channels/index.ts';
import { findMessages } from '../deliveries/index.ts';
import type { ParsedBody } from './formats/read-reports.ts';
import { type FormValues, twilioMessageOf } from './formats/twilio.ts';
import { type IsSignedBySns, type SnsMessage, snsMessageOf } from './sns.ts';

export interface SignatureDeps {
  readonly database: Database;
  readonly envelope: Envelope | null;
  readonly logger: { warn(about: object, text: string): void };
  /** Address of this server, without a path. */
  readonly publicUrl: string;
  readonly isSignedBySns: IsSignedBySns;
  readonly snsTopics: readonly string[];
  readonly sendgridKey: string | null;
}

/** A call that carries a provider's own signature. */
export interface SignedCall {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly now: Date;
  readonly until: number;
}

/** Throws `bad_signature` unless the provider that a body comes from signed it. */
export async function checkProviderSignature(deps: SignatureDeps, body: ParsedBody, call: SignedCall): Promise<void> {
  if (await isSigned(deps, body, call)) return;
  throw badSignature();
}

export function badSignature(): AppError {
  return new AppError('bad_signature', { detail: 'The signature of the provider does not match the body.' });
}

async function isSigned(deps: SignatureDeps, body: ParsedBody, call: SignedCall): Promise<boolean> {
  if (body.kind === 'form') return isSignedByTwilio(deps, body.form, call);
  const message = snsMessageOf(body.value);
  if (message !== null) return isOwnTopic(deps, message, call.now);
  return isSignedBySendgrid(deps.sendgridKey, call);
}

/** SNS signs for all its customers, so only the operator's topics count. */
async function isOwnTopic(
  { snsTopics, isSignedBySns }: SignatureDeps,
  message: SnsMessage,
  now: Date,
): Promise<boolean> {
  if (!snsTopics.includes(message.TopicArn)) return false;
  try {
    return await isSignedBySns(message, now);
  } catch (error) {
    // SNS sends it again.
    if (error instanceof OutboundError) throw new AppError('unavailable', { cause: error });
    throw error;
  }
}

/** ECDSA over timestamp and body (Twilio SendGrid, Signed Event Webhook). */
function isSignedBySendgrid(publicKey: string | null, { bytes, headers }: SignedCall): boolean {
  const signature = headers['X-Twilio-Email-Event-Webhook-Signature'];
  const timestamp = headers['X-Twilio-Email-Event-Webhook-Timestamp'];
  if (publicKey === null || signature === undefined || timestamp === undefined) return false;
  const key: KeyObject = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return verify('sha256', Buffer.concat([Buffer.from(timestamp), bytes]), key, Buffer.from(signature, 'base64'));
}

/** HMAC-SHA1 over the address and the sorted values of the form, with the auth token of the message's channel. */
async function isSignedByTwilio(
  deps: SignatureDeps,
  form: FormValues,
  { headers, until }: SignedCall,
): Promise<boolean> {
  const signature = headers['X-Twilio-Signature'];
  const messageId = twilioMessageOf(form);
  if (signature === undefined || messageId === undefined || messageId.includes('\0')) return false;
  const message = (await findMessages(deps, [messageId], until)).get(messageId);
  if (message === undefined) return false;
  const channel = await deps.database.withTenant(
    message.tenantId,
    systemActor('delivery-webhooks'),
    (tx) => readSendingChannel(tx, deps.envelope, message.channelId),
    { until },
  );
  const token = channel?.config?.provider === 'twilio' ? channel.config.authToken : undefined;
  if (typeof token !== 'string' || token === '') return false;
  const values = [...form].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, all]) => name + all.join(''));
  const text = `${deps.publicUrl}/api/v1/webhooks/delivery${values.join('')}`;
  return sameSecret(createHmac('sha1', token).update(text).digest('base64'), signature);
}
