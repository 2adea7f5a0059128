import { select } from '../../../db/columns.ts';
import { type Tx, uuidArray } from '../../../db/index.ts';
import type { ArchiveKind } from '../archived-months/index.ts';
import { joinCustomer } from '../customer-states/index.ts';
import { type StoredRecord, storedColumns } from './sealed-records.store.ts';

/** Sealed records in files. Only the hash of the result could reveal something about an erased customer. */
export const archivedDecisions: ArchiveKind = {
  name: 'decisions',
  dataClass: 'decisions',
  table: 'decisions',
  customerColumn: 'customer_ref',
  columns: {
    request_id: 'UUID',
    source: 'STRING',
    decided_at: 'TIMESTAMP',
    flow_id: 'UUID',
    flow_version: 'INT32',
    plan_hash: 'BYTE_ARRAY',
    config_version: 'INT64',
    evidence_number: 'INT64',
    engine_version: 'STRING',
    item_count: 'INT32',
    trace_id: 'UUID',
    body: 'BYTE_ARRAY',
    read_set: 'INT64',
    price_number: 'INT64',
    counts_number: 'INT64',
    release_id: 'UUID',
    source_id: 'UUID',
    channel_id: 'UUID',
    engine_us: 'INT32',
    min_probability: 'FLOAT',
    arm: 'INT32',
    empty_code: 'INT32',
    explored: 'BOOLEAN',
    customer_seq: 'INT64',
  },
  async remove(tx, ids) {
    await tx.query('delete from decisions where tenant_id = $1 and id = any($2::uuid[])', [
      tx.tenantId,
      uuidArray(ids),
    ]);
  },
  undo: async () => undefined,
};

/** Returns a record from the JSON of its row, with its customer unless erased. */
export async function recordOfJson(tx: Tx, row: string): Promise<StoredRecord> {
  const [record] = await select(
    tx,
    storedColumns,
    `from jsonb_populate_record(null::arbiter.decisions, $2::jsonb) d ${joinCustomer('d')} where d.tenant_id = $1`,
    [tx.tenantId, row],
  );
  if (record === undefined) throw new Error('a row of JSON is one row');
  return record;
}
