import Type, { type Static } from 'typebox';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import { Id, Name, Nullable, sentAsItIs, Timestamp } from '../core/schemas.ts';

const weight = (what: string) => Type.Number({ minimum: 0, maximum: 1, description: `Weight of ${what}, 0 to 1.` });

/** Objectives that a profile can weigh (docs/design/api-catalogue.md 17). Those that aren't built yet are unknown. */
const objectives = {
  propensity: weight('the score component propensity'),
  relevance: weight('the score component relevance'),
  impact: weight('the score component impact'),
  emphasis: weight('the score component emphasis'),
  revenue: weight("the offer's revenue relative to the other candidates"),
  margin: weight("the offer's margin relative to the other candidates"),
  businessValue: weight("the offer's business value relative to the other candidates"),
  engagement: weight("the offer's positive outcomes per impression over 30 days"),
  conversion: weight("the offer's conversions per impression over 30 days"),
  recency: weight('how rarely the customer was contacted in 30 days'),
  fatigue: weight('how rarely the customer was contacted with this offer in 30 days'),
  fairness: weight("how small the offer's share of all impressions was in 7 days"),
};

const Weights = Type.Partial(Type.Object(objectives), {
  additionalProperties: false,
  description:
    "Weight by objective. At least one must be above 0; missing ones count as 0. They don't have to add up to 1.",
});
export type RankingWeights = Static<typeof Weights>;

const writable = {
  name: Name('Name. Unique among ranking profiles that are not deleted.', 200),
  description: Type.String({ maxLength: 1000, description: 'What the profile is for.' }),
  weights: Weights,
};

/** Named weights of objectives, by which flows rank. */
export const RankingProfile = Type.Object(
  {
    id: Id('ID of the ranking profile.'),
    tenantId: Id('Tenant.'),
    key: Type.String({ description: "Key. Can't be changed. Unique among ranking profiles that are not deleted." }),
    ...writable,
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A ranking profile.' },
);
export type RankingProfile = Static<typeof RankingProfile>;

const changes = Type.Partial(Type.Object(writable)).properties;

export const RankingProfileCreate = Type.Object(
  {
    ...changes,
    key: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9_-]{0,99}$',
        description: 'Lowercase letters, digits, dashes and underscores. Default: derived from the name.',
      }),
    ),
    name: writable.name,
    weights: Weights,
  },
  {
    description: 'A new ranking profile.',
    examples: [{ name: 'Balanced', weights: { propensity: 0.6, margin: 0.4 } }],
  },
);
export type RankingProfileCreate = Static<typeof RankingProfileCreate>;

const rankingProfileDraft: Draft<RankingProfileCreate> = ({ name, key, marker }) => ({
  name: name('Profile'),
  key: key('profile'),
  description: `Profile of ${marker}`,
  weights: { propensity: 1, margin: 0.5, fatigue: 0.25 },
});

/** Ranking profiles, described once. */
export const rankingProfileResource = resource({
  entityType: 'rankingProfile',
  name: 'rankingProfiles',
  path: 'ranking-profiles',
  tag: 'Ranking profiles',
  noun: 'ranking profile',
  nouns: 'ranking profiles',
  writeRole: 'editor',
  softDelete: true,
  record: RankingProfile,
  create: RankingProfileCreate,
  draft: rankingProfileDraft,
  changes,
  fixed: { key: Type.String({ description: sentAsItIs }) },
  page: { usual: 50, maximum: 200 },
  order: newestFirst,
  search: ['name', 'key'],
  searchOrder: 130,
  filters: {},
  queries: {},
  unique: { name: 'duplicate_name', key: 'duplicate_key' },
  references: {},
  removal: deleted,
  errors: { delete: ['in_use'] },
});

export const rankingProfileOperations = recordOperations(rankingProfileResource);
