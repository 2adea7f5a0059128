import type { Contacts, DecisionInput, Json, Snapshot } from '@arbiter/engine';
import { DateTime } from 'luxon';

/**
 * A second, slow and plain reading of the design pages: computes the required decision from the catalogue and the raw
 * facts about one customer. Shares no code with the engine. Whatever the engine prepares, folds, orders or skips, the
 * oracle computes again for each candidate and after each item.
 */
export interface World {
  readonly snapshot: Snapshot;
  /** The engine's input. Of contacts, the oracle also has the individual events. */
  readonly input: DecisionInput;
  readonly contacts: Contacts;
}

/** A contact of the customer: a counted impression or an open reservation. */
export interface ContactEvent {
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly campaignId: string | null;
  /** Epoch ms; minus infinity: so long ago that only "ever" counts it. */
  readonly at: number;
}

export type Row = { readonly [key: string]: Json };

/** The contacts as single events (docs/design/api-catalogue.md 8.1). */
export function contactEvents({ contacts, input }: World): ContactEvent[] {
  const events: ContactEvent[] = [];
  const of = (lane: number, at: number) => events.push({ ...contacts.lanes[lane]!, at });
  for (const { lane, at } of contacts.log) of(lane, at);
  for (const { lane, at, expiresAt } of contacts.reservations) if (expiresAt > input.now) of(lane, at);
  contacts.totals.forEach((total, lane) => {
    const logged = contacts.log.filter((entry) => entry.lane === lane).length;
    for (let extra = logged; extra < total; extra++) of(lane, Number.NEGATIVE_INFINITY);
  });
  return events;
}

export type Period = 'daily' | 'weekly' | 'monthly' | 'alltime' | 'days30' | { readonly ms: number };

/** Whether an event is in the period of `now` (docs/design/api-catalogue.md 8.2). */
export function isInPeriod(at: number, period: Period, now: number, zone: string): boolean {
  if (period === 'alltime') return true;
  if (typeof period === 'object') return at > now - period.ms && at <= now;
  const local = DateTime.fromMillis(now, { zone });
  const start =
    period === 'days30'
      ? local.startOf('day').minus({ days: 29 })
      : local.startOf(({ daily: 'day', weekly: 'week', monthly: 'month' } as const)[period]);
  const end =
    period === 'weekly'
      ? start.plus({ weeks: 1 })
      : period === 'monthly'
        ? start.plus({ months: 1 })
        : local.startOf('day').plus({ days: 1 });
  return at >= start.toMillis() && at < end.toMillis();
}

/** Hours and days of E16 in docs/design/quality.md: null when inside. */
export function closedHours(
  now: number,
  zone: string,
  startHour: number,
  endHour: number,
  days: readonly number[],
): boolean {
  const { hour, weekday } = DateTime.fromMillis(now, { zone });
  const today = weekday % 7;
  const isDay = (day: number) => days.length === 0 || days.includes(day);
  if (startHour === endHour) return !isDay(today);
  if (startHour < endHour) return !(hour >= startHour && hour < endHour && isDay(today));
  if (hour >= startHour) return !isDay(today);
  return !(hour < endHour && isDay((today + 6) % 7));
}

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
