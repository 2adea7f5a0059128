import type { Tx } from '../../db/index.ts';
import type { SummaryDelta } from './summaries.ts';

/** Adds deltas to the day rows, in key order, so that two writers of one tenant cannot lock each other out. */
export async function upsertSummaries(tx: Tx, deltas: readonly SummaryDelta[]): Promise<void> {
  const merged = merge(deltas);
  if (merged.length === 0) return;
  await tx.query(
    `insert into interaction_summaries as s (tenant_id, customer_id, day, offer_id, creative_id, channel_id, direction,
       impressions, positive, negative, neutral, converts, total_value, last_contact_at, last_outcome_key, last_outcome_at)
     select $1, u.* from unnest($2::text[], $3::date[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::int[], $9::int[],
       $10::int[], $11::int[], $12::int[], $13::numeric[], $14::timestamptz[], $15::text[], $16::timestamptz[])
       as u(customer_id, day, offer_id, creative_id, channel_id, direction, impressions, positive, negative, neutral, converts,
            total_value, last_contact_at, last_outcome_key, last_outcome_at)
     on conflict on constraint interaction_summaries_identity do update set
       impressions = s.impressions + excluded.impressions,
       positive = s.positive + excluded.positive,
       negative = s.negative + excluded.negative,
       neutral = s.neutral + excluded.neutral,
       converts = s.converts + excluded.converts,
       total_value = s.total_value + excluded.total_value,
       last_contact_at = greatest(s.last_contact_at, excluded.last_contact_at),
       last_outcome_key = case when excluded.last_outcome_at >= coalesce(s.last_outcome_at, excluded.last_outcome_at)
         then excluded.last_outcome_key else s.last_outcome_key end,
       last_outcome_at = greatest(s.last_outcome_at, excluded.last_outcome_at)`,
    [
      tx.tenantId,
      merged.map((d) => d.customerId),
      merged.map((d) => d.day),
      merged.map((d) => d.offerId),
      merged.map((d) => d.creativeId),
      merged.map((d) => d.channelId),
      merged.map((d) => d.direction),
      merged.map((d) => d.impressions),
      merged.map((d) => d.positive),
      merged.map((d) => d.negative),
      merged.map((d) => d.neutral),
      merged.map((d) => d.converts),
      merged.map((d) => d.totalValue),
      merged.map((d) => instant(d.lastContactAt)),
      merged.map((d) => d.lastOutcomeKey),
      merged.map((d) => instant(d.lastOutcomeAt)),
    ],
  );
}

const instant = (at: number | null): Date | null => (at === null ? null : new Date(at));

const keyOf = (d: SummaryDelta): string =>
  `${d.customerId}\n${d.day} ${d.offerId} ${d.creativeId} ${d.channelId} ${d.direction}`;

/** One statement may touch a row once only. */
function merge(deltas: readonly SummaryDelta[]): SummaryDelta[] {
  const byKey = new Map<string, SummaryDelta>();
  for (const delta of deltas) {
    const known = byKey.get(keyOf(delta));
    if (!known) {
      byKey.set(keyOf(delta), { ...delta });
      continue;
    }
    known.impressions += delta.impressions;
    known.positive += delta.positive;
    known.negative += delta.negative;
    known.neutral += delta.neutral;
    known.converts += delta.converts;
    known.totalValue += delta.totalValue;
    known.lastContactAt = Math.max(known.lastContactAt ?? 0, delta.lastContactAt ?? 0) || null;
    if (delta.lastOutcomeAt !== null && delta.lastOutcomeAt >= (known.lastOutcomeAt ?? 0)) {
      known.lastOutcomeAt = delta.lastOutcomeAt;
      known.lastOutcomeKey = delta.lastOutcomeKey;
    }
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, delta]) => delta);
}
