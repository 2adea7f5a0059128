import Type, { type Static } from 'typebox';
import { largestCsv, multipartBytes } from '../catalogue/schema-figures.ts';
import { Binary } from '../core/bodies.ts';
import { operation } from '../core/operation.ts';
import { Nullable, StringEnum } from '../core/schemas.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Key = (description: string) => Type.String({ description, examples: ['coffee_rewards'] });

/** A pack of demo data. */
export const SeedDataset = Type.Object(
  {
    key: Key('Key of the dataset in these calls.'),
    name: Type.String({ description: 'Name of the dataset.' }),
    description: Type.String({ description: 'What the dataset contains.' }),
    source: Type.String({ description: 'Origin of the data.' }),
    csvFiles: Type.Array(
      Type.Object(
        {
          schema: Type.String({ description: 'Schema the file fills.' }),
          fileName: Type.String({ description: 'Name of the file.' }),
          columns: Type.Array(Type.String({ description: 'A header.' }), { description: 'Headers of the file.' }),
        },
        { description: 'A file.' },
      ),
      { description: 'Files its schemas accept.' },
    ),
    testingFocus: Type.String({ description: 'What the dataset is useful for.' }),
    schemaCount: Count('Schemas.'),
    offerCount: Count('Offers.'),
    modelCount: Count('Models.'),
    channelCount: Count('Channels.'),
    categoryCount: Count('Categories.'),
    creativeCount: Count('Creatives.'),
    loaded: Type.Boolean({ description: 'True if it is loaded in this tenant.' }),
  },
  { description: 'A dataset.' },
);
export type SeedDataset = Static<typeof SeedDataset>;

const currentlyLoaded = Nullable(Key('A dataset.'), { description: 'The loaded dataset, or null.' });

export const SeedDatasetList = Type.Object(
  { datasets: Type.Array(SeedDataset, { description: 'All datasets of this release.' }), currentlyLoaded },
  { description: 'The datasets.' },
);
export type SeedDatasetList = Static<typeof SeedDatasetList>;

const counts = Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
  description: 'Record counts. Rows of a schema are counted as `<schema>_rows`.',
});

export const SeedDatasetChanged = Type.Object(
  {
    message: Type.String({ description: 'What was done, as a sentence.' }),
    counts,
    datasetKey: Key('The dataset.'),
  },
  { description: 'What was loaded.' },
);
export type SeedDatasetChanged = Static<typeof SeedDatasetChanged>;

export const SeedDatasetRemoved = Type.Object(
  { message: Type.String({ description: 'What was done, as a sentence.' }), counts },
  { description: 'What was removed.' },
);
export type SeedDatasetRemoved = Static<typeof SeedDatasetRemoved>;

export const SeedDatasetUploaded = Type.Object(
  {
    message: Type.String({ description: 'What was done, as a sentence.' }),
    rowsInserted: Count('Number of rows the schema now has.'),
    schemaName: Type.String({ description: 'The schema.' }),
    datasetKey: Key('The dataset.'),
  },
  { description: 'What was imported.' },
);
export type SeedDatasetUploaded = Static<typeof SeedDatasetUploaded>;

export const SeedDatasetConflict = Type.Object(
  {
    status: StringEnum(['conflict'], { description: 'Always `conflict`.' }),
    currentlyLoaded,
    requestedLoad: Key('Requested dataset.'),
    message: Type.String({ description: 'What is in the way, as a sentence.' }),
  },
  { description: 'Why nothing was loaded.' },
);
export type SeedDatasetConflict = Static<typeof SeedDatasetConflict>;

/** In loading order. Those that a dataset has nothing for are skipped. */
export const seedSteps = [
  'validating',
  'schemas',
  'catalogue',
  'rows',
  'interactions',
  'summaries',
  'models',
  'done',
] as const;
export type SeedStep = (typeof seedSteps)[number];

export const SeedDatasetStatus = Type.Object(
  {
    status: StringEnum(['idle', 'running', 'completed', 'failed'], {
      description:
        'Status of the last load. `running`: a load or removal is in progress. `idle`: there was none, or the dataset has been removed.',
    }),
    step: StringEnum(['', ...seedSteps], { description: 'Current or last step; empty for `idle`.' }),
    progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Progress in percent.' }),
  },
  { description: 'Progress for the tenant.' },
);
export type SeedDatasetStatus = Static<typeof SeedDatasetStatus>;

const shared = {
  tag: 'Demo data',
  auth: 'credential',
  role: 'admin',
} as const;
const params = Type.Object({ key: Key('Key of the dataset.') }, { description: 'Dataset to use.' });
/** Everything is created or removed by this one call. */
const whole = {
  params,
  loadClass: 'heavy',
  changesCatalogue: true,
  auditsEachRecord: true,
  transaction: 'own',
} as const;

export const seedDatasetOperations = {
  list: operation({
    ...shared,
    id: 'seedDatasets.list',
    method: 'GET',
    path: '/api/v1/seed-dataset',
    summary: 'List demo datasets',
    loadClass: 'crud',
    responses: { 200: { description: 'The datasets.', schema: SeedDatasetList } },
    errors: [],
    audit: [],
    transaction: 'tenant',
  }),
  load: operation({
    ...shared,
    ...whole,
    id: 'seedDatasets.load',
    method: 'POST',
    path: '/api/v1/seed-dataset/{key}',
    summary: 'Load a demo dataset',
    description:
      'Creates its schemas with rows, categories, channels, offers, creatives, segments, models, rules, ' +
      'policies and flows, along with 90 days of customer history. All or nothing.',
    rateLimits: [{ limit: 5, windowSeconds: 60, per: 'tenant', countsFound: true }],
    query: Type.Object(
      {
        force: Type.Optional(
          Type.Boolean({ default: false, description: 'Remove the loaded dataset first, in the same transaction.' }),
        ),
      },
      { description: 'Loading options.' },
    ),
    responses: {
      201: { description: 'The dataset was loaded.', schema: SeedDatasetChanged },
      409: { description: 'A dataset is already loaded or being loaded.', schema: SeedDatasetConflict },
    },
    errors: ['not_found', 'rate_limited'],
    audit: [{ action: 'load_pack', entityType: 'seedDataset' }],
  }),
  unload: operation({
    ...shared,
    ...whole,
    id: 'seedDatasets.unload',
    method: 'DELETE',
    path: '/api/v1/seed-dataset/{key}',
    summary: 'Remove a demo dataset',
    description:
      'Removes what the load created, in reverse order, including anything created under it since: offers ' +
      'in its categories, creatives on its channels, segments over its schemas. Decisions already made can ' +
      'still be proven. 409 `in_use` lists what is in the way.',
    responses: { 200: { description: 'Removed.', schema: SeedDatasetRemoved } },
    errors: ['not_found', 'in_use', 'concurrent_modification'],
    audit: [{ action: 'unload_pack', entityType: 'seedDataset' }],
  }),
  upload: operation({
    ...shared,
    id: 'seedDatasets.upload',
    method: 'POST',
    path: '/api/v1/seed-dataset/{key}/upload',
    summary: 'Replace the rows of a dataset with those of a file',
    description:
      'The dataset must be loaded. Headers must be the columns of the schema in any letter case or, for ' +
      'the clients of `retail_bank`, those of the UCI data set Bank Marketing. Other columns are ignored, ' +
      'missing columns are null, and the key is required. The delimiter is whichever of comma, semicolon, ' +
      'tab and bar splits the header best. An invalid row rejects the whole file, with up to 20 line ' +
      'numbers, and the old rows stay. Decisions see either the old or the new rows, never a mix.',
    loadClass: 'heavy',
    params,
    rateLimits: [{ limit: 5, windowSeconds: 60, per: 'tenant', countsFound: true }],
    bodyKind: 'multipart',
    bodyLimit: largestCsv + multipartBytes,
    body: Type.Object(
      {
        file: Binary({
          description: 'CSV with a header, at most 50 MB, in UTF-8, UTF-16 with a byte order mark, or Windows-1252.',
        }),
        schema: Type.String({ description: 'Name of a schema of the dataset.', examples: ['coffee_members'] }),
      },
      { description: 'File and target schema.' },
    ),
    responses: { 200: { description: 'The rows were imported.', schema: SeedDatasetUploaded } },
    errors: ['not_found', 'csv_invalid', 'rate_limited'],
    audit: [{ action: 'upload', entityType: 'seedDataset' }],
    transaction: 'own',
  }),
  status: operation({
    ...shared,
    id: 'seedDatasets.status',
    method: 'GET',
    path: '/api/v1/seed-dataset/{key}/status',
    summary: 'Get the loading progress',
    description: 'Progress is tracked per tenant; the key is informational.',
    role: 'viewer',
    loadClass: 'crud',
    params,
    responses: { 200: { description: 'The progress.', schema: SeedDatasetStatus } },
    errors: [],
    audit: [],
    transaction: 'tenant',
  }),
} as const;
