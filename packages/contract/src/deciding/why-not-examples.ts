import { exampleId } from '../core/examples.ts';

/** What the documents show of a why-not. */
export const whyNotExample = { channel: 'web', limit: 3, attributes: { page: 'checkout' } };

export const whyNotAnswerExample = {
  customerId: 'CM-000001',
  offerId: exampleId('offer'),
  offerName: 'Gold card',
  verdict: 'blocked',
  selected: false,
  summary: 'Gold card is blocked by 1 gate: Minimum age. 1 change would get it returned.',
  evaluatedAt: '2026-11-20T09:00:00.000Z',
  exploration: 'greedy',
  rank: null,
  score: 0.27,
  cutoffScore: null,
  gates: [
    {
      stage: 'qualify',
      nodeId: 'qualify',
      status: 'blocked',
      id: exampleId('rule'),
      name: 'Minimum age',
      ruleType: 'attribute_condition',
      reason: 'age is 17, required gte 18',
      detail: { attribute: 'age', operator: 'gte', expected: 18, actual: 17 },
    },
  ],
  flips: [
    {
      kind: 'attribute',
      changes: [{ path: 'customer.age', from: 17, to: 18 }],
      at: null,
      verified: true,
      resultRank: 1,
    },
  ],
  search: { executions: 2, limit: 2000, truncated: false },
};
