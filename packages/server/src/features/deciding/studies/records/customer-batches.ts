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
