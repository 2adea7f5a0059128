import { type Tx, uuidArray } from '../../../../db/index.ts';
import { dayOffsets } from '../../../../platform/time/day-offsets.ts';
import type { ArchiveKind } from '../../archived-months/index.ts';
import { countsOfRows, dayOf, dayParameters, rowCounts } from '../summaries.store.ts';
import { compactRows } from './retention.store.ts';

/** Columns that reports count. Files show no other part of history. */
const shown = {
  occurred_at: 'TIMESTAMP',
  interaction_type: 'STRING',
  outcome_key: 'STRING',
  classification: 'STRING',
  direction: 'STRING',
  is_conversion: 'BOOLEAN',
  offer_id: 'UUID',
  creative_id: 'UUID',
  channel_id: 'UUID',
  campaign_id: 'UUID',
  rank: 'INT32',
} as const;

const history = {
  dataClass: 'interactions',
  customerColumn: 'customer_id',
  undo: removeFromSummaries,
} as const;

/** Rows of `interactions` in files. */
const archivedInteractions: ArchiveKind = {
  ...history,
  name: 'interactions',
  table: 'interactions',
  columns: shown,
  remove: (tx, ids, zone) => compactRows(tx, 'interactions', ids, zone),
};

/** Offers that counted as shown when decided, in files. */
const archivedImpressions: ArchiveKind = {
  ...history,
  name: 'impressions',
  table: 'decision_impressions',
  columns: {
    occurred_at: 'TIMESTAMP',
    offer_ids: 'JSON',
    creative_ids: 'JSON',
    channel_ids: 'JSON',
    ranks: 'JSON',
    campaign_id: 'UUID',
  },
  remove: (tx, ids, zone) => compactRows(tx, 'decision_impressions', ids, zone),
};

export const archivedHistory: readonly ArchiveKind[] = [archivedInteractions, archivedImpressions];

const counts = ['impressions', 'positive', 'negative', 'neutral', 'clicks', 'converts'];

/** Takes rows of history out of the sums that `compactRows` added them to, so that nothing counts twice. */
async function removeFromSummaries(tx: Tx, ids: readonly string[], zone: string): Promise<void> {
  await tx.query(
    `with item as (
       select customer_id, ${dayOf('occurred_at', '$3', '$4')} as day, offer_id, creative_id, channel_id, direction,
         interaction_type, outcome_key, classification, is_conversion, conversion_value, occurred_at
       from interaction_history where tenant_id = $1 and row_id = any($2::uuid[]) and ${rowCounts}),
     delta as (
       select customer_id, day, offer_id, creative_id, channel_id, direction, ${countsOfRows}
       from item group by 1, 2, 3, 4, 5, 6)
     update interaction_summaries s set total_value = s.total_value - delta.total_value,
       ${counts.map((name) => `${name} = s.${name} - delta.${name}`).join(', ')}
     from delta
     where s.tenant_id = $1 and s.customer_id = delta.customer_id and s.day = delta.day and s.offer_id = delta.offer_id
       and s.creative_id is not distinct from delta.creative_id and s.channel_id is not distinct from delta.channel_id
       and s.direction = delta.direction`,
    [tx.tenantId, uuidArray(ids), ...dayParameters(await dayOffsets(zone))],
  );
  // Delete sums that became empty.
  await tx.query(
    `delete from interaction_summaries s where s.tenant_id = $1
       and s.customer_id in (select customer_id from interaction_history where tenant_id = $1 and row_id = any($2::uuid[]))
       and ${counts.map((name) => `s.${name} = 0`).join(' and ')}`,
    [tx.tenantId, uuidArray(ids)],
  );
}
