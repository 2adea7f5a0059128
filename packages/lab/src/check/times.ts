import {
  civilFromDays,
  type JsonObject,
  type PlanOffer,
  parseInstant,
  scheduleOf,
  timeWindowOpens,
  type ZoneClock,
} from '@arbiter/engine';
import type { TimeLimit } from './subject.ts';

const quarterMs = 15 * 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

type ClockAt = (zone: string, at: number) => ZoneClock;

/** The schedule of an offer as a limit. Local days may begin 14 hours before and end 12 hours after those of UTC. */
export function scheduleLimit({ row, schedule }: PlanOffer, tenantZone: string): TimeLimit | null {
  if (schedule === null || row.schedule === null) return null;
  const { startDate, endDate, ...weekly } = row.schedule;
  const hours = scheduleOf(weekly, tenantZone);
  return {
    zone: schedule.zone,
    from: boundOf(startDate, -14 * hourMs) ?? Number.NEGATIVE_INFINITY,
    until: boundOf(endDate, dayMs + 12 * hourMs) ?? Number.POSITIVE_INFINITY,
    opensIn: (clock) => hours === null || hours.closed(0, clock as ZoneClock) === null,
    opensAt: (at, clock) => schedule.closed(at, clock) === null,
  };
}

function boundOf(value: unknown, slackMs: number): number | null {
  if (typeof value !== 'string' || value === '') return null;
  const at = parseInstant(value);
  if (at === null) return null;
  return value.includes('T') ? at : at + slackMs;
}

/** A time window as a limit; null when customers bring zones of their own. */
export function windowLimit(config: JsonObject, tenantZone: string): TimeLimit | null {
  if (config.zonePath !== undefined) return null;
  const opensIn: TimeLimit['opensIn'] = (clock) => timeWindowOpens(config, clock);
  return {
    zone: typeof config.timezone === 'string' ? config.timezone : tenantZone,
    from: Number.NEGATIVE_INFINITY,
    until: Number.POSITIVE_INFINITY,
    opensIn,
    opensAt: (_at, clock) => opensIn(clock),
  };
}

interface Range {
  readonly from: number;
  readonly until: number;
}

function rangeOf(limits: readonly TimeLimit[], now: number): Range {
  return {
    from: Math.max(now, ...limits.map(({ from }) => from)),
    until: Math.min(...limits.map(({ until }) => until)),
  };
}

/** False: the limits are never open at once, from now on. In doubt, they are. */
export function canOpen(limits: readonly TimeLimit[], now: number, clockAt: ClockAt): boolean {
  if (limits.length === 0) return true;
  const { from, until } = rangeOf(limits, now);
  if (until <= from) return false;
  if (until - from < 2 * weekMs) return findOpen(limits, now, clockAt) !== null;
  const zones = [...new Set(limits.map(({ zone }) => zone))];
  if (zones.length === 1) {
    return hoursOfWeek.some((clock) => limits.every((limit) => limit.opensIn(clock)));
  }
  // Each zone is judged at both of its offsets, because a clock may change in between.
  const offsets = new Map(zones.map((zone) => [zone, offsetsOf(zone, now, clockAt)]));
  for (let at = 0; at < weekMs; at += quarterMs) {
    if (limits.every((limit) => offsets.get(limit.zone)!.some((offset) => limit.opensIn(clockOfWeek(at + offset)))))
      return true;
  }
  return false;
}

/** Returns an instant within two weeks of the first possible one at which all limits are open, or null. */
export function findOpen(limits: readonly TimeLimit[], now: number, clockAt: ClockAt): number | null {
  if (limits.length === 0) return now;
  const { from, until } = rangeOf(limits, now);
  const last = Math.min(until, from + 2 * weekMs + dayMs);
  for (let at = from; at < last; at = Math.floor(at / quarterMs + 1) * quarterMs) {
    if (limits.every((limit) => limit.opensAt(at, clockAt(limit.zone, at)))) return at;
  }
  return null;
}

const hoursOfWeek = Array.from({ length: 7 * 24 }, (_, at) => ({ hour: at % 24, weekday: Math.floor(at / 24) }));

/** 1970-01-01 was a Thursday. */
function clockOfWeek(at: number): { hour: number; weekday: number } {
  const hours = Math.floor(at / hourMs) + 7 * 24;
  return { hour: hours % 24, weekday: (Math.floor(hours / 24) + 4) % 7 };
}

/** UTC offsets of a zone in January and July of the years around an instant. */
function offsetsOf(zone: string, now: number, clockAt: ClockAt): number[] {
  const { year } = civilFromDays(Math.floor(now / dayMs));
  const instants = [
    now,
    Date.UTC(year, 0, 1),
    Date.UTC(year, 6, 1),
    Date.UTC(year + 1, 0, 1),
    Date.UTC(year + 1, 6, 1),
  ];
  return [...new Set(instants.map((at) => offsetAt(zone, at, clockAt)))];
}

function offsetAt(zone: string, at: number, clockAt: ClockAt): number {
  const { date, hour, minute, second } = clockAt(zone, at);
  const local = (parseInstant(date) ?? at) + ((hour * 60 + minute) * 60 + second) * 1000;
  return local - Math.floor(at / 1000) * 1000;
}
