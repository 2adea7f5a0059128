import type { DeliveryEventName } from '@arbiter/contract';
import {
  isValues,
  type ReadFormat,
  type Reports,
  reasonOf,
  reportOf,
  timestampOf,
  type Values,
  valuesOf,
} from './format.ts';

/** Event and the member that has its time. Others, such as `Send` and `DeliveryDelay`, say nothing about the end. */
const events: ReadonlyMap<unknown, readonly [DeliveryEventName, string]> = new Map([
  ['Delivery', ['delivered', 'delivery']],
  ['Open', ['opened', 'open']],
  ['Click', ['clicked', 'click']],
  ['Bounce', ['bounced', 'bounce']],
  ['Complaint', ['bounced', 'complaint']],
  ['Reject', ['failed', 'reject']],
  ['Rendering Failure', ['failed', 'failure']],
]);

const isNotification = (value: unknown): value is Values =>
  isValues(value) && ('notificationType' in value || 'eventType' in value) && isValues(value.mail);

/** A notification of SES, in the envelope of SNS or without. It is one event, whatever its recipients. */
export const readSes: ReadFormat<unknown> = (body) => {
  if (isNotification(body)) return readNotification(body, null);
  if (!isValues(body) || typeof body.TopicArn !== 'string') return null;
  if (body.Type === 'UnsubscribeConfirmation') return nothing;
  if (body.Type !== 'Notification') return null;
  const inner = parse(body.Message);
  return isNotification(inner) ? readNotification(inner, body.MessageId ?? null) : nothing;
};

const nothing: Reports = { events: [], ignored: 1 };

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

function readNotification(notification: Values, eventId: unknown): Reports {
  const [event, member] = events.get(notification.eventType ?? notification.notificationType) ?? [];
  const mail = valuesOf(notification, 'mail');
  const about = member === undefined ? {} : valuesOf(notification, member);
  const report = reportOf({
    messageId: mail.messageId,
    event,
    occurredAt: timestampOf(about.timestamp ?? mail.timestamp) ?? null,
    // The diagnostics of a bounce quote the address.
    reason: reasonOf(about.bounceType, about.bounceSubType, about.complaintFeedbackType, about.reason),
    eventId,
  });
  return report === null ? nothing : { events: [report], ignored: 0 };
}
