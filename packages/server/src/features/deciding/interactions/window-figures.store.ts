import type { Tx } from '../../../db/tx.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { countsOfRows, rowCounts } from './summaries.store.ts';

/** A span of time, half-open, and what of it is counted. */
export interface FigureWindow {
  readonly from: Date;
  readonly to: Date;
  readonly offerId: string | null;
  readonly channelId: string | null;
}

/** Figures of all the tenant's customers with offers in a window. */
export interface WindowFigures {
  readonly impressions: number;
  readonly positive: number;
  readonly clicks: number;
  readonly converts: number;
  readonly value: number;
}

/** Events are reported at most this long ahead of their time, and a row's id is created when it's stored. */
const aheadMs = 2 * 86_400_000;

/** Counted from history, by event time. The ids keep older rows from being read. */
export async function readWindowFigures(
  tx: Tx,
  { from, to, offerId, channelId }: FigureWindow,
): Promise<WindowFigures> {
  const [row] = await tx.query<WindowFigures>(
    `select impressions::float8 as impressions, positive::float8 as positive, clicks::float8 as clicks,
       converts::float8 as converts, total_value::float8 as value
     from (select ${countsOfRows} from interaction_history
            where tenant_id = $1 and row_id >= $2::uuid and occurred_at >= $3 and occurred_at < $4 and ${rowCounts}
              and ($5::uuid is null or offer_id = $5) and ($6::uuid is null or channel_id = $6)) counted`,
    [tx.tenantId, firstIdAt(Math.max(0, from.getTime() - aheadMs)), from, to, offerId, channelId],
  );
  if (row === undefined) throw new Error('an aggregate has one row');
  return row;
}
