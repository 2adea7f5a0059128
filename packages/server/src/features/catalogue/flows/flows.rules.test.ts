import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { baseFlowConfig } from '@arbiter/contract';
import { emptyDraft, namesPolicy } from './flows.rules.ts';

describe('drafts that name a contact policy', () => {
  const id = '0199aaaa-0000-7000-8000-000000000001';
  it('finds the old form and v2 nodes', () => {
    assert.equal(namesPolicy({ stages: { filter: { contactPolicyIds: [id] } } }, id), true);
    assert.equal(
      namesPolicy({ version: 2, nodes: [{ id: 'f', type: 'filter', config: { contactPolicyIds: [id] } }] }, id),
      true,
    );
    assert.equal(
      namesPolicy({ version: 2, nodes: [{ id: 'p', type: 'contact_policy', config: { policyIds: ['x', id] } }] }, id),
      true,
    );
  });

  it('finds nothing elsewhere', () => {
    assert.equal(namesPolicy(emptyDraft, id), false);
    assert.equal(namesPolicy(baseFlowConfig, id), false);
    assert.equal(
      namesPolicy({ version: 2, nodes: [{ id: 'q', type: 'qualify', config: { ruleIds: [id] } }, null, 3] }, id),
      false,
    );
    assert.equal(namesPolicy({ nodes: 'x', stages: [] }, id), false);
  });
});
