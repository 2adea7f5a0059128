import { SourceError } from '../source-error.ts';
import { unpack } from './compression.ts';
import { type Decoder, decoder } from './wire.ts';

// https://kafka.apache.org/documentation/#recordbatch

export interface KafkaRecord {
  readonly offset: number;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

interface Batch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly attributes: number;
  readonly firstTimestamp: number;
  readonly maxTimestamp: number;
  readonly producerId: number;
  readonly count: number;
  readonly content: Buffer;
}

const headBytes = 61;

/** Reads one batch. Null: the server cut it off. */
function readBatch(source: Decoder): Batch | null {
  if (source.left < 12) return null;
  const baseOffset = source.int64();
  const size = source.int32();
  if (source.left < size) return null;
  const head = decoder(source.take(size));
  head.take(4);
  // Messages of before version 0.11, which servers of the last years convert or refuse.
  if (head.int8() !== 2 || size < headBytes - 12) throw new SourceError('unexpected_response');
  head.take(4);
  const attributes = head.int16();
  const lastOffset = baseOffset + head.int32();
  const [firstTimestamp, maxTimestamp, producerId] = [head.int64(), head.int64(), head.int64()];
  head.take(6);
  const count = head.int32();
  const rest = head.take(head.left);
  return { ...{ baseOffset, lastOffset, attributes, firstTimestamp, maxTimestamp, producerId, count, content: rest } };
}

function sizedBytes(source: Decoder): Buffer | null {
  const size = source.varint();
  return size < 0 ? null : source.take(size);
}

function recordsOf({ content, attributes, count, ...batch }: Batch): KafkaRecord[] {
  const source = decoder(unpack(attributes & 7, content));
  const hasLogTime = (attributes & 8) !== 0;
  return Array.from({ length: count }, () => {
    const record = decoder(source.take(source.varint()));
    record.take(1);
    const timestamp = hasLogTime ? batch.maxTimestamp : batch.firstTimestamp;
    const delta = record.varint();
    const offset = batch.baseOffset + record.varint();
    const [key, value] = [sizedBytes(record), sizedBytes(record)];
    return { offset, timestamp: hasLogTime ? timestamp : timestamp + delta, key, value };
  });
}

/** Returns the committed records of an answer, and the offset behind it. Null: no whole batch. */
export function readRecords(
  content: Buffer,
  aborted: readonly AbortedTransaction[],
): { readonly records: readonly KafkaRecord[]; readonly next: number | null } {
  const source = decoder(content);
  const records: KafkaRecord[] = [];
  const waiting = [...aborted].sort((a, b) => a.firstOffset - b.firstOffset);
  const abortedProducers = new Set<number>();
  let next: number | null = null;
  for (let batch = readBatch(source); batch !== null; batch = readBatch(source)) {
    next = batch.lastOffset + 1;
    while (waiting[0] !== undefined && waiting[0].firstOffset <= batch.lastOffset) {
      abortedProducers.add(waiting[0].producerId);
      waiting.shift();
    }
    const [isTransactional, isControl] = [(batch.attributes & 16) !== 0, (batch.attributes & 32) !== 0];
    // The end of a transaction: its key has a version, and 0 for aborted.
    if (isControl) {
      if (recordsOf(batch)[0]?.key?.readInt16BE(2) === 0) abortedProducers.delete(batch.producerId);
    } else if (!isTransactional || !abortedProducers.has(batch.producerId)) records.push(...recordsOf(batch));
  }
  return { records, next };
}
