import { Redis } from 'ioredis';

/** A connection to the operator's Redis. */
export interface RedisConnection {
  /** Runs a Lua script, which nothing else interrupts. Rejects at once while the connection is lost. */
  run(script: string, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown>;
  close(): void;
}

const connectTimeoutMs = 2_000;
const longestPauseMs = 2_000;

/**
 * Connects, and connects again by itself when the connection was lost. What is asked meanwhile fails at once, so that
 * nothing waits in a line that nobody sees. `onError` is told of each failure.
 */
export function connectRedis(url: string, onError: (error: unknown) => void): RedisConnection {
  const redis = new Redis(url, {
    connectTimeout: connectTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(longestPauseMs, 50 * 2 ** Math.min(times, 6)),
  });
  redis.on('error', onError);
  return {
    run: (script, keys, values) => redis.eval(script, keys.length, ...keys, ...values),
    close: () => redis.disconnect(),
  };
}
