import type { StudyWork } from '../study-kind.ts';
import type { ReadRecord, RecordReader } from './record-reader.ts';

/** Records read in one transaction. */
const recordsPerRead = 500;

/** Calls `each` with records of whole customers, in the order of the ids. */
export async function eachCustomerBatch(
  { breathe }: Pick<StudyWork, 'breathe'>,
  reader: RecordReader,
  decisionIds: readonly string[],
  each: (records: readonly ReadRecord[]) => Promise<void>,
): Promise<void> {
  let waiting: readonly ReadRecord[] = [];
  for (let at = 0; at < decisionIds.length; at += recordsPerRead) {
    await breathe();
    const read = [...waiting, ...(await reader.read(decisionIds.slice(at, at + recordsPerRead)))];
    const last = read.at(-1)?.record.customerRef;
    // The last customer's records may go on in the next batch.
    waiting = read.filter(({ record }) => record.customerRef === last);
    await each(read.filter(({ record }) => record.customerRef !== last));
  }
  await each(waiting);
}
