import type { ContactLane } from '@arbiter/engine';

/**
 * The wide state of one customer: what caps, cooldowns and outcome policies need, kept in one row that is also the
 * customer's lock (docs/design/decisioning.md 4, 6). Mutable: a batch decides a customer's second request on what the first left.
 */
export interface CustomerState {
  lanes: ContactLane[];
  /** Per lane: counted contacts ever, and instant (epoch ms) of the latest. */
  totals: number[];
  lastAt: number[];
  /** Counted contacts since `keptFrom`, oldest first. */
  log: { lane: number; at: number }[];
  /** Epoch ms since which `log` is whole; older contacts stand in `totals` only. */
  keptFrom: number;
  /** Open reservations of explicit channels; `id` is the interaction id. Expiry is judged on read. */
  reservations: { id: string; lane: number; at: number; expiresAt: number }[];
  /** Latest instant of each outcome per lane. */
  outcomes: { key: string; lane: number; at: number }[];
}

/** A customer without history: the log is whole since ever. */
export function emptyState(): CustomerState {
  return { lanes: [], totals: [], lastAt: [], log: [], keptFrom: 0, reservations: [], outcomes: [] };
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
  state.totals[lane] = state.totals[lane]! + 1;
  if (at > state.lastAt[lane]!) state.lastAt[lane] = at;
  if (at < state.keptFrom) return;
  const { log } = state;
  let i = log.length;
  while (i > 0 && log[i - 1]!.at > at) i--;
  if (i === log.length) log.push({ lane, at });
  else log.splice(i, 0, { lane, at });
}

/** Notes an outcome's latest instant. */
export function addOutcome(state: CustomerState, key: string, lane: number, at: number): void {
  const known = state.outcomes.find((o) => o.key === key && o.lane === lane);
  if (!known) state.outcomes.push({ key, lane, at });
  else if (at > known.at) known.at = at;
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
