import type { Redis } from 'ioredis';

/** A connection to the operator's Redis. */
export interface RedisConnection {
  /** Runs a Lua script, which nothing else interrupts. Rejects at once while the connection is lost. */
  run(script: string, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown>;
  close(): void;
}

const connectTimeoutMs = 2_000;
const longestPauseMs = 2_000;

/**
 * Connects, and reconnects on its own after a loss. Commands fail immediately while disconnected, so that nothing queues
 * invisibly. `onError` receives each failure.
 */
export function connectRedis(url: string, onError: (error: unknown) => void): RedisConnection {
  const connected = open(url, onError);
  connected.catch(onError);
  return {
    run: async (script, keys, values) => (await connected).eval(script, keys.length, ...keys, ...values),
    close: () => void connected.then((redis) => redis.disconnect(), onError),
  };
}

/** The library is loaded here: most installations have no Redis, and each start would wait for it. */
async function open(url: string, onError: (error: unknown) => void): Promise<Redis> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    connectTimeout: connectTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(longestPauseMs, 50 * 2 ** Math.min(times, 6)),
  });
  redis.on('error', onError);
  return redis;
}
