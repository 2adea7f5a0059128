import { type Tx, textArray, uuidArray } from '../../../db/index.ts';
import { firstIdAt } from '../../../platform/ids.ts';

/** A response to an item of a decision, found by the item itself and not guessed from offer or creative. */
export interface ItemResponse {
  readonly decisionId: string;
  readonly rank: number;
  readonly outcome: string;
  readonly classification: 'positive' | 'negative' | 'neutral';
  readonly isConversion: boolean;
  readonly value: number | null;
  /** Epoch ms of the event. */
  readonly at: number;
}

/** Returns the responses to these decisions of these customers that were stored by `until`, in order. */
export async function responsesToItems(
  tx: Tx,
  customerIds: readonly string[],
  decisionIds: readonly string[],
  until: Date,
): Promise<ItemResponse[]> {
  if (decisionIds.length === 0) return [];
  return tx.query<ItemResponse>(
    `select recommendation_id as "decisionId", rank::int as rank, outcome_key as outcome, classification,
       is_conversion as "isConversion", conversion_value::float8 as value, extract(epoch from occurred_at)::float8 * 1000 as at
     from arbiter.interactions
     where tenant_id = $1 and customer_id = any($2::text[]) and id > $4 and recommendation_id = any($3::uuid[])
       and interaction_type = 'response' and rank is not null and resolved_by in ('interaction', 'recommendation')
       and created_at <= $5
     order by recommendation_id, rank, id`,
    // IDs are ordered by time, and responses come after their decision.
    [tx.tenantId, textArray(customerIds), uuidArray(decisionIds), decisionIds.toSorted()[0], until],
  );
}

/** Returns the currencies of values that were reported in a range, at most three. */
export async function valueCurrencies(tx: Tx, from: Date, to: Date): Promise<string[]> {
  const rows = await tx.query<{ currency: string }>(
    `select distinct currency from arbiter.interactions
     where tenant_id = $1 and id >= $2 and id < $3 and interaction_type = 'response' and conversion_value is not null
       and currency is not null
     order by currency limit 3`,
    [tx.tenantId, firstIdAt(from.getTime()), firstIdAt(to.getTime())],
  );
  return rows.map(({ currency }) => currency);
}
