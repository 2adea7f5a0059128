import { columns, computed, expression, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import {
  booleanArray,
  bytesArray,
  ensureMonthPartitions,
  type HotStatement,
  numberArray,
  type Tx,
  textArray,
  uuidArray,
} from '../../../db/index.ts';
import type { Tables } from '../../../db/rows.ts';
import { decisionIsArchived } from '../archived-months/index.ts';
import { joinCustomer, joinedCustomer } from '../customer-states/index.ts';

const decisions = table('decisions');

export const storedColumns = selectList(
  columns(
    decisions,
    [
      'id',
      'customerRef',
      'customerSeq',
      'source',
      'decidedAt',
      'flowId',
      'flowVersion',
      'planHash',
      'configVersion',
      'evidenceNumber',
      'countsNumber',
      'engineVersion',
      'traceId',
      'resultHash',
      'body',
      'readSet',
    ],
    'd',
  ),
  computed({ requestId: expression<string>('coalesce(d.request_id, d.id)') }),
  joinedCustomer,
);

/** A sealed record with what's needed to open it. */
export type StoredRecord = RowOf<typeof storedColumns>;

/** SQL: true when the tenant has a record of this id, or a file that may hold it. Both are parameters or columns, such as `$1`. */
export const recordExists = (tenantId: string, id: string): string =>
  `(exists (select from decisions record where record.tenant_id = ${tenantId} and record.id = ${id})
    or ${decisionIsArchived(tenantId, id)})`;

/** True when the database has the tenant's record of this id. */
export async function hasRecord(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query('select from decisions where tenant_id = $1 and id = $2', [tx.tenantId, id]);
  return rows.length > 0;
}

/** The same, or one of its files may hold it. */
export async function isRecorded(tx: Tx, id: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(`select ${recordExists('$1', '$2')} as found`, [tx.tenantId, id]);
  return row?.found === true;
}

/** IDs of randomly chosen records of the tenant. Reads the ids of all. */
export async function selectRandomRecords(tx: Tx, most: number): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(
    `select d.id from arbiter.decisions d where d.tenant_id = $1 order by random() limit $2`,
    [tx.tenantId, most],
  );
  return rows.map(({ id }) => id);
}

/** Returns the trace that a record names; null without a record or trace. */
export async function traceNamedBy(tx: Tx, id: string): Promise<string | null> {
  const [row] = await tx.query<{ traceId: string | null }>(
    'select trace_id as "traceId" from decisions where tenant_id = $1 and id = $2',
    [tx.tenantId, id],
  );
  return row?.traceId ?? null;
}

/** The record of this id; null when the tenant has none. */
export async function findRecord(tx: Tx, id: string): Promise<StoredRecord | null> {
  const [row] = await select(
    tx,
    storedColumns,
    `from arbiter.decisions d ${joinCustomer('d')} where d.tenant_id = $1 and d.id = $2`,
    [tx.tenantId, id],
  );
  return row ?? null;
}

/** The records of these ids that the tenant has, by id. */
export async function findRecords(tx: Tx, ids: readonly string[]): Promise<StoredRecord[]> {
  if (ids.length === 0) return [];
  return select(
    tx,
    storedColumns,
    `from arbiter.decisions d ${joinCustomer('d')} where d.tenant_id = $1 and d.id = any($2::uuid[]) order by d.id`,
    [tx.tenantId, uuidArray(ids)],
  );
}

/** Returns the read sets of records, by record. */
export async function selectReadSets(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ id: string; readSet: string }>(
    `select d.id, d.read_set as "readSet" from arbiter.decisions d
     where d.tenant_id = $1 and d.id = any($2::uuid[]) and d.read_set is not null`,
    [tx.tenantId, uuidArray(ids)],
  );
  return new Map(rows.map(({ id, readSet }) => [id, Number(readSet)]));
}

/** A record as it is written. */
export interface RecordRow
  extends Pick<
    Tables['decisions'],
    | 'id'
    // Null when the server created the request's id.
    | 'requestId'
    | 'source'
    // The campaign run, journey or trigger that asked; null for calls.
    | 'sourceId'
    | 'customerRef'
    | 'itemCount'
    | 'traceId'
    | 'channelId'
    | 'engineUs'
    | 'minProbability'
    | 'emptyCode'
    | 'resultHash'
    | 'body'
  > {
  /** Its number in the order of the customer's commits (docs/design/recording.md S5). */
  readonly customerSeq: number;
  readonly evidenceNumber: number;
  readonly explored: boolean;
}

/** Common to all records of one flow in a batch. */
export interface BatchFacts
  extends Pick<Tables['decisions'], 'decidedAt' | 'engineVersion' | 'flowId' | 'flowVersion' | 'planHash'> {
  readonly configVersion: number;
  readonly readSet: number;
  /** Number of the state that ranking objectives use; null when the flow has none. */
  readonly countsNumber: number | null;
}

export function insertRecords(tenantId: string, batch: BatchFacts, rows: readonly RecordRow[]): HotStatement {
  return {
    name: 'decisions.records',
    text: `insert into decisions (tenant_id, id, request_id, customer_ref, source, decided_at, flow_id, flow_version, plan_hash,
        config_version, evidence_number, engine_version, item_count, trace_id, result_hash, body, read_set, channel_id,
        engine_us, min_probability, empty_code, explored, customer_seq, counts_number, source_id)
      select $1, u.id, u.request_id, u.customer_ref, u.source, $3, $6, $7, $8, $4, u.evidence_number, $5, u.item_count, u.trace_id,
        u.result_hash, u.body, $17, u.channel_id, u.engine_us, u.min_probability, u.empty_code, u.explored, u.customer_seq, $24::bigint, u.source_id
      from unnest($9::uuid[], $10::uuid[], $11::uuid[], $12::bigint[], $13::smallint[], $14::uuid[], $15::bytea[], $16::bytea[],
          $18::uuid[], $19::integer[], $20::real[], $21::smallint[], $22::boolean[], $23::bigint[], $2::text[], $25::uuid[])
        as u(id, request_id, customer_ref, evidence_number, item_count, trace_id, result_hash, body,
          channel_id, engine_us, min_probability, empty_code, explored, customer_seq, source, source_id)`,
    values: [
      tenantId,
      textArray(rows.map((r) => r.source)),
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
      batch.readSet,
      uuidArray(rows.map((r) => r.channelId)),
      numberArray(rows.map((r) => r.engineUs)),
      numberArray(rows.map((r) => r.minProbability)),
      numberArray(rows.map((r) => r.emptyCode)),
      booleanArray(rows.map((r) => r.explored)),
      numberArray(rows.map((r) => r.customerSeq)),
      batch.countsNumber,
      uuidArray(rows.map((r) => r.sourceId)),
    ],
  };
}

/**
 * Removes the result hash from each record that names a customer's row, whose key is deleted too: content rendered for
 * the customer could be guessed and compared with it. Returns the number of records.
 */
export async function eraseRecordsOf(tx: Tx, customerRef: string): Promise<number> {
  const [row] = await tx.query<{ records: number }>(
    `with erased as (
       update decisions set result_hash = '' where tenant_id = $1 and customer_ref = $2 returning 1)
     select count(*)::int as records from erased`,
    [tx.tenantId, customerRef],
  );
  return row?.records ?? 0;
}

/** Makes the partitions of the months ahead. Needs a system transaction. */
export const ensureRecordPartitions = (tx: Tx): Promise<void> => ensureMonthPartitions(tx, 'arbiter.decisions');
