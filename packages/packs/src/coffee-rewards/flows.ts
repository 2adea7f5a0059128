import { type PackFlow, reference } from '../pack.ts';
import { buildFlow } from '../record-builders.ts';
import { tierStars } from './members.ts';

/** Flows of the pack. The first becomes the tenant's default if the tenant has only the base flow. */
export const coffeeFlows: readonly PackFlow[] = [
  buildFlow({
    key: 'coffee-next-best-offer',
    name: 'Coffee next best offer',
    description: 'The best offers for a member, on any channel.',
    notes: 'coffee_rewards',
    nodes: [
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
        name: 'Rank with variety',
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
    ],
    // One response in twenty is drawn from the best twenty offers, so that what the others would have earned can be
    // estimated later.
    flowConfig: { defaultLimit: 1, explore: { rate: 0.05 } },
  }),
  buildFlow({
    key: 'coffee-explore',
    name: 'Coffee explore',
    description: 'Learns what members like: a bandit scores, and now and then it tries another offer.',
    notes: 'coffee_rewards',
    nodes: [
      {
        id: 'score',
        type: 'score',
        name: 'Score by taste bandit',
        config: { method: 'propensity', modelKey: reference('model', 'coffee-thompson') },
      },
      {
        id: 'rank',
        type: 'rank',
        name: 'Best, or one to try',
        config: { method: 'explore_exploit', strategy: 'epsilon_greedy', explorationRate: 0.1, poolSize: 6 },
      },
    ],
    flowConfig: { defaultLimit: 1 },
  }),
];
