import Type, { type Static } from 'typebox';
import { type contactPolicyScopes, contactPolicyTypes } from './contact-policies.ts';
import { exampleId } from './core/examples.ts';
import { operation } from './core/operation.ts';
import { Id, Int, JsonObject, Name, Nullable, StringEnum } from './core/schemas.ts';

const sampleSize = Type.Optional(Int(100, 10_000, 'Customers that are looked at, at most.', { default: 1000 }));

const share = {
  segment: Type.String({ description: 'Name of the segment.' }),
  total: Type.Integer({ description: 'Its members in the sample.' }),
};
const AffectedSegment = Type.Object(
  { ...share, affected: Type.Integer({ description: 'Its affected members.' }) },
  { description: 'What of a segment is affected.' },
);
const ExcludedSegment = Type.Object(
  { ...share, excluded: Type.Integer({ description: 'Its members that fail.' }) },
  { description: 'What of a segment fails.' },
);

export const ImpactPreviewRequest = Type.Object(
  {
    policyType: StringEnum(contactPolicyTypes, { description: 'Only frequency_cap is projected.' }),
    scope: Type.Optional(
      StringEnum(['global', 'offer', 'category', 'channel'], {
        description: 'What would be capped.',
        default: 'global',
      }),
    ),
    scopeId: Type.Optional(Nullable(Id('Target.'), { description: 'Target of the scope; null for global.' })),
    config: JsonObject(
      'Of a frequency_cap: `maxFrequency` (integer from 1), `periodDays` (1-365) and `outcomeType` (key of an outcome type).',
    ),
    sampleSize,
  },
  {
    description: 'A cap that does not exist yet.',
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
    supported: Type.Boolean({ description: 'False for other types than frequency_cap: nothing was projected.' }),
    totalCustomersAnalyzed: Type.Integer({ description: 'Customers of the sample: those with traffic in the period.' }),
    customersAffected: Type.Integer({ description: 'Those who would have lost a row of the outcome.' }),
    affectedPercent: Type.Number({ description: 'Their share in percent, two decimals.' }),
    offersSuppressed: Type.Record(Type.String(), Type.Integer(), {
      description: 'Rows that would not have been, by name of the offer.',
    }),
    avgOffersBeforePolicy: Type.Number({ description: 'Rows in scope per customer of the sample, two decimals.' }),
    avgOffersAfterPolicy: Type.Number({ description: 'The same without the rows that would not have been.' }),
    topAffectedSegments: Type.Array(AffectedSegment, {
      description: 'Active segments with most affected members, at most five.',
    }),
  },
  { description: 'What the cap would have done in the period up to now.' },
);
export type ImpactPreview = Static<typeof ImpactPreview>;

/** Rule types that a reach can be estimated for. */
export const reachTypes = ['attribute_condition', 'recency_check', 'segment_required', 'metric_condition'] as const;

export const ReachEstimateRequest = Type.Object(
  {
    ruleType: StringEnum(reachTypes, { description: 'What the rule asks.' }),
    field: Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          'Column of the schema (attribute_condition, recency_check) or id of the metric (metric_condition).',
      }),
    ),
    operator: Type.Optional(Type.String({ maxLength: 50, description: 'Of an attribute_condition.' })),
    value: Type.Optional(
      Type.Unknown({
        description:
          'What the column is compared with; for recency_check the most days, for segment_required segments by id or name.',
      }),
    ),
    schema: Type.Optional(Name('Id or name of a schema; left out: the oldest of type customer.')),
    sampleSize,
    onMissing: Type.Optional(
      StringEnum(['fail', 'pass'], { description: 'What a missing value does.', default: 'fail' }),
    ),
  },
  {
    description: 'A rule that does not exist yet.',
    examples: [{ ruleType: 'attribute_condition', field: 'balance', operator: 'gte', value: 500 }],
  },
);
export type ReachEstimateRequest = Static<typeof ReachEstimateRequest>;

const figure = (description: string) => Type.Number({ description });

export const ReachEstimate = Type.Object(
  {
    totalSampled: Type.Integer({ description: 'Rows that were looked at.' }),
    qualifying: Type.Integer({ description: 'Those that pass.' }),
    excluded: Type.Integer({ description: 'Those that fail.' }),
    qualifyPercent: figure('Share of those that pass in percent, two decimals; 0 without rows.'),
    excludedBySegment: Type.Array(ExcludedSegment, {
      description: 'Active segments with most members that fail, at most five.',
    }),
    fieldDistribution: Nullable(
      Type.Object(
        {
          min: figure('Smallest value.'),
          max: figure('Largest value.'),
          avg: figure('Mean, 6 decimals.'),
          median: figure('Interpolated, 6 decimals.'),
          p25: figure('Interpolated, 6 decimals.'),
          p75: figure('Interpolated, 6 decimals.'),
        },
        { description: 'Values of the column in the sample, missing ones left out.' },
      ),
      { description: 'How the values lie; null for columns that hold no numbers, and without values.' },
    ),
  },
  { description: 'Whom the rule would let pass.' },
);
export type ReachEstimate = Static<typeof ReachEstimate>;

/** Scopes of policies that a preview takes. */
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
    summary: 'Project a frequency cap over recent traffic',
    description:
      'Looks at customers with an interaction in the last `periodDays` x 24 hours, in the order of a hash. Of the rows of ' +
      '`outcomeType` in scope, oldest first, those of a customer beyond `maxFrequency` would not have been. Stores nothing.',
    body: ImpactPreviewRequest,
    responses: { 200: { description: 'The projection.', schema: ImpactPreview } },
  }),
  reachEstimate: operation({
    ...common,
    id: 'qualificationRules.reachEstimate',
    tag: 'Qualification rules',
    path: '/api/v1/qualification-rules/reach-estimate',
    summary: 'Estimate whom a rule would let pass',
    description: 'Looks at rows of a schema in the order of a hash of their row key. Stores nothing.',
    body: ReachEstimateRequest,
    responses: { 200: { description: 'The estimate.', schema: ReachEstimate } },
  }),
};
