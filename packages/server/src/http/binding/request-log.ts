import type { LoadClass } from '@arbiter/contract';
import type { Logger } from '../../platform/logger.ts';
import type { HttpMetrics } from '../metrics.ts';
import type { RequestState } from './request-state.ts';

/** Counts an answer and writes its log line. */
export type LogRequest = (state: RequestState, status: number) => void;

/** Lines a second for fast, successful decisions of one route: thousands would cost more than they're worth. */
const maxLines = 20;
const secondMs = 1_000;
/** Slower decisions are always logged. */
const slowMs = 250;

/**
 * Creates the log of one route: a line for each request. With `loadClass` decision, only failed and slow requests and up to 20
 * others a second have one; `omitted` in the next line counts the rest.
 */
export function createRequestLog(
  metrics: HttpMetrics,
  logger: Logger,
  { method, path, loadClass }: { readonly method: string; readonly path: string; readonly loadClass?: LoadClass },
): LogRequest {
  const count = metrics.routeCounter(method, path);
  const log = logger.child({ method, route: path });
  const isSampled = loadClass === 'decision';
  let second = 0;
  let lines = 0;
  let omitted = 0;
  return ({ requestId, startedAt, tenantId, credentialId }, status) => {
    const now = performance.now();
    const elapsedMs = now - startedAt;
    count(status, elapsedMs / 1000);
    if (isSampled && status < 400 && elapsedMs < slowMs) {
      if (now - second >= secondMs) {
        second = now;
        lines = 0;
      }
      lines += 1;
      if (lines > maxLines) {
        omitted += 1;
        return;
      }
    }
    if (!log.isLevelEnabled('info')) return;
    const ms = Math.round(elapsedMs * 100) / 100;
    // Log only allowlisted fields: the route's pattern, never the URL, which contains customer ids (T36).
    const line = { requestId, status, ms, tenantId, credentialId };
    log.info(omitted === 0 ? line : { ...line, omitted }, 'request');
    omitted = 0;
  };
}
