import { dropEmptyMonths, type Tx, uuidArray } from '../../../../db/index.ts';
import type { Removed } from '../../../../jobs/index.ts';
import { firstIdAt } from '../../../../platform/ids.ts';
import { dayOffsets } from '../../../../platform/time/day-offsets.ts';
import { historyTables } from '../interactions.store.ts';
import { compactIntoSummaries, dayOf, dayParameters, rowCounts } from '../summaries.store.ts';

const dayMs = 86_400_000;
/** Stored rows of one transaction, so that decisions for the same customers wait for nothing long. */
const rowsPerSlice = 500;

/**
 * Moves rows stored more than `days` days ago from history to their customers' summaries, oldest first, in one
 * transaction: reads of a customer stay the same (docs/design/api-access.md 14). Returns whether there may be more;
 * call it again in another transaction. `zone`: defines the days.
 */
export async function retainHistory(tx: Tx, days: number, zone: string): Promise<Removed> {
  let rows = 0;
  const before = firstIdAt(Math.max(0, tx.now.getTime() - days * dayMs));
  for (const { stored, oldest } of retainTexts) {
    const due = await tx.query<{ id: string }>(oldest, [tx.tenantId, before, rowsPerSlice]);
    // Named by id, so that only their partitions are read.
    if (due.length > 0) {
      const ids = due.map((row) => row.id);
      await compactRows(tx, stored, ids, zone);
    }
    rows += due.length;
    if (due.length === rowsPerSlice) return { rows, more: true };
  }
  return { rows, more: false };
}

/** Moves stored rows from history to their customers' summaries. `zone`: defines the days. */
export async function compactRows(
  tx: Tx,
  stored: 'interactions' | 'decision_impressions',
  ids: readonly string[],
  zone: string,
): Promise<void> {
  const texts = retainTexts.find((each) => each.stored === stored);
  if (texts === undefined) throw new Error(`no history is stored in ${stored}`);
  await tx.query(texts.gone, [tx.tenantId, uuidArray(ids), ...dayParameters(await dayOffsets(zone))]);
}

/** Reservations live a day at most, so that one this old was settled, or expired. */
const retainTexts = (['interactions', 'decision_impressions'] as const).map((stored) => ({
  stored,
  oldest: `select id from ${stored} where tenant_id = $1 and id < $2 order by id limit $3 for update skip locked`,
  gone: `with
    item as (
      select customer_id, ${dayOf('occurred_at', '$3', '$4')} as day, offer_id, creative_id, channel_id, direction,
        interaction_type, outcome_key, classification, is_conversion, conversion_value, occurred_at
      from interaction_history
      where tenant_id = $1 and row_id = any($2::uuid[]) and ${rowCounts}),
    ${compactIntoSummaries},
    gone as (delete from ${stored} where tenant_id = $1 and id = any($2::uuid[]))
    select 1`,
}));

/** Rows of a table of sums that one transaction deletes. */
const sumsPerSlice = 5_000;

/**
 * Deletes sums older than `days` days: those of customers, which retention made from their history, and the tenant's
 * figures (docs/design/api-access.md 14).
 */
export async function retainSummaries(tx: Tx, days: number): Promise<Removed> {
  let rows = 0;
  let more = false;
  for (const table of ['interaction_summaries', 'daily_totals']) {
    const deleted = await tx.query(
      `delete from ${table} where tenant_id = $1 and ctid = any(array(
         select ctid from ${table} where tenant_id = $1 and day < ($2::timestamptz at time zone 'UTC')::date - $3::int limit $4))
       returning 1`,
      [tx.tenantId, tx.now, days, sumsPerSlice],
    );
    rows += deleted.length;
    if (deleted.length === sumsPerSlice) more = true;
  }
  return { rows, more };
}

/** Drops the months of history that no longer hold a row of any tenant. Needs a system transaction. */
export async function dropMonths(tx: Tx): Promise<void> {
  for (const name of historyTables) await dropEmptyMonths(tx, name);
}
