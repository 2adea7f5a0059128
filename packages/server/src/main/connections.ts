import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { createDatabase, createHomes, createHotPath, type Database, type HotPath } from '../db/index.ts';
import type { ComposeOptions } from './compose-options.ts';
import { createWriteMetrics } from './metrics/metrics.ts';

/** Connections of the decision path: one batch each. */
const hotConnections = 6;

/** Connections that count calls for the rate limits; the second replaces the first while it's being given up. */
const countingConnections = 2;

const outboxConnections = 1;

const previewConnections = 2;

/** For a chunk of a campaign and the one behind it. */
export const chunkConnections = 2;

/** Returns how many connections one process uses for its requests. The listener needs one more. */
export function requestConnections({ DATABASE_POOL_MAX }: Pick<Config, 'DATABASE_POOL_MAX'>): number {
  return DATABASE_POOL_MAX + countingConnections + hotConnections + outboxConnections + previewConnections;
}

/** Pools of one process, each for work that must not wait for the others. */
export interface Connections {
  readonly database: Database;
  /** Counts calls. This comes before admission, so it must not wait behind admitted requests. */
  readonly counting: Database;
  readonly hot: HotPath;
  /** Publishes events and rolls up decisions, so that neither waits for requests. */
  readonly outboxPath: HotPath;
  /** For decisions that nobody acts on (simulate, customer tools). */
  readonly previewPath: HotPath;
  /** For campaigns. */
  readonly chunkPath: HotPath;
  close(): Promise<void>;
}

export interface ConnectionsOptions extends Pick<ComposeOptions, 'address' | 'clock' | 'config' | 'patience'> {
  readonly registry: Registry;
  readonly onError: (error: unknown) => void;
}

/** Creates the pools. They connect at first use. */
export function createConnections({
  address: { url, directUrl, pooled, isCluster, workers },
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
  const database = createDatabase({ url, directUrl, pooled, isCluster, poolMax, clock, onError, onWritten, ...limits });
  const counting = createDatabase({ url, isCluster, poolMax: countingConnections, clock, onError, ...limits });
  const homes = workers.length === 0 ? null : createHomes(counting, url, workers);
  const decisions = { url, pooled, isCluster, homes, onError };
  const hot = createHotPath({ ...decisions, connections: hotConnections });
  // Notifies listeners, who are connected to the coordinator.
  const outboxPath = createHotPath({ url, pooled, isCluster, connections: outboxConnections, onError });
  const previewPath = createHotPath({ ...decisions, connections: previewConnections });
  const chunkPath = createHotPath({ ...decisions, connections: chunkConnections });
  return {
    database,
    counting,
    hot,
    outboxPath,
    previewPath,
    chunkPath,
    async close() {
      for (const each of [hot, outboxPath, previewPath, chunkPath, counting, database]) await each.close();
    },
  };
}
