import Type, { type Static } from 'typebox';
import { Id, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { BacktestSpec, notEvaluableReasons } from './backtest-results.ts';
import { Overlay } from './overlays.ts';

// The request and result of an off-policy evaluation (docs/design/lead.md 3).

export const estimatorNames = ['ips', 'sips', 'snips', 'dm', 'dr', 'switch'] as const;
export const evaluationVerdicts = ['ok', 'bounded', 'refused'] as const;
export const evaluationReasons = [
  'no_decisions',
  'unsupported',
  'few_effective',
  'few_rewards',
  'skewed',
  'weights_off',
  'probabilities_wrong',
  'selection',
  'state_shift',
  'trained_on_window',
] as const;
export type EvaluationReason = (typeof evaluationReasons)[number];

const count = (description: string) => Type.Integer({ minimum: 0, description });
const number = (description: string) => Type.Number({ description });
const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const question = {
  version: Type.Union(
    [
      StringEnum(['draft'], { description: 'The draft.' }),
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of a published version.' }),
    ],
    { description: '`draft`, or the number of a published version.' },
  ),
  overlay: Type.Optional(Overlay),
  reward: Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      'What an item earns. `positive`: 1 for a positive response. `convert`: 1 for a conversion. `weighted`: the sum of `outcomeWeights`. `value`: the conversion value. The key of an outcome type: 1 for that outcome.',
  }),
  outcomeWeights: Type.Optional(
    Type.Record(Type.String({ maxLength: 64 }), Type.Number({ minimum: -1_000_000, maximum: 1_000_000 }), {
      maxProperties: 50,
      description: 'Value of each outcome, by key, for the reward `weighted`. An outcome counts once per item.',
    }),
  ),
  rewardDays: Type.Integer({
    minimum: 1,
    maximum: 30,
    description: 'Days after a decision in which responses to it count. More recent decisions are left out.',
  }),
  valueCap: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1e12,
      description: 'Maximum value of an item for the reward `value`. Default: the 99.9th percentile of the values.',
    }),
  ),
  clip: Type.Number({
    minimum: 1,
    maximum: 1000,
    description: 'Maximum weight of a decision. Larger weights are clipped.',
  }),
  confidence: Type.Number({ minimum: 0.8, maximum: 0.99, description: 'Confidence level of the intervals.' }),
  estimators: Type.Array(StringEnum(estimatorNames, { description: 'Estimator.' }), {
    minItems: 1,
    maxItems: estimatorNames.length,
    uniqueItems: true,
    description: 'Estimators to show besides the headline.',
  }),
  maxDecisions: Type.Integer({
    minimum: 1_000,
    maximum: 1_000_000,
    description: 'Maximum number of decisions, oldest first.',
  }),
  segmentIds: Type.Array(Id('Segment.'), {
    maxItems: 10,
    uniqueItems: true,
    description: 'Segments to split the result by, if the records name them.',
  }),
  maxNotEvaluableShare: Type.Number({
    minimum: 0,
    maximum: 0.2,
    description: "Maximum share of records that can't be judged. Above it, the verdict is `refused`.",
  }),
};

/** The defaults of an evaluation. */
export const evaluationDefaults = {
  rewardDays: 7,
  clip: 100,
  confidence: 0.95,
  maxDecisions: 200_000,
  maxNotEvaluableShare: 0.05,
} as const;

const instant = (description: string) =>
  Type.String({
    minLength: 10,
    maxLength: 40,
    description: `${description} An RFC 3339 timestamp with an offset, or a date for the start of that day in the tenant's time zone.`,
  });

export const EvaluationRequest = Type.Object(
  {
    version: question.version,
    overlay: question.overlay,
    from: instant('Start of the range, inclusive.'),
    to: instant('End of the range, exclusive.'),
    reward: question.reward,
    outcomeWeights: question.outcomeWeights,
    rewardDays: Type.Optional({ ...question.rewardDays, default: evaluationDefaults.rewardDays }),
    valueCap: question.valueCap,
    clip: Type.Optional({ ...question.clip, default: evaluationDefaults.clip }),
    confidence: Type.Optional({ ...question.confidence, default: evaluationDefaults.confidence }),
    estimators: Type.Optional({ ...question.estimators, default: [...estimatorNames] }),
    maxDecisions: Type.Optional({ ...question.maxDecisions, default: evaluationDefaults.maxDecisions }),
    segmentIds: Type.Optional({ ...question.segmentIds, default: [] }),
    maxNotEvaluableShare: Type.Optional({
      ...question.maxNotEvaluableShare,
      default: evaluationDefaults.maxNotEvaluableShare,
    }),
  },
  {
    additionalProperties: false,
    description: 'What to estimate.',
    examples: [{ version: 'draft', from: '2026-11-01', to: '2026-11-27', reward: 'convert' }],
  },
);
export type EvaluationRequest = Static<typeof EvaluationRequest>;

export const EvaluationSpec = Type.Object(
  {
    ...question,
    overlay: BacktestSpec.properties.overlay,
    from: Timestamp('Start of the range, inclusive.'),
    to: Timestamp('End of the range, exclusive.'),
  },
  { description: 'The request, with defaults filled in.' },
);
export type EvaluationSpec = Static<typeof EvaluationSpec>;

const Bounds = (what: string) =>
  Type.Object(
    {
      value: Nullable(number('Estimate.'), { description: 'Estimate; null if only bounds are known.' }),
      se: Nullable(number('Standard error.'), { description: 'Standard error; null if only bounds are known.' }),
      ciLower: number('Lower end of the interval.'),
      ciUpper: number('Upper end of the interval.'),
    },
    { description: what },
  );

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T, description: string) =>
  Nullable(schema, { description });

const Segment = Type.Object(
  {
    segmentId: Id('Segment.'),
    decisions: count('Decisions for customers in the segment; 0 for fewer than 10 customers.'),
    customers: count('Customers in the segment; 0 for fewer than 10.'),
    estimate: optional(
      Bounds('Estimate.'),
      'Headline estimate; null for fewer than 10 customers, or unless the verdict is `ok`.',
    ),
    logged: optional(Bounds('Mean.'), 'Actual reward per decision; null for fewer than 10 customers.'),
  },
  { description: 'A segment.' },
);

const Diagnostics = Type.Object(
  {
    effectiveSampleSizes: Type.Array(number('Size.'), {
      description: 'Effective sample size at each position in the answer.',
    }),
    rewardCustomers: count('Customers with at least one counted reward.'),
    largestWeight: number('Largest weight, before clipping.'),
    weightZ: Type.Array(Nullable(number('z.'), { description: 'z; null if not checked.' }), {
      description:
        'By position: how many standard errors the mean weight is from its expected value. Far from 0 means that a recorded probability is wrong. Null if not checked.',
    }),
    unseenSlots: number('Slots per decision that only the draft would fill. Their rewards are unknown.'),
    unsupportedOffers: Type.Array(
      Type.Object(
        { offerId: Id('Offer.'), share: share("Share of the draft's answers.") },
        { description: 'An offer.' },
      ),
      { description: 'Offers that the draft shows where the log never does, largest share first, at most 20.' },
    ),
    heaviestShare: share('Share of the variance that the ten most influential customers account for.'),
    skewness: number("Skewness of customers' contributions to the headline estimate."),
    calibration: Type.Array(
      Type.Object(
        { predicted: number('Mean prediction.'), observed: number('Mean reward.') },
        { description: 'A decile of the items.' },
      ),
      { description: 'Predicted and observed rewards of the shown items, by decile of the prediction.' },
    ),
    byClip: Type.Array(
      Type.Object(
        { clip: Nullable(number('Clip.'), { description: 'Null without clipping.' }), value: number('Estimate.') },
        { description: 'An estimate.' },
      ),
      { description: 'The headline estimate with other values of `clip`. Empty when refused.' },
    ),
    probabilities: Type.Object(
      {
        checked: count('Recorded probabilities that were recomputed.'),
        mismatches: count('Of these, probabilities with a different value.'),
      },
      { description: 'Whether the recorded probabilities are right.' },
    ),
  },
  { description: 'How well the records can judge the draft.' },
);

export const EvaluationResult = Type.Object(
  {
    verdict: StringEnum(evaluationVerdicts, {
      description:
        "`ok`: use the estimate. `bounded`: the log never showed some of the draft's answers, so the result has only bounds. `refused`: the records can't support an estimate.",
    }),
    reasons: Type.Array(StringEnum(evaluationReasons, { description: 'Reason.' }), {
      description:
        "Why the verdict isn't `ok`: `no_decisions`; `unsupported` (the draft shows what the log never does); `few_effective` (the effective sample size is below 200); `few_rewards` (fewer than 50 customers have a reward); `skewed` (a few customers dominate the result); `weights_off` and `probabilities_wrong` (recorded probabilities are wrong); `selection` (too many records can't be judged); `state_shift` (the draft's own contacts would change more than a fifth of the answers); `trained_on_window` (a model of the draft was trained on these outcomes).",
    }),
    needed: optional(
      Type.Object(
        {
          explore: Nullable(share('Rate.'), {
            description:
              'Rate of `flowConfig.explore` that would be enough over the same days; null if no rate is enough.',
          }),
          days: Nullable(count('Days.'), {
            description: 'Days that would be enough at the same rate; null if no number of days is enough.',
          }),
          from: Nullable(Timestamp('Instant.'), {
            description:
              "Earliest start of a range whose outcomes no model of the draft was trained on; null if that isn't the reason.",
          }),
        },
        { description: 'What would help.' },
      ),
      'What would be enough for an estimate. Either one suffices. Null for `ok`.',
    ),
    target: Type.String({ description: 'What the estimate means, in a sentence.' }),
    reward: Type.String({ description: 'Requested reward.' }),
    decisions: count('Decisions that the result is based on.'),
    customers: count('Customers these decisions were made for.'),
    excluded: Type.Object(
      {
        controlGroup: count('Decisions for control groups.'),
        notEvaluable: Type.Record(StringEnum(notEvaluableReasons, { description: 'Reason.' }), count('Records.'), {
          description: "Records that can't be judged, by reason.",
        }),
      },
      { description: 'Records left out of the estimate.' },
    ),
    notRecorded: Type.Array(Type.String(), {
      description:
        'Values that the draft reads but the records lack, at most 50. To record them from now on, add them to the setting `recordReads`.',
    }),
    supportShare: share("Share of the draft's answers that the log could also have shown."),
    effectiveSampleSize: number('Number of equally weighted decisions that would give the same precision.'),
    clippedShare: share('Share of items whose weight was clipped.'),
    estimatedShare: share('Share of decisions with an estimated probability.'),
    estimates: optional(
      Type.Partial(
        Type.Object({
          ips: Bounds('Inverse propensity score.'),
          sips: Bounds('One weight for the whole answer.'),
          snips: Bounds('Self-normalized.'),
          dm: Bounds('Predicted rewards only.'),
          dr: Bounds('Doubly robust.'),
          switch: Bounds('Doubly robust where weights are below the clip.'),
        }),
        { description: 'Estimates by estimator.' },
      ),
      'Reward per decision with the draft; null when refused.',
    ),
    headline: StringEnum(estimatorNames, { description: 'The estimator to use, chosen before the result is known.' }),
    logged: Bounds('Actual reward per decision.'),
    delta: optional(Bounds('Difference.'), 'How much more the draft earns per decision; null when refused.'),
    lift: optional(
      Bounds('Ratio.'),
      '`delta` as a share of the actual reward; null when refused, or if nothing was earned.',
    ),
    bySegment: Type.Array(Segment, { description: 'Results for the requested segments.' }),
    stateShift: optional(
      share('Share.'),
      'Share of decisions that the draft would answer differently after its own contacts than after the recorded ones; null when unknown.',
    ),
    value: optional(
      Type.Object(
        { cap: number('Maximum value of an item.'), cutShare: share('Share of the total value that was cut off.') },
        { description: 'Capped values.' },
      ),
      'How values were capped; null for other rewards.',
    ),
    diagnostics: Diagnostics,
  },
  { description: 'Result of an evaluation.' },
);
export type EvaluationResult = Static<typeof EvaluationResult>;
