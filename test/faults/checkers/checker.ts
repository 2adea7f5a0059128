import { decodeState } from '../../../packages/server/src/features/deciding/customer-states/customer-state-codec.ts';

import { eventsOf } from '../../../packages/server/src/features/operations/stream/decision-events.ts';

// The offline checker of docs/design/quality.md 5. Reads the database and the recorded load, and shares no code with
// the server's services. Uses the codecs of the state row and of packed events for reading only.
import { itemsOf } from '../api.ts';
import { ackOf, isUnknown, type Recorded } from '../recorded-load.ts';
import { checkAudit } from './checker-audit.ts';

/** Queries as superuser, bypassing row-level security. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface Evidence {
  readonly query: Query;
  readonly calls: readonly Recorded[];
  /** Maximum contacts per customer. Every contact of the load is inside the window. */
  readonly cap: number;
}

export interface Verdict {
  readonly violations: readonly string[];
  /** Number of checked items, so that an empty check is noticed. */
  readonly counts: Readonly<Record<string, number>>;
}

interface DecisionRow {
  readonly id: string;
  readonly request_id: string | null;
  readonly customer_id: string | null;
  readonly item_count: number;
  readonly plan_known: boolean;
  readonly version_known: boolean;
}

interface HistoryRow {
  readonly id: string;
  readonly customer_id: string;
  readonly interaction_type: 'recommendation' | 'impression' | 'response';
  readonly outcome_key: string | null;
  readonly offer_id: string;
  readonly creative_id: string | null;
  readonly channel_id: string | null;
  readonly campaign_id: string | null;
  readonly recommendation_id: string | null;
  readonly rank: number | null;
  readonly context: { readonly key?: string } | null;
  readonly late: boolean;
  readonly at: number;
  readonly reservation_state: string | null;
  readonly settled_by: string | null;
  readonly expires_at: number | null;
}

/** Checks the whole database, which must be idle and contain one tenant's load. */
export async function checkAll(evidence: Evidence): Promise<Verdict> {
  const { query } = evidence;
  const decisions = await query<DecisionRow>(`
    select d.id, d.request_id, s.customer_id, d.item_count,
      exists (select 1 from arbiter.plans p where p.tenant_id = d.tenant_id and p.hash = d.plan_hash) as plan_known,
      exists (select 1 from arbiter.flow_versions v where v.tenant_id = d.tenant_id and v.flow_id = d.flow_id
        and v.version = d.flow_version) as version_known
    from arbiter.decisions d
    left join arbiter.customer_states s on s.tenant_id = d.tenant_id and s.ref = d.customer_ref`);
  const history = await query<HistoryRow>(`
    select id, customer_id, interaction_type, outcome_key, offer_id, creative_id, channel_id, campaign_id,
      recommendation_id, rank, context, reservation_state, reservation_settled_by as settled_by,
      coalesce(details ->> 'late' = 'true', false) as late,
      (extract(epoch from occurred_at) * 1000)::float8 as at,
      (extract(epoch from reservation_expires_at) * 1000)::float8 as expires_at
    from arbiter.interaction_history`);
  const found = [
    ...checkDecisions(evidence, decisions, history),
    ...checkRequests(evidence, decisions, await query('select request_id, decision_id from arbiter.decision_requests')),
    ...checkResponses(evidence, history),
    ...checkCaps(evidence, history),
    ...(await checkStates(evidence, history)),
    ...(await checkOrder(query)),
    ...(await checkSummaries(query)),
    ...(await checkOutbox(query, decisions, history)),
    ...(await checkLearning(query)),
    ...(await checkAudit(evidence)),
  ];
  const kinds = new Map<string, number>();
  for (const call of evidence.calls) {
    const fate = ackOf(call) !== undefined ? 'acked' : isUnknown(call) ? 'unknown' : 'refused';
    const key = `${call.kind} ${fate}`;
    kinds.set(key, (kinds.get(key) ?? 0) + 1);
  }
  return {
    violations: found,
    counts: { decisions: decisions.length, history: history.length, ...Object.fromEntries([...kinds].sort()) },
  };
}

/** Invariant 2: one record per acknowledged decision; its items match the history rows; no row lacks its decision. */
function checkDecisions(
  evidence: Evidence,
  decisions: readonly DecisionRow[],
  history: readonly HistoryRow[],
): string[] {
  const found: string[] = [];
  const byId = new Map(decisions.map((row) => [row.id, row]));
  const shownBy = Map.groupBy(
    history.filter((row) => isShown(row)),
    (row) => row.recommendation_id!,
  );
  for (const row of decisions) {
    if (row.customer_id === null) found.push(`decision ${row.id} has no customer`);
    if (!row.plan_known) found.push(`the plan of decision ${row.id} is not stored`);
    if (!row.version_known) found.push(`decision ${row.id} names a flow version that was never published`);
    const shown = shownBy.get(row.id) ?? [];
    if (shown.length !== row.item_count) found.push(`decision ${row.id}: ${shown.length} rows of ${row.item_count}`);
    for (const item of shown) {
      if (item.customer_id !== row.customer_id) found.push(`item ${item.id} belongs to another customer`);
    }
  }
  for (const row of history) {
    const isOpen = row.reservation_state === null || row.reservation_state === 'open';
    if (isOpen !== (row.settled_by === null)) found.push(`item ${row.id} was settled by ${row.settled_by}`);
  }
  for (const id of shownBy.keys()) if (!byId.has(id)) found.push(`items of ${id} without their decision`);
  const historyById = new Map(history.map((row) => [row.id, row]));
  for (const call of evidence.calls) {
    if (call.kind !== 'recommend') continue;
    const ack = ackOf(call);
    if (ack === undefined) continue;
    const id = String(ack.body.recommendationId);
    const row = byId.get(id);
    if (row === undefined) {
      found.push(`LOST decision ${id}`);
      continue;
    }
    if (row.customer_id !== call.body.customerId) found.push(`decision ${id} is of another customer`);
    const items = itemsOf(ack.body);
    if (items.length !== row.item_count) found.push(`decision ${id} answered ${items.length} of ${row.item_count}`);
    for (const item of items) {
      const kept = historyById.get(item.interactionId);
      const same =
        kept !== undefined &&
        kept.recommendation_id === id &&
        kept.rank === item.rank &&
        kept.offer_id === item.offerId &&
        kept.creative_id === item.creativeId &&
        kept.channel_id === item.channelId &&
        kept.interaction_type === (item.impressionRecorded ? 'impression' : 'recommendation') &&
        (item.reservation === null) === (kept.reservation_state === null);
      if (!same) found.push(`item ${item.interactionId} of decision ${id} is not in history as answered`);
    }
  }
  return found;
}

/** A shown item's id derives from its decision's. A confirmation has the same rank but its own id. */
const isShown = (row: HistoryRow): boolean =>
  row.recommendation_id !== null && row.rank !== null && row.id === itemId(row.recommendation_id, row.rank);

const itemId = (decisionId: string, rank: number): string =>
  decisionId.slice(0, 34) + rank.toString(16).padStart(2, '0');

/** Invariant 1 for requestIds: at most one decision each, the same in every response. */
function checkRequests(
  evidence: Evidence,
  decisions: readonly DecisionRow[],
  requests: readonly { readonly request_id: string; readonly decision_id: string }[],
): string[] {
  const found: string[] = [];
  const kept = new Map(requests.map((row) => [row.request_id, row.decision_id]));
  const named = Map.groupBy(
    decisions.filter((row) => row.request_id !== null),
    (row) => row.request_id!,
  );
  for (const [requestId, rows] of named) {
    if (rows.length > 1) found.push(`${rows.length} decisions for requestId ${requestId}`);
    if (kept.get(requestId) !== rows[0]!.id) found.push(`the answer of requestId ${requestId} is not kept`);
  }
  if (named.size !== kept.size) found.push(`${kept.size} kept answers for ${named.size} decisions with a requestId`);
  for (const call of evidence.calls) {
    if (call.kind !== 'recommend' || call.identity === null) continue;
    const acked = call.answers.filter((answer) => answer.status === 200);
    for (const { body } of acked) {
      if (body.recommendationId !== kept.get(call.identity)) found.push(`LOST or doubled requestId ${call.identity}`);
    }
    if (acked.length === 0) found.push(`requestId ${call.identity} was never settled`);
  }
  return found;
}

/** Invariant 1 for responses: an acknowledged one exists once, a refused one doesn't. */
function checkResponses(evidence: Evidence, history: readonly HistoryRow[]): string[] {
  const found: string[] = [];
  const byId = new Map(history.map((row) => [row.id, row]));
  const byKey = Map.groupBy(
    history.filter((row) => row.context?.key !== undefined),
    (row) => row.context!.key!,
  );
  for (const call of evidence.calls) {
    if (call.kind !== 'respond') continue;
    const rows = byKey.get(call.identity!) ?? [];
    const ack = ackOf(call);
    if (ack === undefined) {
      if (rows.length > 0) found.push(`refused response ${call.identity} left ${rows.length} rows`);
      if (isUnknown(call)) found.push(`response ${call.identity} was never settled`);
      continue;
    }
    const alreadyCounted = ack.body.impression === 'already_counted';
    const expected = alreadyCounted ? 0 : 1;
    if (rows.length !== expected) found.push(`LOST or doubled response ${call.identity}: ${rows.length} rows`);
    const row = byId.get(String(ack.body.interactionId));
    if (row === undefined) found.push(`LOST response ${ack.body.interactionId}`);
    else if (!alreadyCounted && row.outcome_key !== call.body.outcome) {
      found.push(`response ${row.id} has outcome ${row.outcome_key}`);
    }
  }
  const known = new Set(evidence.calls.filter((call) => call.kind === 'respond').map((call) => call.identity));
  for (const key of byKey.keys()) if (!known.has(key)) found.push(`a stored response that no client sent: ${key}`);
  return found;
}

/**
 * Invariant 3: counted <= cap. An open reservation counts like an impression. A late impression, of an item that was
 * released before, happened, but the cap doesn't apply to it (docs/design/api-decisioning.md 4).
 */
function checkCaps(evidence: Evidence, history: readonly HistoryRow[]): string[] {
  const counted = new Map<string, number>();
  for (const row of history) {
    const counts =
      (row.interaction_type === 'impression' && !row.late) ||
      (row.interaction_type === 'recommendation' && row.reservation_state === 'open');
    if (counts) counted.set(row.customer_id, (counted.get(row.customer_id) ?? 0) + 1);
  }
  return [...counted]
    .filter(([, n]) => n > evidence.cap)
    .map(([customerId, n]) => `customer ${customerId} was contacted ${n} times, cap ${evidence.cap}`);
}

/** Invariant 3: when idle, the state rows equal the aggregated history. */
async function checkStates({ query }: Evidence, history: readonly HistoryRow[]): Promise<string[]> {
  const found: string[] = [];
  const states = await query<{ customer_id: string; state: Buffer; base: Buffer | null }>(
    'select customer_id, state, base from arbiter.customer_states',
  );
  const ofCustomer = Map.groupBy(history, (row) => row.customer_id);
  const known = new Set(states.map((row) => row.customer_id));
  for (const customerId of ofCustomer.keys()) if (!known.has(customerId)) found.push(`no state of ${customerId}`);
  const now = Date.now();
  for (const row of states) {
    const state = decodeState(row.state, row.base);
    const lanes = state.lanes.map((l) => [l.offerId, l.creativeId, l.channelId, l.campaignId].join(' '));
    const actual: string[] = [];
    for (const [i, lane] of lanes.entries()) {
      if (state.totals[i]! > 0) actual.push(`${lane} total ${state.totals[i]} last ${state.lastAt[i]}`);
    }
    for (const entry of state.log) actual.push(`${lanes[entry.lane]} contact ${entry.at}`);
    for (const r of state.reservations) {
      if (r.expiresAt > now) actual.push(`${lanes[r.lane]} reserved ${r.id} at ${r.at} until ${r.expiresAt}`);
    }
    for (const o of state.outcomes) actual.push(`${lanes[o.lane]} outcome ${o.key} last ${o.at}`);
    const expected = aggregate(ofCustomer.get(row.customer_id) ?? [], now);
    const [a, b] = [actual.sort().join('\n'), expected.sort().join('\n')];
    if (a !== b) found.push(`state of ${row.customer_id} is\n${a}\nbut history says\n${b}`);
  }
  return found;
}

/** What was committed for a customer has the numbers 1 to n, each once, and n is in the customer's row. */
async function checkOrder(query: Query): Promise<string[]> {
  const wrong = await query<{ customer_id: string; latest: string; numbers: string }>(`
    with numbered as (
      select s.customer_id, 'decision ' || d.id as what, d.customer_seq as number from arbiter.decisions d
        join arbiter.customer_states s on s.tenant_id = d.tenant_id and s.ref = d.customer_ref
      union all
      select customer_id, 'settlement', reservation_settled_seq from arbiter.interactions i
       where reservation_settled_seq is not null and not exists (
         select from arbiter.interactions r where r.customer_id = i.customer_id and r.customer_seq = i.reservation_settled_seq)
      union all
      select distinct customer_id, 'response', customer_seq from arbiter.interactions i
       where not exists (select from arbiter.decisions d where d.id = i.recommendation_id and d.customer_seq = i.customer_seq))
    select s.customer_id, s.customer_seq as latest,
      coalesce(string_agg(n.what || ' ' || coalesce(n.number::text, 'without'), ', ' order by n.number), '') as numbers
      from arbiter.customer_states s left join numbered n on n.customer_id = s.customer_id
     group by 1, 2
    having count(n.what) <> s.customer_seq or count(distinct n.number) <> s.customer_seq
        or coalesce(min(n.number), 1) <> 1 or coalesce(max(n.number), 0) <> s.customer_seq`);
  return wrong.map((row) => `numbers of ${row.customer_id}, latest ${row.latest}: ${row.numbers}`);
}

function aggregate(rows: readonly HistoryRow[], now: number): string[] {
  const lines: string[] = [];
  const totals = new Map<string, { n: number; last: number }>();
  const outcomes = new Map<string, number>();
  for (const row of rows) {
    const lane = [row.offer_id, row.creative_id, row.channel_id, row.campaign_id].join(' ');
    if (row.interaction_type === 'impression') {
      const total = totals.get(lane) ?? { n: 0, last: 0 };
      totals.set(lane, { n: total.n + 1, last: Math.max(total.last, row.at) });
      lines.push(`${lane} contact ${row.at}`);
    } else if (row.interaction_type === 'response') {
      const key = `${lane} outcome ${row.outcome_key}`;
      outcomes.set(key, Math.max(outcomes.get(key) ?? 0, row.at));
    } else if (row.reservation_state === 'open' && row.expires_at !== null && row.expires_at > now) {
      lines.push(`${lane} reserved ${row.id} at ${row.at} until ${row.expires_at}`);
    }
  }
  for (const [lane, { n, last }] of totals) lines.push(`${lane} total ${n} last ${last}`);
  for (const [key, last] of outcomes) lines.push(`${key} last ${last}`);
  return lines;
}

/**
 * Invariant 3: when idle, the tenant's figures equal history. The load's tenant counts days in UTC. A customer's own
 * figures are read from history, which no retention compacted.
 */
async function checkSummaries(query: Query): Promise<string[]> {
  const expected = `
    select tenant_id, (occurred_at at time zone 'UTC')::date as day, offer_id, creative_id, channel_id, direction,
      count(*) filter (where interaction_type = 'impression')::int as impressions,
      count(*) filter (where interaction_type = 'response' and classification = 'positive')::int as positive,
      count(*) filter (where interaction_type = 'response' and classification = 'negative')::int as negative,
      count(*) filter (where interaction_type = 'response' and classification = 'neutral')::int as neutral,
      count(*) filter (where is_conversion)::int as converts,
      coalesce(sum(conversion_value) filter (where interaction_type = 'response'), 0) as total_value
    from arbiter.interaction_history where interaction_type <> 'recommendation'
    group by 1, 2, 3, 4, 5, 6`;
  const actual = `
    select tenant_id, day, offer_id, creative_id, channel_id, direction, impressions, positive, negative, neutral, converts,
      total_value from arbiter.daily_totals`;
  const missing = await query<object>(`(${expected}) except (${actual}) limit 5`);
  const surplus = await query<object>(`(${actual}) except (${expected}) limit 5`);
  const [compacted] = await query<{ n: number }>('select count(*)::int as n from arbiter.interaction_summaries');
  return [
    ...missing.map((row) => `history says, the figures do not: ${JSON.stringify(row)}`),
    ...surplus.map((row) => `the figures say, history does not: ${JSON.stringify(row)}`),
    ...(compacted!.n > 0 ? [`${compacted!.n} rows of history were compacted`] : []),
  ];
}

type StoredRow = Parameters<typeof eventsOf>[0] & { readonly position: string | null };

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly payload: { readonly recommendationId?: string; readonly id?: string };
}

/** Invariant 11: nothing is pending, positions are 1..n, and each effect has exactly one event. */
async function checkOutbox(
  query: Query,
  decisions: readonly DecisionRow[],
  history: readonly HistoryRow[],
): Promise<string[]> {
  const found: string[] = [];
  const rows = await query<StoredRow>(
    `select position, tenant_id as "tenantId", events, lane_offers as "offerIds", lane_creatives as "creativeIds",
       lane_channels as "channelIds", created_at as "createdAt"
     from arbiter.outbox order by position`,
  );
  const pending = rows.filter((row) => row.position === null).length;
  if (pending > 0) found.push(`${pending} outbox rows are pending at rest`);
  const [head] = await query<{ position: string }>('select position from arbiter.stream_heads');
  const positions = rows.filter((row) => row.position !== null).map((row) => Number(row.position));
  const gap = positions.findIndex((position, i) => position !== i + 1);
  if (gap >= 0) found.push(`the stream has a gap or a twin at ${gap + 1}`);
  if (Number(head?.position ?? 0) !== positions.length) found.push(`the stream's head is ${head?.position}`);
  const events = rows.flatMap((row) =>
    eventsOf(row).flatMap((text): StoredEvent[] => (text === null ? [] : [JSON.parse(text)])),
  );
  if (new Set(events.map((event) => event.id)).size !== events.length) found.push('an event stands twice');
  const made = events.filter((event) => event.type === 'decision.made.v1').map((e) => e.payload.recommendationId!);
  found.push(
    ...compareSets(
      'decision',
      decisions.map((row) => row.id),
      made,
    ),
  );
  const recorded = events.filter((event) => event.type === 'interaction.recorded.v1').map((e) => e.payload.id!);
  const byRespond = history.filter((row) => !isShown(row)).map((row) => row.id);
  found.push(...compareSets('interaction', byRespond, recorded));
  return found;
}

function compareSets(what: string, rows: readonly string[], events: readonly string[]): string[] {
  const told = new Set(events);
  const there = new Set(rows);
  return [
    ...(told.size === events.length ? [] : [`an event of one ${what} stands twice`]),
    ...rows.filter((id) => !told.has(id)).map((id) => `${what} ${id} has no event`),
    ...events.filter((id) => !there.has(id)).map((id) => `an event tells of ${what} ${id}, which is not there`),
  ];
}

/** Evidence: numbers are 1..n without gap, and their sums are the positive and negative responses in history. */
async function checkLearning(query: Query): Promise<string[]> {
  const [row] = await query<{ n: number; top: number; head: number }>(`
    select count(*)::int as n, coalesce(max(number), 0)::int as top,
      coalesce((select number from arbiter.evidence_heads), 0)::int as head from arbiter.evidence_changes`);
  const found = row!.n === row!.top && row!.top === row!.head ? [] : [`evidence numbers: ${JSON.stringify(row)}`];
  const learnt = `select offer_id, sum(positives)::int as positives, sum(negatives)::int as negatives
    from arbiter.evidence_changes group by 1`;
  const happened = `select offer_id, count(*) filter (where classification = 'positive')::int,
      count(*) filter (where classification = 'negative')::int
    from arbiter.interactions where interaction_type = 'response' and classification <> 'neutral' group by 1`;
  const difference = await query<object>(
    `((${learnt}) except (${happened})) union all ((${happened}) except (${learnt})) limit 5`,
  );
  return [...found, ...difference.map((each) => `evidence differs from history: ${JSON.stringify(each)}`)];
}
