import { type PackFlow, reference } from '../pack.ts';
import { tierStars } from './members.ts';

/** Flows of the pack. The first becomes the tenant's default if the tenant has only the base flow. */
export const coffeeFlows: readonly PackFlow[] = [
  {
    key: 'coffee-next-best-offer',
    name: 'Coffee next best offer',
    description: 'The best offers for a member, on any channel.',
    notes: 'coffee_rewards',
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
            formula: { propensityWeight: 1, relevanceWeight: 1, impactWeight: 0.5, emphasisWeight: 1.5 },
          },
        },
        {
          id: 'rank',
          type: 'rank',
          name: 'Best first, not twice of a kind',
          config: { method: 'diversity', lambda: 0.7 },
        },
        {
          id: 'compute',
          type: 'compute',
          name: 'Stars to the next tier',
          config: {
            formulaExtras: [
              {
                key: 'stars_to_next_tier',
                formula: `if(customer.tier == "black", 0, max(0, if(customer.tier == "gold", ${tierStars.black}, ${tierStars.gold}) - coalesce(customer.stars, 0)))`,
                outputType: 'number',
              },
            ],
          },
        },
        { id: 'response', type: 'response', name: 'Answer', config: { responseFormat: 'standard' } },
      ],
      // One response in twenty is drawn from the best twenty offers, so that what the others would have earned can be
      // estimated later.
      flowConfig: { defaultLimit: 1, explore: { rate: 0.05 } },
    },
  },
  {
    key: 'coffee-explore',
    name: 'Coffee explore',
    description: 'Learns what members like: a bandit scores, and now and then another offer is tried.',
    notes: 'coffee_rewards',
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
          name: 'What members have liked',
          config: { method: 'propensity', modelKey: reference('model', 'coffee-thompson') },
        },
        {
          id: 'rank',
          type: 'rank',
          name: 'The best, or one to try',
          config: { method: 'explore_exploit', strategy: 'epsilon_greedy', explorationRate: 0.1, poolSize: 6 },
        },
        { id: 'response', type: 'response', name: 'Answer', config: { responseFormat: 'standard' } },
      ],
      flowConfig: { defaultLimit: 1 },
    },
  },
];
