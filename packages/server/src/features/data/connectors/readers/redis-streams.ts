import type { Json } from '@arbiter/engine';
import { isObject } from '../../../../platform/json.ts';
import {
  instantOfEntry,
  openRedisSession,
  type RedisSession,
  type RedisTarget,
  type StreamEntry,
} from '../../../../platform/sources/redis-stream.ts';
import type { SourceBatch, SourceReader, SourceRow } from '../reader.ts';
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
} from '../source.ts';
import { flatRow } from './api-pages.rules.ts';
import { inPieces } from './sql-reader.ts';

const maxAtOnce = 200;

const targetOf = (source: Source): RedisTarget => ({
  ...{ host: requiredText(source, 'host'), port: numberOf(source, 'port', 6379), tls: flagOf(source, 'tls', false) },
  username: source.method === 'none' ? undefined : textOf(source, 'username'),
  password: source.method === 'none' ? undefined : textOf(source, 'password'),
});

function parsedObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** An entry whose only field is a JSON object is that object; otherwise fields are columns. */
function rowOf(stream: string, { id, fields }: StreamEntry): SourceRow {
  const texts = Object.values(fields ?? {});
  const [only] = texts.length === 1 ? texts : [];
  const row = only === undefined ? fields : (parsedObject(only) ?? fields);
  return { ...flatRow(row ?? {}), _key: stream, _partition: 0, _offset: id, _timestamp: instantOfEntry(id) };
}

const offsetOf = (cursor: Json | null): string =>
  isObject(cursor) && typeof cursor.offset === 'string' ? cursor.offset : '0';

/** Whether an ID is at most as large as another. */
function isUpTo(id: string, last: string): boolean {
  const [[ms = 0n, at = 0n], [lastMs = 0n, lastAt = 0n]] = [id, last].map((each) => each.split('-').map(BigInt)) as [
    bigint[],
    bigint[],
  ];
  return ms < lastMs || (ms === lastMs && at <= lastAt);
}

interface StreamRead {
  readonly session: RedisSession;
  readonly stream: string;
  readonly group: string;
  readonly limit: number;
  readonly maxWaitMs: number;
  readonly noted: (ids: readonly string[]) => void;
}

/** First what the group got before and nobody acknowledged, then what is new. The time limits waiting, not reading. */
async function* entriesOf(
  { session, stream, group, limit, maxWaitMs, noted }: StreamRead,
  after: string,
): AsyncGenerator<readonly StreamEntry[]> {
  let left = limit;
  let pendingAfter: string | null = after;
  const until = performance.now() + maxWaitMs;
  while (left > 0) {
    const newWithin = Math.max(0, Math.floor(until - performance.now()));
    const from: Parameters<RedisSession['read']>[0]['from'] = pendingAfter === null ? { newWithin } : { pendingAfter };
    const entries = await session.read({ stream, group, from, count: Math.min(maxAtOnce, left) });
    if (pendingAfter !== null) pendingAfter = entries.at(-1)?.id ?? null;
    else if (entries.length === 0 && newWithin === 0) return;
    noted(entries.map(({ id }) => id));
    const present = entries.filter(({ fields }) => fields !== null);
    left -= present.length;
    if (present.length > 0) yield present;
  }
}

function streamReader({ sockets }: SourceDeps, source: Source): SourceReader {
  const [stream, group] = [requiredText(source, 'topic'), textOf(source, 'groupId') ?? 'arbiter'];
  let session: RedisSession | null = null;
  /** IDs that were read and not acknowledged. */
  let open: string[] = [];
  const batches = async function* ({ cursor, signal, rowLimit }: Parameters<SourceReader['read']>[0]) {
    session = await openRedisSession(sockets, targetOf(source), { timeoutMs: connectMs, signal });
    await session.ensureGroup(stream, group, flagOf(source, 'fromBeginning', true) ? 'start' : 'end');
    const limit = Math.min(numberOf(source, 'maxMessages', 1000), rowLimit > 0 ? rowLimit : Number.POSITIVE_INFINITY);
    const read = {
      ...{ session, stream, group, limit, maxWaitMs: numberOf(source, 'maxWaitMs', 15_000) },
      noted: (ids: readonly string[]) => void open.push(...ids),
    };
    for await (const entries of entriesOf(read, offsetOf(cursor))) {
      const rows = entries.map((entry) => rowOf(stream, entry));
      yield* inPieces(rows, (count): Json => ({ offset: entries[count - 1]?.id ?? '0' }));
    }
  };
  return {
    isResumable: true,
    read: (options): AsyncGenerator<SourceBatch> => batches(options),
    async committed(cursor) {
      const last = offsetOf(cursor);
      const done = open.filter((id) => isUpTo(id, last));
      open = open.filter((id) => !isUpTo(id, last));
      await session?.acknowledge(stream, group, done);
    },
    close: async () => session?.close(),
  };
}

/** Streams of a Redis server, read by a consumer group. */
export const redisStreamsSource: SourceKind = {
  async probe({ sockets }, source, signal) {
    const target = targetOf(source);
    const session = await openRedisSession(sockets, target, { timeoutMs: probeMs, signal });
    session.close();
    return { details: { login: target.password === undefined ? 'skipped' : 'ok' } };
  },
  open: streamReader,
};
