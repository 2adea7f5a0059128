import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChangeRow, changesOf, pauseMs, readVisit, visitOf } from './visit.ts';

test('starts a visit after a pause, and counts reloads to it', () => {
  const first = visitOf(null, 1_000);
  assert.deepEqual(first, { seenAt: 1_000, since: null });
  const reload = visitOf(first, 1_000 + pauseMs);
  assert.deepEqual(reload, { seenAt: 1_000 + pauseMs, since: null }, 'no longer away than the pause');
  const back = visitOf(reload, 1_000 + 2 * pauseMs + 1);
  assert.deepEqual(back, { seenAt: 1_000 + 2 * pauseMs + 1, since: 1_000 + pauseMs });
  assert.equal(visitOf(back, back.seenAt + 60_000).since, 1_000 + pauseMs, 'a reload keeps the list');
});

test('reads only valid visits from preferences', () => {
  assert.deepEqual(readVisit({ seenAt: 5, since: 3, more: 1 }), { seenAt: 5, since: 3 });
  assert.deepEqual(readVisit({ seenAt: 5, since: 'x' }), { seenAt: 5, since: null });
  for (const bad of [undefined, null, 'x', 7, {}, { seenAt: 'x' }, { seenAt: Number.NaN }])
    assert.equal(readVisit(bad), null);
});

test('lists changes by others to what decides, each record once with its count', () => {
  const row = (change: Partial<ChangeRow>): ChangeRow => ({
    userId: 'lee',
    userName: 'Lee',
    action: 'update',
    entityType: 'offer',
    entityId: 'a',
    entityName: 'Gold',
    timestamp: '2026-11-23T02:00:00.000Z',
    ...change,
  });
  const changes = changesOf(
    [
      row({ timestamp: '2026-11-23T03:00:00.000Z' }),
      row({ userId: 'me', entityId: 'b' }),
      row({ action: 'login', entityType: 'user', entityId: 'c' }),
      row({ entityType: 'creative' }),
      row({}),
    ],
    'me',
  );
  assert.deepEqual(
    changes.map(({ entityType, entityId, count, timestamp }) => [entityType, entityId, count, timestamp]),
    [
      ['offer', 'a', 2, '2026-11-23T03:00:00.000Z'],
      ['creative', 'a', 1, '2026-11-23T02:00:00.000Z'],
    ],
  );
});
