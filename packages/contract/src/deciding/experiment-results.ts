import Type, { type Static } from 'typebox';
import { autoPromoteVerdicts, experimentStatuses } from '../catalogue/experiments.ts';
import { operation } from '../core/operation.ts';
import { Id, IdText, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { warnedAnswer } from '../core/warnings.ts';

const compared = 'Null for the champion, and where it is undefined.';
const Figure = (description: string) => Nullable(Type.Number(), { description });

const Variant = Type.Object(
  {
    variant: Type.String({ description: "`__champion__`, `__holdout__` or the challenger's key." }),
    modelId: Nullable(Id('A model.'), { description: 'Model of the variant; null for the holdout.' }),
    share: Type.Number({ minimum: 0, maximum: 100, description: 'Share of the customers today, in percent.' }),
    exposed: Type.Integer({ minimum: 0, description: 'Customers with a counted impression.' }),
    converted: Type.Integer({
      minimum: 0,
      description: 'Of these, those who converted within 7 days of the first one.',
    }),
    rate: Figure('Share of converted customers; null without exposed ones.'),
    ciLower: Figure("Lower end of Wilson's 95% interval of the rate; null without exposed customers."),
    ciUpper: Figure("Upper end of Wilson's 95% interval of the rate; null without exposed customers."),
    absoluteUplift: Figure(`Rate minus the champion's. ${compared}`),
    relativeUplift: Figure(`Absolute uplift divided by the champion's rate. ${compared}`),
    zScore: Figure(`Pooled two-proportion z. ${compared}`),
    pValue: Figure(`Two-sided p of it. ${compared}`),
    significant: Nullable(Type.Boolean(), {
      description:
        'True: p is below 0.05 divided by the number of challengers, and both have at least 100 exposed customers. ' +
        'Null for the champion.',
    }),
  },
  { description: 'Results of a variant.' },
);

const Srm = Type.Object(
  {
    chiSquare: Type.Number({ description: 'Chi-square of exposed customers against the shares.' }),
    pValue: Type.Number({ description: 'Chance of a deviation as large.' }),
    mismatch: Type.Boolean({ description: 'True when that is below 0.001: something distorts the groups.' }),
  },
  { description: 'Sample-ratio mismatch.' },
);

export const ExperimentResults = Type.Object(
  {
    experimentId: Id('ID of the experiment.'),
    experimentKey: Type.String({ description: 'Its key.' }),
    status: StringEnum(experimentStatuses, { description: 'Its status.' }),
    metric: Type.String({ description: 'What counts as a conversion.' }),
    startedAt: Nullable(Timestamp('Instant.'), { description: 'When it first became active, or null.' }),
    endedAt: Nullable(Timestamp('Instant.'), { description: 'When it was completed or archived, or null.' }),
    variants: Type.Array(Variant, {
      description: 'Champion, challengers in order, and the holdout, if there is one.',
    }),
    srm: Nullable(Srm, {
      description: 'Whether the exposed customers match the shares; null until one is exposed.',
    }),
    autoPromoteVerdict: Nullable(StringEnum(autoPromoteVerdicts, { description: 'Result of the judgment.' }), {
      description: 'What the daily job found when it judged the experiment; null until then.',
    }),
    calculatedAt: Timestamp('When these results were counted.'),
  },
  { description: 'Results of an experiment, counted by customer.' },
);
export type ExperimentResults = Static<typeof ExperimentResults>;
export type VariantResults = ExperimentResults['variants'][number];

/** Results of experiments. */
export const experimentResultOperations = {
  results: operation({
    id: 'experiments.results',
    method: 'GET',
    path: '/api/v1/experiments/{id}/results',
    tag: 'Experiments',
    summary: 'Get the results of an experiment',
    description:
      'Counts every customer once. A customer is exposed from the first counted impression under the experiment, and ' +
      'converted by an outcome of its metric within 7 days after that.',
    role: 'viewer',
    auth: 'credential',
    loadClass: 'heavy',
    transaction: 'tenant',
    params: Type.Object({ id: IdText('ID of the experiment.') }, { description: 'Experiment to report on.' }),
    responses: { 200: { description: 'The results.', schema: warnedAnswer(ExperimentResults) } },
    errors: ['not_found'],
    audit: [],
  }),
};
