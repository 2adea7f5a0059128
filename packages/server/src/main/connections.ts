import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { createDatabase, createHotPath, type Database, type HotPath } from '../db/index.ts';
import type { ComposeOptions } from './compose-options.ts';
import { createWriteMetrics } from './metrics/metrics.ts';

/** Connections of the decision path: one batch each. */
const hotConnections = 6;

/** Connections that count calls for the rate limits; the second replaces the first while it's being given up. */
const countingConnections = 2;

const asideConnections = 1;

const apartConnections = 2;

/** Returns how many connections one process uses for its requests. The listener needs one more. */
export function requestConnections({ DATABASE_POOL_MAX }: Pick<Config, 'DATABASE_POOL_MAX'>): number {
  return DATABASE_POOL_MAX + countingConnections + hotConnections + asideConnections + apartConnections;
}

/** Pools of one process, each for work that must not wait for the others. */
export interface Connections {
  readonly database: Database;
  /** Counts calls. This comes before admission, so it must not wait behind admitted requests. */
  readonly counting: Database;
  readonly hot: HotPath;
  /** For work behind the decisions. */
  readonly aside: HotPath;
  /** For decisions that only show something (simulate, customer tools). */
  readonly apart: HotPath;
  close(): Promise<void>;
}

export interface ConnectionsOptions extends Pick<ComposeOptions, 'address' | 'clock' | 'config' | 'patience'> {
  readonly registry: Registry;
  readonly onError: (error: unknown) => void;
}

/** Creates the pools. They connect at first use. */
export function createConnections({
  address: { url, directUrl, pooled },
  clock,
  config,
  patience,
  registry,
  onError,
}: ConnectionsOptions): Connections {
  const limits =
    patience === undefined
      ? {}
      : { acquireTimeoutMs: patience.acquireTimeoutMs, statementTimeoutMs: patience.statementTimeoutMs };
  const poolMax = config.DATABASE_POOL_MAX;
  const onWritten = createWriteMetrics(registry);
  const database = createDatabase({ url, directUrl, poolMax, clock, onError, onWritten, ...limits });
  const counting = createDatabase({ url, poolMax: countingConnections, clock, onError, ...limits });
  const hot = createHotPath({ url, pooled, connections: hotConnections, onError });
  const aside = createHotPath({ url, pooled, connections: asideConnections, onError });
  const apart = createHotPath({ url, pooled, connections: apartConnections, onError });
  return {
    database,
    counting,
    hot,
    aside,
    apart,
    async close() {
      for (const each of [hot, aside, apart, counting, database]) await each.close();
    },
  };
}
