import type { PackedInput, PackedResult } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { recordContext } from './decision-ids.ts';
import { findRecords, type StoredRecord } from './sealed-records.store.ts';
import { unseal } from './sealing.ts';

/** A record, opened as far as possible. */
export type OpenedRecord =
  | {
      readonly record: StoredRecord;
      readonly body: { readonly i: PackedInput; readonly r: PackedResult };
      readonly problem: null;
    }
  | { readonly record: StoredRecord; readonly body: null; readonly problem: 'erased' | 'record_corrupt' };

/** Opens the records of these ids, in the order of the ids. Those that have expired are left out. Throws `not_configured`. */
export async function openRecords(tx: Tx, keys: CustomerKeys, ids: readonly string[]): Promise<OpenedRecord[]> {
  const records = new Map((await findRecords(tx, ids)).map((record) => [record.id, record]));
  return ids.flatMap((id) => {
    const record = records.get(id);
    return record === undefined ? [] : [open(tx, keys, record)];
  });
}

function open(tx: Tx, keys: CustomerKeys, record: StoredRecord): OpenedRecord {
  if (record.dataKey === null) return { record, body: null, problem: 'erased' };
  try {
    const text = unseal(keys.open(tx.tenantId, record.dataKey), recordContext(tx.tenantId, record.id), record.body);
    const body = JSON.parse(text) as { readonly i: PackedInput; readonly r: PackedResult };
    if (Number(record.evidenceNumber) !== body.i.v) return { record, body: null, problem: 'record_corrupt' };
    return { record, body, problem: null };
  } catch (error) {
    // A missing master key must stop the work, a damaged record must not.
    if (error instanceof AppError && error.code === 'not_configured') throw error;
    return { record, body: null, problem: 'record_corrupt' };
  }
}
