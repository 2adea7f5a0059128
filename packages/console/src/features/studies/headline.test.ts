import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headlineOf } from './headline.ts';

const format = { number: (value: number) => String(value) };
const delta = (ciLower: number, ciUpper: number, value: number | null = (ciLower + ciUpper) / 2) => ({
  ...{ value, se: null, ciLower, ciUpper },
});

test('says what an evaluation found, and never more than it knows', () => {
  const cases = [
    ['ok', delta(1, 3), 'The draft earns 2 more per decision (1 to 3).'],
    ['ok', delta(-3, -1), 'The draft earns 2 less per decision (1 to 3 less).'],
    ['ok', delta(-1, 3), "It's not clear whether the draft earns more or less per decision (-1 to 3)."],
    ['ok', delta(0, 0), 'The draft earns exactly as much.'],
    [
      'bounded',
      delta(1, 3, null),
      "The draft earns between 1 and 3 more per decision. The records don't allow a more precise answer.",
    ],
    ['refused', null, "The records can't show what the draft would earn."],
    ['refused', delta(1, 3), "The records can't show what the draft would earn."],
  ] as const;
  for (const [verdict, difference, text] of cases)
    assert.equal(headlineOf({ verdict, delta: difference }, format), text);
});
