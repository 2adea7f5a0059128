import Type, { type Static } from 'typebox';
import { Binary } from './core/bodies.ts';
import { operation } from './core/operation.ts';
import { Nullable, StringEnum } from './core/schemas.ts';
import { largestCsv, multipartBytes } from './schema-figures.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Key = (description: string) => Type.String({ description, examples: ['coffee_rewards'] });

/** A pack of demo data (contract part 1, 4.14). */
export const SeedDataset = Type.Object(
  {
    key: Key('Names the dataset in these calls.'),
    name: Type.String({ description: 'Its name.' }),
    description: Type.String({ description: 'What is in it.' }),
    source: Type.String({ description: 'Where its data comes from.' }),
    csvFiles: Type.Array(
      Type.Object(
        {
          schema: Type.String({ description: 'Schema that the file fills.' }),
          fileName: Type.String({ description: 'Name of the file.' }),
          columns: Type.Array(Type.String({ description: 'A header.' }), { description: 'Its headers.' }),
        },
        { description: 'A file.' },
      ),
      { description: 'Files that its schemas take.' },
    ),
    testingFocus: Type.String({ description: 'What it is good for.' }),
    schemaCount: Count('Schemas.'),
    offerCount: Count('Offers.'),
    modelCount: Count('Models.'),
    channelCount: Count('Channels.'),
    categoryCount: Count('Categories.'),
    creativeCount: Count('Creatives.'),
    loaded: Type.Boolean({ description: 'True when it is loaded here.' }),
  },
  { description: 'A dataset.' },
);
export type SeedDataset = Static<typeof SeedDataset>;

const currentlyLoaded = Nullable(Key('A dataset.'), { description: 'The dataset that is loaded; null for none.' });

export const SeedDatasetList = Type.Object(
  { datasets: Type.Array(SeedDataset, { description: 'All datasets of this release.' }), currentlyLoaded },
  { description: 'The datasets.' },
);
export type SeedDatasetList = Static<typeof SeedDatasetList>;

const counts = Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
  description: 'How many of what; rows of a schema stand under `<schema>_rows`.',
});

export const SeedDatasetChanged = Type.Object(
  {
    message: Type.String({ description: 'What was done, for a person.' }),
    counts,
    datasetKey: Key('The dataset.'),
  },
  { description: 'What was loaded.' },
);
export type SeedDatasetChanged = Static<typeof SeedDatasetChanged>;

export const SeedDatasetRemoved = Type.Object(
  { message: Type.String({ description: 'What was done, for a person.' }), counts },
  { description: 'What was removed.' },
);
export type SeedDatasetRemoved = Static<typeof SeedDatasetRemoved>;

export const SeedDatasetUploaded = Type.Object(
  {
    message: Type.String({ description: 'What was done, for a person.' }),
    rowsInserted: Count('Rows that the schema has now.'),
    schemaName: Type.String({ description: 'The schema.' }),
    datasetKey: Key('The dataset.'),
  },
  { description: 'What was taken over.' },
);
export type SeedDatasetUploaded = Static<typeof SeedDatasetUploaded>;

export const SeedDatasetConflict = Type.Object(
  {
    status: StringEnum(['conflict'], { description: 'Always `conflict`.' }),
    currentlyLoaded,
    requestedLoad: Key('The dataset that was asked for.'),
    message: Type.String({ description: 'What is in the way, for a person.' }),
  },
  { description: 'Why nothing was loaded.' },
);
export type SeedDatasetConflict = Static<typeof SeedDatasetConflict>;

/** In the order of a load; one that a dataset has nothing for is passed over. */
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
        'What became of the last load. `running`: it, or a removal, is under way; `idle`: there was none, or it was removed since.',
    }),
    step: StringEnum(['', ...seedSteps], { description: 'Where it is, or where it ended; empty for `idle`.' }),
    progress: Type.Integer({ minimum: 0, maximum: 100, description: 'How far it is, in percent.' }),
  },
  { description: 'Progress of the tenant.' },
);
export type SeedDatasetStatus = Static<typeof SeedDatasetStatus>;

const shared = {
  tag: 'Demo data',
  auth: 'credential',
  role: 'admin',
} as const;
const params = Type.Object({ key: Key('Key of the dataset.') }, { description: 'Which one.' });
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
    summary: 'List the datasets of demo data',
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
    summary: 'Load a dataset',
    description:
      'Creates its schemas with rows, categories, channels, offers, creatives, segments, models, rules, policies and flows, and what ' +
      'happened with its customers in the last 90 days; all or nothing.',
    rateLimits: [{ limit: 5, windowSeconds: 60, per: 'tenant', countsFound: true }],
    query: Type.Object(
      {
        force: Type.Optional(
          Type.Boolean({ default: false, description: 'Removes the dataset that is loaded, in the same transaction.' }),
        ),
      },
      { description: 'How.' },
    ),
    responses: {
      201: { description: 'Loaded.', schema: SeedDatasetChanged },
      409: { description: 'A dataset is loaded already, or is being loaded.', schema: SeedDatasetConflict },
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
    summary: 'Remove a dataset',
    description:
      'Removes what the load created, in reverse order, with what was made below it since: offers in its categories, creatives on ' +
      'its channels, segments over its schemas. Decisions that were made stay provable. 409 `in_use` names what is in the way.',
    responses: { 200: { description: 'Removed.', schema: SeedDatasetRemoved } },
    errors: ['not_found', 'in_use', 'concurrent_modification'],
    audit: [{ action: 'unload_pack', entityType: 'seedDataset' }],
  }),
  upload: operation({
    ...shared,
    id: 'seedDatasets.upload',
    method: 'POST',
    path: '/api/v1/seed-dataset/{key}/upload',
    summary: 'Put the rows of a file in the place of those of a dataset',
    description:
      'The dataset must be loaded. Headers are the columns of the schema in any letter case, or, for the clients of ' +
      '`retail_bank`, those of the UCI data set Bank Marketing; other columns of the file are ignored, columns that it lacks are ' +
      'null, and the key must be there. The delimiter is the one of comma, semicolon, tab and bar that splits the header best. A ' +
      'row that does not fit refuses the file with up to 20 line numbers; the old rows are then as they were. Decisions see the ' +
      'old rows or the new ones, never a mix.',
    loadClass: 'heavy',
    params,
    rateLimits: [{ limit: 5, windowSeconds: 60, per: 'tenant', countsFound: true }],
    bodyKind: 'multipart',
    bodyLimit: largestCsv + multipartBytes,
    body: Type.Object(
      {
        file: Binary({
          description: 'CSV with a header, at most 50 MB; UTF-8, or UTF-16 with a byte order mark, else Windows-1252.',
        }),
        schema: Type.String({ description: 'Name of a schema of the dataset.', examples: ['coffee_members'] }),
      },
      { description: 'A file, and where it goes.' },
    ),
    responses: { 200: { description: 'Taken over.', schema: SeedDatasetUploaded } },
    errors: ['not_found', 'csv_invalid', 'rate_limited'],
    audit: [{ action: 'upload', entityType: 'seedDataset' }],
    transaction: 'own',
  }),
  status: operation({
    ...shared,
    id: 'seedDatasets.status',
    method: 'GET',
    path: '/api/v1/seed-dataset/{key}/status',
    summary: 'Read how far the loading is',
    description: 'Progress is of the tenant; the key is informational.',
    role: 'viewer',
    loadClass: 'crud',
    params,
    responses: { 200: { description: 'The progress.', schema: SeedDatasetStatus } },
    errors: [],
    audit: [],
    transaction: 'tenant',
  }),
} as const;
