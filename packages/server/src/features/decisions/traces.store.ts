import { columns, type RowOf, select, table } from '../../db/columns.ts';
import type { HotStatement, Tx } from '../../db/index.ts';
import { firstIdAt, isUuid } from '../../platform/ids.ts';

export function insertTrace(
  tenantId: string,
  row: {
    readonly id: string;
    readonly decisionId: string;
    readonly requestId: string;
    readonly customerId: string;
    readonly flowKey: string;
    readonly body: string;
    readonly at: Date;
  },
): HotStatement {
  return {
    name: 'decisions.trace',
    text: `insert into decision_traces (tenant_id, id, decision_id, request_id, customer_id, decision_flow_key, body, created_at)
      values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8)`,
    values: [tenantId, row.id, row.decisionId, row.requestId, row.customerId, row.flowKey, row.body, row.at],
  };
}

const traces = table<'decision_traces', { body: Readonly<Record<string, unknown>> }>('decision_traces');
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

/** Stored traces, newest first, with the number that match. */
export async function selectTraces(
  tx: Tx,
  filter: { readonly customerId: string | null; readonly requestId: string | null },
  limit: number,
  offset: number,
): Promise<{ readonly rows: TraceRow[]; readonly total: number }> {
  if (filter.requestId !== null && !isUuid(filter.requestId)) return { rows: [], total: 0 };
  const where = `tenant_id = $1 and ($2::text is null or customer_id = $2) and ($3::uuid is null or request_id = $3)`;
  const values = [tx.tenantId, filter.customerId, filter.requestId];
  const [count] = await tx.query<{ total: number }>(
    `select count(*) as total from decision_traces where ${where}`,
    values,
  );
  const page = `from decision_traces where ${where} order by id desc limit $4 offset $5`;
  const rows = await select(tx, traceColumns, page, [...values, limit, offset]);
  return { rows, total: Number(count?.total ?? 0) };
}

export async function findTrace(tx: Tx, id: string): Promise<TraceRow | null> {
  if (!isUuid(id)) return null;
  const [row] = await select(tx, traceColumns, 'from decision_traces where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
  ]);
  return row ?? null;
}

/** Traces of one transaction. */
const tracesPerSlice = 500;

/** Deletes the tenant's traces that were stored more than so many days ago. True when there may be more. */
export async function expireTraces(tx: Tx, days: number): Promise<boolean> {
  const [row] = await tx.query<{ deleted: number }>(
    `with due as (select id from decision_traces where tenant_id = $1 and id < $2 order by id limit $3),
     gone as (delete from decision_traces t using due where t.tenant_id = $1 and t.id = due.id returning 1)
     select count(*) as deleted from gone`,
    [tx.tenantId, firstIdAt(Math.max(0, tx.now.getTime() - days * dayMs)), tracesPerSlice],
  );
  return row?.deleted === tracesPerSlice;
}

const dayMs = 86_400_000;
