import Type, { type Static } from 'typebox';
import { Binary } from '../core/bodies.ts';
import { operation } from '../core/operation.ts';
import { offsetPage, offsetQuery, type PageLimits } from '../core/pages.ts';
import { Id, IdFilter, IdText, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { common, destinations } from './report-parts.ts';
import { maxSectionRows, reportNotes, reportScope, reportTable } from './report-sources.ts';

/** Formats of a report. */
export const reportFormats = ['pdf', 'csv', 'markdown', 'html'] as const;
export type ReportFormat = (typeof reportFormats)[number];

const Format = StringEnum(reportFormats, { description: 'A format.' });
/** The formats to write. */
export const ReportFormats = Type.Array(Format, {
  minItems: 1,
  maxItems: reportFormats.length,
  uniqueItems: true,
  description: 'Formats to write.',
});
export const reportRunStatuses = ['running', 'completed', 'completed_with_errors', 'failed'] as const;
export type ReportRunStatus = (typeof reportRunStatuses)[number];

/** Runs per page. */
export const reportRunPage: PageLimits = { usual: 50, maximum: 200 };

const ArtifactFacts = Type.Object(
  {
    format: Format,
    mimeType: Type.String({ description: 'Media type.' }),
    fileName: Type.String({ description: 'Name of the file.' }),
    bytes: Type.Integer({ description: 'Size.' }),
  },
  { description: 'A file of a run.' },
);
export type ReportArtifactFacts = Static<typeof ArtifactFacts>;

const DeliveryResult = Type.Object(
  {
    providerId: Id('The destination.'),
    ok: Nullable(Type.Boolean(), {
      description: 'Whether the destination accepted the message; null while it is being sent.',
    }),
    providerMessageId: Nullable(Type.String(), { description: 'ID of the message at the destination, or null.' }),
    error: Nullable(Type.String(), { description: 'The last delivery error, or null.' }),
  },
  { description: 'Delivery of the report to one destination.' },
);
export type ReportDelivery = Static<typeof DeliveryResult>;

const sectionFacts = {
  id: Type.String({ description: 'ID of the section.' }),
  title: Type.String({ description: 'Heading of the section.' }),
  ...reportScope,
  ...reportTable,
};

const SectionData = Type.Object(
  {
    ...sectionFacts,
    truncated: Type.Boolean({ description: `True if there were more than ${maxSectionRows} rows.` }),
    notes: reportNotes,
  },
  { description: 'A section with its figures.' },
);
export type ReportSectionData = Static<typeof SectionData>;

const NarrativeOutput = Type.Object(
  {
    executiveSummary: Type.String({ description: 'Summary of the report in a few sentences.' }),
    sectionNarratives: Type.Array(
      Type.Object(
        {
          sectionId: Type.String({ description: 'The section.' }),
          narrative: Type.String({ description: 'Description of its figures.' }),
        },
        { description: 'Narrative of one section.' },
      ),
      { description: 'Narratives of the sections.' },
    ),
    keyTakeaways: Type.Array(Type.String(), { description: 'Key findings.' }),
  },
  { description: 'The narrative of a report.' },
);
export type ReportNarrative = Static<typeof NarrativeOutput>;

const nullableNarrative = Nullable(NarrativeOutput, { description: 'The narrative; null if it is off.' });
const artifacts = Type.Array(ArtifactFacts, { description: 'Files of the run.' });
const deliveryResults = Type.Array(DeliveryResult, { description: 'One entry per destination.' });
const status = StringEnum(reportRunStatuses, { description: 'Status of the run.' });

const runFields = {
  id: Id('ID of the run.'),
  templateId: Id('ID of its template, which may have been deleted.'),
  templateName: Type.String({ description: 'Name of the template at that time.' }),
  scheduleId: Nullable(Id('Schedule.'), { description: 'ID of the schedule that started it, or null.' }),
  status,
  triggeredBy: Type.String({ description: 'ID of the user, `schedule`, or `api` for an API key.' }),
  startedAt: Timestamp('When the run started.'),
  completedAt: Nullable(Timestamp('Instant.'), { description: 'When the report was written, or null.' }),
  durationMs: Nullable(Type.Integer(), { description: 'Duration, or null.' }),
  error: Nullable(Type.String(), { description: 'Why the run failed (`interrupted` after a crash), or null.' }),
  deliveryResults,
  artifacts,
};

const RunRow = Type.Object(runFields, { description: 'A run.' });
export type ReportRunRow = Static<typeof RunRow>;

export const ReportRun = Type.Object(
  {
    ...runFields,
    sectionsData: Type.Array(SectionData, { description: 'Figures. Empty until the report is written.' }),
    narrativeOutput: nullableNarrative,
  },
  { description: 'A run with its figures.' },
);
export type ReportRun = Static<typeof ReportRun>;

export const RunNowBody = Type.Object(
  {
    destinations: Type.Optional(destinations("Destinations of this run. Default: the template's.")),
    formats: Type.Optional(ReportFormats),
  },
  { description: 'Overrides for this run.', examples: [{ formats: ['pdf'] }] },
);
export type RunNowBody = Static<typeof RunNowBody>;

export const RunNowAnswer = Type.Object(
  { runId: Id('The run.'), status, artifacts, deliveryResults },
  { description: 'Result of the run.' },
);
export type RunNowAnswer = Static<typeof RunNowAnswer>;

export const PreviewAnswer = Type.Object(
  {
    sections: Type.Array(
      Type.Object(
        { ...sectionFacts, truncated: SectionData.properties.truncated, notes: reportNotes },
        { description: 'A section with its figures.' },
      ),
      { description: 'The figures.' },
    ),
    narrative: nullableNarrative,
    artifacts: Type.Array(
      Type.Object(
        { ...ArtifactFacts.properties, base64: Type.String({ description: 'Contents of the file.' }) },
        { description: 'A file.' },
      ),
      { description: 'The files.' },
    ),
  },
  { description: 'The report as it would look now.' },
);
export type ReportPreview = Static<typeof PreviewAnswer>;

/** Generated reports. */
export const reportRunOperations = {
  list: operation({
    ...common,
    id: 'reportRuns.list',
    method: 'GET',
    path: '/api/v1/reports/runs',
    summary: 'List report runs, newest first',
    role: 'viewer',
    query: Type.Object(
      { templateId: Type.Optional(IdFilter('Template to filter by.')), ...offsetQuery(reportRunPage) },
      { description: 'Filter and page.' },
    ),
    responses: { 200: { description: 'A page of runs, without figures.', schema: offsetPage(RunRow) } },
    errors: [],
    audit: [],
  }),
  get: operation({
    ...common,
    id: 'reportRuns.get',
    method: 'GET',
    path: '/api/v1/reports/runs/{id}',
    summary: 'Get a report run with its figures',
    role: 'viewer',
    params: Type.Object({ id: IdText('ID of the run.') }, { description: 'Run to read.' }),
    responses: { 200: { description: 'The run.', schema: ReportRun } },
    errors: ['not_found'],
    audit: [],
  }),
  artifact: operation({
    ...common,
    id: 'reportRuns.artifact',
    method: 'GET',
    path: '/api/v1/reports/runs/{id}/artifacts/{format}',
    summary: 'Download a file of a report run',
    description: 'Returns 404 for a format that was not written.',
    role: 'viewer',
    params: Type.Object(
      { id: IdText('ID of the run.'), format: IdText('pdf, csv, markdown or html.') },
      { description: 'File to download.' },
    ),
    responses: {
      200: {
        description: 'The file.',
        schema: Binary(),
        kind: 'file',
        mediaTypes: [
          'application/pdf',
          'text/csv; charset=utf-8',
          'text/markdown; charset=utf-8',
          'text/html; charset=utf-8',
        ],
      },
    },
    errors: ['not_found'],
    audit: [],
  }),
} as const;
