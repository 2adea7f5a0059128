import type { DeliveryEventName } from '@arbiter/contract';
import { type ReadFormat, reasonOf, reportOf } from './format.ts';

/** Others, such as `queued` and `sent`, say nothing about the end. */
const events: ReadonlyMap<string | undefined, DeliveryEventName> = new Map([
  ['delivered', 'delivered'],
  ['read', 'opened'],
  ['failed', 'failed'],
  ['undelivered', 'failed'],
  ['canceled', 'failed'],
]);

/** A form, its names and values. */
export type FormValues = ReadonlyMap<string, readonly string[]>;

/** Returns the message of a status callback. */
export function twilioMessageOf(form: FormValues): string | undefined {
  return form.get('MessageSid')?.[0] ?? form.get('SmsSid')?.[0];
}

/** Twilio's status callback: a form with one event. */
export const readTwilio: ReadFormat<FormValues> = (form) => {
  const messageId = twilioMessageOf(form);
  if (messageId === undefined) return null;
  const status = form.get('MessageStatus')?.[0] ?? form.get('SmsStatus')?.[0];
  const reason = reasonOf(form.get('ErrorCode')?.[0]);
  const event = reportOf({ messageId, event: events.get(status), occurredAt: null, reason });
  return event === null ? { events: [], ignored: 1 } : { events: [event], ignored: 0 };
};
