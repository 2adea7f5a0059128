import { randomUUID } from 'node:crypto';
import type { RedisConnection } from '../../platform/redis.ts';
import { answersWithin } from '../answers/answers-within.ts';
import type { Bucket, RateLimitStore } from './rate-limit.ts';

/**
 * Counts one call in a sliding window, stored as a sorted set of calls, by Redis's clock so that processes agree. A
 * script runs alone, so nobody changes what it read before it writes (docs/design/quality.md R13). KEYS[1] window;
 * ARGV: limit, length in microseconds, a name for the call, its weight. Returns granted, calls in the window,
 * microseconds until the oldest leaves.
 */
const script = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local limit, length, weight = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - length)
local used = redis.call('ZCARD', KEYS[1])
local granted = 0
if used + weight <= limit then
  for n = 1, weight do redis.call('ZADD', KEYS[1], now, ARGV[3] .. n) end
  redis.call('PEXPIRE', KEYS[1], math.ceil(length / 1000))
  granted = 1
  used = used + weight
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local reset = length
if oldest[2] then reset = tonumber(oldest[2]) + length - now end
return { granted, used, reset }`;

/**
 * Creates windows in Redis, for installations that have one (`REDIS_URL`), so limits cost the database nothing. A store
 * that doesn't answer within `timeoutMs` counts as down, and the call is refused (T19).
 */
export function createRedisRateLimitStore(redis: Pick<RedisConnection, 'run'>, timeoutMs = 900): RateLimitStore {
  return {
    async take(bucket, weight = 1) {
      const { limit, windowSeconds } = bucket;
      if (weight > limit) return { allowed: false, limit, remaining: 0, resetSeconds: windowSeconds };
      const work = redis.run(script, [keyOf(bucket)], [limit, windowSeconds * 1_000_000, randomUUID(), weight]);
      const [granted = 0, used = 0, resetMicros = 0] = numbersOf(await answersWithin(work, timeoutMs));
      return {
        allowed: granted === 1,
        limit,
        remaining: granted === 1 ? Math.max(0, limit - used) : 0,
        resetSeconds: Math.max(1, Math.ceil(resetMicros / 1_000_000)),
      };
    },
  };
}

const keyOf = ({ tenantId, name }: Bucket): string => `arbiter:limit:${tenantId ?? ''}:${name}`;

function numbersOf(answer: unknown): number[] {
  if (!Array.isArray(answer)) throw new Error('Redis did not return numbers for a rate limit');
  return answer.map(Number);
}
