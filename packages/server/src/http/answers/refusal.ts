import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '@arbiter/contract';
import type { Logger } from '../../platform/logger.ts';
import type { Cors } from '../binding/cors.ts';
import type { ClientConnections } from '../connections.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { RefuseGated } from '../limits/gate-queues.ts';
import { overloaded } from '../limits/load-shedding.ts';
import type { HttpMetrics } from '../metrics.ts';
import { requestIdOf } from '../request-id.ts';
import { errorAnswer } from './error-formats.ts';
import { attemptId } from './problem.ts';

export interface RefusalDeps {
  readonly connections: ClientConnections;
  readonly cors: Cors;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
}

/** Stands for the request's ids in the prepared text. */
const placeholder = '00000000-0000-7000-8000-0000000000ff';
/** Refusals come by the thousand, and a log line for each would cost more than they do. */
const lineEveryMs = 1_000;

/**
 * Creates the prepared 503 `overloaded` of one operation: everything that an answer needs, in the operation's format,
 * at almost no cost (docs/design/quality.md R1). Counted like other answers. Logs at most one line a second, with their
 * number.
 */
export function createRefusal(
  { method, path, loadClass, decides = false, errorFormat = 'problem' }: Operation,
  { connections, cors, lifecycle, logger, metrics }: RefusalDeps,
): RefuseGated {
  const textFor = (requestId: string, recommendationId: string | null) =>
    errorAnswer(overloaded(), requestId, errorFormat, recommendationId);
  const prepared = textFor(placeholder, decides ? placeholder : null);
  const pieces = String(prepared.body).split(placeholder);
  const headers = Object.entries(prepared.headers).flat();
  const count = metrics.routeCounter(method, path);
  const shed = metrics.shedCounter(loadClass);
  const log = logger.child({ method, route: path });
  let refused = 0;
  let lineAt = Number.NEGATIVE_INFINITY;

  function bodyFor(requestId: string): string {
    const recommendationId = decides ? attemptId(requestId) : null;
    if (recommendationId === null || recommendationId === requestId) return pieces.join(requestId);
    return String(textFor(requestId, recommendationId).body);
  }

  return (request: IncomingMessage, response: ServerResponse, arrivedAt: number): void => {
    const requestId = requestIdOf(request);
    const body = bodyFor(requestId);
    const head = [
      'cache-control',
      'no-store',
      'x-content-type-options',
      'nosniff',
      'x-request-id',
      requestId,
      ...headers,
      'content-length',
      String(body.length),
    ];
    const own = cors.headersFor(request);
    if (own !== null) head.push(...Object.entries(own).flat());
    if (lifecycle.draining()) head.push('connection', 'close');
    response.writeHead(503, head);
    // All ASCII: head and body are one text for one system call.
    response.end(body, 'latin1');
    connections.sent(response);
    const now = performance.now();
    count(503, (now - arrivedAt) / 1000);
    shed();
    refused += 1;
    if (now - lineAt < lineEveryMs) return;
    log.info({ status: 503, refused }, 'overloaded: requests rejected');
    lineAt = now;
    refused = 0;
  };
}
