import assert from 'node:assert/strict';
import { test } from 'node:test';
import { impactQuestion, simulationOf } from './impact.ts';

const everything = [{ scope: 'global', scopeId: null }];

test('projects each limit of a cap over its days', () => {
  const question = impactQuestion('frequency_cap', { maxPerDay: 3, windows: [{ max: 5, days: 14 }] }, everything);
  assert.equal(question.kind, 'ask');
  assert.deepEqual(question.kind === 'ask' && question.caps.map(({ most, days }) => [most, days]), [
    [3, 1],
    [5, 14],
  ]);
  assert.deepEqual(question.kind === 'ask' && question.caps[0]?.body, {
    policyType: 'frequency_cap',
    scope: 'global',
    config: { maxFrequency: 3, periodDays: 1, outcomeType: 'impression' },
  });
});

test('says what the API cannot project', () => {
  const reasonOf = (...input: Parameters<typeof impactQuestion>) => {
    const question = impactQuestion(...input);
    return question.kind === 'never' ? question.reason : 'ask';
  };
  assert.equal(reasonOf('cooldown', { cooldownHours: 24 }, everything), 'type');
  assert.equal(reasonOf('frequency_cap', {}, everything), 'type');
  assert.equal(reasonOf('frequency_cap', { maxPerDay: 0 }, everything), 'type');
  assert.equal(reasonOf('frequency_cap', { maxPerDay: 1 }, [{ scope: 'creative', scopeId: 'a' }]), 'scope');
  assert.equal(reasonOf('frequency_cap', { maxPerDay: 1 }, [{ scope: 'offer', scopeId: null }]), 'scope');
  assert.equal(reasonOf('frequency_cap', { maxPerDay: 1 }, [...everything, ...everything]), 'scope');
});

test('tries a new or idle policy as active, and an active one with its new status', () => {
  const policy = { ruleType: 'cooldown', config: { cooldownHours: 24 }, scopes: everything, priority: 50 };
  const triedAs = (...input: Parameters<typeof simulationOf>) => simulationOf(...input).overrides?.contactPolicies;
  const idle = { ...policy, status: 'paused' };
  assert.deepEqual(triedAs(null, idle), [{ ...policy, status: 'active' }]);
  assert.deepEqual(triedAs({ id: 'a', isActive: false }, idle), [{ id: 'a', ...policy, status: 'active' }]);
  assert.deepEqual(triedAs({ id: 'a', isActive: true }, idle), [{ id: 'a', ...policy, status: 'paused' }]);
});
