import type { DeliveryEventName, DeliveryReason } from '@arbiter/contract';
import { isDateTime } from '../../../platform/formats.ts';

/** An event as its provider reported it. */
export interface ReportedEvent {
  readonly messageId: string;
  readonly event: DeliveryEventName;
  /** Null: the provider gave none. */
  readonly occurredAt: Date | null;
  readonly reason: DeliveryReason | null;
  /** The provider's id of the event. Null: it has none, and the event itself counts once per message. */
  readonly eventId: string | null;
}

/** Events of a body in order; null for one that is malformed or of no interest. */
export type ReportedEvents = readonly (ReportedEvent | null)[];

const longestMessageId = 512;
const longestEventId = 255;

/** Returns an event of parts that may be anything; null if it can't be one. */
export function reportedEvent(
  event: DeliveryEventName | undefined,
  parts: {
    readonly messageId: unknown;
    readonly occurredAt?: ReportedInstant;
    readonly reason?: DeliveryReason | null;
    readonly eventId?: unknown;
  },
): ReportedEvent | null {
  const messageId = typeof parts.messageId === 'string' ? bareMessageId(parts.messageId) : '';
  if (event === undefined || messageId === '' || messageId.length > longestMessageId || !isStorable(messageId))
    return null;
  // The instant of its arrival would be a wrong one.
  if (parts.occurredAt === null) return null;
  const eventId = typeof parts.eventId === 'string' && parts.eventId !== '' ? parts.eventId : null;
  // Two long ids could be the same when cut.
  if (eventId !== null && (eventId.length > longestEventId || !isStorable(eventId))) return null;
  return { messageId, event, eventId, occurredAt: parts.occurredAt ?? null, reason: parts.reason ?? null };
}

/** Ids of emails come with or without angle brackets. */
const bareMessageId = (text: string): string => text.trim().replace(/^<(.*)>$/, '$1');

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** When it happened: undefined if the provider doesn't say, null if its value can't be read. */
export type ReportedInstant = Date | null | undefined;

/** Reads an RFC 3339 timestamp. */
export function instantOf(value: unknown): ReportedInstant {
  if (value == null) return undefined;
  return typeof value === 'string' && isDateTime(value) ? validDate(new Date(value)) : null;
}

/** Reads Unix seconds, as a number or a text. */
export function secondsOf(value: unknown): ReportedInstant {
  if (value == null) return undefined;
  const seconds = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' ? validDate(new Date(seconds * 1_000)) : null;
}

/** Dates that the database and clients can show. */
function validDate(date: Date): Date | null {
  const year = date.getUTCFullYear();
  return Number.isNaN(year) || year < 1970 || year > 9999 ? null : date;
}
