import { type CustomerState, laneOf } from './customer-state.ts';

/** Removes offers from a customer's state, as if there had been no contact with them. Open reservations stay. */
export function forgetOffers(state: CustomerState, offerIds: ReadonlySet<string>): void {
  const { lanes, totals, lastAt, log, reservations, outcomes } = state;
  const isKept = lanes.map(({ offerId }) => !offerIds.has(offerId));
  const reserved = new Set(reservations.map(({ lane }) => lane));
  state.lanes = [];
  state.totals = [];
  state.lastAt = [];
  const places = lanes.map((lane, at) => {
    if (!isKept[at] && !reserved.has(at)) return null;
    const place = laneOf(state, lane);
    state.totals[place] = isKept[at] ? (totals[at] ?? 0) : 0;
    state.lastAt[place] = isKept[at] ? (lastAt[at] ?? 0) : 0;
    return place;
  });
  const moved = <T extends { readonly lane: number }>(entries: readonly T[], all: boolean): T[] =>
    entries.flatMap((entry) => {
      const lane = places[entry.lane] ?? null;
      return lane === null || (!all && !isKept[entry.lane]) ? [] : [{ ...entry, lane }];
    });
  state.log = moved(log, false);
  state.outcomes = moved(outcomes, false);
  state.reservations = moved(reservations, true);
  // Lanes have other numbers now: the state is written whole.
  state.since = null;
}
