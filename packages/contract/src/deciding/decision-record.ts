import Type, { type Static } from 'typebox';
import { JsonObject, Nullable, StringEnum } from '../core/schemas.ts';
import { assignment, DecisionSummary, draws, ItemSelection, ScoreComponents } from './decision-scores.ts';

// What the sealed record of a decision holds: what it read and what it decided (docs/design/recording.md).

const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => Nullable(Type.String(), { description });
const number = (description: string) => Type.Number({ description });
const flag = (description: string) => Type.Boolean({ description });
const texts = (description: string) => Type.Array(Type.String(), { description });

/** Chance outside the ranking, with the side of the holdout that the customer is on. */
export const ShownAssignment = Type.Object(
  {
    ...assignment,
    holdout: Nullable(
      Type.Object({
        inHoldout: flag('True if the customer is in the holdout.'),
        share: number('Share of customers on the same side, 0 to 1.'),
      }),
      { description: 'Holdout of the tenant, or null.' },
    ),
  },
  { description: 'Probabilities of creative, experiment and holdout assignment.' },
);
export type ShownAssignment = Static<typeof ShownAssignment>;

/** An item of a recorded result. */
export const RecordedItem = Type.Object(
  {
    rank: Type.Integer({ minimum: 1, description: 'Position in the response, from 1.' }),
    placementRank: Nullable(Type.Integer(), { description: 'Position in its placement.' }),
    offerId: text('Offer.'),
    creativeId: textOrNull('Creative.'),
    channelId: textOrNull('Channel.'),
    placementId: textOrNull('Placement.'),
    effect: StringEnum(['impress', 'reserve'], {
      description: '`impress`: an impression was counted. `reserve`: the caller confirms the impression.',
    }),
    mandatory: flag('True for an offer that must be shown.'),
    priority: number('Priority of the offer, or of its creative.'),
    score: number('Score, unrounded.'),
    scoreComponents: ScoreComponents,
    modelKey: textOrNull('Model that provided the propensity.'),
    modelType: textOrNull('Type of that model.'),
    propensitySource: StringEnum(['request', 'model', 'offer', 'offer_blend', 'category', 'global', 'default'], {
      description: 'Source of the propensity.',
    }),
    selection: ItemSelection,
    content: Type.Optional(JsonObject("Rendered content. Absent if the decision can't be replayed.")),
    personalization: Type.Optional(
      JsonObject("Rendered variables and computed fields. Absent if the decision can't be replayed."),
    ),
  },
  { description: 'One item.' },
);
export type RecordedItem = Static<typeof RecordedItem>;

const RecordedPlacement = Type.Object(
  {
    placementId: text('Placement.'),
    placementName: text('Name of the placement.'),
    channelId: text('Channel of the placement.'),
    items: Type.Array(Type.Integer({ minimum: 0 }), { description: 'Positions in `items`, from 0.' }),
    emptyReason: textOrNull(
      'Why the placement has no item: `placement_inactive`, `placement_targeting`, or the stage that dropped its last candidate.',
    ),
  },
  { description: 'Result for one placement.' },
);

const Drawn = Type.Object(
  {
    offerId: textOrNull('Offer.'),
    creativeId: textOrNull('Creative.'),
    probability: number('Probability of the draw.'),
    estimated: flag('True if the probability is an estimate.'),
    explored: flag('True if exploration chose another item than the best.'),
    draws,
  },
  { description: 'One draw.' },
);

/** Result of a decision, unrounded. */
export const RecordedResult = Type.Object(
  {
    items: Type.Array(RecordedItem, { description: 'Items in delivery order.' }),
    placementResults: Nullable(Type.Array(RecordedPlacement), {
      description: 'Items by placement, for `placements` or response format `grouped`; otherwise null.',
    }),
    properties: JsonObject('Values set by set_properties nodes.'),
    emptyReason: textOrNull(
      'Why there is no item: `no_channel`, `no_placement`, `placement_inactive`, or the stage that dropped the last candidate.',
    ),
    controlGroup: flag('True for a holdout customer.'),
    degradedScoring: flag('True if a model could not be used.'),
    slateProbability: number('Product of the selection probabilities.'),
    assignment: Type.Object(
      {
        ...assignment,
        holdout: Nullable(Type.Number(), {
          description: "Share of customers on the customer's side of the holdout, or null.",
        }),
      },
      { description: 'Probabilities of creative, experiment and holdout assignment.' },
    ),
    summary: DecisionSummary,
    withheldByQuota: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "Items left out by the quota. Absent if the decision can't be replayed.",
      }),
    ),
    draws: Type.Optional(
      Type.Array(Drawn, {
        description:
          'All draws in order, if coupling or a quota removed some of them from the response; otherwise absent.',
      }),
    ),
    subFlows: Type.Optional(
      Type.Array(
        Type.Object({
          key: text('Key of the flow.'),
          version: Nullable(Type.Integer(), { description: 'Published version; null for a draft.' }),
        }),
        { description: 'Called flows that ran, in order; absent if the flow calls none.' },
      ),
    ),
  },
  { description: 'Items and summary, unrounded.' },
);
export type RecordedResult = Static<typeof RecordedResult>;

const position = Type.Union([Type.Integer(), Type.String(), Type.Null()], {
  description: 'Position in the plan, or an ID the plan does not hold; null for none.',
});

/** Request fields that differ from their defaults. */
const RecordedRequest = Type.Partial(
  Type.Object({
    customerId: text('Customer.'),
    channel: text('Channel type.'),
    channelId: text('Channel.'),
    placement: text('Placement ID, key, name or slot type.'),
    placements: Type.Array(
      Type.Object({
        placementId: text('Placement.'),
        limit: Nullable(Type.Integer(), { description: 'Maximum items; null if none was set.' }),
      }),
      { description: 'Requested placements.' },
    ),
    deduplicate: flag('True if placements must not repeat an offer.'),
    limit: Type.Integer({ description: 'Maximum items.' }),
    context: JsonObject('Context as sent, without names listed in `cut` and in `withheld`.'),
    segments: texts('Segments sent with the request.'),
    attributes: JsonObject('Attributes as sent, without names listed in `cut` and in `withheld`.'),
    locale: text('BCP 47 language tag.'),
    currency: text('ISO 4217 code.'),
    excludeOffers: texts('Offers to exclude.'),
    excludeCreatives: texts('Creatives to exclude.'),
    dryRun: flag('Always false: dry runs are not recorded.'),
    campaignId: text('Campaign the decision was made for.'),
    channelIds: texts('The only channels to use; absent: all.'),
  }),
  { description: 'Fields of the request that differ from their defaults.' },
);

const ReadSet = Type.Object({
  columns: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'Columns read, by schema ID.',
  }),
  joined: Type.Optional(texts('Names under `customer.` from joined schemas; absent if there are none.')),
  metrics: Type.Optional(texts('Keys of behavioral metrics; absent if there are none.')),
  attributes: texts('Top-level names read under `attributes.`.'),
  context: Nullable(Type.Array(Type.String()), {
    description: 'Top-level names read under `request.context.`; null for the whole context.',
  }),
  segments: texts('IDs and names of the segments whose membership is recorded.'),
});

const ExternalAnswer = Type.Union([
  Type.Object({ error: text('Why there is no answer, such as `timeout`.') }, { description: 'No answer.' }),
  Type.Object(
    {
      candidates: Type.Array(
        Type.Object({
          offerId: text('Offer.'),
          score: Nullable(Type.Number(), { description: 'Score; null if the answer has none.' }),
          drop: flag('True if the answer drops the offer.'),
        }),
        { description: 'Answers by offer.' },
      ),
    },
    { description: 'An answer.' },
  ),
]);

const StateNumber = Type.Object({ number: Type.Integer({ description: 'Number of the state.' }) });

/** Everything a decision read. */
export const RecordedInputs = Type.Object(
  {
    request: RecordedRequest,
    profile: JsonObject('Values read under `customer.`, by name.'),
    enriched: Type.Record(
      Type.String(),
      Type.Array(Nullable(JsonObject('A row.'), { description: 'A row, or null.' })),
      {
        description: 'Rows read by enrich nodes: by node ID, one row per source; null if there was none.',
      },
    ),
    metrics: Type.Record(Type.String(), Type.Number(), {
      description: 'Behavioral metrics without dimensions, by key.',
    }),
    segments: texts('IDs and names of stored segments the customer is in.'),
    counters: Nullable(
      Type.Object({
        lanes: Type.Array(Type.Array(position), {
          description: 'What contacts are counted by: offer, creative, channel and, if there is one, campaign.',
        }),
        lastAt: Type.Array(Nullable(Type.Number(), { description: 'Milliseconds.' }), {
          description: 'By lane: milliseconds from the latest contact to the decision, or null.',
        }),
        counts: Type.Array(Type.Array(Type.Integer()), { description: 'Contacts by window of the plan and by lane.' }),
      }),
      { description: 'Counted contacts, including open reservations; null if there are none.' },
    ),
    outcomes: Type.Array(Type.Array(position), {
      description:
        'Latest outcomes: key of the outcome, milliseconds before the decision, then offer, creative, channel and, if there is one, campaign.',
    }),
    suppressions: Type.Array(
      Type.Object({
        scope: StringEnum(['global', 'category', 'offer'], { description: 'What is suppressed.' }),
        scopeId: text('ID of the category or offer; `all` for global.'),
        policyId: textOrNull('Policy that created it; null if it was set by hand.'),
        reason: text('Reason.'),
        expiresAt: Type.Integer({ description: 'When it ends, in milliseconds since 1970.' }),
      }),
      { description: 'Suppressions in force.' },
    ),
    budgets: Type.Object(
      {
        soldOut: Type.Array(position, { description: 'Offers without stock.' }),
        volumes: Type.Array(Type.Array(position), {
          description:
            'Volumes near a limit: scope, target, impressions and cents in total, then impressions and cents of the day.',
        }),
      },
      { description: 'Stock and volumes that could close an offer.' },
    ),
    evidence: Type.Object(StateNumber.properties, { description: 'State of the outcomes so far.' }),
    objectiveCounts: Nullable(StateNumber, {
      description: 'State of the counts behind ranking objectives; null if none were read.',
    }),
    modelStates: Type.Record(Type.String(), Type.String(), {
      description: 'SHA-256 of what each learning model had learned, by model key.',
    }),
    breakers: Type.Record(Type.String(), Type.Literal('open'), {
      description: 'Models that were not asked because they failed before, by model key.',
    }),
    experiments: Type.Array(
      Type.Object(
        {
          key: Type.String({ description: 'Key of the experiment.' }),
          variant: Type.String({ description: "`__champion__`, `__holdout__` or the challenger's key." }),
          share: Type.Number({ description: 'Share of customers with this variant at the assignment, 0 to 1.' }),
        },
        { description: 'A variant.' },
      ),
      { description: 'Experiments that the decision was made under.' },
    ),
    external: Type.Record(Type.String(), ExternalAnswer, { description: 'Webhook responses, keyed by node ID.' }),
    now: Type.Integer({ description: 'Time used for the decision, in milliseconds since 1970.' }),
    zones: Type.Record(
      Type.String(),
      Type.Array(Type.Union([Type.Number(), Type.String(), Type.Array(Type.Array(Type.Number()))])),
      {
        description:
          'Calendar of each time zone: start of the day in milliseconds since 1970; end of the day, start and end of the week and month, and start of the last 30 days in minutes from there; then date, hour, minute, second, weekday (0 is Sunday) and, if formulas need them, UTC offsets.',
      },
    ),
    readSet: Nullable(ReadSet, {
      description:
        'Names that were read. A name without a value had none; a missing name was not read. Null if it was not recorded.',
    }),
    cut: texts('Attributes and context that were sent but not recorded, because they exceed 4 KB.'),
  },
  { description: 'Everything the decision read.' },
);
export type RecordedInputs = Static<typeof RecordedInputs>;
