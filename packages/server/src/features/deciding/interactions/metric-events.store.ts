import type { Tx } from '../../../db/tx.ts';
import { dayOffsets } from '../../../platform/time/day-offsets.ts';
import { dayOf, dayParameters } from './summaries.store.ts';

// History as events that behavioral metrics aggregate (docs/design/api-catalogue.md 13).

/** Events are reported at most this long ahead of their time, and a row's id is created when it's stored. */
export const eventsAheadMs = 2 * 86_400_000;

/** Values of the parameters that `metricEventSources` takes. */
export const metricDayParameters = async (zone: string): Promise<readonly [from: string, seconds: string]> =>
  dayParameters(await dayOffsets(zone));

/**
 * SQL of the tenant's ($1) events: each row of history, and what retention removed, summed by day. `from` and `seconds`:
 * parameters with the zone's offsets. Without `subCategoryOf`, events have no sub-category.
 */
export function metricEventSources(from: string, seconds: string, subCategoryOf: (offerId: string) => string) {
  const local = `((h.occurred_at at time zone 'UTC')
    + (${seconds}::int[])[width_bucket(h.occurred_at, ${from}::timestamptz[])] * interval '1 second')`;
  const response = (condition: string): string => `(h.interaction_type = 'response' and ${condition})::int`;
  return {
    history: {
      from: `interaction_history h where h.tenant_id = $1 and h.interaction_type <> 'recommendation'`,
      customerId: 'h.customer_id',
      rowId: 'h.row_id',
      occurredAt: 'h.occurred_at',
      day: dayOf('h.occurred_at', from, seconds),
      columns: {
        offerId: 'h.offer_id',
        creativeId: 'h.creative_id',
        channelId: 'h.channel_id',
        categoryId: 'h.category_id',
        subCategoryId: subCategoryOf('h.offer_id'),
        campaignId: 'h.campaign_id',
        outcomeType: 'h.outcome_key',
        direction: 'h.direction',
        value: 'h.conversion_value',
        occurredAt: 'h.occurred_at',
        dayOfWeek: `extract(dow from ${local})::int`,
        hour: `extract(hour from ${local})::int`,
      },
      fields: {
        impressions: `(h.interaction_type = 'impression')::int`,
        positive: response(`h.classification = 'positive'`),
        negative: response(`h.classification = 'negative'`),
        neutral: response(`h.classification = 'neutral'`),
        converts: response('h.is_conversion'),
        totalValue: `case when h.interaction_type = 'response' then h.conversion_value end`,
      },
    },
    // Sums of days know neither the outcome nor the time of an event.
    summaries: {
      from: 'interaction_summaries s where s.tenant_id = $1',
      customerId: 's.customer_id',
      day: 's.day',
      columns: {
        offerId: 's.offer_id',
        creativeId: 's.creative_id',
        channelId: 's.channel_id',
        direction: 's.direction',
        dayOfWeek: 'extract(dow from s.day)::int',
      },
      fields: {
        impressions: 's.impressions',
        positive: 's.positive',
        negative: 's.negative',
        neutral: 's.neutral',
        converts: 's.converts',
        totalValue: 's.total_value',
      },
    },
  };
}

/**
 * The customer up to whom there are about this many stored rows behind this one, in the order of ids, so that work can be divided.
 * Null: up to the last.
 */
export async function customerAfterRows(tx: Tx, after: string | null, rows: number): Promise<string | null> {
  const [found] = await tx.query<{ customerId: string | null }>(
    `select min(customer_id) as "customerId" from (${['interactions', 'decision_impressions', 'interaction_summaries']
      .map(
        (table) =>
          `(select customer_id from arbiter.${table} where tenant_id = $1 and customer_id > coalesce($2::text, '')
             order by customer_id offset $3 limit 1)`,
      )
      .join(' union all ')}) ends`,
    [tx.tenantId, after, rows],
  );
  return found?.customerId ?? null;
}
