import { type ConnectorProbe, type ConnectorReason, type ConnectorType, connectorTypeInfo } from '@arbiter/contract';
import { AppError } from '../../../platform/app-error.ts';
import { type BreakerState, createBreaker } from '../../../platform/outbound/breaker.ts';
import { endingInTime } from '../../../platform/sources/source-batches.ts';
import { asSourceError, SourceError } from '../../../platform/sources/source-error.ts';
import type { RowKeys, SourceReader } from './reader.ts';
import { kindOf } from './readers/source-kinds.ts';
import { type ProbeResult, probeMs, type Source, type SourceDeps } from './source.ts';
import { missingConfig } from './type-list.rules.ts';

/** A connector to connect to. */
export interface SourceOfConnector extends Source {
  readonly id: string;
}

/** How a probe ended. */
export interface ProbeOutcome extends ProbeResult {
  readonly reason: ConnectorReason;
  readonly probe: ConnectorProbe;
  readonly latencyMs: number;
  readonly missing: readonly string[];
  /** Line of a file that can't be parsed. */
  readonly line?: number | undefined;
  /** Package of a driver that isn't installed. */
  readonly driver?: string | undefined;
}

/** Connects to the sources of connectors. One of each process. */
export interface Sources {
  /** Tries a connector, for at most 5 s. Never throws for what the source does. */
  probe(source: SourceOfConnector): Promise<ProbeOutcome>;
  /**
   * Opens a reader. Reading throws SourceError, also for a connector that was skipped because it failed five times in
   * the last 30 s.
   */
  open(source: SourceOfConnector, rowKeys?: RowKeys): SourceReader;
  /** Lets a connector be tried again. */
  retry(tenantId: string, id: string): void;
}

export interface SourcesOptions extends SourceDeps {
  /** Called for each probe. */
  readonly onProbed?: (type: ConnectorType, result: ConnectorReason, seconds: number) => void;
  /** Called when a connector's breaker changes state. */
  readonly onBreakerMoved?: (to: BreakerState) => void;
}

const failuresAllowed = 5;
const pauseMs = 30_000;

/** Failures of a setting, which a further try can't repair and the server didn't cause. */
const ownFaults: ReadonlySet<ConnectorReason> = new Set(['missing_config', 'coming_soon', 'driver_missing']);

export function createSources({ onProbed, onBreakerMoved = () => undefined, ...deps }: SourcesOptions): Sources {
  const breaker = createBreaker({
    failures: failuresAllowed,
    pauseMs,
    now: () => performance.now(),
    onMove: onBreakerMoved,
  });
  const keyOf = ({ tenantId, id }: Pick<SourceOfConnector, 'tenantId' | 'id'>) => `${tenantId} ${id}`;
  /** Throws SourceError for a connector that can't be used now. */
  const judge = (source: SourceOfConnector): void => {
    if (connectorTypeInfo(source.type).status === 'coming_soon') throw new SourceError('coming_soon');
    if (missingConfig(source.type, source.config).length > 0) throw new SourceError('missing_config');
    if (breaker.isOpen(keyOf(source))) throw new SourceError('circuit_open');
  };
  const note = (source: SourceOfConnector, reason: ConnectorReason): void => {
    if (reason === 'ok') breaker.succeeded(keyOf(source));
    else if (reason !== 'circuit_open' && !ownFaults.has(reason)) breaker.failed(keyOf(source));
  };
  return {
    retry: (tenantId, id) => breaker.succeeded(keyOf({ tenantId, id })),
    async probe(source) {
      const startedAt = performance.now();
      const done = (outcome: ProbeResult & Pick<ProbeOutcome, 'reason' | 'line' | 'driver'>) => {
        note(source, outcome.reason);
        const latencyMs = Math.round(performance.now() - startedAt);
        onProbed?.(source.type, outcome.reason, latencyMs / 1000);
        const missing = outcome.reason === 'missing_config' ? missingConfig(source.type, source.config) : [];
        return { ...outcome, probe: connectorTypeInfo(source.type).probe, latencyMs, missing };
      };
      try {
        judge(source);
        return done({ reason: 'ok', ...(await inTime((signal) => kindOf(source.type).probe(deps, source, signal))) });
      } catch (error) {
        const { reason, line, driver } = asSourceError(error);
        const isLogin = reason === 'auth_failed' && connectorTypeInfo(source.type).probe === 'tcp';
        return done({ reason, line, driver, details: isLogin ? { login: 'failed' } : {} });
      }
    },
    open(source, rowKeys) {
      judge(source);
      const reader = kindOf(source.type).open(deps, source, rowKeys);
      return {
        ...reader,
        async *read(options) {
          try {
            for await (const batch of endingInTime(reader.read(options), options.signal)) {
              note(source, 'ok');
              yield batch;
            }
          } catch (error) {
            // Row keys come from our own database, so their errors aren't the source's.
            if (options.signal.aborted || error instanceof AppError) throw error;
            const failure = asSourceError(error);
            note(source, failure.reason);
            throw failure;
          }
        },
      };
    },
  };
}

/** Ends the work after the time of a test, whether or not the source lets go. */
async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(probeMs);
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new SourceError('connect_timeout')), { once: true });
  });
  // The work may have thrown before anything waits for the deadline.
  late.catch(() => undefined);
  return Promise.race([work(signal), late]);
}
