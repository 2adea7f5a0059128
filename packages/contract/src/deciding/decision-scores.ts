import Type, { type Static } from 'typebox';
import { Nullable, StringEnum } from '../core/schemas.ts';

// Parts that records, traces and responses of decisions share (docs/design/api-decisioning.md 11).

const text = (description: string) => Type.String({ description });
const number = (description: string) => Type.Number({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Factors of a score. */
export const ScoreComponents = Type.Object(
  {
    propensity: number('Likelihood of a positive outcome.'),
    relevance: number('Fit of channel, recency and interests.'),
    impact: number('Business value.'),
    emphasis: number('Priority as a share.'),
    fitMultiplier: number('Product of the penalties of failed match rules.'),
  },
  { description: "Components of the score. All are computed, including those the method doesn't use." },
);
export type ScoreComponents = Static<typeof ScoreComponents>;

/** How chance took part in choosing an item, as responses show it. */
export const DecisionSelection = Type.Object(
  {
    probability: Type.Number({
      description: 'Probability with which this item was drawn here; 1 if nothing was left to chance.',
    }),
    estimated: Type.Boolean({ description: 'True if the probability is an estimate.' }),
    explored: Type.Boolean({ description: 'True if exploration chose another item than the best.' }),
    method: Type.String({ description: 'Rank method, exploration strategy or `mandatory`.' }),
  },
  { description: 'How the item was chosen.' },
);

export const draws = Type.Optional(
  Type.Integer({ minimum: 1, description: 'Repetitions behind an estimated probability; absent if it is exact.' }),
);

/** The same, as records and traces show it. */
export const ItemSelection = Type.Object(
  { ...DecisionSelection.properties, draws },
  { description: 'How the item was chosen.' },
);
export type ItemSelection = Static<typeof ItemSelection>;

const Coupling = Type.Object(
  {
    channelId: text('Channel.'),
    mode: text('Coupling of the placements: `atomic` empties all of them if one is empty.'),
    source: StringEnum(['flow', 'channel'], { description: 'Where the mode is set.' }),
    cascaded: Type.Boolean({ description: 'True if placements were emptied.' }),
    emptyPlacements: Type.Array(Type.String(), { description: 'Placements without an item.' }),
    suppressedPlacements: Type.Array(Type.String(), { description: 'Placements that were emptied.' }),
  },
  { description: 'Coupling on one channel.' },
);

/** Number of offers left after each stage. */
export const DecisionSummary = Type.Object(
  {
    candidateCount: count('Offers that entered the flow.'),
    mandatoryCount: count('Offers that must be shown.'),
    afterCreatives: count('Offers left after matching creatives.'),
    afterQualification: count('Offers left after qualification.'),
    afterSuppression: count('Offers left after suppressions.'),
    afterContactPolicy: count('Offers left after contact policies.'),
    afterScoring: count('Offers left after scoring.'),
    finalCount: count('Items in the response.'),
    computeErrors: count('Formulas that failed for the items in the response.'),
    channelCoupling: Type.Array(Coupling, {
      description: 'Coupling by requested channel; empty unless `placements` was requested.',
    }),
    slateProbability: number('Product of the selection probabilities.'),
    droppedByReason: Type.Record(Type.String(), Type.Integer(), { description: 'Number of dropped offers by reason.' }),
    warnings: Type.Array(Type.String(), { description: 'Warnings of all stages, such as `enrich_missing`.' }),
  },
  { description: 'Number of offers left after each stage.' },
);
export type DecisionSummary = Static<typeof DecisionSummary>;

const CalledVariant = Type.Object(
  {
    flowKey: text('Key of the called flow.'),
    nodeId: Nullable(Type.String(), { description: 'ID of its score node.' }),
    variant: text("`__champion__`, `__holdout__` or the challenger's key."),
    share: number('Share of customers with this variant, 0 to 1.'),
    experimentKey: Type.Optional(text('Experiment that splits the customers. Absent if the flow splits them itself.')),
  },
  { description: 'Champion or challenger of a called flow.' },
);

/** Chance outside the ranking, except for the holdout. */
export const assignment = {
  creative: Type.Array(Type.Number(), {
    description:
      'For each item, the share of its creative among the usable ones of its offer; 1 if it is the only one.',
  }),
  experiment: Nullable(Type.Number(), {
    description:
      'Share of customers with this variant of the experiment, or of champion and challengers; null without them.',
  }),
  called: Type.Optional(
    Type.Array(CalledVariant, {
      description: 'Variants of called flows that scored, in order; absent if they have no challengers.',
    }),
  ),
};
