import { type PackFlow, reference } from '../pack.ts';
import { buildFlow } from '../record-builders.ts';

/** Flows of the pack. The first becomes the tenant's default if the tenant has only the base flow. */
export const telcoFlows: readonly PackFlow[] = [
  buildFlow({
    key: 'telco-next-best-action',
    name: 'Telco next best action',
    description:
      "Help, keep or grow: the best actions for a subscriber, with the account page's hero and side filled together.",
    notes: 'telco_care',
    nodes: [
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
        name: 'Rank with variety',
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
    ],
    flowConfig: { defaultLimit: 2, explore: { rate: 0.05 } },
  }),
  buildFlow({
    key: 'telco-save',
    name: 'Telco save',
    description: 'The one offer most likely to keep a subscriber, for the agent on the phone.',
    notes: 'telco_care',
    inventory: {
      id: 'inventory',
      type: 'inventory',
      name: 'Retain',
      config: { scope: 'category', categoryIds: [reference('category', 'Retain')] },
    },
    nodes: [
      {
        id: 'score',
        type: 'score',
        name: 'Score by save bandit',
        config: { method: 'propensity', modelKey: reference('model', 'telco-epsilon') },
      },
      { id: 'rank', type: 'rank', name: 'Top offer', config: { method: 'topN', topN: 1 } },
    ],
    flowConfig: { defaultLimit: 1 },
  }),
];
