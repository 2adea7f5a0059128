import { deliveryEvents, maxReportedEvents } from '@arbiter/contract';
import { AppError } from '../../../../platform/app-error.ts';
import { isDateTime } from '../../../../platform/formats.ts';
import { isValues, type ReadFormat, reasonOf, reportOf, reportsOf, timestampOf, type Values } from './format.ts';

/** Our own format: one event, or a list. Throws for a list that is empty or too long. */
export const readStandard: ReadFormat<unknown> = (body) => {
  const items: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (Array.isArray(body) && (items.length === 0 || items.length > maxReportedEvents)) {
    const message = `must have 1 to ${maxReportedEvents} events`;
    throw new AppError('validation_failed', { detail: `body ${message}`, errors: [{ path: 'body', message }] });
  }
  if (!items.some((item) => isValues(item) && 'providerMessageId' in item && 'event' in item)) return null;
  return reportsOf(items, readItem);
};

function readItem({ providerMessageId, event, timestamp, reason, eventId }: Values) {
  const hasTime = timestamp !== undefined && timestamp !== null;
  const isTime = typeof timestamp === 'string' && isDateTime(timestamp);
  return reportOf({
    messageId: providerMessageId,
    event: deliveryEvents.find((known) => known === event),
    occurredAt: hasTime ? (isTime ? timestampOf(timestamp) : undefined) : null,
    reason: reasonOf(reason),
    eventId: eventId ?? null,
  });
}
