import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRefreshPace, refreshGaps } from './refresh-pace.ts';

/** A pace with a clock that only `pass` moves, and a log of its refetches. */
function paced() {
  let now = 0;
  let planned: { readonly at: number; readonly work: () => void } | null = null;
  const refetched: string[] = [];
  const pace = createRefreshPace((resources) => refetched.push(`${now}: ${resources.join(' ')}`), {
    now: () => now,
    later: (ms, work) => {
      const plan = { at: now + ms, work };
      planned = plan;
      return () => {
        if (planned === plan) planned = null;
      };
    },
  });
  const pass = (until: number): void => {
    while (planned !== null && planned.at <= until) {
      const { at, work } = planned;
      planned = null;
      now = at;
      work();
    }
    now = until;
  };
  return { pace, pass, refetched };
}

test('refetches at once, and again for all events of the next half second', () => {
  const { pace, pass, refetched } = paced();
  for (const at of [0, 100, 200, 300]) {
    pass(at);
    pace.add(['offers', 'creatives'], refreshGaps.edit);
  }
  pass(5_000);
  assert.deepEqual(refetched, ['0: offers creatives', '500: offers creatives']);
});

test('refetches after traffic at most every three seconds, but after edits sooner', () => {
  const { pace, pass, refetched } = paced();
  for (let at = 0; at < 7_000; at += 100) {
    pass(at);
    pace.add(['decisions'], refreshGaps.traffic);
  }
  assert.deepEqual(refetched, ['0: decisions', '3000: decisions', '6000: decisions']);
  pace.add(['decisions', 'offers'], refreshGaps.edit);
  assert.deepEqual(refetched.slice(3), ['6900: decisions offers']);
});

test('refetches nothing after it was stopped', () => {
  const { pace, pass, refetched } = paced();
  pace.add(['offers'], refreshGaps.edit);
  pace.add(['offers'], refreshGaps.edit);
  pace.stop();
  pass(10_000);
  assert.deepEqual(refetched, ['0: offers']);
});
