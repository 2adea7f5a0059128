import Type, { type Static } from 'typebox';
import { Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { Warning } from '../core/warnings.ts';
import { debugRows, traceRows } from '../explanation/limits.ts';
import { DroppedOffer, suppression } from './decision-drops.ts';
import { PolicyResult } from './decision-policies.ts';
import { ShownAssignment } from './decision-record.ts';
import { RuleResult } from './decision-rules.ts';
import { DecisionSummary, ItemSelection, ScoreComponents } from './decision-scores.ts';

// How a decision came about, stage by stage (docs/design/api-decisioning.md 11).

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });
const number = (description: string) => Type.Number({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const flag = (description: string) => Type.Boolean({ description });

/** One stage of a decision. */
export const TraceStage = Type.Object(
  {
    stage: text(
      'Type of the node, or a stage of the engine: `mandatory`, `suppression`, `admission`, `coupling`. Stages of a called flow start with `call_flow:<flow key>/`.',
    ),
    nodeId: textOrNull('ID of the node; null for a stage that is not part of the flow.'),
    candidates: count('Number of offers that entered the stage.'),
    passed: count('Number of offers that remained.'),
    topScore: Nullable(Type.Number(), {
      description: 'Highest score after the stage, 6 decimals; null if the stage scores nothing.',
    }),
    method: textOrNull('Score, rank or allocation method used by the stage, or null.'),
    dropped: Type.Record(Type.String(), Type.Integer(), { description: 'Number of dropped offers by reason.' }),
    warnings: Type.Array(Type.String(), { description: 'Warnings of the stage, such as `enrich_missing`.' }),
    skipped: Type.Optional(
      Type.Literal(true, { description: 'True if a conditional skipped the node; otherwise absent.' }),
    ),
    durationMs: Nullable(Type.Number(), {
      description: 'Duration in milliseconds, 3 decimals; null if it was not measured.',
    }),
  },
  { description: 'One stage of a decision.' },
);
export type TraceStage = Static<typeof TraceStage>;

/** A scored offer. */
export const ScoredOffer = Type.Object(
  {
    offerId: text('Offer.'),
    score: number('Score, 6 decimals.'),
    rank: Type.Integer({ minimum: 1, description: 'Position by score, from 1.' }),
    method: text('Score method that was used, such as `formula`.'),
    exponents: Nullable(
      Type.Object({
        propensity: number('Exponent of propensity.'),
        relevance: number('Exponent of relevance.'),
        impact: number('Exponent of impact.'),
        emphasis: number('Exponent of emphasis.'),
      }),
      { description: 'Exponents of the score method `formula`; null for other methods.' },
    ),
    creativeWeight: number('Weight of the creative; 100 without one. Used by `priority_weighted`.'),
    components: ScoreComponents,
    priority: number('Priority of the offer, or of its creative.'),
    modelKey: textOrNull('Model that provided the propensity.'),
    modelType: textOrNull('Type of that model.'),
    propensitySource: text('Source of the propensity, such as `model` or `offer`.'),
    evidence: Type.Object(
      {
        positives: number('Positive outcomes so far.'),
        negatives: number('Negative outcomes so far.'),
        maturity: StringEnum(['cold_start', 'immature', 'maturing', 'mature'], {
          description: 'By outcomes: none, fewer than 50, fewer than 200, or 200 and more.',
        }),
      },
      { description: 'Outcomes the propensity is based on.' },
    ),
    shadowScores: Type.Record(Type.String(), Type.Number(), {
      description: 'Scores of shadow models by model key, 6 decimals.',
    }),
    contributions: Type.Array(
      Type.Object({
        feature: text('Feature of the model.'),
        value: number("Its contribution to the model's raw score, 6 decimals: log-odds, or points of a scorecard."),
      }),
      {
        description:
          'With `computeShap` of the score node: up to five features that matter most to the model, the largest contribution first, for the 200 best offers. Otherwise empty.',
      },
    ),
  },
  { description: 'A scored offer.' },
);
export type ScoredOffer = Static<typeof ScoredOffer>;

/** A suppression that was found for an offer. */
export const SuppressionResult = Type.Object(
  {
    offerId: text('Offer.'),
    blocked: flag('False if a policy lifted the suppression.'),
    ...suppression,
    policyId: textOrNull('Policy that created the suppression; null if it was set by hand.'),
  },
  { description: 'A suppression of an offer.' },
);
export type SuppressionResult = Static<typeof SuppressionResult>;

/** An offer of the response, as the trace shows it. */
export const SelectedOffer = Type.Object(
  {
    offerId: text('Offer.'),
    offerName: textOrNull('Name of the offer.'),
    score: number('Score, 6 decimals.'),
    rank: Type.Integer({ minimum: 1, description: 'Position in the response, from 1.' }),
    creativeId: textOrNull('Creative.'),
    channelId: textOrNull('Channel.'),
    placementId: textOrNull('Placement.'),
    mandatory: flag('True for an offer that must be shown.'),
    interactionId: textOrNull('ID of the item in history; null for a dry run.'),
    selection: ItemSelection,
  },
  { description: 'An offer of the response.' },
);
export type SelectedOffer = Static<typeof SelectedOffer>;

/** Summary of a decision with its duration. */
export const TimedSummary = Type.Object(
  { ...DecisionSummary.properties, durationMs: number('Duration of the decision in milliseconds.') },
  { description: 'Number of offers left after each stage.' },
);
export type TimedSummary = Static<typeof TimedSummary>;

/** `meta` of a response with `debug`. */
export const DebugMeta = Type.Object(
  {
    stages: Type.Array(TraceStage, { description: 'Stages in order.' }),
    dropped: Type.Array(DroppedOffer, { description: `Dropped offers, at most ${debugRows.dropped}.` }),
    scores: Type.Array(ScoredOffer, { description: `Scored offers, best first, at most ${debugRows.scores}.` }),
    warnings: Type.Array(Type.String(), { description: 'Warnings of all stages.' }),
    hint: Type.Optional(text('What to request instead, if no channel or placement matches.')),
    schemaWarnings: Type.Optional(
      Type.Array(Warning, { description: "Customer schemas with rows that the flow doesn't read." }),
    ),
  },
  { description: 'How the decision came about.' },
);
export type DebugMeta = Static<typeof DebugMeta>;

/** The champion, challenger or holdout of the flow's own score node. */
export const ExperimentAssignment = Type.Object(
  {
    experimentKey: textOrNull('Experiment that splits the customers, or null if the flow splits them itself.'),
    variant: text("`__champion__`, `__holdout__` or the challenger's key."),
    modelKey: textOrNull('Model that scored; null for the holdout.'),
    fallback: flag('True if the challenger could not be used and the champion scored.'),
  },
  { description: 'Variant of the customer.' },
);

/** What a trace stores. */
export const TraceBody = Type.Object({
  source: text('Kind of request: recommend, campaign, journey or trigger.'),
  decisionFlowId: text('Flow that ran.'),
  decisionFlowVersion: Nullable(Type.Integer(), { description: 'Published version that ran; null for a draft.' }),
  configVersion: Type.Integer({ description: 'Catalogue version used.' }),
  planHash: text('SHA-256 of the plan content.'),
  seed: text('Seed of all random draws in the decision.'),
  inputsHash: text('SHA-256 of the inputs.'),
  channel: textOrNull('Channel type, as requested.'),
  channelId: textOrNull('Channel, as requested.'),
  placement: textOrNull('Placement, as requested.'),
  placements: Nullable(
    Type.Array(
      Type.Object({
        placementId: text('Placement.'),
        limit: Nullable(Type.Integer(), { description: 'Maximum items; null if none was set.' }),
      }),
    ),
    { description: 'Placements, as requested.' },
  ),
  customerSegments: Type.Array(Type.String(), {
    description: 'IDs and names of the segments that were used: stored memberships and those of the request.',
  }),
  pipeline: Type.Array(TraceStage, { description: 'Stages in order.' }),
  scoringResults: Type.Array(ScoredOffer, { description: `Scored offers, best first, at most ${traceRows.perOffer}.` }),
  selectedOffers: Type.Array(SelectedOffer, { description: 'Offers of the response, by rank.' }),
  qualificationResults: Type.Array(RuleResult, {
    description: `Rules that were evaluated, at most ${traceRows.perOffer}, those of selected offers first.`,
  }),
  contactPolicyResults: Type.Array(PolicyResult, {
    description: `Contact policies that were evaluated, at most ${traceRows.perOffer}, those of selected offers first.`,
  }),
  suppressionResults: Type.Array(SuppressionResult, {
    description: `Suppressions that were found, at most ${traceRows.perOffer}, those of selected offers first.`,
  }),
  dropped: Type.Array(DroppedOffer, { description: `Dropped offers, at most ${traceRows.dropped}.` }),
  result: Type.Object(
    {
      count: count('Number of items.'),
      topOffer: Nullable(Type.Object({ offerId: text('Offer.'), score: number('Score, 6 decimals.') }), {
        description: 'First item; null without items.',
      }),
    },
    { description: 'The result in short.' },
  ),
  summary: TimedSummary,
  assignment: ShownAssignment,
  controlGroup: flag('True for a holdout customer.'),
  degradedScoring: flag('True if a model could not be used.'),
  experimentAssignment: Nullable(ExperimentAssignment, {
    description: 'Champion or challenger that scored; null if the flow has none.',
  }),
  totalDurationMs: number('Duration of the decision in milliseconds.'),
});
export type TraceBody = Static<typeof TraceBody>;

/** A stored trace. */
export const DecisionTrace = Type.Object(
  {
    id: text('ID of the trace.'),
    customerId: text('Customer the decision was made for.'),
    requestId: text('ID of the request.'),
    recommendationId: text('ID of the decision.'),
    decisionFlowKey: text('Key of the flow.'),
    ...TraceBody.properties,
    createdAt: Timestamp('When the decision was made.'),
  },
  { description: 'How a decision came about, stage by stage.' },
);
export type DecisionTrace = Static<typeof DecisionTrace>;
