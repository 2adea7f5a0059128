import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complete, completions, formulaPlace, formulaWords, wordAt } from './formula-words.ts';

const compute = (id: string, ...keys: string[]) => ({
  ...{ id, type: 'compute' },
  config: { formulaExtras: keys.map((key) => ({ key, formula: '1' })) },
});

test('allows names computed earlier', () => {
  const nodes = [
    compute('a', 'stars'),
    compute('b', 'left', 'share'),
    { id: 'hook', type: 'extension_point', config: { hook: 'pre_score' } },
  ];
  assert.deepEqual(formulaPlace(nodes, 1, ['fee'], 1).names, ['fee', 'stars', 'left']);
  assert.deepEqual(formulaPlace(nodes, 0, ['fee'], 0).names, ['fee']);
  assert.deepEqual(formulaPlace(nodes, 2, ['fee'], 0), { names: ['fee'], isBeforeScore: true });
});

test('completes the name at the caret', () => {
  const words = formulaWords({ names: ['stars'], isBeforeScore: false }, ['tier', 'visits'], ['min', 'max']);
  const source = 'max(cust, 1)';
  const typed = wordAt(source, 8);
  assert.deepEqual(typed, { text: 'cust', start: 4 });
  const found = completions(words, 'cust').map(({ text }) => text);
  assert.deepEqual(found, ['customer.tier', 'customer.visits', 'offer.customFields']);
  assert.deepEqual(complete(source, typed!, completions(words, 'cust')[0]!), {
    text: 'max(customer.tier, 1)',
    caret: 17,
  });
  assert.deepEqual(
    completions(words, 'vis').map(({ text }) => text),
    ['customer.visits'],
  );
  assert.deepEqual(completions(words, 'customer.tier'), [], 'nothing is left to complete');
  assert.deepEqual(complete('mi(1)', { text: 'mi', start: 0 }, { text: 'min(', from: 'function' }), {
    text: 'min(1)',
    caret: 3,
  });
});

test('suggests nothing inside quotes, and no score before scoring', () => {
  assert.equal(wordAt('"customer', 9), null);
  assert.deepEqual(wordAt('"a" + cus', 9)?.text, 'cus');
  assert.equal(wordAt('1 + ', 4), null);
  const before = formulaWords({ names: [], isBeforeScore: true }, [], []);
  assert.ok(!before.some(({ from }) => from === 'score'));
});
