import { type Tx, uuidArray } from '../../../../db/index.ts';
import { firstIdAt } from '../../../../platform/ids.ts';
import { averageCandidates, type StageOfDecision } from './stage-funnel.rules.ts';

/** Selects the traces that figures are computed from. */
export interface TraceWindow {
  readonly from: Date;
  readonly to: Date;
  readonly flowKey: string | null;
  readonly channelId: string | null;
  /** Only traces of customers in this segment at the time. */
  readonly segmentId: string | null;
}

/** Maximum newest traces to read: a trace of hundreds of offers is long, and a person is waiting for the dashboard. */
export const maxTracesRead = 1_000;

/**
 * SQL, CTE `picked`: the newest traces of the window, with their bodies. Parameters $1 to $7. An id is created when its
 * row is stored, a moment after the row's instant.
 */
const picked = `
  picked as materialized (
    select id, body from decision_traces
     where tenant_id = $1 and id >= $2::uuid and created_at >= $3 and created_at < $4
       and ($5::text is null or decision_flow_key = $5)
       and ($6::text is null or body ->> 'channelId' = $6)
       and ($7::text is null or body -> 'customerSegments' ? $7)
     order by id desc limit ${maxTracesRead})`;

const valuesOf = (tx: Tx, { from, to, flowKey, channelId, segmentId }: TraceWindow): unknown[] => [
  tx.tenantId,
  firstIdAt(Math.max(0, from.getTime())),
  from,
  to,
  flowKey,
  channelId,
  segmentId,
];

/** Returns the number of traces to read, at most `maxTracesRead`. */
export async function countTraces(tx: Tx, window: TraceWindow): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `with ${picked} select count(*)::int as count from picked`,
    valuesOf(tx, window),
  );
  return row?.count ?? 0;
}

/** A stage's figures over all traces read. */
export interface StageFigures {
  /** The flow's node name; stages of called flows have the flow's key in front. */
  readonly stage: string;
  /** Times that it ran. */
  readonly runs: number;
  readonly candidates: number;
  readonly passed: number;
  /** Candidates that come to it, on average over all traces read: never more than at the stage before. */
  readonly averageCandidates: number;
  /** Mean over the runs that were timed; null when none was. */
  readonly averageMs: number | null;
  /** Number dropped, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
}

/** The stages, in the order in which decisions run through them. */
export async function readStageFigures(tx: Tx, window: TraceWindow): Promise<StageFigures[]> {
  const stages = await readStages(tx, window);
  const averages = averageCandidates(
    await readPipelines(tx, window),
    stages.map(({ stage }) => stage),
  );
  return stages.map((stage, at) => ({ ...stage, averageCandidates: averages[at] ?? 0 }));
}

/** The stages of each trace, one after the other. */
async function readPipelines(tx: Tx, window: TraceWindow): Promise<readonly (readonly StageOfDecision[])[]> {
  const rows = await tx.query<{ stages: StageOfDecision[] }>(
    `with ${picked}
     select coalesce(jsonb_agg(jsonb_build_object('stage', s.row ->> 'stage', 'candidates', s.row -> 'candidates',
         'passed', s.row -> 'passed') order by s.place) filter (where s.row -> 'skipped' is null), '[]') as stages
       from picked left join lateral jsonb_array_elements(body -> 'pipeline') with ordinality as s(row, place) on true
      group by id`,
    valuesOf(tx, window),
  );
  return rows.map(({ stages }) => stages.filter(({ stage }) => stage !== null));
}

async function readStages(tx: Tx, window: TraceWindow): Promise<Omit<StageFigures, 'averageCandidates'>[]> {
  return tx.query(
    `with ${picked},
     stage as (
       select s.row ->> 'stage' as stage, s.place, (s.row ->> 'candidates')::float8 as candidates,
         (s.row ->> 'passed')::float8 as passed, (s.row ->> 'durationMs')::float8 as ms, s.row -> 'dropped' as dropped
       from picked cross join lateral jsonb_array_elements(body -> 'pipeline') with ordinality as s(row, place)
       where s.row -> 'skipped' is null),
     reason as (
       select stage, r.reason, sum(r.n::float8) as n
       from stage cross join lateral jsonb_each_text(coalesce(dropped, '{}')) as r(reason, n) group by stage, r.reason)
     select stage, count(*)::int as runs, sum(candidates) as candidates, sum(passed) as passed, avg(ms) as "averageMs",
       coalesce((select jsonb_object_agg(r.reason, r.n) from reason r where r.stage = stage.stage), '{}') as dropped
     from stage group by stage order by avg(place), stage`,
    valuesOf(tx, window),
  );
}

/** Number of traces by what happened to an offer. */
export interface OfferFigures {
  readonly offerId: string;
  /** It was scored, or dropped at that point or later: nothing before had refused it. */
  readonly eligible: number;
  readonly scored: number;
}

/** Reasons that come after a candidate was found eligible. */
const afterEligible = ['min_propensity', 'min_score', 'cut', 'mandatory_cap', 'quota'];

/** The offers that decisions scored or might have. */
export async function readOfferFigures(tx: Tx, window: TraceWindow): Promise<OfferFigures[]> {
  return tx.query<OfferFigures>(
    `with ${picked},
     seen as (
       select id, r.row ->> 'offerId' as offer_id, true as scored
       from picked cross join lateral jsonb_array_elements(body -> 'scoringResults') as r(row)
       union
       select id, r.row ->> 'offerId', false
       from picked cross join lateral jsonb_array_elements(body -> 'dropped') as r(row)
       where r.row ->> 'reason' = any($8::text[])),
     each as (select id, offer_id, bool_or(scored) as scored from seen group by id, offer_id)
     select offer_id as "offerId", count(*)::int as eligible, (count(*) filter (where scored))::int as scored
     from each group by offer_id`,
    [...valuesOf(tx, window), `{${afterEligible.join(',')}}`],
  );
}

/** Traces in which an offer was shown, and in which it was dropped, by reason; each trace once. */
export async function readFates(
  tx: Tx,
  window: TraceWindow,
  offerId: string,
): Promise<readonly { readonly reason: string | null; readonly traces: number }[]> {
  return tx.query(
    `with ${picked},
     fate as (
       select case when body -> 'selectedOffers' @> $8::jsonb then null else (
           select r.row ->> 'reason' from jsonb_array_elements(body -> 'dropped') as r(row)
            where r.row ->> 'offerId' = $9 limit 1) end as reason,
         body -> 'selectedOffers' @> $8::jsonb as selected
       from picked)
     select reason, count(*)::int as traces from fate where selected or reason is not null group by reason`,
    [...valuesOf(tx, window), JSON.stringify([{ offerId }]), offerId],
  );
}

/** Scores of one offer on one channel that fall into a bin. */
export interface ScoreBin {
  readonly offerId: string;
  readonly channelId: string | null;
  /** From 0. */
  readonly bin: number;
  readonly scores: number;
}

/** Scores in this many bins of one width from the lowest to the highest; of some offers, or of all. */
export async function readScoreBins(
  tx: Tx,
  window: TraceWindow,
  offerIds: readonly string[] | null,
  bins: number,
): Promise<{ readonly low: number; readonly high: number; readonly rows: ScoreBin[] } | null> {
  const rows = await tx.query<ScoreBin & { low: number; high: number }>(
    `with ${picked},
     score as (
       select r.row ->> 'offerId' as offer_id, body ->> 'channelId' as channel_id, (r.row ->> 'score')::float8 as score
       from picked cross join lateral jsonb_array_elements(body -> 'scoringResults') as r(row)
       where $8::text[] is null or r.row ->> 'offerId' = any($8::text[])),
     bound as (select min(score) as low, max(score) as high from score)
     select offer_id as "offerId", channel_id as "channelId", low, high,
       case when high = low then 0
         else least($9::int - 1, floor((score - low) / ((high - low) / $9::int)))::int end as bin, count(*)::int as scores
     from score cross join bound group by 1, 2, 3, 4, 5 order by 1, 2 nulls first, 5`,
    [...valuesOf(tx, window), offerIds === null ? null : uuidArray(offerIds), bins],
  );
  const [first] = rows;
  return first === undefined ? null : { low: first.low, high: first.high, rows };
}

/** How often a contact policy was asked about a candidate, and how often it refused. */
export interface PolicyFigures {
  readonly policyId: string;
  readonly policyName: string;
  readonly evaluated: number;
  readonly blocked: number;
}

export async function readPolicyFigures(
  tx: Tx,
  window: TraceWindow,
  offerIds: readonly string[] | null,
): Promise<PolicyFigures[]> {
  return tx.query<PolicyFigures>(
    `with ${picked}
     select r.row ->> 'policyId' as "policyId", max(r.row ->> 'policyName') as "policyName", count(*)::int as evaluated,
       (count(*) filter (where r.row ->> 'status' = 'blocked'))::int as blocked
     from picked cross join lateral jsonb_array_elements(body -> 'contactPolicyResults') as r(row)
     where r.row ->> 'status' <> 'skipped' and r.row ->> 'policyId' is not null
       and ($8::text[] is null or r.row ->> 'offerId' = any($8::text[]))
     group by 1 order by 4 desc, 3 desc, 1`,
    [...valuesOf(tx, window), offerIds === null ? null : uuidArray(offerIds)],
  );
}
