import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qualificationRuleTypes } from '@arbiter/contract/catalogue/qualification-rules';
import { reachQuestion } from './reach.ts';

test('asks about an attribute of the customer by its column', () => {
  const config = { attribute: 'customer.age', operator: 'gte', value: 18 };
  assert.deepEqual(reachQuestion('attribute_condition', config), {
    kind: 'ask',
    body: { ruleType: 'attribute_condition', field: 'age', operator: 'gte', value: 18 },
  });
  assert.deepEqual(reachQuestion('attribute_condition', { attribute: 'age', operator: 'exists', onMissing: 'pass' }), {
    kind: 'ask',
    body: { ruleType: 'attribute_condition', field: 'age', operator: 'exists', onMissing: 'pass' },
  });
});

test('says when there is nothing to ask yet', () => {
  for (const type of qualificationRuleTypes) assert.notEqual(reachQuestion(type, {}).kind, 'ask', type);
  assert.equal(reachQuestion('attribute_condition', { attribute: 'age', operator: 'gte' }).kind, 'incomplete');
  assert.equal(reachQuestion('recency_check', { attribute: 'last_visit' }).kind, 'incomplete');
});

test('says what the API cannot estimate', () => {
  const reasonOf = (type: string, config: Readonly<Record<string, unknown>>) => {
    const question = reachQuestion(type, config);
    return question.kind === 'never' ? question.reason : question.kind;
  };
  assert.equal(reasonOf('propensity_threshold', { minScore: 0.1 }), 'propensity_threshold');
  assert.equal(reasonOf('offer_attribute', { attribute: 'offer.price' }), 'offer_attribute');
  assert.equal(reasonOf('attribute_condition', { attribute: 'request.page', operator: 'eq', value: 1 }), 'attribute');
  assert.equal(reasonOf('recency_check', { attribute: 'last_visit', minDays: 3 }), 'minDays');
});
