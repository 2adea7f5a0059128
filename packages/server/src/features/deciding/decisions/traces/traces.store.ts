import type { TraceBody } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../../db/columns.ts';
import { conditionsOf } from '../../../../db/conditions.ts';
import { type HotStatement, type Tx, textArray, textsArray, uuidArray } from '../../../../db/index.ts';
import type { Removed } from '../../../../jobs/index.ts';
import { firstIdAt, isUuid } from '../../../../platform/ids.ts';
import { type DecisionFilter, recordMatches } from '../../sealed-records/index.ts';

/** The trace of a decision, to be stored. */
export interface NewTrace {
  readonly id: string;
  readonly decisionId: string;
  readonly requestId: string;
  readonly customerId: string;
  readonly flowKey: string;
  /** JSON of a `TraceBody`. */
  readonly body: string;
}

/** Inserts the traces of a batch at once: one statement each cost more than everything else that a decision writes. */
export function insertTraces(tenantId: string, rows: readonly NewTrace[], at: Date): HotStatement {
  return {
    name: 'decisions.traces',
    text: `insert into decision_traces (tenant_id, id, decision_id, request_id, customer_id, decision_flow_key, body, created_at)
      select $1, u.id, u.decision_id, u.request_id, u.customer_id, u.flow_key, u.body::jsonb, $8
      from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[])
        as u(id, decision_id, request_id, customer_id, flow_key, body)`,
    values: [
      tenantId,
      uuidArray(rows.map(({ id }) => id)),
      uuidArray(rows.map(({ decisionId }) => decisionId)),
      uuidArray(rows.map(({ requestId }) => requestId)),
      textArray(rows.map(({ customerId }) => customerId)),
      textArray(rows.map(({ flowKey }) => flowKey)),
      textsArray(rows.map(({ body }) => body)),
      at,
    ],
  };
}

const traces = table<'decision_traces', { body: TraceBody }>('decision_traces');
const traceColumns = columns(traces, [
  'id',
  'decisionId',
  'requestId',
  'customerId',
  'decisionFlowKey',
  'body',
  'createdAt',
]);
export type TraceRow = RowOf<typeof traceColumns>;

/** Which traces a list shows. */
export interface TraceFilter {
  readonly requestId: string | null;
  /** Filters of the decisions. The offer is looked up in the trace. */
  readonly record: DecisionFilter;
  readonly flowKey: string | null;
  /** Parts of traces (`mentionsOf`), of which a trace must have one; null: any trace. */
  readonly mentions: readonly object[] | null;
}

/** Stored traces, newest first, with the number that match. */
export async function selectTraces(
  tx: Tx,
  { requestId, record, flowKey, mentions }: TraceFilter,
  limit: number,
  offset: number,
): Promise<{ readonly rows: TraceRow[]; readonly total: number }> {
  if (requestId !== null && !isUuid(requestId)) return { rows: [], total: 0 };
  const conditions = conditionsOf(tx.tenantId, 't');
  const { customerId, from, to } = record;
  if (customerId !== null) conditions.add(customerId, (p) => `t.customer_id = ${p}`);
  if (requestId !== null) conditions.add(requestId, (p) => `t.request_id = ${p}::uuid`);
  if (flowKey !== null) conditions.add(flowKey, (p) => `t.decision_flow_key = ${p}`);
  if (from !== null) conditions.add(from, (p) => `t.created_at >= ${p}`);
  if (to !== null) conditions.add(to, (p) => `t.created_at < ${p}`);
  // Filter by the trace's own columns where it has them, and by the record's for the rest.
  const rest = { ...record, customerId: null, flowIds: null, offerId: null, from: null, to: null };
  if (Object.values(rest).some((value) => value !== null))
    conditions.also(recordMatches(conditions, 't.decision_id', rest));
  if (mentions !== null) {
    const texts = mentions.map((part) => JSON.stringify(part));
    conditions.add(texts, (p) => `t.body @> any(${p}::jsonb[])`);
  }
  const where = `where ${conditions.text()}`;
  const [count] = await tx.query<{ total: number }>(
    `select count(*)::float8 as total from decision_traces t ${where}`,
    [...conditions.values],
  );
  const [most, skipped] = [conditions.parameter(limit), conditions.parameter(offset)];
  const page = `from decision_traces t ${where} order by id desc limit ${most} offset ${skipped}`;
  return { rows: await select(tx, traceColumns, page, conditions.values), total: count?.total ?? 0 };
}

export async function findTrace(tx: Tx, id: string): Promise<TraceRow | null> {
  if (!isUuid(id)) return null;
  const [row] = await select(tx, traceColumns, 'from decision_traces where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
  ]);
  return row ?? null;
}

/** Returns false if the trace doesn't exist. Otherwise it can't be deleted until the transaction ends. */
export async function lockTrace(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query('select 1 from decision_traces where tenant_id = $1 and id = $2 for key share', [
    tx.tenantId,
    id,
  ]);
  return rows.length > 0;
}

/** Deletes all traces of a customer; answers with their number. */
export async function deleteTraces(tx: Tx, customerId: string): Promise<number> {
  const [row] = await tx.query<{ deleted: number }>(
    `with gone as (delete from decision_traces where tenant_id = $1 and customer_id = $2 returning 1)
     select count(*)::int as deleted from gone`,
    [tx.tenantId, customerId],
  );
  return row?.deleted ?? 0;
}

/** Traces of one transaction. */
const tracesPerSlice = 500;

/** Deletes the tenant's traces that were stored more than this many days ago. True when there may be more. */
export async function expireTraces(tx: Tx, days: number): Promise<Removed> {
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (select id from decision_traces where tenant_id = $1 and id < $2 order by id limit $3),
     gone as (delete from decision_traces t using due where t.tenant_id = $1 and t.id = due.id returning 1)
     select count(*) as deleted from gone`,
    [tx.tenantId, firstIdAt(Math.max(0, tx.now.getTime() - days * dayMs)), tracesPerSlice],
  );
  const rows = row?.deleted ?? 0;
  return { rows, more: rows === tracesPerSlice };
}

const dayMs = 86_400_000;

/** True when the tenant has a stored trace of this id. */
export async function hasTrace(tx: Tx, id: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(
    `select exists (select from decision_traces where tenant_id = $1 and id = $2) as found`,
    [tx.tenantId, id],
  );
  return row?.found === true;
}
