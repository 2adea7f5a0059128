import Type, { type Static } from 'typebox';
import { Nullable, StringEnum } from '../core/schemas.ts';
import { DroppedOffer } from '../deciding/decision-drops.ts';
import { PolicyResult } from '../deciding/decision-policies.ts';
import { RuleResult } from '../deciding/decision-rules.ts';
import { DecisionSummary, ItemSelection } from '../deciding/decision-scores.ts';
import { ScoredOffer, SuppressionResult, TraceStage } from '../deciding/decision-trace.ts';
import { traceRows } from './limits.ts';

// How a decision came about, in one form for every source (docs/adr/0073-explain-decisions-in-the-contract.md).

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });
const numberOrNull = (description: string) => Nullable(Type.Number(), { description });

/** An offer of the response. */
export const ExplainedItem = Type.Object(
  {
    offerId: text('Offer.'),
    offerName: textOrNull('Name of the offer; null if it was deleted.'),
    rank: Type.Integer({ minimum: 1, description: 'Position in the response, from 1.' }),
    score: numberOrNull('Score, 6 decimals; null if the response left it out.'),
    creativeId: textOrNull('Creative.'),
    channelId: textOrNull('Channel.'),
    placementId: textOrNull('Placement.'),
    mandatory: Type.Boolean({ description: 'True for an offer that must be shown.' }),
    selection: Nullable(ItemSelection, { description: 'How the item was chosen; null if the response left it out.' }),
  },
  { description: 'An offer of the response.' },
);
export type ExplainedItem = Static<typeof ExplainedItem>;

/** A scored offer. A record has the scores of its items only, without how they came about. */
export const ExplainedScore = Type.Object(
  {
    ...ScoredOffer.properties,
    rank: Nullable(Type.Integer({ minimum: 1 }), {
      description: 'Position by score, from 1; null for the source `record`.',
    }),
    method: textOrNull('Score method that was used, such as `formula`; null for the source `record`.'),
    creativeWeight: numberOrNull('Weight of the creative; 100 without one. Null for the source `record`.'),
    evidence: Nullable(ScoredOffer.properties.evidence, {
      description: 'Outcomes the propensity is based on; null for the source `record`.',
    }),
  },
  { description: 'A scored offer.' },
);
export type ExplainedScore = Static<typeof ExplainedScore>;

/** Results of rules, suppressions and contact policies. */
export const ExplainedGates = Type.Object(
  {
    rules: Type.Array(RuleResult, { description: `Rules that were evaluated, at most ${traceRows.perOffer}.` }),
    suppressions: Type.Array(SuppressionResult, {
      description: `Suppressions that were found, at most ${traceRows.perOffer}.`,
    }),
    policies: Type.Array(PolicyResult, {
      description: `Contact policies that were evaluated, at most ${traceRows.perOffer}.`,
    }),
  },
  { description: 'Results of the gates. Those of offers in the response come first.' },
);
export type ExplainedGates = Static<typeof ExplainedGates>;

export const explanationSources = ['trace', 'replay', 'record'] as const;

/** How a recorded decision came about. */
export const Explanation = Type.Object(
  {
    source: StringEnum(explanationSources, {
      description:
        "`trace`: the stored trace. `replay`: no trace is stored, so the decision was repeated from its record. `record`: it can't be repeated, so only the items of the record are known.",
    }),
    channel: textOrNull('Channel type, as requested. Null for the source `record`.'),
    channelId: textOrNull('Channel, as requested. Null for the source `record`.'),
    placement: textOrNull('Placement, as requested. Null for the source `record`.'),
    stages: Type.Array(TraceStage, { description: 'Stages in order; empty for the source `record`.' }),
    items: Type.Array(ExplainedItem, { description: 'Offers of the response, by rank.' }),
    scores: Type.Array(ExplainedScore, { description: `Scored offers, best first, at most ${traceRows.perOffer}.` }),
    dropped: Type.Array(DroppedOffer, { description: `Dropped offers, at most ${traceRows.dropped}.` }),
    gates: Nullable(ExplainedGates, { description: 'Results of the gates; null for the source `record`.' }),
    summary: Type.Object(
      {
        ...DecisionSummary.properties,
        durationMs: numberOrNull('Duration of the decision in milliseconds; null unless a trace is stored.'),
      },
      { description: 'Number of offers left after each stage.' },
    ),
    cut: Type.Array(StringEnum(['scores', 'dropped', 'gates'], { description: 'A list.' }), {
      description: 'Lists that reached their limit, so more rows may exist.',
    }),
  },
  { description: 'How the decision came about.' },
);
export type Explanation = Static<typeof Explanation>;
