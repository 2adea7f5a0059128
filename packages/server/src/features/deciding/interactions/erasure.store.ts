import type { Tx } from '../../../db/tx.ts';
import { dayOffsets } from '../../../platform/time/day-offsets.ts';
import { dayOf, dayParameters, rowCounts } from './summaries.store.ts';
import { countColumns, countsOfRow } from './totals/totals.store.ts';

/** Rows that the erasure of a customer deleted. */
export interface ErasedHistory {
  readonly impressions: number;
  /** Without the impressions. */
  readonly interactionHistory: number;
  /**
   * Sums of a day (by offer, creative, channel and direction), counted from history or stored since retention removed
   * it.
   */
  readonly interactionSummaries: number;
}

/**
 * Deletes a customer's history and sums. Keeps their contribution to the tenant's figures, without the customer, for
 * recounts (docs/adr/0038). `zone`: defines the days. The caller holds the customer's row, so that nobody writes history in
 * the meantime.
 */
export async function eraseHistory(tx: Tx, customerId: string, zone: string): Promise<ErasedHistory> {
  const names = countColumns.join(', ');
  const [sums] = await tx.query<{ rows: number }>(
    `with kept as (insert into erased_totals as t (tenant_id, day, offer_id, creative_id, channel_id, direction, ${names})
     select tenant_id, day, offer_id, creative_id, channel_id, direction, ${countColumns.map((name) => `sum(${name})`).join(', ')}
     from (
       select tenant_id, ${dayOf('occurred_at', '$3', '$4')} as day, offer_id, creative_id, channel_id, direction, ${countsOfRow}
       from interaction_history where tenant_id = $1 and customer_id = $2 and ${rowCounts}
       union all
       select tenant_id, day, offer_id, creative_id, channel_id, direction, ${names}
       from interaction_summaries where tenant_id = $1 and customer_id = $2) counted
     group by tenant_id, day, offer_id, creative_id, channel_id, direction
     on conflict on constraint erased_totals_identity do update set
       ${countColumns.map((name) => `${name} = t.${name} + excluded.${name}`).join(', ')}
     returning 1) select count(*)::int as rows from kept`,
    [tx.tenantId, customerId, ...dayParameters(await dayOffsets(zone))],
  );
  const [own] = await tx.query<{ impressions: number; others: number }>(
    `with gone as (delete from interactions where tenant_id = $1 and customer_id = $2 returning interaction_type as type)
     select count(*) filter (where type = 'impression')::int as impressions,
       count(*) filter (where type <> 'impression')::int as others from gone`,
    [tx.tenantId, customerId],
  );
  const [packed] = await tx.query<{ impressions: number }>(
    `with gone as (delete from decision_impressions where tenant_id = $1 and customer_id = $2 returning cardinality(offer_ids) as items)
     select coalesce(sum(items), 0)::int as impressions from gone`,
    [tx.tenantId, customerId],
  );
  // After history: retention may have moved rows from there to here while the deletion waited for it.
  await tx.query('delete from interaction_summaries where tenant_id = $1 and customer_id = $2', [
    tx.tenantId,
    customerId,
  ]);
  return {
    impressions: (own?.impressions ?? 0) + (packed?.impressions ?? 0),
    interactionHistory: own?.others ?? 0,
    interactionSummaries: sums?.rows ?? 0,
  };
}

/** SQL: true when the history row of that id is one of the customer's. All are parameters or columns. */
export const isHistoryOf = (tenantId: string, id: string, customerId: string): string =>
  `exists (select from interactions own where own.tenant_id = ${tenantId} and own.id = ${id} and own.customer_id = ${customerId})`;

/** SQL: rows for a CTE `counted`: the contribution of the tenant's ($1) erased customers. */
export const countsOfErased = `
    select day, offer_id, creative_id, channel_id, direction, ${countColumns.join(', ')} from erased_totals where tenant_id = $1`;
