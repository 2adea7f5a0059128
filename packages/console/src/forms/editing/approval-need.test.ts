import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contactPolicyOperations } from '@arbiter/contract/catalogue/contact-policies';
import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { offerOperations } from '@arbiter/contract/catalogue/offers';
import { approvedBy } from '@arbiter/contract/operations/approvals';
import { type ApprovalContext, approvableTypes, needsApproval } from './approval-need.ts';

const editor: ApprovalContext = { role: 'editor', isWorkflowOn: true };
const offer = { operation: offerOperations.updateById, entityType: 'offer' };

test('names every entity type that approvals apply', () => {
  assert.deepEqual(approvableTypes, Object.keys(approvedBy).toSorted());
});

test('an editor needs an approval to make a record live, and to change a live one', () => {
  const needs = (before: string | null, after: string, name = 'A') =>
    needsApproval(
      { ...offer, before: before === null ? null : { name: 'A', status: before }, after: { name, status: after } },
      editor,
    );
  assert.equal(needs(null, 'draft'), false);
  assert.equal(needs(null, 'active'), true);
  assert.equal(needs('draft', 'active'), true);
  assert.equal(needs('active', 'active', 'B'), true);
  assert.equal(needs('active', 'active'), false);
  assert.equal(needs('active', 'paused', 'B'), false, 'taking a record out of use is free');
});

test('editors can change what decisions with a live flow do not read', () => {
  const needs = (change: object) => {
    const before = { name: 'A', status: 'active', isDefault: false, draftConfig: {} };
    const write = { operation: decisionFlowOperations.updateById, entityType: 'decisionFlow' };
    return needsApproval({ ...write, before, after: { ...before, ...change } }, editor);
  };
  assert.equal(needs({ name: 'B', draftConfig: { nodes: [] }, isProtected: false, autoAssembly: false }), false);
  assert.equal(needs({ isDefault: true }), true);
});

test('an editor requests what only admins write, where the tenant wants approvals', () => {
  const write = {
    operation: contactPolicyOperations.create,
    entityType: 'contactPolicy',
    before: null,
    after: { status: 'draft' },
  };
  assert.equal(needsApproval(write, editor), true);
  assert.equal(needsApproval(write, { ...editor, role: 'admin' }), false);
  assert.equal(needsApproval(write, { ...editor, role: 'viewer' }), false);
  assert.equal(needsApproval(write, { ...editor, isWorkflowOn: false }), false);
  assert.equal(needsApproval({ ...write, entityType: 'category' }, editor), false);
});
