import {
  bytesArray,
  ensureMonthPartitions,
  type HotStatement,
  numberArray,
  type Tx,
  uuidArray,
} from '../../db/index.ts';
import { joinCustomer } from '../customer-states/index.ts';

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

/** SQL: true when the tenant has a record of this id. Both are parameters or columns, such as `$1`. */
export const recordExists = (tenantId: string, id: string): string =>
  `exists (select from decisions record where record.tenant_id = ${tenantId} and record.id = ${id})`;

/** True when the tenant has a record of this id. */
export async function hasRecord(tx: Tx, id: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(`select ${recordExists('$1', '$2')} as found`, [tx.tenantId, id]);
  return row?.found === true;
}

/** The record of this id; null when the tenant has none. */
export async function findRecord(tx: Tx, id: string): Promise<StoredRecord | null> {
  const [row] = await tx.query<StoredRecord>(
    `select d.id, coalesce(d.request_id, d.id) as "requestId", d.source, d.decided_at as "decidedAt", d.flow_id as "flowId",
       d.flow_version as "flowVersion", d.plan_hash as "planHash", d.config_version as "configVersion",
       d.evidence_number as "evidenceNumber", d.engine_version as "engineVersion", d.trace_id as "traceId",
       d.result_hash as "resultHash", d.body, customer.customer_id as "customerId",
       customer.data_key as "dataKey"
     from decisions d ${joinCustomer('d')}
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
  /** Its number in the order of what was committed for the customer (docs/design/recording.md S5). */
  readonly customerSeq: number;
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
        config_version, evidence_number, engine_version, item_count, trace_id, result_hash, body, customer_seq)
      select $1, u.id, u.request_id, u.customer_ref, $2, $3, $6, $7, $8, $4, u.evidence_number, $5, u.item_count, u.trace_id,
        u.result_hash, u.body, u.customer_seq
      from unnest($9::uuid[], $10::uuid[], $11::uuid[], $12::bigint[], $13::smallint[], $14::uuid[], $15::bytea[], $16::bytea[],
        $17::bigint[])
        as u(id, request_id, customer_ref, evidence_number, item_count, trace_id, result_hash, body, customer_seq)`,
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
      numberArray(rows.map((r) => r.customerSeq)),
    ],
  };
}

/** Makes the partitions of the months ahead. Needs a system transaction. */
export const ensureRecordPartitions = (tx: Tx): Promise<void> => ensureMonthPartitions(tx, 'arbiter.decisions');
