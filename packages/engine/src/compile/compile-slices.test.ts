import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConformanceCase, readCase } from '../../test/conformance/case.ts';
import { compile, compileInSlices, decide, type Plan, resultOf } from '../index.ts';
import { rowsPerSlice } from './catalogue.ts';

const offers = 500;

/** A catalogue in which every offer has two creatives. */
function caseOf(count: number): ConformanceCase {
  const numbers = Array.from({ length: count }, (_, at) => at);
  return readCase({
    name: 'slices',
    channels: [{ id: 'e', channelType: 'email' }],
    categories: [
      { id: 'c0', name: 'Even' },
      { id: 'c1', name: 'Odd' },
    ],
    offers: numbers.map((at) => ({ id: `o${at}`, categoryId: `c${at % 2}`, priority: (at * 37) % 101 })),
    creatives: numbers.flatMap((at) =>
      ['k', 'l'].map((letter) => ({
        id: `${letter}${at}`,
        offerId: `o${at}`,
        channelId: 'e',
        content: { subject: 'For {name}' },
        personalization: [{ variable: 'name', source: `customer.name_${at % 3}`, fallback: 'you' }],
      })),
    ),
    policies: [{ id: 'p', ruleType: 'frequency_cap', config: { maxPerDay: 3, per: 'offer' } }],
    request: { customerId: 'Ada', channel: 'email', limit: 10 },
    expect: {},
  });
}

const read = caseOf(offers);

test('the compiler yields after every few rows', () => {
  const work = compileInSlices(read.snapshot);
  let slices = 0;
  let plan: Plan | null = null;
  while (plan === null) {
    const slice = work.next();
    if (slice.done) plan = slice.value;
    else slices += 1;
  }
  const rows = read.snapshot.offers.length + read.snapshot.creatives.length;
  assert.equal(rows, 3 * offers);
  assert.ok(rowsPerSlice <= 32);
  assert.ok(slices >= rows / rowsPerSlice, `${slices} slices for ${rows} rows`);
});

test("a compilation isn't affected by other plans between two slices", () => {
  const alone = compile(read.snapshot);
  const small = caseOf(3);
  const other = compile(small.snapshot);
  const work = compileInSlices(read.snapshot);
  let sliced: Plan | null = null;
  while (sliced === null) {
    const slice = work.next();
    if (slice.done) sliced = slice.value;
    else decide(other, small.input(other), {});
  }
  const { program: _, ...facts } = sliced;
  const { program: __, ...expected } = alone;
  assert.deepEqual(JSON.parse(JSON.stringify(facts)), JSON.parse(JSON.stringify(expected)));
  assert.deepEqual([...sliced.ordinals.offer], [...alone.ordinals.offer]);
  assert.deepEqual([...sliced.ordinals.creative], [...alone.ordinals.creative]);
  const decided = decide(sliced, read.input(sliced), {});
  assert.deepEqual(resultOf(decided), resultOf(decide(alone, read.input(alone), {})));
  assert.ok(decided.items.length > 0);
});
