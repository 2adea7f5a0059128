import type { DeliveryEventName } from '@arbiter/contract';
import type { DeliveryReport } from '../../deliveries/index.ts';

/** What one call reports. `ignored`: events of no interest, and malformed ones. */
export interface Reports {
  readonly events: readonly DeliveryReport[];
  readonly ignored: number;
}

/** Reads a format. Null for a body of another format. */
export type ReadFormat<Body> = (body: Body) => Reports | null;

export type Values = Readonly<Record<string, unknown>>;

export function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a member that holds an object; an empty object otherwise. */
export function valuesOf(value: unknown, name: string): Values {
  const member = isValues(value) ? value[name] : undefined;
  return isValues(member) ? member : {};
}

/** Returns a text from 1 to `most` characters that the database can store; null for anything else. */
export function textOf(value: unknown, most: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= most && !value.includes('\0') ? value : null;
}

/** Returns the start of a reason as one line; null if there is none. */
export function reasonOf(...parts: readonly unknown[]): string | null {
  const words = parts.filter((part) => typeof part === 'string' || typeof part === 'number').map(String);
  const line = words
    .join(' ')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return line === '' ? null : line.toWellFormed().slice(0, 300);
}

/** Instants that the database stores and that no clock shows by mistake. */
const firstYear = Date.UTC(2000, 0);
const lastYear = Date.UTC(2100, 0);

/** Returns an instant of epoch ms; undefined for one that is none. */
export function instantOf(ms: number): Date | undefined {
  return ms >= firstYear && ms < lastYear ? new Date(ms) : undefined;
}

/** Returns an instant of RFC 3339; undefined for one that is none. */
export function timestampOf(value: unknown): Date | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d/.test(value)
    ? instantOf(Date.parse(value))
    : undefined;
}

interface Reported {
  readonly messageId: unknown;
  readonly event: DeliveryEventName | undefined;
  /** Undefined: it has one that can't be read. Null: it has none. */
  readonly occurredAt: Date | null | undefined;
  readonly reason?: string | null;
  /** Id of the event at the provider. Undefined: it can't be read. Null: it has none. */
  readonly eventId?: unknown;
}

/** Returns an event; null if a part of it is missing or malformed. */
export function reportOf({
  messageId,
  event,
  occurredAt,
  reason = null,
  eventId = null,
}: Reported): DeliveryReport | null {
  const id = textOf(messageId, 512);
  const ownId = eventId === null ? null : textOf(eventId, 255);
  if (id === null || event === undefined || occurredAt === undefined) return null;
  if (eventId !== null && ownId === null) return null;
  return { messageId: id, event, occurredAt, reason, eventId: ownId };
}

/** Splits items into events and those that are none. */
export function reportsOf(items: readonly unknown[], read: (item: Values) => DeliveryReport | null): Reports {
  const events = items.flatMap((item) => (isValues(item) ? (read(item) ?? []) : []));
  return { events, ignored: items.length - events.length };
}
