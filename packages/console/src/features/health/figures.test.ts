import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerTimesOf, figuresOf, largestBound } from './figures.ts';
import { groupsOf } from './letters.ts';

const metric = (type: 'counter' | 'histogram', values: readonly (readonly [Record<string, string>, number])[]) => ({
  name: '',
  help: '',
  type,
  values: values.map(([labels, value]) => ({ labels, value })),
});

test('returns percentiles as histogram bounds over all channels', () => {
  const metrics = {
    svc_recommend_requests_total: metric('counter', [
      [{ status: 'ok' }, 100],
      [{ status: 'error' }, 3],
    ]),
    svc_candidates_evaluated_total: metric('counter', [[{}, 1200]]),
    svc_candidates_dropped_total: metric('counter', [
      [{ reason: 'cut' }, 43],
      [{ reason: 'qualification' }, 50],
    ]),
    svc_recommend_latency_seconds: metric('histogram', [
      [{ channel: 'web', le: '0.01' }, 40],
      [{ channel: 'web', le: '0.05' }, 50],
      [{ channel: 'web', le: '+Inf' }, 50],
      [{ channel: 'web', stat: 'sum' }, 9],
      [{ channel: 'email', le: '0.01' }, 10],
      [{ channel: 'email', le: '0.05' }, 45],
      [{ channel: 'email', le: '+Inf' }, 50],
    ]),
  };
  assert.deepEqual(figuresOf(metrics), {
    answered: 100,
    failed: 3,
    median: 10,
    p95: 50,
    p99: Number.POSITIVE_INFINITY,
    looked: 1200,
    drops: [
      { reason: 'qualification', count: 50 },
      { reason: 'cut', count: 43 },
    ],
  });
  assert.equal(largestBound(metrics), 50);
  assert.deepEqual(answerTimesOf(metrics), [
    { from: 0, to: 10, count: 50 },
    { from: 10, to: 50, count: 45 },
    { from: 50, to: Number.POSITIVE_INFINITY, count: 5 },
  ]);
  const steps = (counts: readonly number[]) => ({
    svc_recommend_latency_seconds: metric(
      'histogram',
      counts.map((count, at) => [{ le: String((at + 1) / 1_000) }, count] as const),
    ),
  });
  // From the shortest to the longest that there were; an empty step between them stays.
  assert.deepEqual(
    answerTimesOf(steps([0, 4, 4, 9, 9])).map(({ to, count }) => [to, count]),
    [
      [2, 4],
      [3, 0],
      [4, 5],
    ],
  );
  assert.deepEqual(answerTimesOf(steps([0, 0])), []);
  const none = figuresOf({});
  assert.deepEqual([none.answered, none.failed, none.median, none.p99, none.drops], [0, 0, null, null, []]);
});

test('groups dead letters that differ only in numbers', () => {
  const letter = (topic: string, error: string, failedAt: string) => ({ topic, error, failedAt });
  const groups = groupsOf([
    letter('mail.send', 'timeout after 3001 ms', '2026-11-23T02:00:00.000Z'),
    letter('mail.send', 'timeout after 2994 ms', '2026-11-23T03:00:00.000Z'),
    letter('mail.send', 'refused', '2026-11-23T01:00:00.000Z'),
    letter('export.write', 'refused', '2026-11-23T01:00:00.000Z'),
  ]);
  assert.deepEqual(
    groups.map(({ topic, error, count, newest }) => [topic, error, count, newest]),
    [
      ['mail.send', 'timeout after … ms', 2, '2026-11-23T03:00:00.000Z'],
      ['mail.send', 'refused', 1, '2026-11-23T01:00:00.000Z'],
      ['export.write', 'refused', 1, '2026-11-23T01:00:00.000Z'],
    ],
  );
});
