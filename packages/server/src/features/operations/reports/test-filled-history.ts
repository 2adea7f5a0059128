import type { TestDatabase } from '../../../db/test-database.ts';
import { firstIdAt, newId } from '../../../platform/ids.ts';

/** For tests and benches: a tenant with history as decisions and responses leave it, made by the database itself. */
export interface HistoryFilled {
  readonly offerIds: readonly string[];
  readonly impressions: number;
}

/** Items of one decision. */
const itemsEach = 3;

/**
 * Fills history with this many interactions over the days before `now`: decisions of three items, a response to every tenth
 * item, the tenant's daily figures, minutes of decisions, and a trace for every hundredth decision.
 */
export async function fillHistory(
  db: Pick<TestDatabase, 'ownerQuery'>,
  tenantId: string,
  {
    interactions,
    days,
    now,
    customers = 20_000,
  }: { readonly interactions: number; readonly days: number; readonly now: Date; readonly customers?: number },
): Promise<HistoryFilled> {
  const offerIds = Array.from({ length: 40 }, () => newId());
  const channelIds = Array.from({ length: 4 }, () => newId());
  for (const [at, id] of offerIds.entries()) {
    await db.ownerQuery(
      `insert into arbiter.offers (tenant_id, id, name, status, version, created_at, updated_at)
       values ($1, $2, $3, 'active', 1, now(), now())`,
      [tenantId, id, `Offer ${at}`],
    );
  }
  const decisions = Math.floor(interactions / (itemsEach * 1.1));
  const responses = interactions - decisions * itemsEach;
  const from = new Date(now.getTime() - days * 86_400_000);
  await db.ownerQuery(
    `select arbiter.ensure_month_partitions(t::regclass, date_trunc('month', $1::timestamptz)::date, $2)
       from unnest(array['arbiter.interactions', 'arbiter.decision_impressions']) as t`,
    [from, Math.ceil(days / 28) + 2],
  );
  // An id begins with the milliseconds of its instant, as those of newId do; the number makes it one of its own.
  const idOf = (at: string, number: string) =>
    `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7000' || '8' || lpad(to_hex(${number}), 13, '0') || '00')::uuid`;
  const instant = (number: string, of: string) =>
    `($2::timestamptz + ($3::timestamptz - $2::timestamptz) * ((${number}) / ${of}::float8))`;
  await db.ownerQuery(
    `insert into arbiter.decision_impressions (tenant_id, id, customer_id, occurred_at, offer_ids, channel_ids)
     select $1, ${idOf('at', 'n')}, 'C' || n % ${customers}, at,
       array[$5::uuid[][1 + n % 40], $5::uuid[][1 + (n + 7) % 40], $5::uuid[][1 + (n + 19) % 40]],
       array[$6::uuid[][1 + n % 4]]
     from (select n, date_trunc('milliseconds', ${instant('n', '$4')}) as at from generate_series(0, $4::int - 1) n) made`
      .replaceAll('$5::uuid[][', '($5::uuid[])[')
      .replaceAll('$6::uuid[][', '($6::uuid[])['),
    [tenantId, from, now, decisions, offerIds, channelIds],
  );
  await db.ownerQuery(
    `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
       is_conversion, offer_id, channel_id, conversion_value, occurred_at, created_at)
     select $1, ${idOf('at', 'n + 1000000000')}, 'C' || n % ${customers}, 'response', case when n % 5 = 0 then 'convert' else 'click' end,
       'positive', 'inbound', n % 5 = 0, ($5::uuid[])[1 + n % 40], ($6::uuid[])[1 + n % 4],
       case when n % 5 = 0 then 12.5 end, at, at
     from (select n, date_trunc('milliseconds', ${instant('n', '$4')}) as at from generate_series(0, $4::int - 1) n) made`,
    [tenantId, from, now, responses, offerIds, channelIds],
  );
  await db.ownerQuery(
    `insert into arbiter.daily_totals (tenant_id, day, offer_id, channel_id, direction, impressions, positive, negative, neutral,
       clicks, converts, total_value)
     select $1, (occurred_at at time zone 'UTC')::date, offer_id, channel_id, direction,
       count(*) filter (where interaction_type = 'impression'), count(*) filter (where interaction_type = 'response'), 0, 0,
       count(*) filter (where outcome_key = 'click'), count(*) filter (where is_conversion), coalesce(sum(conversion_value), 0)
     from arbiter.interaction_history where tenant_id = $1 group by 2, 3, 4, 5`,
    [tenantId],
  );
  await db.ownerQuery(
    `insert into arbiter.decision_minutes (tenant_id, minute, flow_id, flow_version, arm, decisions, empty, errors, candidates,
       policy_blocked, degraded, policy_errors, compute_errors, durations)
     select $1, minute, $4, 1, 0, 5, 0, '{}', 100, 10, 0, 0, 0, array_fill(1, array[40])
     from generate_series(date_trunc('minute', $2::timestamptz), $3, interval '10 minutes') minute`,
    [tenantId, from, now, newId()],
  );
  await db.ownerQuery(
    `insert into arbiter.decision_traces (tenant_id, id, decision_id, request_id, customer_id, decision_flow_key, body, created_at)
     select $1, ${idOf('at', 'n + 2000000000')}, $5, $5, 'C', 'main', $6, at
     from (select n, date_trunc('milliseconds', ${instant('n', '$4')}) as at from generate_series(0, $4::int - 1) n) made`,
    [tenantId, from, now, Math.ceil(decisions / 100), newId(), traceOf(offerIds, channelIds[0] ?? null)],
  );
  await db.ownerQuery('analyze');
  return { offerIds, impressions: decisions * itemsEach };
}

/** A trace of a decision that considered all offers. */
function traceOf(offerIds: readonly string[], channelId: string | null): object {
  const policyId = firstIdAt(0);
  const stage = (name: string, candidates: number, passed: number) => ({
    stage: name,
    nodeId: name,
    candidates,
    passed,
    topScore: null,
    method: null,
    dropped: candidates === passed ? {} : { cut: candidates - passed },
    warnings: [],
    durationMs: 0.2,
  });
  const scored = offerIds.slice(0, 30);
  return {
    channelId,
    customerSegments: [],
    pipeline: [
      stage('inventory', offerIds.length, offerIds.length),
      stage('qualify', offerIds.length, 35),
      stage('contact_policy', 35, 30),
      stage('score', 30, 30),
      stage('rank', 30, itemsEach),
    ],
    scoringResults: scored.map((offerId, at) => ({ offerId, score: 1 - at / 50, rank: at + 1 })),
    selectedOffers: scored.slice(0, itemsEach).map((offerId, at) => ({ offerId, rank: at + 1 })),
    contactPolicyResults: scored.map((offerId) => ({ offerId, policyId, policyName: 'Three a day', status: 'passed' })),
    dropped: scored.slice(itemsEach).map((offerId) => ({ offerId, reason: 'cut', stage: 'rank' })),
  };
}
