import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, deleted, newestFirst, resource } from '../core/resource.ts';
import { Id, IdFilter, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { pipelineRunStatuses } from './pipeline-runs.ts';
import { maxTransforms, PipelineTransform } from './pipeline-transforms.ts';

// Pipelines (docs/design/api-catalogue.md 15).

export const pipelineStatuses = ['draft', 'active', 'paused', 'archived'] as const;
export const loadModes = ['append', 'replace', 'upsert'] as const;
export type LoadMode = (typeof loadModes)[number];

/** Default number of rows per batch. */
export const defaultBatchSize = 1000;

const shared = {
  name: Name('Name. Unique among pipelines.'),
  description: Type.String({ maxLength: 2000, description: 'What the pipeline is for.' }),
  status: StringEnum(pipelineStatuses, {
    description: 'Only active pipelines run on schedule. Archived ones do not run at all. Default draft.',
  }),
  connectorId: Id('Connector to read from.'),
  schemaId: Id('Schema to load into.'),
  source: JsonObject(
    'What to read: options of the reader, such as `sourceTable`, `path` or `watermarkColumn`. Overrides the config of the ' +
      'connector. `rowLimit`: maximum rows of a run, default 100,000, 0 for no limit. Must not contain secrets.',
    { maxProperties: 50 },
  ),
  loadMode: StringEnum(loadModes, {
    description:
      'append (default): inserts, and skips rows whose unique key exists. upsert: inserts or updates by `upsertKey`. ' +
      'replace: readers see the old rows until all new ones are loaded.',
  }),
  upsertKey: Type.Array(Type.String({ minLength: 1, maxLength: 63, description: 'Name of a column.' }), {
    maxItems: 1,
    description:
      'Column that identifies rows: the primary key or a unique field. Empty: the primary key. Only used by upsert.',
  }),
  onRowError: StringEnum(['skip', 'fail'], {
    description: 'What a row that does not fit the schema does. skip (default): it is left out. fail: the run fails.',
  }),
  allowEmpty: Type.Boolean({
    description:
      'replace: true deletes all rows if the source is empty. Default false: the run fails with `empty_source`.',
  }),
};

const ScheduleOut = Nullable(
  Type.Object(
    {
      cronExpression: Type.String({ description: 'Cron expression with five fields.' }),
      timezone: Type.String({ description: 'IANA time zone.' }),
    },
    { description: 'When it runs.' },
  ),
  { description: 'When it runs. Null: only by hand.' },
);
const ExecutionOut = Type.Object(
  { batchSize: Type.Integer({ description: 'Rows per batch.' }) },
  { description: 'How it runs.' },
);
const related = (noun: string) =>
  Type.Object(
    { id: Id(`ID of the ${noun}.`), name: Type.String({ description: 'Its name.' }) },
    { description: `The ${noun}.` },
  );

/** Loads rows of a source into a schema. */
export const Pipeline = Type.Object(
  {
    id: Id('ID of the pipeline.'),
    tenantId: Id('Tenant.'),
    ...shared,
    transforms: Type.Array(PipelineTransform, { description: 'Steps in order.' }),
    schedule: ScheduleOut,
    executionConfig: ExecutionOut,
    nextRunAt: Nullable(Timestamp('Instant.'), { description: 'When it runs next by schedule, or null.' }),
    lastRunAt: Nullable(Timestamp('Instant.'), { description: 'When the latest run was created, or null.' }),
    lastRunStatus: Nullable(StringEnum(pipelineRunStatuses, { description: 'Status.' }), {
      description: 'Status of the latest run, or null.',
    }),
    connector: Nullable(related('connector'), { description: 'The connector. Null if it was deleted.' }),
    schema: related('schema'),
    version: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A pipeline.' },
);
export type Pipeline = Static<typeof Pipeline>;

const writable = {
  ...shared,
  transforms: Type.Array(PipelineTransform, {
    maxItems: maxTransforms,
    description: `Steps that each row goes through, in order. At most ${maxTransforms}.`,
  }),
  schedule: Nullable(
    Type.Object(
      {
        cronExpression: Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'Cron expression with five fields: minute, hour, day of month, month, day of week.',
        }),
        timezone: Type.Optional(
          Type.String({ minLength: 1, maxLength: 64, description: 'IANA time zone. Default UTC.' }),
        ),
      },
      { additionalProperties: false, description: 'When it runs.' },
    ),
    { description: 'When it runs. Null: only by hand.' },
  ),
  executionConfig: Type.Object(
    { batchSize: Type.Optional(Int(1, 5000, `Rows per batch, 1 to 5000. Default: ${defaultBatchSize}.`)) },
    { additionalProperties: false, description: 'How it runs.' },
  ),
};

const changes = Type.Partial(Type.Object(writable)).properties;

export const PipelineCreate = Type.Object(
  { ...changes, name: shared.name, connectorId: shared.connectorId, schemaId: shared.schemaId },
  {
    description: 'A new pipeline. Defaults: status draft, append, no schedule, batches of 1000 rows.',
    examples: [
      {
        name: 'Customers from the warehouse',
        connectorId: exampleId('connector'),
        schemaId: exampleId('schema'),
        source: { sourceTable: 'public.customers', watermarkColumn: 'updated_at' },
        transforms: [{ op: 'lower', columns: ['email'] }],
        loadMode: 'upsert',
        schedule: { cronExpression: '0 3 * * *', timezone: 'Europe/Berlin' },
        status: 'active',
      },
    ],
  },
);
export type PipelineCreate = Static<typeof PipelineCreate>;

const pipelineDraft: Draft<PipelineCreate> = ({ name, marker, id }) => ({
  name: name('Pipeline'),
  description: `Pipeline of ${marker}`,
  status: 'draft',
  connectorId: id('connector'),
  schemaId: id('dataSchema'),
  source: { sourceTable: 'customers' },
  transforms: [{ op: 'trim', columns: ['first_name'] }],
  loadMode: 'append',
  upsertKey: [],
  onRowError: 'skip',
  allowEmpty: false,
  schedule: { cronExpression: '0 3 * * *', timezone: 'Europe/Berlin' },
  executionConfig: { batchSize: 500 },
});

/** Pipelines, described once. */
export const pipelineResource = resource({
  entityType: 'pipeline',
  name: 'pipelines',
  path: 'pipelines',
  tag: 'Pipelines',
  noun: 'pipeline',
  nouns: 'pipelines',
  writeRole: 'editor',
  softDelete: false,
  record: Pipeline,
  create: PipelineCreate,
  draft: pipelineDraft,
  changes,
  page: { usual: 20, maximum: 200 },
  order: newestFirst,
  search: ['name'],
  filters: {
    status: Type.Optional(shared.status),
    connectorId: Type.Optional(IdFilter('Connector.')),
    schemaId: Type.Optional(IdFilter('Schema.')),
  },
  queries: {},
  unique: { name: 'duplicate_name' },
  references: {
    // An archived pipeline keeps the id of a connector that's gone; the connectors ask `pipelinesNamingConnector`.
    connectorId: { to: 'connector', onDelete: 'keep' },
    schemaId: { to: 'dataSchema', onDelete: 'refuse' },
  },
  removal: deleted,
  errors: {
    create: ['reference_not_found', 'invalid_cron', 'not_configured'],
    update: ['reference_not_found', 'invalid_cron', 'not_configured'],
  },
});

export const pipelineOperations = recordOperations(pipelineResource);
