import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qualificationRuleTypes } from '@arbiter/contract/catalogue/qualification-rules';
import { consequence, ruleSentence, ruleTypeNames } from './rules.ts';

test('each of the six types has a name and a sentence, also for an empty config', () => {
  for (const type of qualificationRuleTypes) {
    assert.ok(ruleTypeNames[type], type);
    assert.ok(ruleSentence(type, {}).length > 5, type);
  }
});

test('sentences hold the values of the config', () => {
  assert.equal(
    ruleSentence('attribute_condition', { attribute: 'age', operator: 'gte', value: 16, onMissing: 'pass' }),
    'age at least 16, or no value',
  );
  assert.equal(
    ruleSentence('recency_check', { attribute: 'visit', minDays: 3, maxDays: 90 }),
    'visit at least 3 and at most 90 days ago',
  );
  assert.equal(ruleSentence('segment_required', { requiredSegments: ['gold', 'new'] }), 'Member of gold and new');
  const nameOf = (id: string) => new Map([['s1', 'High value']]).get(id) ?? id;
  assert.equal(
    ruleSentence('segment_required', { requiredSegments: ['s1', 'new'] }, nameOf),
    'Member of High value and new',
  );
  assert.equal(
    ruleSentence('propensity_threshold', { minScore: 0.3, modelKey: 'gbm' }),
    'Propensity from gbm at least 0.3',
  );
});

test('only the stage match lowers a score', () => {
  assert.equal(consequence('match', { penalty: 0.7 }), 'multiplies the score by 0.7');
  assert.equal(consequence('match', {}), 'multiplies the score by 0.5');
  assert.equal(consequence('fit', { penalty: 0.7 }), 'drops the offer');
});
