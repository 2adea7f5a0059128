import type { ContactCounts, ContactLane, Contacts, WindowSpec, ZoneClock } from './input.ts';

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Counts a customer's contacts over the plan's windows at `now`; open reservations count like contacts
 * (api-catalogue.md 8.1, 8.2). `clock`: of the tenant's zone, whose days, weeks and months are the calendar windows.
 * `alltime` comes from the totals; windows that reach behind `keptFrom` count what the log still has.
 */
export function foldContacts(
  contacts: Contacts,
  windows: readonly WindowSpec[],
  now: number,
  clock: ZoneClock,
): ContactCounts {
  const lanes: readonly ContactLane[] = contacts.lanes;
  const lastAt = contacts.lastAt.slice();
  const ranges = windows.map((window) => rangeOf(window, now, clock));
  const counts = windows.map((window) =>
    window.kind === 'alltime' ? contacts.totals.slice() : new Array<number>(lanes.length).fill(0),
  );
  const add = (lane: number, at: number): void => {
    for (let w = 0; w < ranges.length; w++) {
      const range = ranges[w];
      if (range !== null && range !== undefined && at >= range.from && at < range.to) counts[w]![lane]! += 1;
    }
  };
  const earliest = ranges.reduce(
    (least, range) => (range === null ? least : Math.min(least, range.from)),
    Number.POSITIVE_INFINITY,
  );
  for (let at = contacts.log.length - 1; at >= 0; at--) {
    const entry = contacts.log[at]!;
    // The log stands oldest first: everything before is out of every window.
    if (entry.at < earliest) break;
    add(entry.lane, entry.at);
  }
  for (const reservation of contacts.reservations) {
    if (reservation.expiresAt <= now) continue;
    add(reservation.lane, reservation.at);
    windows.forEach((window, w) => {
      if (window.kind === 'alltime') counts[w]![reservation.lane]! += 1;
    });
    lastAt[reservation.lane] = Math.max(lastAt[reservation.lane] ?? Number.NEGATIVE_INFINITY, reservation.at);
  }
  return { lanes, lastAt, counts };
}

/** Start inclusive, end exclusive; null for `alltime`. Rolling windows are (now - length, now]; instants are whole ms. */
function rangeOf(window: WindowSpec, now: number, clock: ZoneClock): Range | null {
  switch (window.kind) {
    case 'day':
      return { from: clock.dayStart, to: clock.dayEnd };
    case 'week':
      return { from: clock.weekStart, to: clock.weekEnd };
    case 'month':
      return { from: clock.monthStart, to: clock.monthEnd };
    case 'days30':
      return { from: clock.days30Start, to: clock.dayEnd };
    case 'rolling':
      return { from: now - window.ms + 1, to: now + 1 };
    case 'alltime':
      return null;
  }
}
