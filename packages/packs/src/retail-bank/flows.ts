import type { PackFlow } from '../pack.ts';

/** Flows of the pack. The first becomes the tenant's default if the tenant has only the base flow. */
export const bankFlows: readonly PackFlow[] = [
  {
    key: 'bank-next-best-offer',
    name: 'Bank next best offer',
    description: 'The three best things to say to a client, on any channel.',
    notes: 'retail_bank',
    draftConfig: {
      version: 2,
      nodes: [
        { id: 'inventory', type: 'inventory', name: 'All offers', config: { scope: 'all' } },
        { id: 'creatives', type: 'match_creatives', name: 'With a message', config: { requireCreative: true } },
        { id: 'qualify', type: 'qualify', name: 'Who may get it', config: {} },
        { id: 'policy', type: 'contact_policy', name: 'Not too often', config: {} },
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
        { id: 'rank', type: 'rank', name: 'The best three', config: { method: 'topN', topN: 3 } },
        {
          id: 'compute',
          type: 'compute',
          name: 'What the balance would earn',
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
        { id: 'response', type: 'response', name: 'Answer', config: { responseFormat: 'standard' } },
      ],
      flowConfig: { defaultLimit: 3, explore: { rate: 0.05 } },
    },
  },
  {
    key: 'bank-adviser-desk',
    name: 'Bank adviser desk',
    description: 'Talking points for an adviser, in the order that the bank has set.',
    notes: 'retail_bank',
    draftConfig: {
      version: 2,
      nodes: [
        { id: 'inventory', type: 'inventory', name: 'All offers', config: { scope: 'all' } },
        { id: 'creatives', type: 'match_creatives', name: 'With a talking point', config: { requireCreative: true } },
        { id: 'qualify', type: 'qualify', name: 'Who may get it', config: {} },
        { id: 'policy', type: 'contact_policy', name: 'Not too often', config: {} },
        { id: 'score', type: 'score', name: 'By priority', config: { method: 'priority_weighted' } },
        { id: 'rank', type: 'rank', name: 'One of a kind', config: { method: 'diversity', lambda: 0.6 } },
        { id: 'response', type: 'response', name: 'Answer', config: { responseFormat: 'standard' } },
      ],
      flowConfig: { defaultLimit: 3 },
    },
  },
];
