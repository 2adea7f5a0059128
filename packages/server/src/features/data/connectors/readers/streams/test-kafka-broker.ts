import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import {
  all,
  bytes,
  type Decoder,
  decoder,
  type Encoder,
  encoded,
  int8,
  int16,
  int32,
  int64,
  list,
  text,
} from '../../../../../platform/sources/kafka/wire.ts';
import { createScramServer } from '../test-scram-server.ts';

/** A broker that speaks the published protocol: https://kafka.apache.org/protocol */

export interface TestMessage {
  readonly key: string | null;
  readonly value: string | null;
}

export interface TestCluster {
  readonly port: number;
  /** By topic, the messages of each partition, as batches. */
  readonly topics: Map<string, Buffer[][]>;
  /** By group, topic and partition. */
  readonly committed: Map<string, number>;
  /** Where partitions are, by default on the broker itself. */
  leaders: { readonly host: string; readonly port: number }[];
  /** Whoever signs in. Null: nobody has to. */
  user: { readonly mechanism: string; readonly username: string; readonly password: string } | null;
  readonly calls: number[];
  close(): void;
}

const varint = (value: number): Buffer => {
  const out: number[] = [];
  let rest = (BigInt(value) << 1n) ^ (BigInt(value) >> 63n);
  for (; rest >= 0x80n; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...out, Number(rest)]);
};
const sized = (value: string | Buffer | null): Buffer =>
  value === null ? varint(-1) : Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)]);

export interface BatchOptions {
  readonly attributes?: number;
  readonly producerId?: number;
  pack?(content: Buffer): Buffer;
}

/** https://kafka.apache.org/documentation/#recordbatch. The check sum is 0: readers trust TCP. */
export function batchOf(
  baseOffset: number,
  messages: readonly { readonly key: string | Buffer | null; readonly value: string | null }[],
  { attributes = 0, producerId = -1, pack = (content) => content }: BatchOptions = {},
): Buffer {
  const records = messages.map(({ key, value }, at) => {
    const record = Buffer.concat([Buffer.from([0]), varint(at), varint(at), sized(key), sized(value), varint(0)]);
    return Buffer.concat([varint(record.length), record]);
  });
  const head = encoded(
    all(
      ...[int32(0), int8(2), int32(0), int16(attributes), int32(messages.length - 1)],
      ...[int64(1_700_000_000_000), int64(1_700_000_000_000 + messages.length - 1), int64(producerId), int16(-1)],
      ...[int32(-1), int32(messages.length)],
    ),
  );
  const content = Buffer.concat([head, pack(Buffer.concat(records))]);
  return Buffer.concat([encoded(all(int64(baseOffset), int32(content.length))), content]);
}

const firstOffset = (batch: Buffer): number => Number(batch.readBigInt64BE());
const endOf = (batches: readonly Buffer[]): number => {
  const last = batches.at(-1);
  return last === undefined ? 0 : firstOffset(last) + last.readInt32BE(23) + 1;
};

interface Session {
  isSignedIn: boolean;
  scram: ReturnType<typeof createScramServer> | null;
}

function authenticate(cluster: TestCluster, session: Session, token: string): Encoder {
  const { user } = cluster;
  let reply: string | null = null;
  if (user?.mechanism === 'PLAIN') {
    if (token === `\0${user.username}\0${user.password}`) reply = '';
    session.isSignedIn = reply !== null;
  } else {
    reply = session.scram?.(token) ?? null;
    session.isSignedIn = reply?.startsWith('v=') ?? false;
  }
  return reply === null
    ? all(int16(58), text('no'), bytes(Buffer.alloc(0)))
    : all(int16(0), int16(-1), bytes(Buffer.from(reply)));
}

/** Topics of a request, each with its partitions, as an answer of the same form. */
function perPartition(request: Decoder, answer: (topic: string, partition: number) => Encoder): Encoder {
  const topics = request.list(() => {
    const topic = request.text();
    return { topic, parts: request.list(() => answer(topic, request.int32())) };
  });
  return list(topics, ({ topic, parts }) =>
    all(
      text(topic),
      list(parts, (part) => part),
    ),
  );
}

function metadata({ topics, leaders }: TestCluster, request: Decoder): Encoder {
  const names = request.list(() => request.text());
  assert.equal(request.int8(), 0, 'a reader creates no topics');
  const topicOf = (name: string) => {
    const partitions = topics.get(name);
    const parts = list(partitions?.map((_batches, id) => id) ?? [], (id) =>
      all(int16(0), int32(id), int32(id % leaders.length), list([], int32), list([], int32)),
    );
    return all(int16(partitions === undefined ? 3 : 0), text(name), int8(0), parts);
  };
  const brokers = list([...leaders.entries()], ([id, { host, port }]) =>
    all(int32(id), text(host), int32(port), int16(-1)),
  );
  return all(int32(0), brokers, text('cluster'), int32(0), list(names, topicOf));
}

function fetch({ topics }: TestCluster, request: Decoder): Encoder {
  request.take(16);
  assert.equal(request.int8(), 1, 'a reader reads what is committed');
  const parts = perPartition(request, (topic, id) => {
    const [offset, batches] = [request.int64(), topics.get(topic)?.[id] ?? []];
    request.int32();
    const end = endOf(batches);
    // Whole batches, from the one with the offset on, as a broker answers them.
    const wanted = batches.filter((batch, at) => endOf([batch]) > offset && at >= 0).slice(0, 2);
    return all(
      ...[int32(id), int16(offset > end ? 1 : 0), int64(end), int64(end)],
      list(aborted, ({ producerId, first }) => all(int64(producerId), int64(first))),
      bytes(Buffer.concat(wanted)),
    );
  });
  return all(int32(0), parts);
}

/** Aborted transactions that every answer lists. */
export const aborted: { readonly producerId: number; readonly first: number }[] = [];

function answerTo(cluster: TestCluster, session: Session, key: number, version: number, request: Decoder): Encoder {
  const versions: Readonly<Record<number, number>> = { 1: 4, 2: 2, 3: 4, 8: 2, 9: 1, 10: 0, 17: 1, 36: 0 };
  assert.equal(version, versions[key]);
  if (key === 17) {
    const mechanism = request.text();
    const isKnown = mechanism === cluster.user?.mechanism;
    const hash = mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha512';
    session.scram = createScramServer(hash, cluster.user?.password ?? '');
    return all(int16(isKnown ? 0 : 33), list([cluster.user?.mechanism ?? ''], text));
  }
  if (key === 36) return authenticate(cluster, session, request.nullableBytes()?.toString() ?? '');
  assert.ok(cluster.user === null || session.isSignedIn);
  if (key === 3) return metadata(cluster, request);
  if (key === 1) return fetch(cluster, request);
  if (key === 10) {
    request.text();
    return all(int16(0), int32(0), text('127.0.0.1'), int32(cluster.port));
  }
  if (key === 2) {
    request.take(5);
    const parts = perPartition(request, (topic, id) => {
      const [time, batches] = [request.int64(), cluster.topics.get(topic)?.[id] ?? []];
      const [head] = batches;
      const offset = time === -2 ? (head === undefined ? 0 : firstOffset(head)) : endOf(batches);
      return all(int32(id), int16(0), int64(-1), int64(offset));
    });
    return all(int32(0), parts);
  }
  const group = request.text();
  if (key === 9) {
    return perPartition(request, (topic, id) =>
      all(int32(id), int64(cluster.committed.get(`${group} ${topic} ${id}`) ?? -1), int16(-1), int16(0)),
    );
  }
  assert.deepEqual([request.int32(), request.text(), request.int64()], [-1, '', -1]);
  return perPartition(request, (topic, id) => {
    cluster.committed.set(`${group} ${topic} ${id}`, request.int64());
    request.nullableText();
    return all(int32(id), int16(0));
  });
}

export async function startKafkaBroker(): Promise<TestCluster> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const session: Session = { isSignedIn: false, scram: null };
    let received = Buffer.alloc(0);
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      // A greeting of TLS looks like a huge request, which brokers refuse.
      if (received.length >= 4 && received.readInt32BE() > 1e8) return void socket.destroy();
      while (received.length >= 4 && received.length >= 4 + received.readInt32BE()) {
        const size = received.readInt32BE();
        const request = decoder(received.subarray(4, 4 + size));
        received = received.subarray(4 + size);
        const [key, version, id] = [request.int16(), request.int16(), request.int32()];
        assert.equal(request.text(), 'arbiter');
        cluster.calls.push(key);
        const body = encoded(all(int32(id), answerTo(cluster, session, key, version, request)));
        assert.equal(request.left, 0, `request ${key} is longer than its form`);
        socket.write(encoded(bytes(body)));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cluster: TestCluster = {
    ...{ port, topics: new Map(), committed: new Map(), user: null, calls: [] },
    leaders: [{ host: '127.0.0.1', port }],
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return cluster;
}
