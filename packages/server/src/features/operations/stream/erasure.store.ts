import type { Tx } from '../../../db/index.ts';
import type { DayOffsets } from '../../../platform/time/day-offsets.ts';
import { addToTotals, countsOfReport, dayParameters, isHistoryOf } from '../../deciding/interactions/index.ts';
import { isAbout } from './decision-events.ts';
import { outboxLock } from './outbox.store.ts';

/**
 * Adds to the tenant's figures what the outbox still reports of a customer's history rows, and removes those reports:
 * the rows are about to be deleted, and would never be counted.
 */
export async function countReported(tx: Tx, customerId: string, days: DayOffsets): Promise<void> {
  // Nobody else counts the tenant's outbox until this ends.
  await tx.query(`select pg_advisory_xact_lock(${outboxLock})`, [tx.tenantId]);
  await tx.query(
    `with mine as materialized (
       select o.id as row_id, r.id from outbox o cross join lateral unnest(o.item_ids) as r(id)
       where o.tenant_id = $1 and o.position is null and ${isHistoryOf('$1', 'r.id', '$4')}),
     counted as (select c.* from mine u cross join ${countsOfReport('$2', '$3')} c),
     ${addToTotals},
     kept as (
       update outbox o set item_ids = array(select unnest(o.item_ids) except select m.id from mine m)
       where o.tenant_id = $1 and o.id in (select row_id from mine))
     select 1`,
    [tx.tenantId, ...dayParameters(days), customerId],
  );
}

/** Rows of the outbox that are read at once. */
const rowsAtOnce = 200;

/**
 * Takes the events about a customer out of the stream; answers with their number. Each leaves an empty place, since readers
 * remember how far they came by the places.
 */
export async function eraseEvents(tx: Tx, customerId: string): Promise<number> {
  let erased = 0;
  let after = '0';
  for (;;) {
    const rows = await tx.query<{ id: string; events: string }>(
      `select id::text as id, events from outbox
       where tenant_id = $1 and id > $2::bigint and position($3 in events) > 0 order by id limit $4 for update`,
      [tx.tenantId, after, JSON.stringify(customerId), rowsAtOnce],
    );
    for (const { id, events } of rows) {
      const parsed: unknown[] = JSON.parse(events);
      const left = parsed.map((event) => (isAbout(event, customerId) ? null : event));
      const removedCount = left.filter((event, at) => event === null && parsed[at] !== null).length;
      erased += removedCount;
      if (removedCount === 0) continue;
      await tx.query('update outbox set events = $3 where tenant_id = $1 and id = $2::bigint', [
        tx.tenantId,
        id,
        JSON.stringify(left),
      ]);
    }
    if (rows.length < rowsAtOnce) return erased;
    after = rows.at(-1)!.id;
  }
}
