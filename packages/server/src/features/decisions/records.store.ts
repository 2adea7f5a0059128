import { type Tx, uuidArray } from '../../db/index.ts';
import { firstIdAt, isId } from '../../platform/ids.ts';

/** A sealed record with what is needed to open it. */
export interface StoredRecord {
  readonly id: string;
  readonly requestId: string;
  readonly source: string;
  readonly decidedAt: Date;
  readonly flowId: string;
  readonly flowVersion: number | null;
  readonly planHash: Buffer;
  readonly configVersion: number;
  readonly evidenceNumber: number;
  readonly engineVersion: string;
  readonly traceId: string | null;
  readonly resultHash: Buffer;
  readonly body: Buffer;
  /** Null when the customer was erased. */
  readonly customerId: string | null;
  readonly dataKey: Buffer | null;
}

/** The record of a requestId, recommendationId or trace id; null when the tenant has none. */
export async function findRecord(tx: Tx, id: string): Promise<StoredRecord | null> {
  if (!isId(id)) return null;
  const direct = await selectRecord(tx, id);
  if (direct !== null) return direct;
  const [named] = await tx.query<{ decisionId: string }>(
    `select decision_id as "decisionId" from decision_requests where tenant_id = $1 and request_id = $2
     union all select decision_id from decision_traces where tenant_id = $1 and id = $2 limit 1`,
    [tx.tenantId, id],
  );
  return named ? selectRecord(tx, named.decisionId) : null;
}

async function selectRecord(tx: Tx, id: string): Promise<StoredRecord | null> {
  const [row] = await tx.query<StoredRecord>(
    `select d.id, coalesce(d.request_id, d.id) as "requestId", d.source, d.decided_at as "decidedAt", d.flow_id as "flowId",
       d.flow_version as "flowVersion", d.plan_hash as "planHash", d.config_version as "configVersion",
       d.evidence_number as "evidenceNumber", d.engine_version as "engineVersion", d.trace_id as "traceId",
       d.result_hash as "resultHash", d.body, c.customer_id as "customerId", c.data_key as "dataKey"
     from decisions d left join customer_states c on c.tenant_id = d.tenant_id and c.ref = d.customer_ref
     where d.tenant_id = $1 and d.id = $2`,
    [tx.tenantId, id],
  );
  return row ?? null;
}

export interface StoredRequest {
  readonly payloadHash: Buffer;
  readonly answer: Buffer;
  /** Null when the customer was erased. */
  readonly dataKey: Buffer | null;
}

/** The answer kept for a requestId that a client made; `record` when the server made it for a decision of its own. */
export async function findRequest(tx: Tx, requestId: string): Promise<StoredRequest | 'record' | null> {
  const [row] = await tx.query<StoredRequest>(
    `select r.payload_hash as "payloadHash", r.answer, c.data_key as "dataKey"
     from decision_requests r left join customer_states c on c.tenant_id = r.tenant_id and c.ref = r.customer_ref
     where r.tenant_id = $1 and r.request_id = $2`,
    [tx.tenantId, requestId],
  );
  if (row) return row;
  const [own] = await tx.query('select 1 from decisions where tenant_id = $1 and id = $2', [tx.tenantId, requestId]);
  return own ? 'record' : null;
}

export interface TraceRow {
  readonly id: string;
  readonly decisionId: string;
  readonly requestId: string;
  readonly customerId: string;
  readonly decisionFlowKey: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

const traceColumns = `id, decision_id as "decisionId", request_id as "requestId", customer_id as "customerId",
  decision_flow_key as "decisionFlowKey", body, created_at as "createdAt"`;

/** Stored traces, newest first, with the number that match. */
export async function selectTraces(
  tx: Tx,
  filter: { readonly customerId: string | null; readonly requestId: string | null },
  limit: number,
  offset: number,
): Promise<{ readonly rows: TraceRow[]; readonly total: number }> {
  if (filter.requestId !== null && !isId(filter.requestId)) return { rows: [], total: 0 };
  const where = `tenant_id = $1 and ($2::text is null or customer_id = $2) and ($3::uuid is null or request_id = $3)`;
  const values = [tx.tenantId, filter.customerId, filter.requestId];
  const [count] = await tx.query<{ total: number }>(
    `select count(*) as total from decision_traces where ${where}`,
    values,
  );
  const rows = await tx.query<TraceRow>(
    `select ${traceColumns} from decision_traces where ${where} order by id desc limit $4 offset $5`,
    [...values, limit, offset],
  );
  return { rows, total: Number(count?.total ?? 0) };
}

export async function findTrace(tx: Tx, id: string): Promise<TraceRow | null> {
  if (!isId(id)) return null;
  const [row] = await tx.query<TraceRow>(
    `select ${traceColumns} from decision_traces where tenant_id = $1 and id = $2`,
    [tx.tenantId, id],
  );
  return row ?? null;
}

/** Rows of one transaction, so that no decision waits long for its customer's history. */
const reservationsPerSlice = 500;

/**
 * Marks reservations that ran out; what they count is judged by their instant anyway (api-decisioning.md 4). Returns true
 * when there may be more; call it again in another transaction. `oldestMs`: no reservation is older.
 */
export async function expireReservations(tx: Tx, oldestMs: number): Promise<boolean> {
  const due = await tx.query<{ id: string }>(
    `select id from interactions
     where tenant_id = $1 and id >= $3 and reservation_state = 'open' and reservation_expires_at <= $2
     order by reservation_expires_at limit $4 for update skip locked`,
    [tx.tenantId, tx.now, firstIdAt(Math.max(0, tx.now.getTime() - oldestMs)), reservationsPerSlice],
  );
  if (due.length === 0) return false;
  // Named by id, so that only their partitions are looked at.
  await tx.query(
    `update interactions set reservation_state = 'expired' where tenant_id = $1 and id = any($2::uuid[])`,
    [tx.tenantId, uuidArray(due.map((row) => row.id))],
  );
  return due.length === reservationsPerSlice;
}
