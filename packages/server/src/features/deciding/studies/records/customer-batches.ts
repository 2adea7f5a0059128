import { systemActor } from '../../../../db/index.ts';
import { contactHistory, type PastContact } from '../../interactions/index.ts';
import type { StudyWork } from '../study-kind.ts';
import type { ReadRecord, RecordReader } from './record-reader.ts';

/** Records read in one transaction. */
const recordsPerRead = 500;

/** Calls `each` with records of whole customers, in the order of the ids. */
export async function eachCustomerBatch(
  { pauseIfBusy }: Pick<StudyWork, 'pauseIfBusy'>,
  reader: RecordReader,
  decisionIds: readonly string[],
  each: (records: readonly ReadRecord[]) => Promise<void>,
): Promise<void> {
  let waiting: readonly ReadRecord[] = [];
  for (let at = 0; at < decisionIds.length; at += recordsPerRead) {
    await pauseIfBusy();
    const read = [...waiting, ...(await reader.read(decisionIds.slice(at, at + recordsPerRead)))];
    const last = read.at(-1)?.record.customerRef;
    // The next batch may have more records of the last customer.
    waiting = read.filter(({ record }) => record.customerRef === last);
    await each(read.filter(({ record }) => record.customerRef !== last));
  }
  await each(waiting);
}

/** Groups records by customer. */
export const byCustomer = (records: readonly ReadRecord[]): Iterable<readonly ReadRecord[]> =>
  Map.groupBy(records, ({ record }) => record.customerRef).values();

/** Returns the contacts of the customers of these records, by customer id. */
export async function historiesOf(
  { database, tenantId }: Pick<StudyWork, 'database' | 'tenantId'>,
  records: readonly ReadRecord[],
): Promise<ReadonlyMap<string, readonly PastContact[]>> {
  const customers = customersOf(records);
  if (customers.length === 0) return new Map();
  const found = await database.withTenant(tenantId, systemActor('study'), (tx) => contactHistory(tx, customers));
  return Map.groupBy(found, ({ customerId }) => customerId);
}

/** IDs of the customers of records, without those that were erased. */
export const customersOf = (records: readonly ReadRecord[]): readonly string[] => [
  ...new Set(records.flatMap(({ record }) => record.customerId ?? [])),
];

/** The id of the customer of these records; null if it was erased. */
export const customerIdIn = (records: readonly ReadRecord[]): string | null =>
  records.find(({ record }) => record.customerId !== null)?.record.customerId ?? null;
