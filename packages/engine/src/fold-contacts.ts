import type { ContactCounts, ContactLane, Contacts, WindowSpec, ZoneClock } from './plan/input.ts';

interface DayRange {
  readonly from: number;
  readonly to: number;
}

export interface FoldOptions {
  /**
   * From the plan: leaves out lanes that no window counts and whose latest contact is at least that long ago, because
   * no decision of the plan depends on them. Default: every lane stays.
   */
  readonly longestCooldownMs?: number;
  /**
   * The caller named `now`, so windows end: rolling ones at `now`, calendar ones with their day, week or month. Otherwise
   * `now` is a decision's own instant, and a contact that a wrong clock dated later counts, too. Default false.
   */
  readonly isNamed?: boolean;
}

/**
 * Counts a customer's contacts over the plan's windows at `now`; open reservations count like contacts
 * (docs/design/api-catalogue.md 8.1, 8.2). `clock`: that of the tenant's zone, whose days, weeks and months are the
 * calendar windows. `alltime` comes from the totals. Windows that start before `keptFrom` count what the log still has.
 */
export function foldContacts(
  contacts: Contacts,
  windows: readonly WindowSpec[],
  now: number,
  clock: ZoneClock,
  { longestCooldownMs = Number.POSITIVE_INFINITY, isNamed = false }: FoldOptions = {},
): ContactCounts {
  const ranges = windows.map((window) => rangeOf(window, now, clock, isNamed));
  const { reservations } = contacts;
  const open = reservations.length === 0 ? reservations : reservations.filter(({ expiresAt }) => expiresAt > now);
  const earliest = ranges.reduce(
    (least, range) => (range === null ? least : Math.min(least, range.from)),
    Number.POSITIVE_INFINITY,
  );
  let from = contacts.log.length;
  // The log is oldest first: everything before is outside every window.
  while (from > 0 && contacts.log[from - 1]!.at >= earliest) from -= 1;
  const newPositions = positions(contacts, open, from, ranges.includes(null), now - longestCooldownMs);
  const lanes: ContactLane[] = [];
  const lastAt: number[] = [];
  for (let lane = 0; lane < newPositions.length; lane++) {
    if (newPositions[lane] === LEFT_OUT) continue;
    newPositions[lane] = lanes.length;
    lanes.push(contacts.lanes[lane]!);
    lastAt.push(contacts.lastAt[lane]!);
  }
  const counts = ranges.map((range) => {
    if (range === null) return contacts.totals.filter((_, lane) => newPositions[lane] !== LEFT_OUT);
    return new Array<number>(lanes.length).fill(0);
  });
  const add = (lane: number, at: number): void => {
    for (let w = 0; w < ranges.length; w++) {
      const range = ranges[w];
      if (range !== null && range !== undefined && at >= range.from && at < range.to) counts[w]![lane]! += 1;
    }
  };
  for (let entry = from; entry < contacts.log.length; entry++) {
    const { lane, at } = contacts.log[entry]!;
    add(newPositions[lane]!, at);
  }
  for (const reservation of open) {
    const lane = newPositions[reservation.lane]!;
    add(lane, reservation.at);
    for (let w = 0; w < ranges.length; w++) if (ranges[w] === null) counts[w]![lane]! += 1;
    lastAt[lane] = Math.max(lastAt[lane] ?? Number.NEGATIVE_INFINITY, reservation.at);
  }
  return { lanes, lastAt, counts };
}

const LEFT_OUT = -1;

/** By lane: LEFT_OUT, or anything else for those that stay. */
function positions(
  contacts: Contacts,
  open: Contacts['reservations'],
  from: number,
  countsTotals: boolean,
  lastFrom: number,
): Int32Array {
  const newPositions = new Int32Array(contacts.lanes.length);
  if (lastFrom === Number.NEGATIVE_INFINITY) return newPositions;
  newPositions.fill(LEFT_OUT);
  for (let lane = 0; lane < newPositions.length; lane++) {
    if (contacts.lastAt[lane]! > lastFrom || (countsTotals && contacts.totals[lane]! > 0)) newPositions[lane] = 0;
  }
  for (let entry = from; entry < contacts.log.length; entry++) newPositions[contacts.log[entry]!.lane] = 0;
  for (const { lane } of open) newPositions[lane] = 0;
  return newPositions;
}

/** Start inclusive, end exclusive; null for `alltime`. Rolling windows begin after now - length; instants are whole ms. */
function rangeOf(window: WindowSpec, now: number, clock: ZoneClock, ends: boolean): DayRange | null {
  const to = (end: number): number => (ends ? end : Number.POSITIVE_INFINITY);
  switch (window.kind) {
    case 'day':
      return { from: clock.dayStart, to: to(clock.dayEnd) };
    case 'week':
      return { from: clock.weekStart, to: to(clock.weekEnd) };
    case 'month':
      return { from: clock.monthStart, to: to(clock.monthEnd) };
    case 'days30':
      return { from: clock.days30Start, to: to(clock.dayEnd) };
    case 'rolling':
      return { from: now - window.ms + 1, to: to(now + 1) };
    case 'alltime':
      return null;
  }
}
