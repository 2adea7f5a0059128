import { type PackFlow, reference } from '../pack.ts';

/** Flows of the pack. The first becomes the tenant's default if the tenant has only the base flow. */
export const telcoFlows: readonly PackFlow[] = [
  {
    key: 'telco-next-best-action',
    name: 'Telco next best action',
    description: 'Help, keep or grow: the best actions for a subscriber, hero and side of the account page together.',
    notes: 'telco_care',
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
            formula: { propensityWeight: 1, relevanceWeight: 1, impactWeight: 0.5, emphasisWeight: 1 },
            evidence: { offerMin: 30, categoryMin: 20 },
          },
        },
        {
          id: 'rank',
          type: 'rank',
          name: 'Best first, not twice of a kind',
          config: { method: 'diversity', lambda: 0.7 },
        },
        {
          id: 'group',
          type: 'group',
          name: 'Hero before side',
          config: {
            allocation: 'optimal',
            placementWeights: {
              [reference('placement', 'Web/Hero')]: 2,
              [reference('placement', 'Web/Side')]: 1,
            },
          },
        },
        { id: 'response', type: 'response', name: 'Answer', config: { responseFormat: 'standard' } },
      ],
      flowConfig: { defaultLimit: 2, explore: { rate: 0.05 } },
    },
  },
  {
    key: 'telco-save',
    name: 'Telco save',
    description: 'The one offer that keeps a subscriber: for the agent on the phone.',
    notes: 'telco_care',
    draftConfig: {
      version: 2,
      nodes: [
        {
          id: 'inventory',
          type: 'inventory',
          name: 'Retain',
          config: { scope: 'category', categoryIds: [reference('category', 'Retain')] },
        },
        { id: 'creatives', type: 'match_creatives', name: 'With a message', config: { requireCreative: true } },
        { id: 'qualify', type: 'qualify', name: 'Who may get it', config: {} },
        { id: 'policy', type: 'contact_policy', name: 'Not too often', config: {} },
        {
          id: 'score',
          type: 'score',
          name: 'What has kept others',
          config: { method: 'propensity', modelKey: reference('model', 'telco-epsilon') },
        },
        { id: 'rank', type: 'rank', name: 'The best one', config: { method: 'topN', topN: 1 } },
        { id: 'response', type: 'response', name: 'Answer', config: { responseFormat: 'standard' } },
      ],
      flowConfig: { defaultLimit: 1 },
    },
  },
];
