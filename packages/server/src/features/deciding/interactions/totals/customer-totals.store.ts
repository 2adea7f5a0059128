import type { Tx } from '../../../../db/tx.ts';
import { firstIdAt } from '../../../../platform/ids.ts';
import { countsOfRows, rowCounts } from '../summaries.store.ts';

/** One customer's totals over the tenant's offers. */
export interface CustomerTotals {
  readonly customerId: string;
  readonly impressions: number;
  readonly positive: number;
  readonly negative: number;
  readonly neutral: number;
  readonly clicks: number;
  readonly converts: number;
  readonly totalValue: number;
}

/** An event is reported at most 24 hours ahead of its time. */
const aheadMs = 2 * 86_400_000;

/**
 * The customers with the most impressions in days, as days and as instants, exact at the instant of the transaction's
 * snapshot, and how many customers there are. Reads all of history of the time.
 */
export async function readTotalsByCustomer(
  tx: Tx,
  range: { readonly first: string; readonly today: string; readonly from: Date; readonly to: Date },
  limit: number,
): Promise<{ readonly rows: CustomerTotals[]; readonly total: number }> {
  const counts = 'impressions, positive, negative, neutral, clicks, converts, total_value';
  const found = await tx.query<CustomerTotals & { total: number }>(
    `with counted as (
       select customer_id, ${counts} from (
         select customer_id, ${countsOfRows} from interaction_history
         where tenant_id = $1 and row_id >= $6 and occurred_at >= $2 and occurred_at < $3 and ${rowCounts}
         group by customer_id) history
       union all
       select customer_id, ${counts} from interaction_summaries where tenant_id = $1 and day between $4 and $5)
     select customer_id as "customerId", sum(impressions)::float8 as impressions, sum(positive)::float8 as positive,
       sum(negative)::float8 as negative, sum(neutral)::float8 as neutral, sum(clicks)::float8 as clicks,
       sum(converts)::float8 as converts, sum(total_value)::float8 as "totalValue", (count(*) over ())::int as total
     from counted group by customer_id order by sum(impressions) desc, customer_id collate "C" limit $7`,
    [
      tx.tenantId,
      range.from,
      range.to,
      range.first,
      range.today,
      firstIdAt(Math.max(0, range.from.getTime() - aheadMs)),
      limit,
    ],
  );
  return { rows: found, total: found[0]?.total ?? 0 };
}
