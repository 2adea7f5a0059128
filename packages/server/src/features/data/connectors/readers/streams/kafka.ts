import type { Json } from '@arbiter/engine';
import { isObject } from '../../../../../platform/json.ts';
import type { KafkaAccess } from '../../../../../platform/sources/kafka/broker.ts';
import type { BrokerAddress, FetchedPartition, KafkaTopic } from '../../../../../platform/sources/kafka/cluster.ts';
import type { KafkaRecord } from '../../../../../platform/sources/kafka/records.ts';
import { SourceError } from '../../../../../platform/sources/source-error.ts';
import type { ReadOptions, SourceBatch, SourceReader, SourceRow } from '../../reader.ts';
import {
  connectMs,
  flagOf,
  numberOf,
  probeMs,
  requiredText,
  type Source,
  type SourceDeps,
  type SourceKind,
  textOf,
} from '../../source.ts';
import { flatRow } from '../api-pages.rules.ts';
import { inPieces } from '../sql-reader.ts';

const maxServers = 20;
/** Milliseconds of one request for new records. */
const pollMs = 500;

function serversOf(source: Source): BrokerAddress[] {
  const { bootstrapServers } = source.config;
  const list = Array.isArray(bootstrapServers) ? bootstrapServers : requiredText(source, 'bootstrapServers').split(',');
  const servers = list.map((server: unknown) => {
    const [, host, port = '9092'] = /^(\[[\da-fA-F:.]+\]|[^\s:/@]+)(?::(\d{1,5}))?$/.exec(String(server).trim()) ?? [];
    if (host === undefined) throw new SourceError('missing_config');
    return { host, port: Number(port) };
  });
  if (servers.length === 0 || servers.length > maxServers) throw new SourceError('missing_config');
  return servers;
}

function accessOf(source: Source): KafkaAccess {
  const isHosted = source.type === 'confluent_kafka' || source.type === 'azure_event_hubs';
  const ssl = isHosted ? 'verify_full' : (textOf(source, 'ssl') ?? 'require');
  if (ssl !== 'disable' && ssl !== 'require' && ssl !== 'verify_full') throw new SourceError('missing_config');
  if (source.method !== 'sasl') return { ssl, sasl: null };
  const mechanism = (textOf(source, 'mechanism') ?? 'plain').toLowerCase();
  if (mechanism !== 'plain' && mechanism !== 'scram-sha-256' && mechanism !== 'scram-sha-512') {
    throw new SourceError('missing_config');
  }
  const [username, password] = [requiredText(source, 'username'), requiredText(source, 'password')];
  return { ssl, sasl: { mechanism, username, password } };
}

function offsetsIn(cursor: Json | null): Map<number, number> {
  const offsets = isObject(cursor) && isObject(cursor.offsets) ? cursor.offsets : {};
  return new Map(
    Object.entries(offsets).flatMap(([partition, offset]) =>
      typeof offset === 'number' ? [[Number(partition), offset] as const] : [],
    ),
  );
}

function rowOf(partition: number, { key, value, offset, timestamp }: KafkaRecord): SourceRow {
  let content: unknown = {};
  try {
    if (value !== null) content = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value));
  } catch (cause) {
    throw new SourceError('parse_failed', { cause });
  }
  return {
    ...flatRow(content),
    ...{ _key: key?.toString() ?? null, _partition: partition, _offset: offset },
    _timestamp: timestamp < 0 ? null : new Date(timestamp).toISOString(),
  };
}

/** Where each partition starts: the cursor, what the group has committed, the beginning or the end. */
async function startOffsets(topic: KafkaTopic, source: Source, cursor: Json | null): Promise<Map<number, number>> {
  const group = textOf(source, 'groupId');
  const known = new Map([...(group === undefined ? [] : await topic.committed(group)), ...offsetsIn(cursor)]);
  const fromBeginning = flagOf(source, 'fromBeginning', true);
  const [first, last] = [await topic.offsets('start'), await topic.offsets('end')];
  const places = topic.partitions.map((id) => {
    const byDefault = (fromBeginning ? first : last).get(id) ?? 0;
    // Records that were deleted in the meantime can no longer be read.
    return [id, Math.max(known.get(id) ?? byDefault, first.get(id) ?? 0)] as const;
  });
  // Otherwise a read that finds nothing new would start at a later end the next time.
  if (group !== undefined && !fromBeginning && known.size < topic.partitions.length) {
    await topic.commit(group, new Map(places));
  }
  return new Map(places);
}

function* batchesOf(
  { partition, records }: FetchedPartition,
  positions: Map<number, number>,
  left: number,
): Generator<SourceBatch, number> {
  const start = positions.get(partition) ?? 0;
  const fresh = records.filter(({ offset }) => offset >= start).slice(0, left);
  const rows = fresh.map((record) => rowOf(partition, record));
  yield* inPieces(rows, (count) => {
    positions.set(partition, (fresh[count - 1]?.offset ?? start) + 1);
    return { offsets: Object.fromEntries(positions) };
  });
  return fresh.length;
}

async function* topicBatches(
  topic: KafkaTopic,
  source: Source,
  { cursor, rowLimit, signal }: ReadOptions,
): AsyncGenerator<SourceBatch> {
  const most = numberOf(source, 'maxMessages', 1000);
  const late = AbortSignal.timeout(numberOf(source, 'maxWaitMs', 15_000));
  const positions = await startOffsets(topic, source, cursor);
  const end = await topic.offsets('end');
  const isCaughtUp = () => topic.partitions.every((id) => (positions.get(id) ?? 0) >= (end.get(id) ?? 0));
  let left = rowLimit > 0 ? Math.min(most, rowLimit) : most;
  // Reads everything that existed at the start; waits for new records only if there was nothing.
  for (let count = 0; left > 0 && !(count > 0 && isCaughtUp()) && !late.aborted; ) {
    signal.throwIfAborted();
    for (const part of await topic.fetch(positions, pollMs)) {
      if (part.isOutOfRange) throw new SourceError('not_found');
      const read = left > 0 ? yield* batchesOf(part, positions, left) : 0;
      const isWhole = read < left;
      count += read;
      left -= read;
      // Behind aborted transactions and deleted records, too.
      if (isWhole && part.next !== null)
        positions.set(part.partition, Math.max(part.next, positions.get(part.partition) ?? 0));
    }
  }
}

function kafkaReader({ sockets }: SourceDeps, source: Source): SourceReader {
  let open: KafkaTopic | null = null;
  const connect = async (signal: AbortSignal): Promise<KafkaTopic> => {
    const { openTopic } = await import('../../../../../platform/sources/kafka/cluster.ts');
    const connection = { sockets, access: accessOf(source), timeoutMs: connectMs, signal };
    return openTopic(connection, serversOf(source), requiredText(source, 'topic'));
  };
  return {
    isResumable: true,
    async *read(options) {
      open?.close();
      open = await connect(options.signal);
      yield* topicBatches(open, source, options);
    },
    async committed(cursor) {
      const group = textOf(source, 'groupId');
      if (group === undefined) return;
      open ??= await connect(AbortSignal.timeout(connectMs));
      await open.commit(group, offsetsIn(cursor));
    },
    close: async () => open?.close(),
  };
}

/** Kafka and the brokers that speak its protocol. */
export const kafkaSource: SourceKind = {
  async probe({ sockets }, source, signal) {
    const { checkCluster } = await import('../../../../../platform/sources/kafka/cluster.ts');
    const connection = { sockets, access: accessOf(source), timeoutMs: probeMs, signal };
    await checkCluster(connection, serversOf(source), textOf(source, 'topic') ?? null);
    return { details: {} };
  },
  open: kafkaReader,
};
