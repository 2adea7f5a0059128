import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { Id, IdText, Int, JsonObject, Nullable, StringEnum } from '../core/schemas.ts';

const coverSource = StringEnum(['data', 'leaf_count'], {
  description:
    '`data`: branches are weighted by the training rows that took them. `leaf_count`: the model lacks these counts, so branches are weighted by their leaves.',
});

export const DecisionShap = Type.Object(
  {
    decisionTraceId: Nullable(Type.String(), { description: 'Stored trace of the decision; null without one.' }),
    modelId: Id('Model that was explained.'),
    modelName: Type.String({ description: 'Name of the model.' }),
    offerId: Nullable(Type.String(), { description: 'Offer whose values were read; null for none.' }),
    shapValues: Type.Record(Type.String({ description: 'Name of a feature.' }), Type.Number(), {
      description: 'What each feature adds to `baseline`, in log-odds. All features of the model, zeros included.',
    }),
    baseline: Type.Number({ description: 'Mean log-odds of the model, when no feature is known.' }),
    rawMargin: Type.Number({ description: 'Log-odds of this case: `baseline` plus all `shapValues`.' }),
    additivityResidual: Type.Number({
      description: 'Absolute difference between `rawMargin` and that sum, of unrounded numbers.',
    }),
    featureCount: Type.Integer({ description: 'Number of features.' }),
    method: StringEnum(['tree_path_dependent'], { description: 'Method of attribution.' }),
    coverSource,
    score: Type.Number({ minimum: 0, maximum: 1, description: 'Score of this case: the sigmoid of `rawMargin`.' }),
  },
  { description: 'Why a model gave a score.' },
);
export type DecisionShap = Static<typeof DecisionShap>;

export const ModelShap = Type.Object(
  {
    modelId: Id('Model that was explained.'),
    modelName: Type.String({ description: 'Name of the model.' }),
    sampleSize: Type.Integer({ description: 'Offers of recent decisions that were explained.' }),
    baseline: Nullable(Type.Number(), { description: 'Mean log-odds of the model; null without a sample.' }),
    method: StringEnum(['tree_path_dependent'], { description: 'Method of attribution.' }),
    coverSource,
    features: Type.Array(
      Type.Object(
        {
          feature: Type.String({ description: 'Name of the feature.' }),
          meanAbsolute: Type.Number({ description: 'Mean of its absolute SHAP values, in log-odds.' }),
          mean: Type.Number({ description: 'Mean of its SHAP values, in log-odds.' }),
        },
        { description: 'A feature.' },
      ),
      { description: 'All features, the most important first. Empty without a sample.' },
    ),
    calibration: Type.Array(
      Type.Object(
        {
          from: Type.Number({ description: 'Lowest score of the bin.' }),
          to: Type.Number({ description: 'End of the bin.' }),
          count: Type.Integer({ description: 'Offers with such a score.' }),
          meanScore: Nullable(Type.Number(), { description: 'Their mean score; null without any.' }),
          positives: Type.Integer({ description: 'How many of them got a positive response.' }),
          rate: Nullable(Type.Number(), { description: 'Share of positive responses; null without any offer.' }),
        },
        { description: 'A bin of scores.' },
      ),
      {
        description:
          'Ten bins of scores, with how the responses turned out. An offer without a response counts as not positive.',
      },
    ),
  },
  { description: 'What matters to a model over recent decisions.' },
);
export type ModelShap = Static<typeof ModelShap>;

const optIn =
  'Needs the setting `aiAnalyzerSettings.llmExplanationsEnabled`, otherwise 403 `explanations_not_enabled`.';
const common = {
  method: 'POST',
  auth: 'credential',
  role: 'viewer',
  loadClass: 'heavy',
  transaction: 'tenant',
  rateLimits: [{ limit: 30, windowSeconds: 60, per: 'tenant' }],
} as const;

export const shapOperations = {
  decision: operation({
    ...common,
    id: 'decisions.shap',
    path: '/api/v1/decisions/{id}/shap',
    tag: 'Decisions',
    summary: 'Explain a score by SHAP values',
    description: `Path-dependent TreeSHAP of a model of type gradient_boosted. ${optIn}`,
    params: Type.Object({ id: IdText('Request ID, recommendation ID or trace ID.') }, { description: 'Decision.' }),
    body: Type.Object(
      {
        modelId: Id('Model of type gradient_boosted.'),
        offerId: Type.Optional(
          Nullable(Id('An offer.'), {
            description: 'Offer that provides `offer.*`. Without it, these features are missing.',
          }),
        ),
        attributes: JsonObject(
          'Values by feature name; a missing or unsuitable value counts as missing. Empty: what the decision read, while its inputs are available.',
        ),
        round: Type.Optional(Int(0, 15, 'Number of decimals. 0 turns rounding off. Default 6.')),
      },
      { description: 'What to explain.', examples: [{ modelId: exampleId('model'), attributes: { age: 35 } }] },
    ),
    responses: { 200: { description: 'The explanation.', schema: DecisionShap } },
    errors: [
      'explanations_not_enabled',
      'not_found',
      'model_unsupported',
      'inputs_unavailable',
      'record_corrupt',
      'not_configured',
    ],
    audit: [{ action: 'compute_shap', entityType: 'decision_trace' }],
  }),
  model: operation({
    ...common,
    id: 'algorithmModels.shap',
    path: '/api/v1/algorithm-models/{id}/shap',
    tag: 'Models',
    summary: 'Explain a model by SHAP values over recent decisions',
    description: `Mean SHAP values of a model of type gradient_boosted over what recent decisions read for the offers they chose, and whether its scores agree with the responses. ${optIn}`,
    params: Type.Object({ id: IdText('ID of the model.') }, { description: 'Model to explain.' }),
    body: Type.Object(
      {
        sampleSize: Type.Optional(Int(1, 1_000, 'Offers to explain, the newest first. Default 200.')),
        days: Type.Optional(Int(1, 90, 'Age of the oldest decision in days. Default 30.')),
      },
      { additionalProperties: false, description: 'Sample to explain.', examples: [{ sampleSize: 200 }] },
    ),
    responses: { 200: { description: 'The explanation.', schema: ModelShap } },
    errors: ['explanations_not_enabled', 'not_found', 'model_unsupported', 'not_configured'],
    audit: [],
  }),
};
