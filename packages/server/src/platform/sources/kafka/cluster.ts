import type { OutboundSockets } from '../../outbound/outbound-sockets.ts';
import { SourceError } from '../source-error.ts';
import { assertNoError, type Broker, type KafkaAccess, openBroker } from './broker.ts';
import { type AbortedTransaction, type KafkaRecord, readRecords } from './records.ts';
import { all, int8, int32, int64, list, text } from './wire.ts';

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

/** Offsets to resume from, by partition. */
export type Offsets = ReadonlyMap<number, number>;

export interface FetchedPartition {
  readonly partition: number;
  readonly records: readonly KafkaRecord[];
  /** Where to resume. Null: nothing new. */
  readonly next: number | null;
  /** The offset was deleted, or never was. */
  readonly isOutOfRange: boolean;
}

/** A topic of a cluster. Its functions throw SourceError. */
export interface KafkaTopic {
  readonly partitions: readonly number[];
  /** Offsets of the first records, or behind the last committed ones. */
  offsets(at: 'start' | 'end'): Promise<Map<number, number>>;
  /** Offsets that a group has committed. */
  committed(group: string): Promise<Map<number, number>>;
  commit(group: string, offsets: Offsets): Promise<void>;
  /** Waits for at most `waitMs`. */
  fetch(offsets: Offsets, waitMs: number): Promise<FetchedPartition[]>;
  close(): void;
}

interface Connection {
  readonly sockets: OutboundSockets;
  readonly access: KafkaAccess;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const fetchBytes = 4 * 1024 * 1024;
const outOfRange = 1;

/** Connects to the first of the addresses that answers. */
async function openFirst(
  { sockets, access, ...options }: Connection,
  addresses: readonly BrokerAddress[],
): Promise<Broker> {
  let failure: unknown = new SourceError('missing_config');
  for (const address of addresses) {
    try {
      return await openBroker(sockets, address, access, options);
    } catch (error) {
      options.signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

/** Brokers and leaders, without creating the topic. Null: no topic, only the brokers. */
async function metadata(broker: Broker, topic: string | null) {
  const body = all(list(topic === null ? [] : [topic], text), int8(0));
  const answer = await broker.call({ key: 3, version: 4, body });
  answer.int32();
  const brokers = new Map<number, BrokerAddress>();
  answer.list(() => {
    const id = answer.int32();
    brokers.set(id, { host: answer.text(), port: answer.int32() });
    answer.nullableText();
  });
  answer.nullableText();
  answer.int32();
  const leaders = new Map<number, number>();
  answer.list(() => {
    assertNoError(answer.int16());
    answer.text();
    answer.int8();
    answer.list(() => {
      answer.int16();
      leaders.set(answer.int32(), answer.int32());
      answer.list(() => answer.int32());
      answer.list(() => answer.int32());
    });
  });
  return { brokers, leaders };
}

/** Reads one metadata answer, which signs in and names the brokers. Throws SourceError. */
export async function checkCluster(
  connection: Connection,
  addresses: readonly BrokerAddress[],
  topic: string | null,
): Promise<void> {
  const broker = await openFirst(connection, addresses);
  try {
    await metadata(broker, topic);
  } finally {
    broker.close();
  }
}

/** Opens a topic. Each broker that the cluster names is judged like the first. Throws SourceError. */
export async function openTopic(
  connection: Connection,
  addresses: readonly BrokerAddress[],
  topic: string,
): Promise<KafkaTopic> {
  const first = await openFirst(connection, addresses);
  const open = new Map<string, Broker>();
  const close = () => {
    first.close();
    for (const broker of open.values()) broker.close();
  };
  try {
    const { brokers, leaders } = await metadata(first, topic);
    const at = async ({ host, port }: BrokerAddress): Promise<Broker> => {
      const name = `${host}:${port}`;
      const known = open.get(name) ?? (await openFirst(connection, [{ host, port }]));
      open.set(name, known);
      return known;
    };
    const leaderOf = (partition: number): BrokerAddress => {
      const address = brokers.get(leaders.get(partition) ?? -1);
      if (address === undefined) throw new SourceError('unexpected_response');
      return address;
    };
    const partitions = [...leaders.keys()].sort((a, b) => a - b);
    const cluster: Cluster = { topic, first, partitions, at, leaderOf };
    return { partitions, close, ...groupOperations(cluster), ...readOperations(cluster) };
  } catch (error) {
    close();
    throw error;
  }
}

interface Cluster {
  readonly topic: string;
  readonly first: Broker;
  readonly partitions: readonly number[];
  at(address: BrokerAddress): Promise<Broker>;
  leaderOf(partition: number): BrokerAddress;
}

/** Partitions by the broker that leads them. */
function byLeader({ leaderOf }: Cluster, wanted: readonly number[]): [BrokerAddress, number[]][] {
  const groups = new Map<string, [BrokerAddress, number[]]>();
  for (const partition of wanted) {
    const leader = leaderOf(partition);
    const name = `${leader.host}:${leader.port}`;
    const group = groups.get(name) ?? [leader, []];
    group[1].push(partition);
    groups.set(name, group);
  }
  return [...groups.values()];
}

function groupOperations({ topic, first, partitions, at }: Cluster): Pick<KafkaTopic, 'committed' | 'commit'> {
  const coordinator = async (group: string): Promise<Broker> => {
    const answer = await first.call({ key: 10, version: 0, body: text(group) });
    assertNoError(answer.int16());
    answer.int32();
    return at({ host: answer.text(), port: answer.int32() });
  };
  return {
    async committed(group) {
      const body = all(
        text(group),
        list([topic], () => all(text(topic), list(partitions, int32))),
      );
      const answer = await (await coordinator(group)).call({ key: 9, version: 1, body });
      const found = new Map<number, number>();
      answer.list(() => {
        answer.text();
        answer.list(() => {
          const [id, offset] = [answer.int32(), answer.int64()];
          answer.nullableText();
          assertNoError(answer.int16());
          if (offset >= 0) found.set(id, offset);
        });
      });
      return found;
    },
    async commit(group, offsets) {
      // A consumer without a membership: no generation, no member.
      const body = all(
        ...[text(group), int32(-1), text(''), int64(-1)],
        list([topic], () =>
          all(
            text(topic),
            list([...offsets], ([id, offset]) => all(int32(id), int64(offset), text(''))),
          ),
        ),
      );
      const answer = await (await coordinator(group)).call({ key: 8, version: 2, body });
      answer.list(() => {
        answer.text();
        answer.list(() => {
          answer.int32();
          assertNoError(answer.int16());
        });
      });
    },
  };
}

function readOperations(cluster: Cluster): Pick<KafkaTopic, 'offsets' | 'fetch'> {
  const { topic, partitions, at } = cluster;
  return {
    async offsets(place) {
      const found = new Map<number, number>();
      for (const [leader, ids] of byLeader(cluster, partitions)) {
        const time = place === 'start' ? -2 : -1;
        const body = all(
          ...[int32(-1), int8(1)],
          list([topic], () =>
            all(
              text(topic),
              list(ids, (id) => all(int32(id), int64(time))),
            ),
          ),
        );
        const answer = await (await at(leader)).call({ key: 2, version: 2, body });
        answer.int32();
        answer.list(() => {
          answer.text();
          answer.list(() => {
            const id = answer.int32();
            assertNoError(answer.int16());
            answer.int64();
            found.set(id, answer.int64());
          });
        });
      }
      return found;
    },
    async fetch(offsets, waitMs) {
      const found: FetchedPartition[] = [];
      const groups = byLeader(cluster, [...offsets.keys()]);
      for (const [leader, ids] of groups) {
        const partitionRequest = (id: number) => all(int32(id), int64(offsets.get(id) ?? 0), int32(fetchBytes));
        const body = all(
          ...[int32(-1), int32(Math.ceil(waitMs / groups.length)), int32(1), int32(fetchBytes), int8(1)],
          list([topic], () => all(text(topic), list(ids, partitionRequest))),
        );
        const answer = await (await at(leader)).call({ key: 1, version: 4, body });
        answer.int32();
        answer.list(() => {
          answer.text();
          answer.list(() => {
            const [partition, error] = [answer.int32(), answer.int16()];
            if (error !== outOfRange) assertNoError(error);
            answer.take(16);
            const aborted: AbortedTransaction[] = answer.list(() => ({
              producerId: answer.int64(),
              firstOffset: answer.int64(),
            }));
            const content = answer.nullableBytes() ?? Buffer.alloc(0);
            found.push({ partition, isOutOfRange: error === outOfRange, ...readRecords(content, aborted) });
          });
        });
      }
      return found.sort((a, b) => a.partition - b.partition);
    },
  };
}
