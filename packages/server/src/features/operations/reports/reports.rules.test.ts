import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxSectionRows } from '@arbiter/contract';
import { anomalyOf } from './anomalies.rules.ts';
import { boundsOf, frameOf, shareOf } from './frame.rules.ts';
import { cut } from './sources/sources.service.ts';

const iso = (at: Date) => at.toISOString();

test('days of a frame follow the zone, with 23 and 25 hours at clock changes', () => {
  const autumn = frameOf('Europe/Berlin', new Date('2026-10-25T23:30:00Z'), 3);
  assert.deepEqual(autumn.days, ['2026-10-24', '2026-10-25', '2026-10-26']);
  assert.deepEqual(boundsOf(autumn).map(iso), [
    '2026-10-23T22:00:00.000Z',
    '2026-10-24T22:00:00.000Z',
    '2026-10-25T23:00:00.000Z',
    '2026-10-26T23:00:00.000Z',
  ]);
  const spring = frameOf('America/Havana', new Date('2026-03-08T12:00:00Z'), 1);
  // Midnight does not exist: the day begins at one o'clock.
  assert.deepEqual(boundsOf(spring).map(iso), ['2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z']);
  assert.deepEqual(frameOf('UTC', new Date('2026-03-01T00:00:00Z'), 2).days, ['2026-02-28', '2026-03-01']);
});

test('a section keeps 5,000 rows, and says if there were more', () => {
  const rows = Array.from({ length: maxSectionRows + 1 }, (_, at) => ({ at }));
  assert.deepEqual([cut(rows).rows.length, cut(rows).truncated], [5_000, true]);
  assert.deepEqual([cut(rows.slice(1)).rows.length, cut(rows.slice(1)).truncated], [5_000, false]);
});

test('shares have six decimals; 0 of 0 has none', () => {
  assert.deepEqual([shareOf(1, 3), shareOf(0, 5), shareOf(0, 0)], [0.333333, 0, null]);
});

test('an anomaly is two standard errors off, and its severity rises; short and flat series have none', () => {
  const early = [8, 12, 8, 12, 8, 12, 8, 12];
  // Mean 10, variance 32 / 7; one day is one standard deviation of 2.138.
  const of = (last: number) => anomalyOf({ metric: 'm', object: 'o', values: [...early, last] }, 1, 8);
  assert.equal(of(14.27), null);
  assert.deepEqual(of(14.28), { metric: 'm', object: 'o', now: 14.28, baseline: 10, z: 2, severity: 'info' });
  assert.equal(of(16.42)?.severity, 'warning');
  assert.equal(of(18.56)?.severity, 'critical');
  assert.deepEqual([of(1)?.severity, of(1)?.z], ['critical', -4.21]);
  assert.equal(anomalyOf({ metric: 'm', object: 'o', values: [1, 2, 1, 2, 1, 2, 99] }, 1, 8), null, 'six days');
  assert.equal(
    anomalyOf({ metric: 'm', object: 'o', values: [5, 5, 5, 5, 5, 5, 5, 99] }, 1, 8),
    null,
    'it never moved',
  );
});
