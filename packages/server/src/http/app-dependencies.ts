import type { Operation, ReadyChecks } from '@arbiter/contract';
import type { Registry } from 'prom-client';
import type { Database } from '../db/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { OperatorSecrets } from './binding/operator-secrets.ts';
import type { connectionLimits } from './connections.ts';
import type { AnyHandler } from './handler.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { LoadShedder } from './limits/load-shedding.ts';
import type { RateLimitStore } from './limits/rate-limit.ts';
import type { Authenticate } from './principal.ts';
import type { Site } from './site.ts';

/** The part of the configuration that the HTTP layer reads. */
export interface HttpConfig {
  /** What operations with a shared secret or a signature are opened by: METRICS_TOKEN and its like. */
  readonly secrets: OperatorSecrets;
  /** Addresses and networks whose X-Forwarded-For is believed (T13). */
  readonly trustedProxies: readonly string[];
  /** Exact origins; empty = no CORS. */
  readonly corsAllowedOrigins: readonly string[];
  /** Limit per credential and minute for operations that declare none; 0 = none. */
  readonly rateLimitDefaultPerMinute: number;
  /** Limit per tenant and minute for the operations that name this variable; 0 = none. */
  readonly recommendRatePerMinute: number;
  /** Public address, for the documents. */
  readonly publicUrl: string;
}

export interface AppDependencies {
  readonly operations: Readonly<Record<string, Operation>>;
  /** Pages for people, which the documents of the API leave out. Their handlers stand among the others. */
  readonly pages?: readonly Operation[];
  /** What browsers find at all other paths; without it they find nothing there. */
  readonly site?: Site;
  /** A handler for every operation but those of `system.ts`, which the layer answers itself. See `handlerEntries`. */
  readonly handlers: ReadonlyMap<string, AnyHandler>;
  readonly database: Pick<Database, 'withTenant' | 'withSystem'>;
  readonly authenticate: Authenticate;
  readonly config: HttpConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From `createRegistry`; features add their own metrics to it. */
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  /** The checks of /ready; one that throws counts as not ready. */
  readonly readyChecks: () => Promise<ReadyChecks>;
  readonly version: string;
  /** What /metrics answers with, where it is more than `registry`. */
  readonly metricsText?: () => Promise<string>;
  /** Default: windows in PostgreSQL, over the connections of everything else. */
  readonly rateLimitStore?: RateLimitStore;
  readonly loadShedder?: LoadShedder;
  /** Tests: on a busy machine an answer may take longer without anything hanging. Default `answerWithinMs`. */
  readonly answerWithinMs?: number;
  /** Tests: limits of one connection that do not take ten seconds to be met. */
  readonly connectionLimits?: Partial<Readonly<Record<keyof typeof connectionLimits, number>>>;
  /** Tests: ms that a request waits for a place at most. */
  readonly gateHoldMs?: number;
  /** Tests: each success answer must match its schema, else it becomes a 500. */
  readonly checkResponses?: boolean;
}
