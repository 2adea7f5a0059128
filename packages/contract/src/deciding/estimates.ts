import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { Id, Int, JsonObject, Name, Nullable, StringEnum } from '../core/schemas.ts';
import { warnedAnswer } from '../core/warnings.ts';
import { type contactPolicyScopes, contactPolicyTypes } from './contact-policy-parts.ts';

const sampleSize = Type.Optional(Int(100, 10_000, 'Maximum number of customers to sample.', { default: 1000 }));

const share = {
  segment: Type.String({ description: 'Name of the segment.' }),
  total: Type.Integer({ description: 'Members in the sample.' }),
};
const AffectedSegment = Type.Object(
  { ...share, affected: Type.Integer({ description: 'Affected members in the sample.' }) },
  { description: 'Impact on a segment.' },
);
const ExcludedSegment = Type.Object(
  { ...share, excluded: Type.Integer({ description: 'Members who fail the rule.' }) },
  { description: 'Segment members who fail the rule.' },
);

export const ImpactPreviewRequest = Type.Object(
  {
    policyType: StringEnum(contactPolicyTypes, { description: 'Only `frequency_cap` can be projected.' }),
    scope: Type.Optional(
      StringEnum(['global', 'offer', 'category', 'channel'], {
        description: 'What to cap.',
        default: 'global',
      }),
    ),
    scopeId: Type.Optional(Nullable(Id('Target.'), { description: 'ID of the target in `scope`; null for global.' })),
    config: JsonObject(
      'For `frequency_cap`: `maxFrequency` (integer from 1), `periodDays` (1 to 365) and `outcomeType` (key of an outcome type).',
    ),
    sampleSize,
  },
  {
    description: 'A cap to try out.',
    examples: [
      {
        policyType: 'frequency_cap',
        scope: 'offer',
        scopeId: exampleId('offer'),
        config: { maxFrequency: 3, periodDays: 30, outcomeType: 'impression' },
      },
    ],
  },
);
export type ImpactPreviewRequest = Static<typeof ImpactPreviewRequest>;

export const ImpactPreview = Type.Object(
  {
    supported: Type.Boolean({ description: 'False for types other than `frequency_cap`; nothing was projected.' }),
    totalCustomersAnalyzed: Type.Integer({ description: 'Customers in the sample: those with traffic in the period.' }),
    customersAffected: Type.Integer({ description: 'Customers who would have lost at least one row of the outcome.' }),
    affectedPercent: Type.Number({ description: 'Share of affected customers in percent, two decimals.' }),
    offersSuppressed: Type.Record(Type.String(), Type.Integer(), {
      description: 'Rows that would have been prevented, by offer name.',
    }),
    avgOffersBeforePolicy: Type.Number({ description: 'Rows in scope per sampled customer, two decimals.' }),
    avgOffersAfterPolicy: Type.Number({ description: 'The same figure without the prevented rows.' }),
    topAffectedSegments: Type.Array(AffectedSegment, {
      description: 'Active segments with the most affected members, at most five.',
    }),
  },
  { description: 'What the cap would have done in the recent period.' },
);
export type ImpactPreview = Static<typeof ImpactPreview>;

/** Rule types that a reach can be estimated for. */
export const reachTypes = ['attribute_condition', 'recency_check', 'segment_required', 'metric_condition'] as const;

export const ReachEstimateRequest = Type.Object(
  {
    ruleType: StringEnum(reachTypes, { description: 'Type of the rule.' }),
    field: Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          'Column of the schema (attribute_condition, recency_check) or ID of the metric (metric_condition).',
      }),
    ),
    operator: Type.Optional(
      Type.String({
        maxLength: 50,
        description: 'Comparison operator of attribute_condition and metric_condition. Default: gte.',
      }),
    ),
    value: Type.Optional(
      Type.Unknown({
        description:
          'Value to compare the column with. For recency_check: the maximum number of days. For metric_condition: the threshold (default 0). For segment_required: segment IDs or names.',
      }),
    ),
    schema: Type.Optional(Name('ID or name of a schema. Default: the oldest schema of type customer.')),
    sampleSize,
    onMissing: Type.Optional(
      StringEnum(['fail', 'pass'], { description: 'What to do when the value is missing.', default: 'fail' }),
    ),
  },
  {
    description: 'A rule to try out.',
    examples: [{ ruleType: 'attribute_condition', field: 'balance', operator: 'gte', value: 500 }],
  },
);
export type ReachEstimateRequest = Static<typeof ReachEstimateRequest>;

const figure = (description: string) => Type.Number({ description });

export const ReachEstimate = Type.Object(
  {
    totalSampled: Type.Integer({ description: 'Rows sampled.' }),
    qualifying: Type.Integer({ description: 'Offers that pass.' }),
    excluded: Type.Integer({ description: 'Rows that fail the rule.' }),
    qualifyPercent: figure('Share of rows that pass in percent, two decimals; 0 without rows.'),
    excludedBySegment: Type.Array(ExcludedSegment, {
      description: 'Active segments with the most members who fail, at most five.',
    }),
    fieldDistribution: Nullable(
      Type.Object(
        {
          min: figure('Smallest value.'),
          max: figure('Largest value.'),
          avg: figure('Mean, rounded to 6 decimals.'),
          median: figure('Interpolated, rounded to 6 decimals.'),
          p25: figure('Interpolated, rounded to 6 decimals.'),
          p75: figure('Interpolated, rounded to 6 decimals.'),
        },
        { description: 'Non-null values of the column in the sample.' },
      ),
      { description: "Distribution of the values; null if the column isn't numeric or has no values." },
    ),
  },
  { description: 'How many customers the rule would let pass.' },
);
export type ReachEstimate = Static<typeof ReachEstimate>;

/** Policy scopes that a preview supports. */
export type PreviewScope = Exclude<(typeof contactPolicyScopes)[number], 'creative' | 'subcategory'>;

const common = {
  method: 'POST',
  auth: 'credential',
  role: 'viewer',
  loadClass: 'heavy',
  transaction: 'tenant',
  errors: ['reference_not_found'],
  audit: [],
} as const;

export const estimateOperations = {
  impactPreview: operation({
    ...common,
    id: 'contactPolicies.impactPreview',
    tag: 'Contact policies',
    path: '/api/v1/contact-policies/impact-preview',
    summary: 'Project a frequency cap onto recent traffic',
    description:
      'Samples customers with an interaction in the last `periodDays` x 24 hours, in hash order. Of each ' +
      "customer's rows of `outcomeType` in scope, oldest first, those beyond `maxFrequency` count as " +
      'prevented. Stores nothing.',
    body: ImpactPreviewRequest,
    responses: { 200: { description: 'The projection.', schema: warnedAnswer(ImpactPreview) } },
  }),
  reachEstimate: operation({
    ...common,
    id: 'qualificationRules.reachEstimate',
    tag: 'Qualification rules',
    path: '/api/v1/qualification-rules/reach-estimate',
    summary: 'Estimate how many customers pass a rule',
    description: 'Samples rows of a schema in the hash order of their row keys. Stores nothing.',
    body: ReachEstimateRequest,
    responses: { 200: { description: 'The estimate.', schema: ReachEstimate } },
    errors: ['reference_not_found', 'feature_disabled'],
  }),
};
