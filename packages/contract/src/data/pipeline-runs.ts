import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery } from '../core/pages.ts';
import { Id, IdText, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

// Runs of pipelines (docs/design/api-catalogue.md 15).

export const pipelineRunStatuses = [
  'pending',
  'running',
  'completed',
  'completed_with_errors',
  'failed',
  'cancelled',
] as const;
export type PipelineRunStatus = (typeof pipelineRunStatuses)[number];

export const pipelineTriggers = ['manual', 'schedule'] as const;
export type PipelineTrigger = (typeof pipelineTriggers)[number];

/** What a run stores of its bad rows. */
export const maxRowProblems = 20;
export const pipelineRunPage = { usual: 50, maximum: 200 };

const count = (description: string) => Type.Integer({ description });

const RunError = Nullable(
  Type.Object(
    {
      code: Type.String({
        description:
          'Kind of error: `connector_inactive`, `empty_source`, `row_rejected`, `schema_mismatch`, `source_failed`, ' +
          '`internal`, or the reason of the connector, such as `auth_failed` or `connect_timeout`.',
      }),
      message: Type.String({ description: 'What happened.' }),
    },
    { description: 'Why it failed.' },
  ),
  { description: 'Why it failed, or null.' },
);

const facts = {
  status: StringEnum(pipelineRunStatuses, {
    description:
      "pending: waits for a worker. completed_with_errors: rows were left out because they didn't match the schema.",
  }),
  error: RunError,
};

/** A run in lists. */
export const PipelineRun = Type.Object(
  {
    id: Id('ID of the run.'),
    pipelineId: Id('Pipeline.'),
    runNumber: count('Counts the runs of the pipeline from 1.'),
    triggeredBy: StringEnum(pipelineTriggers, { description: 'What started it.' }),
    ...facts,
    rowsIn: count('Rows of the source that were processed.'),
    rowsOut: count('Rows inserted or updated.'),
    skippedRows: count('Rows left out as duplicates or by transforms.'),
    failedRows: count("Rows that didn't match the schema."),
    createdAt: Timestamp('When it was created.'),
    startedAt: Nullable(Timestamp('Instant.'), { description: 'When it started, or null.' }),
    completedAt: Nullable(Timestamp('Instant.'), { description: 'When it ended, or null.' }),
  },
  { description: 'A run of a pipeline.' },
);
export type PipelineRun = Static<typeof PipelineRun>;

const RunCreated = Type.Object(
  {
    id: Id('ID of the run.'),
    pipelineId: Id('Pipeline.'),
    runNumber: PipelineRun.properties.runNumber,
    triggeredBy: PipelineRun.properties.triggeredBy,
    status: facts.status,
    createdAt: Timestamp('When it was created.'),
  },
  { description: 'The new run.' },
);
export type PipelineRunCreated = Static<typeof RunCreated>;

export const PipelineProgress = Type.Object(
  {
    ...facts,
    rowsIn: PipelineRun.properties.rowsIn,
    rowsOut: PipelineRun.properties.rowsOut,
    skippedRows: PipelineRun.properties.skippedRows,
    failedRows: PipelineRun.properties.failedRows,
    totalRows: Nullable(Type.Integer(), {
      description: 'Rows of the source. Null until the run has read all of them.',
    }),
    processedRows: count('Same as `rowsIn`.'),
    progressPercent: Nullable(Type.Number(), { description: 'Share of the rows processed, or null if unknown.' }),
    etaSeconds: Nullable(Type.Integer(), { description: 'Estimated seconds to the end, or null if unknown.' }),
    durationMs: count('Milliseconds since the start. 0 until it starts.'),
    loadMode: StringEnum(['append', 'replace', 'upsert'], { description: 'How it loads.' }),
    validationErrors: Type.Array(
      Type.Object(
        {
          row: count('Number of the row in the source, from 1.'),
          column: Nullable(Type.String(), { description: 'Column, or null.' }),
          error: Type.String({ description: 'What is wrong with it.' }),
        },
        { description: "A row that doesn't match the schema." },
      ),
      { description: `The first ${maxRowProblems} of them.` },
    ),
    log: Type.Array(
      Type.Object(
        {
          stage: Type.String({ description: 'Kind of entry, such as `started`, `columns_dropped` or `coming_soon`.' }),
          message: Type.String({ description: 'What happened.' }),
          timestamp: Timestamp('When.'),
        },
        { description: 'An entry.' },
      ),
      { description: 'What happened, oldest first.' },
    ),
  },
  { description: 'Progress of a run.' },
);
export type PipelineProgress = Static<typeof PipelineProgress>;

const common = { tag: 'Pipelines', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
const params = Type.Object({ id: IdText('ID of the pipeline.') }, { description: 'The pipeline.' });
const runParams = Type.Object(
  { id: IdText('ID of the pipeline.'), runId: IdText('ID of the run.') },
  { description: 'The run.' },
);

/** Starting, watching and cancelling pipelines. */
export const pipelineRunOperations = {
  start: operation({
    ...common,
    id: 'pipelineRuns.start',
    method: 'POST',
    path: '/api/v1/pipelines/{id}/runs',
    summary: 'Run a pipeline',
    description: 'Returns immediately. Poll the progress of the run for the result. A pipeline has one run at a time.',
    role: 'editor',
    idempotent: true,
    params,
    responses: { 201: { description: 'The run was queued.', schema: RunCreated } },
    errors: ['not_found', 'invalid_transition'],
    audit: [{ action: 'create', entityType: 'pipelineRun' }],
  }),
  list: operation({
    ...common,
    id: 'pipelineRuns.list',
    method: 'GET',
    path: '/api/v1/pipelines/{id}/runs',
    summary: 'List the runs of a pipeline',
    description: 'Sorted by newest first.',
    role: 'viewer',
    params,
    query: Type.Object(cursorQuery(pipelineRunPage), { description: 'Page.' }),
    responses: { 200: { description: 'A page of runs.', schema: cursorPage(PipelineRun) } },
    errors: ['not_found', 'invalid_cursor'],
    audit: [],
  }),
  progress: operation({
    ...common,
    id: 'pipelineRuns.progress',
    method: 'GET',
    path: '/api/v1/pipelines/{id}/runs/{runId}/progress',
    summary: 'Get the progress of a pipeline run',
    role: 'viewer',
    params: runParams,
    responses: { 200: { description: 'The progress.', schema: PipelineProgress } },
    errors: ['not_found'],
    audit: [],
  }),
  cancel: operation({
    ...common,
    id: 'pipelineRuns.cancel',
    method: 'POST',
    path: '/api/v1/pipelines/{id}/runs/{runId}/cancel',
    summary: 'Cancel a pipeline run',
    description: 'Rows that are loaded stay. A run that replaces rows leaves the old ones.',
    role: 'editor',
    params: runParams,
    responses: { 200: { description: 'The run.', schema: PipelineRun } },
    errors: ['not_found', 'invalid_transition'],
    audit: [{ action: 'update', entityType: 'pipelineRun' }],
  }),
};
