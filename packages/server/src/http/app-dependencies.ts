import type { Operation, ReadyChecks } from '@arbiter/contract';
import type { Registry } from 'prom-client';
import type { Database } from '../db/index.ts';
import type { Logger } from '../platform/logger.ts';
import type { Clock } from '../platform/time/clock.ts';
import type { IsSignedByProvider, OperatorSecrets } from './binding/operator-secrets.ts';
import type { connectionLimits } from './connections.ts';
import type { AnyHandler } from './handler.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { LoadShedder } from './limits/load-shedding.ts';
import type { RateLimitStore } from './limits/rate-limit.ts';
import type { Authenticate } from './principal.ts';
import type { Site } from './site.ts';

/** The part of the configuration that the HTTP layer reads. */
export interface HttpConfig {
  /** Secrets of operations that take a shared secret or a signature, such as METRICS_TOKEN. */
  readonly secrets: OperatorSecrets;
  /** Addresses and networks whose X-Forwarded-For we trust (T13). */
  readonly trustedProxies: readonly string[];
  /** Exact origins; empty = no CORS. */
  readonly corsAllowedOrigins: readonly string[];
  /** Limit per credential and minute for operations without their own limit; 0 means none. */
  readonly rateLimitDefaultPerMinute: number;
  /** Limit per tenant and minute for the operations that name this variable; 0 means none. */
  readonly recommendRatePerMinute: number;
  /** Public address, for the API documents. */
  readonly publicUrl: string;
}

export interface AppDependencies {
  readonly operations: Readonly<Record<string, Operation>>;
  /** Pages for people, left out of the API documents. Their handlers are in `handlers`. */
  readonly pages?: readonly Operation[];
  /** Serves browsers at all other paths. Without it those paths are 404. */
  readonly site?: Site;
  /**
   * A handler for every operation except those of `system.ts`, which this layer answers itself. See `handlerEntries`.
   */
  readonly handlers: ReadonlyMap<string, AnyHandler>;
  readonly database: Pick<Database, 'withTenant' | 'withSystem'>;
  readonly authenticate: Authenticate;
  /** Checks signatures of providers, for operations that accept them. Default: none is accepted. */
  readonly isSignedByProvider?: IsSignedByProvider;
  readonly config: HttpConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From `createRegistry`; features add their own metrics to it. */
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  /** The checks of /ready. A check that throws counts as not ready. */
  readonly readyChecks: () => Promise<ReadyChecks>;
  readonly version: string;
  /** The text of /metrics when it's more than `registry`. */
  readonly metricsText?: () => Promise<string>;
  /** Default: windows in PostgreSQL, over the same connections as everything else. */
  readonly rateLimitStore?: RateLimitStore;
  readonly loadShedder?: LoadShedder;
  /** For tests: on a busy machine an answer may take longer without anything hanging. Default `answerWithinMs`. */
  readonly answerWithinMs?: number;
  /** For tests: connection limits that don't take ten seconds to reach. */
  readonly connectionLimits?: Partial<Readonly<Record<keyof typeof connectionLimits, number>>>;
  /** For tests: maximum milliseconds a request waits for a place. */
  readonly gateHoldMs?: number;
  /** For tests: every success answer must match its schema, otherwise it becomes a 500. */
  readonly checkResponses?: boolean;
}
