import { verify, X509Certificate } from 'node:crypto';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { isValues, type Values } from './formats/format.ts';

/** Messages of Amazon SNS over HTTPS (docs/design/quality.md T15). */

/** Hosts of SNS itself. Whoever could pass for it could sign anything. */
const snsHost = /^sns\.[a-z]{2}(-[a-z]+)+-\d\.amazonaws\.com(\.cn)?$/;
const certificatePath = /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/;

const types = ['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation'];

/** A message of SNS, as its JSON has it. */
export interface SnsMessage extends Values {
  readonly Type: string;
  readonly TopicArn: string;
  readonly MessageId: string;
}

/** Returns the message that a body is; null for anything else. */
export function snsMessageOf(body: unknown): SnsMessage | null {
  if (!isValues(body)) return null;
  const { Type, TopicArn, MessageId } = body;
  if (typeof Type !== 'string' || !types.includes(Type)) return null;
  if (typeof TopicArn !== 'string' || typeof MessageId !== 'string') return null;
  return { ...body, Type, TopicArn, MessageId };
}

/** Returns a URL of SNS; null for any other. */
export function snsUrlOf(text: unknown): URL | null {
  if (typeof text !== 'string' || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isOwn = url.protocol === 'https:' && url.port === '' && snsHost.test(url.hostname);
  return isOwn && url.username === '' && url.password === '' ? url : null;
}

/** Returns true for a message that SNS signed. */
export type IsSignedBySns = (message: SnsMessage, now: Date) => Promise<boolean>;

const mostCertificates = 20;

/** Certificates are fetched once. Rejects with OutboundError if one can't be. */
export function createIsSignedBySns(outbound: Pick<Outbound, 'call'>): IsSignedBySns {
  const certificates = new Map<string, X509Certificate>();

  async function certificateAt({ href }: URL): Promise<X509Certificate | null> {
    const known = certificates.get(href);
    if (known !== undefined) return known;
    const { status, body } = await outbound.call(href);
    if (status !== 200) return null;
    const certificate = parseCertificate(body);
    if (certificate === null) return null;
    if (certificates.size >= mostCertificates) certificates.clear();
    certificates.set(href, certificate);
    return certificate;
  }

  return async (message, now) => {
    const url = snsUrlOf(message.SigningCertURL);
    const algorithm = { 1: 'sha1', 2: 'sha256' }[String(message.SignatureVersion)];
    const signed = signedText(message);
    if (url === null || !certificatePath.test(url.pathname) || url.search !== '') return false;
    if (algorithm === undefined || signed === null || typeof message.Signature !== 'string') return false;
    const certificate = await certificateAt(url);
    if (certificate === null) return false;
    if (now < certificate.validFromDate || now > certificate.validToDate) return false;
    return verify(algorithm, Buffer.from(signed), certificate.publicKey, Buffer.from(message.Signature, 'base64'));
  };
}

function parseCertificate(pem: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

/** The text that SNS signs. Null if a part of it is missing. */
function signedText(message: SnsMessage): string | null {
  const names =
    message.Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  let text = '';
  for (const name of names) {
    const value = message[name];
    if (name === 'Subject' && (value === undefined || value === null)) continue;
    if (typeof value !== 'string') return null;
    text += `${name}\n${value}\n`;
  }
  return text;
}
