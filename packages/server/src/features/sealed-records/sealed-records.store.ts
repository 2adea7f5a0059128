import { bytesArray, type HotStatement, numberArray, type Tx, uuidArray } from '../../db/index.ts';
import { isId } from '../../platform/ids.ts';

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

/** A sealed record as its row holds it. */
export interface RecordRow {
  readonly id: string;
  /** Null when the server made the request's id. */
  readonly requestId: string | null;
  readonly customerRef: string;
  readonly evidenceNumber: number;
  readonly itemCount: number;
  readonly traceId: string | null;
  readonly resultHash: Buffer;
  readonly body: Buffer;
}

/** What all records of one flow in a batch have in common. */
export interface BatchFacts {
  readonly source: string;
  readonly decidedAt: Date;
  readonly configVersion: number;
  readonly engineVersion: string;
  readonly flowId: string;
  readonly flowVersion: number | null;
  readonly planHash: Buffer;
}

export function insertRecords(tenantId: string, batch: BatchFacts, rows: readonly RecordRow[]): HotStatement {
  return {
    name: 'decisions.records',
    text: `insert into decisions (tenant_id, id, request_id, customer_ref, source, decided_at, flow_id, flow_version, plan_hash,
        config_version, evidence_number, engine_version, item_count, trace_id, result_hash, body)
      select $1, u.id, u.request_id, u.customer_ref, $2, $3, $6, $7, $8, $4, u.evidence_number, $5, u.item_count, u.trace_id,
        u.result_hash, u.body
      from unnest($9::uuid[], $10::uuid[], $11::uuid[], $12::bigint[], $13::smallint[], $14::uuid[], $15::bytea[], $16::bytea[])
        as u(id, request_id, customer_ref, evidence_number, item_count, trace_id, result_hash, body)`,
    values: [
      tenantId,
      batch.source,
      batch.decidedAt,
      batch.configVersion,
      batch.engineVersion,
      batch.flowId,
      batch.flowVersion,
      batch.planHash,
      uuidArray(rows.map((r) => r.id)),
      uuidArray(rows.map((r) => r.requestId)),
      uuidArray(rows.map((r) => r.customerRef)),
      numberArray(rows.map((r) => r.evidenceNumber)),
      numberArray(rows.map((r) => r.itemCount)),
      uuidArray(rows.map((r) => r.traceId)),
      bytesArray(rows.map((r) => r.resultHash)),
      bytesArray(rows.map((r) => r.body)),
    ],
  };
}
