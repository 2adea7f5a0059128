import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { metersBetween, wholeMeters } from './distance.rules.ts';
import { follow, type StayState, type TrackedGeofence } from './stays.rules.ts';

describe('distances on the sphere', () => {
  const degree = (Math.PI * 6_371_000) / 180;
  for (const [words, a, b, meters] of [
    ['the same place', [10, 20], [10, 20], 0],
    ['a degree north', [0, 0], [1, 0], degree],
    ['across the antimeridian', [0, 179.5], [0, -179.5], degree],
    ['over the pole', [89.5, 0], [89.5, 180], degree],
    ['at the pole, whatever the longitude', [90, 0], [90, 123], 0],
    ['the other side of the world', [0, 0], [0, 180], 180 * degree],
  ] as const) {
    test(words, () => {
      const of = ([latitude, longitude]: readonly [number, number]) => ({ latitude, longitude });
      assert.ok(Math.abs(metersBetween(of(a), of(b)) - meters) < 1e-6, String(metersBetween(of(a), of(b))));
    });
  }
  test('rounds half up', () => {
    assert.deepEqual([0.4, 0.5, 1.5, 2.5].map(wholeMeters), [0, 1, 2, 3]);
  });
});

describe('stays', () => {
  const start = Date.UTC(2026, 2, 29, 0, 30);
  /** Follows sightings: minutes after the start, and whether inside. */
  const walk = (geofence: Partial<TrackedGeofence>, ...sightings: readonly (readonly [number, boolean])[]) => {
    let state: StayState | null = null;
    const told: string[] = [];
    for (const [minutes, isInside] of sightings) {
      const at = new Date(start + minutes * 60_000);
      const followed = follow(
        { triggerOn: 'enter', dwellMinutes: null, cooldownMs: 0, ...geofence },
        state,
        isInside,
        at,
      );
      state = followed.state;
      for (const { event, fires, isCooling } of followed.events) {
        told.push(`${minutes} ${event}${fires ? ' fires' : ''}${isCooling ? ' cools' : ''}`);
      }
    }
    return told;
  };
  test('enter and exit', () => {
    assert.deepEqual(walk({}, [0, false], [1, true], [2, true], [3, false], [4, true]), [
      ...['1 enter fires', '3 exit', '4 enter fires'],
    ]);
    assert.deepEqual(walk({ triggerOn: 'exit' }, [0, true], [1, false], [2, false]), ['0 enter', '1 exit fires']);
  });
  test('dwell fires once per stay, after five minutes if the geofence names none', () => {
    const dwell = { triggerOn: 'dwell' } as const;
    assert.deepEqual(walk(dwell, [0, true], [4, true], [5, true], [9, true]), ['0 enter', '5 dwell fires']);
    assert.deepEqual(walk({ ...dwell, dwellMinutes: 1 }, [0, true], [1, true], [2, false], [3, true], [4, true]), [
      ...['0 enter', '1 dwell fires', '2 exit', '3 enter', '4 dwell fires'],
    ]);
  });
  test('a long gap ends a stay without an event', () => {
    const dwell = { triggerOn: 'dwell', dwellMinutes: 40 } as const;
    // 80 minutes are twice the dwell: the same stay. 81 are a new one.
    assert.deepEqual(walk(dwell, [0, true], [80, true]), ['0 enter', '80 dwell fires']);
    assert.deepEqual(walk(dwell, [0, true], [81, true], [121, true]), ['0 enter', '121 dwell fires']);
  });
  test('drops what the cooldown holds back', () => {
    const cooldownMs = 10 * 60_000;
    assert.deepEqual(walk({ cooldownMs }, [0, true], [1, false], [9, true], [10, false], [11, true]), [
      ...['0 enter fires', '1 exit', '9 enter cools', '10 exit', '11 enter fires'],
    ]);
    assert.deepEqual(walk({ cooldownMs }, [0, true], [1, false], [10, true]).at(-1), '10 enter fires');
  });
});
