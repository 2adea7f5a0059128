import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { createLogger } from '../../platform/logger.ts';
import { createHttpMetrics } from '../metrics.ts';
import { createRequestLog } from './request-log.ts';
import type { RequestState } from './request-state.ts';

interface Line {
  readonly status: number;
  readonly omitted?: number;
}

/** Returns a log and its lines. `ask` logs a request that took `ms`. */
function logOf(loadClass: 'decision' | 'crud') {
  const lines: Line[] = [];
  const registry = new Registry();
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const operation = { method: 'POST', path: '/api/v1/recommend', loadClass };
  const log = createRequestLog(createHttpMetrics(registry), logger, operation);
  const ask = (status: number, ms = 1): void => {
    const state = { requestId: 'r', startedAt: performance.now() - ms, tenantId: null, credentialId: null };
    log(state as unknown as RequestState, status);
  };
  return {
    lines,
    ask,
    counted: async () => (await registry.getSingleMetric('svc_http_requests_total')?.get())?.values,
  };
}

test('logs up to 20 fast decisions a second, and counts the rest in the next line', async () => {
  const { lines, ask, counted } = logOf('decision');
  for (let at = 0; at < 100; at++) ask(200);
  assert.equal(lines.length, 20);
  assert.ok(lines.every(({ omitted }) => omitted === undefined));
  ask(503);
  assert.deepEqual([lines.length, lines.at(-1)?.status, lines.at(-1)?.omitted], [21, 503, 80]);
  ask(200, 300);
  assert.deepEqual([lines.length, lines.at(-1)?.omitted], [22, undefined]);
  const sum = (await counted())?.reduce((total, { value }) => total + value, 0);
  assert.equal(sum, 102, 'metrics count all');
});

test('logs every other request', () => {
  const { lines, ask } = logOf('crud');
  for (let at = 0; at < 100; at++) ask(200);
  assert.equal(lines.length, 100);
});
