import type { ContactLane } from '@arbiter/engine';

/** A counted contact; `at` in epoch ms. */
export interface LoggedContact {
  readonly lane: number;
  readonly at: number;
}

/** Latest instant (epoch ms) of an outcome in a lane. */
export interface LatestOutcome {
  readonly key: string;
  readonly lane: number;
  at: number;
}

/** What happened since the base of a long state was written: all that a save has to write. */
export interface SinceBase {
  /** Length of the base in bytes: tells that a stored tail belongs to it. */
  readonly baseBytes: number;
  /** Lanes from this index on are not in the base. */
  readonly firstLane: number;
  /** In counting order, including late ones. */
  readonly contacts: LoggedContact[];
  readonly outcomes: Set<LatestOutcome>;
}

/**
 * The wide state of one customer: what caps, cooldowns and outcome policies need, stored in one row that is also the
 * customer's lock (docs/design/decisioning.md 4, 6). Mutable: a batch decides a customer's second request on the result
 * of the first.
 */
export interface CustomerState {
  lanes: ContactLane[];
  /** Per lane: counted contacts ever, and instant (epoch ms) of the latest. */
  totals: number[];
  lastAt: number[];
  /** Counted contacts since `keptFrom`, oldest first. */
  log: LoggedContact[];
  /** Epoch ms since which `log` is complete; older contacts are only in `totals`. */
  keptFrom: number;
  /** Open reservations of explicit channels; `id` is the interaction id. Expiry is judged on read. */
  reservations: { id: string; lane: number; at: number; expiresAt: number }[];
  /** Latest instant of each outcome per lane. */
  outcomes: LatestOutcome[];
  /** Null while the state is short, and when it must be written whole. */
  since: SinceBase | null;
}

/** A customer without history: the log is whole since ever. */
export function emptyState(): CustomerState {
  return { lanes: [], totals: [], lastAt: [], log: [], keptFrom: 0, reservations: [], outcomes: [], since: null };
}

/** Index of the lane, added when missing. */
export function laneOf(state: CustomerState, lane: ContactLane): number {
  const { lanes } = state;
  for (let i = 0; i < lanes.length; i++) {
    const l = lanes[i]!;
    if (
      l.offerId === lane.offerId &&
      l.creativeId === lane.creativeId &&
      l.channelId === lane.channelId &&
      l.campaignId === lane.campaignId
    ) {
      return i;
    }
  }
  lanes.push(lane);
  state.totals.push(0);
  state.lastAt.push(0);
  return lanes.length - 1;
}

/** Counts one contact at `at` (epoch ms); a late one is put in its place, so that the log stays sorted. */
export function addContact(state: CustomerState, lane: number, at: number): void {
  state.since?.contacts.push({ lane, at });
  state.totals[lane] = state.totals[lane]! + 1;
  if (at > state.lastAt[lane]!) state.lastAt[lane] = at;
  if (at < state.keptFrom) return;
  const { log } = state;
  let i = log.length;
  while (i > 0 && log[i - 1]!.at > at) i--;
  if (i === log.length) log.push({ lane, at });
  else log.splice(i, 0, { lane, at });
}

/**
 * Returns the instant (epoch ms) for what's decided or reported while the customer's row is locked: the database's, but
 * never before the customer's newest contact, so that a clock that steps back doesn't reorder stored data.
 */
export function instantFor({ lastAt, reservations }: CustomerState, databaseNow: number): number {
  let instant = databaseNow;
  // Not the log, which is pruned to what windows need: a cooldown needs the last contact however old it is.
  for (const at of lastAt) if (at > instant) instant = at;
  for (const { at } of reservations) if (at > instant) instant = at;
  return instant;
}

/** Notes an outcome's latest instant. */
export function addOutcome(state: CustomerState, key: string, lane: number, at: number): void {
  let latest = state.outcomes.find((o) => o.key === key && o.lane === lane);
  if (latest === undefined) {
    latest = { key, lane, at };
    state.outcomes.push(latest);
  } else if (at > latest.at) latest.at = at;
  state.since?.outcomes.add(latest);
}

/** Drops the log before `from` and reservations that expired at `now`: what no window in force needs. */
export function prune(state: CustomerState, from: number, now: number): void {
  if (state.log.length > 0 && state.log[0]!.at < from) {
    let i = 0;
    while (i < state.log.length && state.log[i]!.at < from) i++;
    state.log.splice(0, i);
    state.keptFrom = from;
  }
  if (state.reservations.length > 0) state.reservations = state.reservations.filter((r) => r.expiresAt > now);
}
