import type { PackFlow } from '../pack.ts';
import { buildFlow } from '../record-builders.ts';

/** Flows of the pack. The first becomes the tenant's default if the tenant has only the base flow. */
export const bankFlows: readonly PackFlow[] = [
  buildFlow({
    key: 'bank-next-best-offer',
    name: 'Bank next best offer',
    description: 'The three best offers for a client, on any channel.',
    notes: 'retail_bank',
    nodes: [
      {
        id: 'score',
        type: 'score',
        name: 'Propensity, relevance, impact, emphasis',
        config: {
          method: 'formula',
          formula: { propensityWeight: 1, relevanceWeight: 1, impactWeight: 0.6, emphasisWeight: 1 },
          evidence: { offerMin: 30, categoryMin: 20 },
        },
      },
      { id: 'rank', type: 'rank', name: 'Top three', config: { method: 'topN', topN: 3 } },
      {
        id: 'compute',
        type: 'compute',
        name: 'Interest the balance would earn',
        config: {
          formulaExtras: [
            {
              key: 'interest_in_a_year',
              formula: 'max(0, coalesce(customer.balance, 0)) * 0.032',
              outputType: 'number',
            },
          ],
        },
      },
    ],
    flowConfig: { defaultLimit: 3, explore: { rate: 0.05 } },
  }),
  buildFlow({
    key: 'bank-adviser-desk',
    name: 'Bank adviser desk',
    description: "Talking points for an adviser, in the bank's order of priority.",
    notes: 'retail_bank',
    nodes: [
      { id: 'score', type: 'score', name: 'Score by priority', config: { method: 'priority_weighted' } },
      { id: 'rank', type: 'rank', name: 'Rank with variety', config: { method: 'diversity', lambda: 0.6 } },
    ],
    flowConfig: { defaultLimit: 3 },
  }),
];
