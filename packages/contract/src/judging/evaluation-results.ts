import Type, { type Static } from 'typebox';
import { Id, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { BacktestSpec, notEvaluableReasons } from './backtest-results.ts';
import { Overlay } from './overlays.ts';

// What an off-policy evaluation estimates (docs/design/lead.md 3).

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
      'What an item earns. `positive`: 1 for a positive response. `convert`: 1 for a conversion. `weighted`: the sum of `outcomeWeights`. `value`: the conversion value. Or the key of an outcome type: 1 for that outcome.',
  }),
  outcomeWeights: Type.Optional(
    Type.Record(Type.String({ maxLength: 64 }), Type.Number({ minimum: -1_000_000, maximum: 1_000_000 }), {
      maxProperties: 50,
      description: 'Worth of each outcome by its key, for the reward `weighted`. An outcome counts once per item.',
    }),
  ),
  rewardDays: Type.Integer({
    minimum: 1,
    maximum: 30,
    description: 'Days in which a response counts. Younger decisions are left out.',
  }),
  valueCap: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1e12,
      description: 'Largest value of an item for the reward `value`. Default: the 99.9% quantile of the values.',
    }),
  ),
  clip: Type.Number({ minimum: 1, maximum: 1000, description: 'Largest weight of a decision.' }),
  confidence: Type.Number({ minimum: 0.8, maximum: 0.99, description: 'Confidence of the intervals.' }),
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
    description: 'Segments to split the result by, as far as the records name them.',
  }),
  maxNotEvaluableShare: Type.Number({
    minimum: 0,
    maximum: 0.2,
    description: 'Largest share of records that may be impossible to judge. Beyond it, the result is refused.',
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
    description: `${description} An RFC 3339 instant with an offset, or a date, which stands for its first instant in the tenant’s time zone.`,
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
  { description: 'An evaluation, with its defaults.' },
);
export type EvaluationSpec = Static<typeof EvaluationSpec>;

const Bounds = (what: string) =>
  Type.Object(
    {
      value: Nullable(number('Estimate.'), { description: 'The estimate; null if only bounds are known.' }),
      se: Nullable(number('Standard error.'), { description: 'Its standard error; null with the value.' }),
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
    decisions: count('Decisions of its customers; 0 for fewer than 10 customers.'),
    customers: count('Its customers; 0 for fewer than 10.'),
    estimate: optional(Bounds('Estimate.'), 'The headline estimate; null for few customers or without a verdict `ok`.'),
    logged: optional(Bounds('Mean.'), 'What was really earned; null for few customers.'),
  },
  { description: 'A segment.' },
);

const Diagnostics = Type.Object(
  {
    effectiveSampleSizes: Type.Array(number('Size.'), { description: 'Effective sample size of each place.' }),
    rewardCustomers: count('Customers with a reward that counts.'),
    largestWeight: number('Largest weight, before clipping.'),
    weightZ: Type.Array(Nullable(number('z.'), { description: 'z; null: not looked at.' }), {
      description:
        'By place: how many standard errors the weights are from their expectation. Far from 0, a probability is wrong. Null: not looked at.',
    }),
    unseenSlots: number('Places per decision that only the draft would fill. Nothing is known of their rewards.'),
    unsupportedOffers: Type.Array(
      Type.Object(
        { offerId: Id('Offer.'), share: share('Share of the draft’s answers.') },
        { description: 'An offer.' },
      ),
      { description: 'Offers that the draft shows where the log never does, most first, at most 20.' },
    ),
    heaviestShare: share('Part of the variance that the ten heaviest customers make.'),
    skewness: number('Skewness of the customers’ parts of the headline estimate.'),
    calibration: Type.Array(
      Type.Object(
        { predicted: number('Mean prediction.'), observed: number('Mean reward.') },
        { description: 'A tenth of the items.' },
      ),
      { description: 'Predicted and observed rewards of the shown items, by tenths of the prediction.' },
    ),
    byClip: Type.Array(
      Type.Object(
        { clip: Nullable(number('Clip.'), { description: 'Null: none.' }), value: number('Estimate.') },
        { description: 'An estimate.' },
      ),
      { description: 'The headline estimate with other clips. Empty when refused.' },
    ),
    probabilities: Type.Object(
      {
        checked: count('Recorded probabilities that were computed again.'),
        mismatches: count('Of these, with another value.'),
      },
      { description: 'Check that the recorded probabilities are right.' },
    ),
  },
  { description: 'How well the records can judge the draft.' },
);

export const EvaluationResult = Type.Object(
  {
    verdict: StringEnum(evaluationVerdicts, {
      description:
        '`ok`; `bounded`: part of the draft’s answers is unknown, so only bounds are given; `refused`: the records can’t tell.',
    }),
    reasons: Type.Array(StringEnum(evaluationReasons, { description: 'Reason.' }), {
      description:
        'Why it isn’t `ok`: `no_decisions`; `unsupported` (the draft shows what the log never does); `few_effective` (an effective sample size below 200); `few_rewards` (below 50 customers with a reward); `skewed` (few customers decide the result); `weights_off` and `probabilities_wrong` (recorded probabilities don’t fit); `selection` (too many records can’t be judged); `state_shift` (contacts would differ in more than a fifth of the decisions); `trained_on_window` (a model of the draft has seen these outcomes).',
    }),
    needed: optional(
      Type.Object(
        {
          explore: Nullable(share('Rate.'), {
            description: 'Rate of `flowConfig.explore` that would be enough over the same days; null if none is.',
          }),
          days: Nullable(count('Days.'), {
            description: 'Days that would be enough at the same rate; null if none are.',
          }),
        },
        { description: 'What would help.' },
      ),
      'Either of these would make up for what is missing; null for `ok`.',
    ),
    target: Type.String({ description: 'What is estimated, as a sentence.' }),
    reward: Type.String({ description: 'Reward that was asked for.' }),
    decisions: count('Decisions that the result is based on.'),
    customers: count('Their customers.'),
    excluded: Type.Object(
      {
        controlGroup: count('Decisions for control groups.'),
        notEvaluable: Type.Record(StringEnum(notEvaluableReasons, { description: 'Reason.' }), count('Records.'), {
          description: 'Records that can’t be judged, by reason.',
        }),
      },
      { description: 'Records that are left out.' },
    ),
    notRecorded: Type.Array(Type.String(), {
      description:
        'Values that the draft reads and the records lack, at most 50. Add them to the setting `recordReads`.',
    }),
    supportShare: share('Part of the draft’s answers that the log could show as well.'),
    effectiveSampleSize: number('Decisions that an even log of the same precision would have.'),
    clippedShare: share('Share of the items whose weight was clipped.'),
    estimatedShare: share('Share of the decisions with a probability that is an estimate.'),
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
        { description: 'By estimator.' },
      ),
      'Reward per decision of the draft; null when refused.',
    ),
    headline: StringEnum(estimatorNames, { description: 'The estimator to go by, chosen before the result is known.' }),
    logged: Bounds('Reward per decision that was really earned.'),
    delta: optional(Bounds('Difference.'), 'What the draft earns more per decision; null when refused.'),
    lift: optional(Bounds('Ratio.'), '`delta` as a share of what was earned; null when refused or nothing was earned.'),
    bySegment: Type.Array(Segment, { description: 'By segment that was asked for.' }),
    stateShift: optional(
      share('Share.'),
      'Share of decisions that would find other contacts after a time under the draft; null when unknown.',
    ),
    value: optional(
      Type.Object(
        { cap: number('Largest value.'), cutShare: share('Share of the sum that was cut off.') },
        { description: 'Capped values.' },
      ),
      'How values were capped; null for other rewards.',
    ),
    diagnostics: Diagnostics,
  },
  { description: 'Result of an evaluation.' },
);
export type EvaluationResult = Static<typeof EvaluationResult>;
