import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contactPolicyTypes, flowNodeTypes, qualificationRuleTypes } from '@arbiter/contract';
import { nodeShapes, policyShapes, ruleShapes } from '@arbiter/engine';

// The engine imports nothing, so its lists of types and those of the contract are compared here.

const listsOf = (shapes: object, types: readonly string[]) => [Object.keys(shapes).sort(), types.toSorted()] as const;

test('the engine has the policy types of the contract', () => {
  assert.deepEqual(...listsOf(policyShapes, contactPolicyTypes));
});

test('the engine has the rule types of the contract', () => {
  assert.deepEqual(...listsOf(ruleShapes, qualificationRuleTypes));
});

test('the engine has the node types of the contract', () => {
  assert.deepEqual(...listsOf(nodeShapes, flowNodeTypes));
});
