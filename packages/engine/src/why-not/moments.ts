import { parseInstant } from '../arithmetic/calendar.ts';
import type { DecisionInput, ZoneClock } from '../plan/input.ts';
import type { Plan } from '../plan/plan.ts';
import type { Json } from '../plan/snapshot.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** How far ahead a time flip may be. */
const longestWaitMs = 400 * dayMs;

/** What changes about the customer as time passes. */
export interface Timeline {
  /** Instants from which something is counted: contacts, outcomes, reservations. */
  readonly since: readonly number[];
  /** Instants at which something ends on its own: suppressions, reservations. */
  readonly ends: readonly number[];
  /** Calendar of a zone of the plan at an instant. */
  clock(zone: string, at: number): ZoneClock;
}

interface Durations {
  readonly ms: Set<number>;
  /** Hours of the day. */
  readonly hours: Set<number>;
  readonly instants: Set<number>;
}

/**
 * Yields the instants after `input.now` at which a gate may open, ascending, up to 400 days ahead. Asks no gate: a gate
 * changes when a day of one of its zones begins, at a configured hour or instant, or a configured duration after
 * something in the customer's past. Durations are recognized by the units in their names, so a new kind of gate needs
 * nothing here. `gateIds`: rules, policies and nodes that the offer meets.
 */
export function* momentsOf(
  plan: Plan,
  offerId: string,
  gateIds: ReadonlySet<string | null>,
  input: DecisionInput,
  timeline: Timeline,
): Generator<number> {
  const { now } = input;
  const end = now + longestWaitMs;
  const found: Durations = { ms: new Set(), hours: new Set(), instants: new Set() };
  for (const { id, config } of plan.program.gateConfigs) if (gateIds.has(id)) gather(config ?? null, found);
  const offer = plan.names.offer(offerId);
  if (offer?.schedule) gather(offer.schedule, found);
  const ordinal = plan.ordinals.offer.get(offerId);
  const creatives = ordinal === undefined ? [] : (plan.program.offers[ordinal]?.creatives ?? []);
  for (const { row } of creatives) gather({ ...row.constraints }, found);
  const fixed = new Set([...timeline.ends, ...found.instants]);
  for (const since of [...timeline.since, ...datesOf(input)]) for (const ms of found.ms) fixed.add(since + ms);
  const ahead = [...fixed].filter((at) => at > now && at <= end).sort((a, b) => a - b);
  let next = 0;
  let last = now;
  for (let from = now; from < end; ) {
    const { dayEnd } = timeline.clock(plan.timezone, from);
    const ofDay = new Set([dayEnd]);
    for (const zone of plan.zones) for (const mark of marksOf(timeline, zone, from, found.hours)) ofDay.add(mark);
    while (next < ahead.length && ahead[next]! <= dayEnd) ofDay.add(ahead[next++]!);
    for (const at of [...ofDay].sort((a, b) => a - b)) {
      if (at <= last || at > dayEnd || at > end) continue;
      last = at;
      yield at;
    }
    from = dayEnd;
  }
}

/** The beginning of the next day of a zone, and its configured hours of this day and the next. */
function* marksOf(timeline: Timeline, zone: string, from: number, hours: ReadonlySet<number>): Generator<number> {
  const today = timeline.clock(zone, from);
  yield today.dayEnd;
  for (const start of [today.dayStart, today.dayEnd]) {
    for (const hour of hours) {
      const about = start + hour * hourMs;
      // On the day of a clock change, an hour begins earlier or later.
      const shown = timeline.clock(zone, about).hour;
      yield about + (((hour - shown + 36) % 24) - 12) * hourMs;
    }
  }
}

/** Name endings of config values that are instants. */
const instantEndings = ['Date', 'At', 'From', 'Until'];

function gather(config: Json, found: Durations): void {
  if (config === null || typeof config !== 'object') return;
  if (Array.isArray(config)) {
    for (const entry of config) gather(entry as Json, found);
    return;
  }
  const { operator, value } = config as { readonly [key: string]: Json };
  if (typeof operator === 'string' && operator.endsWith('last_days') && typeof value === 'number') {
    found.ms.add(value * dayMs);
  }
  for (const [key, entry] of Object.entries(config)) {
    if (typeof entry === 'number') {
      if (/(^h|H)ours$/.test(key)) found.ms.add(entry * hourMs);
      else if (/(^d|D)ays$/.test(key)) found.ms.add(entry * dayMs);
      else if (/(^h|H)our$/.test(key) && entry >= 0 && entry < 24) found.hours.add(entry);
    } else if (typeof entry === 'string') {
      const at = instantEndings.some((ending) => key.endsWith(ending)) ? parseInstant(entry) : null;
      if (at !== null) found.instants.add(at);
    } else {
      gather(entry as Json, found);
    }
  }
}

/** Instants among the customer's values and the request's attributes, from which date conditions count. */
function datesOf({ profile, enriched, request }: DecisionInput): number[] {
  const rows = Object.values(enriched).flat();
  const values = [profile, request.attributes, ...rows].flatMap((row) => (row === null ? [] : Object.values(row)));
  return values.flatMap((value) => {
    const at = typeof value === 'string' ? parseInstant(value) : null;
    return at === null ? [] : [at];
  });
}
