import { dayRange, zoneClock } from '../../../platform/time/zones.ts';

/** The last days of a tenant, today included. */
export interface DayFrame {
  /** IANA zone that days are counted in. */
  readonly zone: string;
  /** Each day, `2026-11-20`, the oldest first. */
  readonly days: readonly string[];
  readonly first: string;
  readonly today: string;
  /** When the first day began. */
  readonly from: Date;
  readonly now: Date;
}

const dayMs = 86_400_000;

/** The day this many days after another. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

/** Returns this many days, up to and including the one of an instant. */
export function frameOf(zone: string, now: Date, count: number): DayFrame {
  const today = zoneClock(zone, now.getTime()).date;
  const days = Array.from({ length: count }, (_, at) => dayAfter(today, at - count + 1));
  const first = days[0] ?? today;
  return { zone, days, first, today, from: startOf(zone, first), now };
}

/** The days of a frame. */
export const periodOf = ({ first, today }: DayFrame): { readonly from: string; readonly to: string } => ({
  from: first,
  to: today,
});

/** The instant at which a day of the zone begins. */
const startOf = (zone: string, day: string): Date => new Date(dayRange(zone, day).startMs);

/** Returns the boundaries of a frame's days as instants: one more than days. */
export const boundsOf = ({ zone, days, today }: DayFrame): Date[] => [
  ...days.map((day) => startOf(zone, day)),
  startOf(zone, dayAfter(today, 1)),
];

/** A share, six decimals; null without a denominator. */
export const shareOf = (part: number, whole: number): number | null =>
  whole > 0 ? Math.round((part / whole) * 1e6) / 1e6 : null;

/** Two decimals. */
export const round2 = (value: number): number => Math.round(value * 100) / 100;
