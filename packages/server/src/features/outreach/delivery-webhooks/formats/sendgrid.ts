import type { DeliveryEventName } from '@arbiter/contract';
import { instantOf, isValues, type ReadFormat, reasonOf, reportOf, reportsOf, type Values } from './format.ts';

/** Others, such as `processed` and `deferred`, say nothing about the end. */
const events: ReadonlyMap<unknown, DeliveryEventName> = new Map([
  ['delivered', 'delivered'],
  ['open', 'opened'],
  ['click', 'clicked'],
  ['bounce', 'bounced'],
  ['dropped', 'bounced'],
  ['spamreport', 'bounced'],
]);

/** SendGrid's event webhook: a list of events. */
export const readSendgrid: ReadFormat<unknown> = (body) => {
  if (!Array.isArray(body) || !body.some((item) => isValues(item) && 'sg_message_id' in item)) return null;
  return reportsOf(body, readItem);
};

function readItem(item: Values) {
  const { sg_message_id: id, event, timestamp, reason, sg_event_id: eventId } = item;
  return reportOf({
    // Only the part before the first dot is known when the message is sent.
    messageId: typeof id === 'string' ? id.split('.', 1)[0] : id,
    event: events.get(event),
    occurredAt: typeof timestamp === 'number' ? instantOf(timestamp * 1_000) : null,
    // The reason of a bounce quotes the address.
    reason: event === 'dropped' ? reasonOf(reason) : reasonOf(item.type ?? item.bounce_classification),
    eventId: eventId ?? null,
  });
}
