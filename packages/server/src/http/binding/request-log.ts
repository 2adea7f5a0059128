import type { Logger } from '../../platform/logger.ts';
import type { HttpMetrics } from '../metrics.ts';
import type { RequestState } from './request-state.ts';

/** Counts an answer and writes its log line. */
export type LogRequest = (state: RequestState, status: number) => void;

/** Creates the log of one route. */
export function createRequestLog(metrics: HttpMetrics, logger: Logger, method: string, route: string): LogRequest {
  const count = metrics.routeCounter(method, route);
  const log = logger.child({ method, route });
  return ({ requestId, startedAt, tenantId, credentialId }, status) => {
    const elapsedMs = performance.now() - startedAt;
    count(status, elapsedMs / 1000);
    if (!log.isLevelEnabled('info')) return;
    const ms = Math.round(elapsedMs * 100) / 100;
    // Log only allowlisted fields: the route's pattern, never the URL, which contains customer ids (T36).
    log.info({ requestId, status, ms, tenantId, credentialId }, 'request');
  };
}
