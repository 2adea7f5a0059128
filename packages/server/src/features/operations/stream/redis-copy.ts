import { type Database, systemActor } from '../../../db/index.ts';
import { type PublishedSlice, readStream } from './outbox.store.ts';

/** The part of a Redis connection that the copy needs. */
export interface ScriptRunner {
  run(script: string, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown>;
}

const redisStreamOf = (tenantId: string): string => `arbiter:${tenantId}:events`;

/** Newest events that the copy holds. */
const maxEvents = 100_000;
const rowsPerRead = 50;

/** Per event: position, type, JSON text. */
const addScript = `
for i = 1, #ARGV - 1, 3 do
  redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[#ARGV], '*', 'position', ARGV[i], 'type', ARGV[i + 1], 'event', ARGV[i + 2])
end
return redis.status_reply('OK')`;

/**
 * Returns what copies the events of published rows into the tenant's stream in Redis (docs/design/api-access.md 12.1).
 * PostgreSQL is the stream; while Redis is away, the copy misses what is published.
 */
export function createRedisCopy(database: Database, redis: ScriptRunner) {
  return async (tenantId: string, { rows, head }: Pick<PublishedSlice, 'rows' | 'head'>): Promise<void> => {
    if (head === null) return;
    for (let after = head - rows; after < head; ) {
      const place = after;
      const read = await database.withTenant(tenantId, systemActor('redis-copy'), (tx) =>
        readStream(tx, place, Math.min(rowsPerRead, head - place)),
      );
      const events = read.flatMap(({ position, events: texts }) =>
        texts.flatMap((text, at) => (text === null ? [] : [`${position}-${at}`, typeOf(text), text])),
      );
      if (events.length > 0) await redis.run(addScript, [redisStreamOf(tenantId)], [...events, maxEvents]);
      const last = read.at(-1)?.position;
      if (last === undefined) return;
      after = last;
    }
  };
}

function typeOf(text: string): string {
  const { type }: { readonly type: string } = JSON.parse(text);
  return type;
}
