import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countLeaves, opposite, readCondition, writeCondition } from './condition-model.ts';
import { ConditionTextError, conditionAsText, textAsCondition } from './condition-text.ts';

const stored = {
  logic: 'and',
  conditions: [
    { field: 'tier', operator: 'in', value: ['gold', 'two words', '7'] },
    { field: 'age', operator: 'between', value: [18, 30] },
    {
      logic: 'or',
      conditions: [
        { field: 'customer.visits', operator: 'gte', value: 3 },
        { field: 'last_visit', operator: 'not_within_last_days', value: 30 },
        { field: 'app_user', operator: 'eq', value: true },
        { field: 'email', operator: 'not_exists' },
        { field: 'name', operator: 'starts_with', value: 'and' },
        { field: 'born', operator: 'lt', value: '2000-01-31' },
      ],
    },
  ],
};

test('writes a condition as text and reads it back', () => {
  const text = conditionAsText(readCondition(stored));
  assert.equal(
    text,
    'tier in (gold, "two words", "7") and age between 18 and 30 and (customer.visits >= 3 or ' +
      'last_visit not within last 30 days or app_user = true or email not exists or name starts with "and" or born < 2000-01-31)',
  );
  assert.deepEqual(writeCondition(textAsCondition(text)), stored);
});

test('reads every form of JSON', () => {
  const leaf = { field: 'a', operator: '>', value: 1 };
  const wanted = { logic: 'and', conditions: [{ field: 'a', operator: 'gt', value: 1 }] };
  for (const form of [leaf, [leaf], { all: [leaf] }, { logic: 'and', conditions: [leaf] }])
    assert.deepEqual(writeCondition(textAsCondition(JSON.stringify(form))), wanted);
  assert.deepEqual(writeCondition(readCondition({ any: [leaf] })), { ...wanted, logic: 'or' });
  for (const empty of [null, undefined, {}, []]) assert.equal(countLeaves(readCondition(empty)), 0);
});

test('and binds closer than or, and not negates', () => {
  assert.equal(conditionAsText(textAsCondition('a = 1 or b = 2 and c = 3')), 'a = 1 or (b = 2 and c = 3)');
  assert.equal(conditionAsText(textAsCondition('not (a = 1 or b > 2)')), 'a != 1 and b <= 2');
  assert.equal(conditionAsText(textAsCondition('not a between 1 and 3')), 'a < 1 or a > 3');
});

test('says where a text goes wrong', () => {
  const at = (text: string) => {
    try {
      textAsCondition(text);
      return null;
    } catch (error) {
      return error instanceof ConditionTextError ? error.at : Number.NaN;
    }
  };
  assert.equal(at('tier'), 4);
  assert.equal(at('tier = '), 7);
  assert.equal(at('tier = gold age > 3'), 12);
  assert.equal(at('(tier = gold'), 12);
  assert.equal(at('tier in gold'), 8);
  assert.equal(at('not name starts with a'), 0);
  assert.equal(at('tier = !'), 6);
});

test('leaves out empty groups inside of others and finds no opposite of a prefix', () => {
  const empty = { kind: 'group', logic: 'or', parts: [] } as const;
  assert.deepEqual(writeCondition({ ...empty, parts: [empty] }), { logic: 'or', conditions: [] });
  assert.equal(opposite({ kind: 'leaf', field: 'a', operator: 'starts_with', value: 'b' }), null);
});
