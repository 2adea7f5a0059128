import type { Tx } from '../../../db/index.ts';

/** Counts of an offer, creative and channel in history, without customers. */
export interface HistoryFigures {
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  /** Whether it's for today or for all days before. */
  readonly isToday: boolean;
  readonly impressions: number;
  /** Outcomes `click`. */
  readonly clicks: number;
  readonly converts: number;
  readonly totalValue: number;
}

/**
 * Returns all of the tenant's history in sums: earlier days from the daily figures, which outlive history, and today
 * from history itself, because daily figures lag by a second. `firstId`: no row of today has a lower id, except those
 * reported ahead of time.
 */
export async function historyFigures(
  tx: Tx,
  today: { readonly day: string; readonly from: Date; readonly firstId: string },
): Promise<HistoryFigures[]> {
  return tx.query<HistoryFigures>(
    `select offer_id as "offerId", creative_id as "creativeId", channel_id as "channelId", false as "isToday",
       sum(impressions)::float8 as impressions, sum(clicks)::float8 as clicks, sum(converts)::float8 as converts,
       sum(total_value)::float8 as "totalValue"
     from arbiter.daily_totals where tenant_id = $1 and day < $2::date group by 1, 2, 3
     union all
     select offer_id, creative_id, channel_id, true,
       count(*) filter (where interaction_type = 'impression')::float8,
       count(*) filter (where interaction_type = 'response' and outcome_key = 'click')::float8,
       count(*) filter (where interaction_type = 'response' and is_conversion)::float8,
       coalesce(sum(conversion_value) filter (where interaction_type = 'response' and classification = 'positive'), 0)::float8
     from arbiter.interaction_history
     where tenant_id = $1 and row_id >= $4 and occurred_at >= $3 and offer_id is not null
       and interaction_type in ('impression', 'response')
     group by 1, 2, 3`,
    [tx.tenantId, today.day, today.from, today.firstId],
  );
}

/** A reservation that is open now. */
export interface OpenReservation {
  readonly itemId: string;
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly reservedAt: Date;
  readonly expiresAt: Date;
}

export async function openReservations(tx: Tx): Promise<OpenReservation[]> {
  return tx.query<OpenReservation>(
    `select id as "itemId", offer_id as "offerId", creative_id as "creativeId", channel_id as "channelId",
       occurred_at as "reservedAt", reservation_expires_at as "expiresAt"
     from arbiter.interactions
     where tenant_id = $1 and reservation_state = 'open' and reservation_expires_at > $2 and offer_id is not null`,
    [tx.tenantId, tx.now],
  );
}
