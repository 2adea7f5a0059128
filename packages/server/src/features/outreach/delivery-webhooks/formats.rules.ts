import {
  type DeliveryEventName,
  deliveryEvents,
  maxProviderEvents,
  maxStandardEvents,
  type RawBody,
} from '@arbiter/contract';
import { isObject } from '../../../platform/json.ts';
import { sendgridReason, sesReason, standardReason, twilioReason, whatsappReason } from './reasons.rules.ts';
import { instantOf, type ReportedEvents, reportedEvent, secondsOf } from './reported-events.ts';

type Fields = Readonly<Record<string, unknown>>;
type Words = Readonly<Record<string, DeliveryEventName>>;

/** What a body holds. */
export type WebhookBody =
  | { readonly kind: 'events'; readonly events: ReportedEvents }
  | { readonly kind: 'subscription'; readonly message: Fields };

const events = (list: ReportedEvents): WebhookBody => ({ kind: 'events', events: list });
const wordOf = (words: Words, word: unknown): DeliveryEventName | undefined =>
  typeof word === 'string' && Object.hasOwn(words, word) ? words[word] : undefined;

const sesWords: Words = {
  Delivery: 'delivered',
  Open: 'opened',
  Click: 'clicked',
  Bounce: 'bounced',
  Complaint: 'bounced',
  Reject: 'failed',
  'Rendering Failure': 'failed',
};

/** A notification of SES, whose kind is `notificationType`, or `eventType` in event publishing. */
function readSes(value: Fields, snsId: unknown = null): ReportedEvents {
  const kind = value.notificationType ?? value.eventType;
  const mail = isObject(value.mail) ? value.mail : {};
  const details = [value.bounce, value.complaint, value.delivery, value.open, value.click].find(isObject);
  return [
    reportedEvent(wordOf(sesWords, kind), {
      messageId: mail.messageId,
      occurredAt: instantOf(details?.timestamp ?? mail.timestamp),
      reason: sesReason(value),
      eventId: snsId,
    }),
  ];
}

/** A message of Amazon SNS that holds a notification of SES as text. */
function readSns(value: Fields): WebhookBody | null {
  if (value.Type === 'SubscriptionConfirmation') return { kind: 'subscription', message: value };
  if (value.Type === 'UnsubscribeConfirmation') return events([null]);
  if (value.Type !== 'Notification') return null;
  const message = typeof value.Message === 'string' ? parsed(value.Message) : undefined;
  return events(isObject(message) ? readSes(message, value.MessageId) : [null]);
}

const sendgridWords: Words = {
  delivered: 'delivered',
  open: 'opened',
  click: 'clicked',
  bounce: 'bounced',
  blocked: 'bounced',
  dropped: 'bounced',
  spamreport: 'bounced',
};

/** An event of SendGrid. Its answer to a send holds the message id up to the first dot. */
const readSendgrid = (list: readonly unknown[]): ReportedEvents =>
  list.map((item) => {
    if (!isObject(item) || typeof item.sg_message_id !== 'string') return null;
    return reportedEvent(wordOf(sendgridWords, item.event), {
      messageId: item.sg_message_id.split('.')[0],
      occurredAt: secondsOf(item.timestamp),
      reason: sendgridReason(item),
      eventId: item.sg_event_id,
    });
  });

const twilioWords: Words = {
  delivered: 'delivered',
  read: 'opened',
  undelivered: 'failed',
  canceled: 'failed',
  failed: 'failed',
};

/** A status callback of Twilio: a form. Null if it is another one. */
function readTwilio(text: string): WebhookBody | null {
  const form = new URLSearchParams(text);
  const messageId = form.get('MessageSid') ?? form.get('SmsSid');
  if (messageId === null) return null;
  const status = form.get('MessageStatus') ?? form.get('SmsStatus');
  return events([
    reportedEvent(wordOf(twilioWords, status), { messageId, reason: twilioReason(form.get('ErrorCode')) }),
  ]);
}

const standardWords: Words = Object.fromEntries(deliveryEvents.map((word) => [word, word]));

const readStandard = (list: readonly unknown[]): ReportedEvents =>
  list.map((item) => {
    if (!isObject(item)) return null;
    const { providerMessageId: messageId, eventId } = item;
    const [occurredAt, reason] = [instantOf(item.timestamp), standardReason(item.reason)];
    return reportedEvent(wordOf(standardWords, item.event), { messageId, occurredAt, reason, eventId });
  });

const has = (item: unknown, ...names: readonly string[]): boolean =>
  isObject(item) && names.every((name) => Object.hasOwn(item, name));

/** Undefined for text that isn't JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The problem of a body in no known format. */
export interface UnknownFormat {
  readonly problem: string;
}

const unknownFormat: UnknownFormat = {
  problem: 'is in none of the known formats: SES, SNS, SendGrid, Twilio, or an object with providerMessageId and event',
};

/** Reads a body in the format that its shape shows; `hint` breaks ties. */
export function readWebhook(body: RawBody, hint: string | undefined): WebhookBody | UnknownFormat {
  const text = Buffer.from(body.bytes).toString('utf8');
  if (body.mediaType === 'application/x-www-form-urlencoded') return readTwilio(text) ?? unknownFormat;
  const value = parsed(text);
  if (Array.isArray(value)) return readList(value, hint);
  if (!isObject(value)) return unknownFormat;
  const isStandard = has(value, 'providerMessageId', 'event');
  if (isStandard && hint !== 'ses') return events(readStandard([value]));
  if (has(value, 'notificationType') || has(value, 'eventType', 'mail')) return events(readSes(value));
  const sns = has(value, 'Type') ? readSns(value) : null;
  if (sns !== null) return sns;
  if (has(value, 'sg_message_id')) return events(readSendgrid([value]));
  return isStandard ? events(readStandard([value])) : unknownFormat;
}

function readList(list: readonly unknown[], hint: string | undefined): WebhookBody | UnknownFormat {
  if (list.length === 0) return { problem: 'must contain at least one event' };
  const isSendgrid = list.some((item) => has(item, 'sg_message_id'));
  const isStandard = list.some((item) => has(item, 'providerMessageId', 'event'));
  if (!isSendgrid && !isStandard) return unknownFormat;
  const isOfSendgrid = isSendgrid && (hint === 'sendgrid' || !isStandard);
  const most = isOfSendgrid ? maxProviderEvents : maxStandardEvents;
  if (list.length > most) return { problem: `must contain at most ${most.toLocaleString('en')} events` };
  return events(isOfSendgrid ? readSendgrid(list) : readStandard(list));
}

const whatsappWords: Words = { sent: 'delivered', delivered: 'delivered', read: 'opened', failed: 'failed' };

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * Reads the statuses of a callback of WhatsApp, which is always accepted: those beyond the limit are null. Whatever else it
 * holds isn't an event.
 */
export function readWhatsapp({ bytes }: RawBody): ReportedEvents {
  const value = parsed(Buffer.from(bytes).toString('utf8'));
  const changes = listOf(isObject(value) ? value.entry : null).flatMap((entry) =>
    listOf(isObject(entry) ? entry.changes : null),
  );
  const statuses = changes.flatMap((change) =>
    listOf(isObject(change) && isObject(change.value) ? change.value.statuses : null),
  );
  return statuses.map((item, at) => {
    if (!isObject(item) || at >= maxProviderEvents) return null;
    return reportedEvent(wordOf(whatsappWords, item.status), {
      messageId: item.id,
      occurredAt: secondsOf(item.timestamp),
      reason: whatsappReason(item.errors),
    });
  });
}
