import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionText, listText, operatorText } from './conditions.ts';

test('writes conditions as sentences, in either notation', () => {
  const gold = { field: 'tier', operator: 'eq', value: 'gold' };
  const adult = { field: 'age', operator: '>=', value: 18 };
  assert.equal(conditionText(gold), 'tier is gold');
  assert.equal(conditionText([gold, adult]), 'tier is gold and age at least 18');
  assert.equal(conditionText({ any: [gold, adult] }), 'tier is gold or age at least 18');
  assert.equal(conditionText({ combinator: 'OR', conditions: [gold, adult] }), 'tier is gold or age at least 18');
  assert.equal(
    conditionText({ logic: 'and', conditions: [gold, { logic: 'or', conditions: [adult, gold] }] }),
    'tier is gold and (age at least 18 or tier is gold)',
  );
});

test('omits empty conditions, and unwraps groups of one', () => {
  assert.equal(conditionText({ logic: 'and', conditions: [] }), null);
  assert.equal(conditionText(undefined), null);
  assert.equal(conditionText({ logic: 'or', conditions: [{ field: 'a', operator: 'is_null' }] }), 'a has no value');
});

test('has words for every operator', () => {
  assert.equal(operatorText('between', [1, 5]), 'between 1 and 5');
  assert.equal(operatorText('in', ['gold', 'black']), 'is one of gold or black');
  assert.equal(operatorText('within_last_days', 30), 'within the last 30 days');
  assert.equal(operatorText('eq', true), 'is yes');
  assert.equal(operatorText('exists', null), 'has a value');
  assert.equal(operatorText('sounds_like', 'x'), 'sounds_like x');
});

test('counts long lists', () => {
  assert.equal(listText(['a', 'b', 'c']), 'a, b and c');
  assert.equal(listText('abcdefgh'.split('')), 'a, b, c, d, e, f, g and h');
  assert.equal(listText('abcdefghi'.split('')), 'a, b, c, d, e, f, g and 2 more');
});
