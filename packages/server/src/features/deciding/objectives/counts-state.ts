import { type CountsRow, countsView, type ObjectiveCounts } from '@arbiter/engine';

/** A numbered state; 0 before anything was counted. */
export interface CountsState {
  readonly number: number;
  readonly offers: ReadonlyMap<string, CountsRow>;
}

/** What a stored row holds: rows by offer, null for an offer that is no longer counted. */
export type CountsBody = Readonly<Record<string, CountsRow | null>>;

export const noRows: ReadonlyMap<string, CountsRow> = new Map();

/** What leads from one state to the next; null: they are the same. */
export function changesBetween(
  before: ReadonlyMap<string, CountsRow>,
  after: ReadonlyMap<string, CountsRow>,
): CountsBody | null {
  const changes: Record<string, CountsRow | null> = {};
  for (const [offerId, row] of after) {
    const known = before.get(offerId);
    if (known === undefined || row.some((count, at) => count !== known[at])) changes[offerId] = row;
  }
  for (const offerId of before.keys()) if (!after.has(offerId)) changes[offerId] = null;
  return Object.keys(changes).length === 0 ? null : changes;
}

/** The rows after a stored row. */
export function withChanges(rows: ReadonlyMap<string, CountsRow>, body: CountsBody): Map<string, CountsRow> {
  const changed = new Map(rows);
  for (const [offerId, row] of Object.entries(body)) {
    if (row === null) changed.delete(offerId);
    else changed.set(offerId, row);
  }
  return changed;
}

/** Before anything was counted. */
export const noCounts: ObjectiveCounts = countsView({ number: 0, offers: noRows });
