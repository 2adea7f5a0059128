import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectationsOf } from './expectations.ts';

const percent = (share: number) => `${share * 100}%`;

test('says each expectation in a sentence, at the place that results name', () => {
  const expectations = expectationsOf(
    {
      first: 'Loan',
      includes: ['Card'],
      excludes: [{ offer: 'Fund', by: 'Adults only' }, { offer: 'Plan' }],
      order: ['Loan', 'Card'],
      count: 2,
      emptyReason: 'qualify',
      probability: { 'A/B~C': [0.5, 1] },
    },
    percent,
  );
  assert.deepEqual(
    expectations.map(({ path, text }) => [path, text]),
    [
      ['/expect/first', '“Loan” is shown first'],
      ['/expect/includes/0', '“Card” is shown'],
      ['/expect/order/0', '“Loan” is shown'],
      ['/expect/order/1', '“Card” is shown after “Loan”'],
      ['/expect/excludes/0', "“Fund” isn't shown, because of “Adults only”"],
      ['/expect/excludes/1', "“Plan” isn't shown"],
      ['/expect/count', '2 offers are shown'],
      ['/expect/emptyReason', 'Nothing is shown. Reason: No offer qualified'],
      ['/expect/probability/A~1B~0C', '“A/B~C” is selected with a chance of 50% to 100%'],
    ],
  );
});

test('says how many offers are shown', () => {
  const texts = [0, 1, 2].map((count) => expectationsOf({ count }, percent)[0]?.text);
  assert.deepEqual(texts, ['Nothing is shown', 'One offer is shown', '2 offers are shown']);
});
