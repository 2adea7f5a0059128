import Type, { type Static } from 'typebox';
import { Binary } from '../core/bodies.ts';
import { operation } from '../core/operation.ts';
import { Name, Nullable, StringEnum } from '../core/schemas.ts';
import { AlgorithmModel, modelKeyPattern } from './algorithm-models.ts';

/** Bytes of a model file at most. */
export const largestModelFile = 50 * 1024 * 1024;
/** The rest of the body around it. */
const bytesAround = 1024 * 1024;

export const modelFormats = ['lightgbm_text', 'lightgbm_json', 'xgboost_json'] as const;

const details = {
  key: Type.String({
    pattern: modelKeyPattern,
    description: 'Letters, digits, dots, dashes and underscores. Unique among models that are not deleted.',
  }),
  name: Name('Name of the model.', 255),
  family: Type.Optional(
    Nullable(Type.String({ pattern: modelKeyPattern, description: 'Key of the family.' }), {
      description: 'Family of the model.',
    }),
  ),
  format: Type.Optional(StringEnum(modelFormats, { description: 'Format of the file. Detected by default.' })),
};

const defaults = 'Value that a feature has where nothing provides one, by its name. Without one it counts as missing.';

export const ModelImport = Type.Object(
  {
    ...details,
    featureDefaults: Type.Optional(
      Type.Record(
        Type.String({ description: 'Name of a feature.' }),
        Type.Union([Type.Number(), Type.String(), Type.Boolean()], { description: 'Its default.' }),
        { maxProperties: 2_000, description: defaults },
      ),
    ),
    model: Type.Unknown({
      description: 'The model: the JSON that XGBoost saved or LightGBM dumped, or the text of a file.',
    }),
  },
  {
    description: 'A model to import.',
    examples: [
      {
        key: 'deposit-gbm',
        name: 'Deposit propensity',
        model:
          'tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\nobjective=binary sigmoid:1\nfeature_names=age\n\nTree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nthreshold=40\ndecision_type=2\nleft_child=-1\nright_child=-2\nleaf_value=-0.5 0.5\nleaf_count=60 40\ninternal_count=100\n\nend of trees\n',
      },
    ],
  },
);
export type ModelImport = Static<typeof ModelImport>;

const ModelImportForm = Type.Object(
  {
    ...details,
    featureDefaults: Type.Optional(Type.String({ description: `A JSON object. ${defaults}` })),
    file: Binary({ description: `The model file, at most ${largestModelFile} bytes.` }),
  },
  { description: 'A model to import, with its file.' },
);

export const modelImportOperations = {
  import: operation({
    id: 'algorithmModels.import',
    method: 'POST',
    path: '/api/v1/algorithm-models/import',
    tag: 'Models',
    summary: 'Import boosted trees from XGBoost or LightGBM',
    description:
      'Creates a model of type gradient_boosted with status `draft` and a predictor for each feature. Send the file as ' +
      '`multipart/form-data`, or the model as JSON. The model may have at most 5,000 trees, 2,000 features and 500,000 ' +
      'splits and leaves, and a binary objective. Scores agree with those of the library within 0.000001. A feature named ' +
      'like a path (`customer.age`) reads it, any other name is looked up in attributes, customer and offer; a name that ' +
      'cannot be a path reads an attribute with `_` for each dot.',
    auth: 'credential',
    role: 'editor',
    loadClass: 'heavy',
    changesCatalogue: true,
    rateLimits: [{ limit: 30, windowSeconds: 60, per: 'tenant' }],
    body: ModelImport,
    bodyLimit: largestModelFile + bytesAround,
    fileTypes: ['multipart/form-data'],
    fileLimit: largestModelFile + bytesAround,
    fileForm: ModelImportForm,
    responses: { 201: { description: 'The model, without its state.', schema: AlgorithmModel } },
    errors: ['duplicate_key'],
    audit: [{ action: 'create', entityType: 'algorithmModel' }],
    transaction: 'own',
  }),
};
