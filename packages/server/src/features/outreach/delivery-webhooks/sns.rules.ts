import { verify, X509Certificate } from 'node:crypto';

/**
 * Messages of Amazon SNS over HTTP (docs.aws.amazon.com/sns, "Verifying the signatures of Amazon SNS messages"). Anyone
 * with an AWS account gets such signatures for topics of their own, so only those of known topics count.
 */

/** Hosts of SNS: nothing else may name a certificate or a confirmation (docs/design/quality.md T15). */
const region = '[a-z]{2}(?:-[a-z]{2,12}){1,2}-[0-9]{1,2}';
const chineseRegion = 'cn-[a-z]{2,12}-[0-9]{1,2}';
const snsHost = new RegExp(`^sns\\.(?:${region}\\.amazonaws\\.com|${chineseRegion}\\.amazonaws\\.com\\.cn)$`);

/** Returns the URL if it is one of SNS, over https on its usual port; else null. */
export function snsUrl(text: unknown): URL | null {
  if (typeof text !== 'string' || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.protocol === 'https:' && url.port === '' && url.username === '' && url.password === '';
  return isPlain && snsHost.test(url.hostname) ? url : null;
}

/** Returns the URL if it is that of a certificate of SNS; else null. */
export function certificateUrl(text: unknown): URL | null {
  const url = snsUrl(text);
  // Compared as it was written: a parser drops what it finds redundant, such as `:443`, `?` or `/x/..`.
  const path = '/SimpleNotificationService-[0-9a-f]{1,64}\\.pem';
  return url !== null && new RegExp(`^https://[^/]+${path}$`).test(String(text)) && url.href === text ? url : null;
}

type Fields = Readonly<Record<string, unknown>>;

const signedKeys: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};

/** Returns the text that SNS signs; null for a message of another type. */
function signedText(message: Fields): string | null {
  const keys =
    typeof message.Type === 'string' && Object.hasOwn(signedKeys, message.Type) ? signedKeys[message.Type] : null;
  if (keys == null) return null;
  // A notification without a subject leaves it out.
  const present = keys.filter((key) => key !== 'Subject' || typeof message.Subject === 'string');
  if (present.some((key) => typeof message[key] !== 'string')) return null;
  return present.map((key) => `${key}\n${message[key]}\n`).join('');
}

/** True if the certificate's key signed the message. */
export function isSignedBy(message: Fields, certificate: X509Certificate): boolean {
  const text = signedText(message);
  if (text === null || typeof message.Signature !== 'string') return false;
  const digest = message.SignatureVersion === '2' ? 'RSA-SHA256' : message.SignatureVersion === '1' ? 'RSA-SHA1' : null;
  if (digest === null) return false;
  return verify(digest, Buffer.from(text, 'utf8'), certificate.publicKey, Buffer.from(message.Signature, 'base64'));
}

/** Parses a certificate; null if the bytes aren't one. */
export function readCertificate(pem: Uint8Array): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

export const isValidAt = ({ validFrom, validTo }: X509Certificate, now: Date): boolean =>
  new Date(validFrom) <= now && now <= new Date(validTo);
