import type { DeliveryEventName } from '@arbiter/contract';
import { instantOf, type Reports, reasonOf, reportOf, reportsOf, type Values, valuesOf } from './format.ts';

const events: ReadonlyMap<unknown, DeliveryEventName> = new Map([
  ['sent', 'delivered'],
  ['delivered', 'delivered'],
  ['read', 'opened'],
  ['failed', 'failed'],
]);

/** Reads the statuses of a callback of the WhatsApp Cloud API. A body without any reports nothing. */
export function readWhatsapp(body: unknown): Reports {
  const changes = listOf(body, 'entry').flatMap((entry) => listOf(entry, 'changes'));
  return reportsOf(
    changes.flatMap((change) => listOf(valuesOf(change, 'value'), 'statuses')),
    readStatus,
  );
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : null;
  return Array.isArray(member) ? member : [];
}

function readStatus(item: Values) {
  const { id, status, timestamp } = item;
  const seconds = typeof timestamp === 'string' || typeof timestamp === 'number' ? Number(timestamp) : Number.NaN;
  const [error] = listOf(item, 'errors');
  return reportOf({
    messageId: id,
    event: events.get(status),
    occurredAt: instantOf(seconds * 1_000) ?? null,
    reason: reasonOf(valuesOf({ error }, 'error').code, valuesOf({ error }, 'error').title),
  });
}
