import type { DeliveryEventName } from '@arbiter/contract';

/** An event as its provider reported it. */
export interface ReportedEvent {
  readonly messageId: string;
  readonly event: DeliveryEventName;
  /** Null: the provider gave none that can be read. */
  readonly occurredAt: Date | null;
  readonly reason: string | null;
  /** The provider's id of the event. Null: it has none, and the event itself counts once per message. */
  readonly eventId: string | null;
}

/** Events of a body in their order; null for one that is malformed or of no interest. */
export type ReportedEvents = readonly (ReportedEvent | null)[];

const longestMessageId = 512;
const longestEventId = 255;
const longestReason = 500;

/** Returns an event of parts that may be anything; null if it can't be one. */
export function reportedEvent(
  event: DeliveryEventName | undefined,
  parts: {
    readonly messageId: unknown;
    readonly occurredAt?: Date | null;
    readonly reason?: unknown;
    readonly eventId?: unknown;
  },
): ReportedEvent | null {
  const messageId = typeof parts.messageId === 'string' ? bareMessageId(parts.messageId) : '';
  if (event === undefined || messageId === '' || messageId.length > longestMessageId || !isStorable(messageId))
    return null;
  const eventId = typeof parts.eventId === 'string' && parts.eventId !== '' ? parts.eventId : null;
  // Two long ids could be the same when cut.
  if (eventId !== null && (eventId.length > longestEventId || !isStorable(eventId))) return null;
  const reason = typeof parts.reason === 'string' ? storable(parts.reason).slice(0, longestReason) : '';
  return {
    ...{ messageId, event, eventId },
    occurredAt: parts.occurredAt ?? null,
    reason: reason === '' ? null : reason.toWellFormed(),
  };
}

/** Ids of emails come with or without angle brackets. */
const bareMessageId = (text: string): string => text.trim().replace(/^<(.*)>$/, '$1');

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** Reads an RFC 3339 timestamp; null for anything else. */
export function instantOf(value: unknown): Date | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value)) return null;
  return validDate(new Date(value));
}

/** Reads Unix seconds, as a number or a text; null for anything else. */
export function secondsOf(value: unknown): Date | null {
  const seconds = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' ? validDate(new Date(seconds * 1_000)) : null;
}

/** Dates that the database and clients can show. */
function validDate(date: Date): Date | null {
  const year = date.getUTCFullYear();
  return Number.isNaN(year) || year < 1970 || year > 9999 ? null : date;
}
