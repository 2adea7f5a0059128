import Type, { type Static } from 'typebox';
import { Binary } from '../core/bodies.ts';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery, offsetPage, offsetQuery, type PageLimits, usualPage } from '../core/pages.ts';
import { Id, IdFilter, IdText, Int, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import {
  mostSectionRows,
  ReportParams,
  reportNotes,
  reportScope,
  reportSourceKeys,
  reportTable,
} from './report-sources.ts';

/** Formats of a report. */
export const reportFormats = ['pdf', 'csv', 'markdown', 'html'] as const;
export type ReportFormat = (typeof reportFormats)[number];

export const reportRunStatuses = ['running', 'completed', 'completed_with_errors', 'failed'] as const;
export type ReportRunStatus = (typeof reportRunStatuses)[number];

export const reportCharts = ['auto', 'none', 'line', 'bar', 'funnel', 'histogram'] as const;

/** Templates of a tenant, and schedules (docs/design/api-access.md 22). */
export const mostReportTemplates = 500;
export const mostReportSchedules = 500;

/** Runs per page. */
export const reportRunPage: PageLimits = { usual: 50, maximum: 200 };

const DataSource = Type.Object(
  {
    sourceKey: StringEnum(reportSourceKeys, { description: 'Source to show; see `GET /api/v1/reports/sources`.' }),
    params: Type.Optional(ReportParams),
  },
  { additionalProperties: false, description: 'A source with its parameters.' },
);

const Section = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$', description: 'Unique in the report.' }),
    title: Name('Heading of the section.', 200),
    dataSourceIndex: Int(0, 19, 'Index of its source in `dataSources`, from 0.'),
    view: Type.Optional(
      Type.Object(
        {
          chart: Type.Optional(
            StringEnum(reportCharts, {
              description: '`auto`: the chart that suits the source. `none`: table only.',
              default: 'auto',
            }),
          ),
          width: Type.Optional(
            StringEnum(['quarter', 'half', 'full'], { description: 'Width on a dashboard.', default: 'full' }),
          ),
        },
        { additionalProperties: false, description: 'How to display the section.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'A section of the report.' },
);
export type ReportTemplateSection = Static<typeof Section>;

const Format = StringEnum(reportFormats, { description: 'A format.' });
const formats = Type.Array(Format, {
  minItems: 1,
  maxItems: reportFormats.length,
  uniqueItems: true,
  description: 'Tone of the text.',
});
const destinations = (description: string) => Type.Array(Id('Id of a destination.'), { maxItems: 20, description });

const Narrative = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether to describe the figures in words.' }),
    prompt: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'What the text should focus on. Figures and sections named here by title come first.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Narrative settings.' },
);

const Filters = Type.Object(
  { destinations: destinations('Where to send runs, unless the schedule or the call sets destinations.') },
  { additionalProperties: false, description: 'Destination of runs.' },
);

const description = Nullable(Type.String({ maxLength: 2000 }), { description: 'Purpose of the template, or null.' });

const templateFields = {
  name: Name('Name. Used as the title of the report.', 120),
  description,
  dataSources: Type.Array(DataSource, { minItems: 1, maxItems: 20, description: 'Data sources of the report.' }),
  sections: Type.Array(Section, { minItems: 1, maxItems: 40, description: 'Sections in order.' }),
  formats,
  narrative: Narrative,
  filters: Filters,
  enabled: Type.Boolean({ description: 'While a template is disabled, its schedules advance without a run.' }),
};

const times = {
  createdAt: Timestamp('When it was created.'),
  updatedAt: Timestamp('When it last changed.'),
};

/** What a report shows. */
export const ReportTemplate = Type.Object(
  { id: Id('Id of the template.'), ...templateFields, ...times },
  { description: 'A template for reports and dashboards.' },
);
export type ReportTemplate = Static<typeof ReportTemplate>;

const { name: templateName, dataSources: templateSources } = templateFields;

export const ReportTemplateCreate = Type.Object(
  { ...Type.Partial(Type.Object(templateFields)).properties, name: templateName, dataSources: templateSources },
  {
    description:
      'A new template. Defaults: one section for each source, with ids s1, s2 and so on and the name of ' +
      'the source; formats [html]; no narrative; no destinations; enabled.',
    examples: [
      {
        name: 'Weekly business report',
        dataSources: [{ sourceKey: 'daily_trend', params: { days: 7 } }, { sourceKey: 'offer_performance' }],
        formats: ['html', 'pdf'],
      },
    ],
  },
);
export type ReportTemplateCreate = Static<typeof ReportTemplateCreate>;

export const ReportTemplateChange = Type.Object(Type.Partial(Type.Object(templateFields)).properties, {
  description: 'Changes to a template. New sources without sections get sections of their own.',
  examples: [{ enabled: false }],
});
export type ReportTemplateChange = Static<typeof ReportTemplateChange>;

const scheduleFields = {
  name: Name('Name.', 120),
  // An empty one is a wrong expression like any other: 422, by the handler.
  cronExpression: Type.String({
    maxLength: 255,
    description:
      'Cron expression with five fields: minute, hour, day of the month, month and day of the week. Names, ' +
      'lists, ranges and steps are allowed; 7 is also Sunday. If both day fields are set, either one is ' +
      'enough.',
  }),
  timezone: Type.String({ minLength: 1, maxLength: 64, description: "IANA time zone. Default: the tenant's." }),
  destinations: destinations("Where to send its runs. Defaults to the template's destinations."),
  enabled: Type.Boolean({ description: 'A disabled schedule has no next run.' }),
};

/** When a report is generated automatically. */
export const ReportSchedule = Type.Object(
  {
    id: Id('Id of the schedule.'),
    templateId: Id('Template of the schedule.'),
    ...scheduleFields,
    nextRunAt: Nullable(Timestamp('Instant.'), { description: 'Next run; null while disabled.' }),
    lastRunAt: Nullable(Timestamp('Instant.'), { description: 'When it last ran, or null.' }),
    lastRunId: Nullable(Id('Run.'), { description: 'Id of the last run, or null.' }),
    ...times,
  },
  { description: 'A report schedule.' },
);
export type ReportSchedule = Static<typeof ReportSchedule>;

export const ReportScheduleCreate = Type.Object(
  {
    ...Type.Partial(Type.Object(scheduleFields)).properties,
    templateId: Id('The template.'),
    name: scheduleFields.name,
    cronExpression: scheduleFields.cronExpression,
  },
  {
    description: "A new schedule. Defaults: the tenant's time zone, the template's destinations, enabled.",
    examples: [
      {
        templateId: '0190a1b2-c3d4-7e5f-8a9b-7265706f7274',
        name: 'Mondays',
        cronExpression: '0 8 * * mon',
        timezone: 'Europe/Berlin',
      },
    ],
  },
);
export type ReportScheduleCreate = Static<typeof ReportScheduleCreate>;

export const ReportScheduleChange = Type.Object(
  {
    ...Type.Partial(Type.Object(scheduleFields)).properties,
    templateId: Type.Optional(Id('Can be sent back unchanged. Any other template returns 400.')),
  },
  { description: 'Changes to a schedule.', examples: [{ enabled: false }] },
);
export type ReportScheduleChange = Static<typeof ReportScheduleChange>;

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
    providerMessageId: Nullable(Type.String(), { description: 'Id of the message at the destination, or null.' }),
    error: Nullable(Type.String(), { description: 'The last delivery error, or null.' }),
  },
  { description: 'Delivery of the report to one destination.' },
);
export type ReportDelivery = Static<typeof DeliveryResult>;

const sectionFacts = {
  id: Type.String({ description: 'Id of the section.' }),
  title: Type.String({ description: 'Heading of the section.' }),
  ...reportScope,
  ...reportTable,
};

const SectionData = Type.Object(
  {
    ...sectionFacts,
    truncated: Type.Boolean({ description: `True if there were more than ${mostSectionRows} rows.` }),
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
  id: Id('Id of the run.'),
  templateId: Id('Id of its template, which may have been deleted.'),
  templateName: Type.String({ description: 'Name of the template at that time.' }),
  scheduleId: Nullable(Id('Schedule.'), { description: 'Id of the schedule that started it, or null.' }),
  status,
  triggeredBy: Type.String({ description: 'Id of the user, `schedule`, or `api` for an API key.' }),
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

const RunNowBody = Type.Object(
  {
    destinations: Type.Optional(destinations("Destinations of this run. Default: the template's.")),
    formats: Type.Optional(formats),
  },
  { description: 'Overrides for this run.', examples: [{ formats: ['pdf'] }] },
);
export type RunNowBody = Static<typeof RunNowBody>;

const RunNowAnswer = Type.Object(
  { runId: Id('The run.'), status, artifacts, deliveryResults },
  { description: 'Result of the run.' },
);
export type RunNowAnswer = Static<typeof RunNowAnswer>;

const PreviewAnswer = Type.Object(
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

const common = { tag: 'Reports', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
const templatePath = '/api/v1/reports/templates';
const schedulePath = '/api/v1/reports/schedules';
const ofTemplate = Type.Object({ id: IdText('Id of the template.') }, { description: 'Template to use.' });
const ofSchedule = Type.Object({ id: IdText('Id of the schedule.') }, { description: 'Schedule to use.' });
const limits = [{ limit: 30, windowSeconds: 60, per: 'tenant', bucket: 'reports' }] as const;
const audited = (action: string, entityType: string) => [{ action, entityType }];

/** Report templates and their runs (docs/design/api-access.md 11, 22). */
export const reportTemplateOperations = {
  list: operation({
    ...common,
    id: 'reportTemplates.list',
    method: 'GET',
    path: templatePath,
    summary: 'List report templates, newest first',
    role: 'viewer',
    responses: {
      200: {
        description: `Returns all of them. A tenant can have at most ${mostReportTemplates}.`,
        schema: Type.Object(
          { data: Type.Array(ReportTemplate, { description: 'The templates.' }) },
          { description: 'The templates.' },
        ),
      },
    },
    errors: [],
    audit: [],
  }),
  create: operation({
    ...common,
    id: 'reportTemplates.create',
    method: 'POST',
    path: templatePath,
    summary: 'Create a report template',
    role: 'editor',
    body: ReportTemplateCreate,
    record: ReportTemplate,
    responses: { 201: { description: 'The template.', schema: ReportTemplate } },
    errors: ['not_found', 'limit_reached'],
    audit: audited('create', 'reportTemplate'),
  }),
  get: operation({
    ...common,
    id: 'reportTemplates.get',
    method: 'GET',
    path: `${templatePath}/{id}`,
    summary: 'Get a report template',
    role: 'viewer',
    params: ofTemplate,
    responses: { 200: { description: 'The template.', schema: ReportTemplate } },
    errors: ['not_found'],
    audit: [],
  }),
  change: operation({
    ...common,
    id: 'reportTemplates.change',
    method: 'PATCH',
    path: `${templatePath}/{id}`,
    summary: 'Update a report template',
    role: 'editor',
    params: ofTemplate,
    body: ReportTemplateChange,
    record: ReportTemplate,
    responses: { 200: { description: 'The template.', schema: ReportTemplate } },
    errors: ['not_found'],
    audit: audited('update', 'reportTemplate'),
  }),
  remove: operation({
    ...common,
    id: 'reportTemplates.remove',
    method: 'DELETE',
    path: `${templatePath}/{id}`,
    summary: 'Delete a report template and its schedules; runs are kept',
    role: 'editor',
    params: ofTemplate,
    responses: { 204: { description: 'Deleted.', schema: null } },
    errors: ['not_found'],
    audit: audited('delete', 'reportTemplate'),
  }),
  preview: operation({
    ...common,
    id: 'reportTemplates.preview',
    method: 'POST',
    path: `${templatePath}/{id}/preview`,
    summary: 'Preview a report without storing or sending it',
    role: 'viewer',
    loadClass: 'heavy',
    rateLimits: limits,
    transaction: 'own',
    params: ofTemplate,
    responses: { 200: { description: 'The report.', schema: PreviewAnswer } },
    errors: ['not_found'],
    audit: [],
  }),
  runNow: operation({
    ...common,
    id: 'reportTemplates.runNow',
    method: 'POST',
    path: `${templatePath}/{id}/run-now`,
    summary: 'Run a report now, store it and send it',
    description:
      "Also works for a disabled template. The run is stored before it starts, so it isn't lost if the " +
      'caller disconnects. Each destination gets one attempt of at most 5 seconds. Always returns 202; see ' +
      '`status` for the result.',
    role: 'editor',
    loadClass: 'heavy',
    idempotent: true,
    rateLimits: limits,
    transaction: 'own',
    params: ofTemplate,
    body: RunNowBody,
    responses: { 202: { description: 'Result of the run.', schema: RunNowAnswer } },
    errors: ['not_found'],
    audit: audited('run_started', 'reportRun'),
  }),
} as const;

/** Schedules of reports (docs/design/quality.md T22). */
export const reportScheduleOperations = {
  list: operation({
    ...common,
    id: 'reportSchedules.list',
    method: 'GET',
    path: schedulePath,
    summary: 'List report schedules, newest first',
    role: 'viewer',
    query: Type.Object(
      { ...cursorQuery(usualPage), templateId: Type.Optional(IdFilter('Template to filter by.')) },
      { description: 'Page and filter.' },
    ),
    responses: { 200: { description: 'A page.', schema: cursorPage(ReportSchedule) } },
    errors: ['invalid_cursor'],
    audit: [],
  }),
  create: operation({
    ...common,
    id: 'reportSchedules.create',
    method: 'POST',
    path: schedulePath,
    summary: 'Create a report schedule',
    role: 'editor',
    body: ReportScheduleCreate,
    record: ReportSchedule,
    responses: { 201: { description: 'The schedule.', schema: ReportSchedule } },
    errors: ['not_found', 'invalid_cron', 'limit_reached'],
    audit: audited('create', 'reportSchedule'),
  }),
  get: operation({
    ...common,
    id: 'reportSchedules.get',
    method: 'GET',
    path: `${schedulePath}/{id}`,
    summary: 'Get a report schedule',
    role: 'viewer',
    params: ofSchedule,
    responses: { 200: { description: 'The schedule.', schema: ReportSchedule } },
    errors: ['not_found'],
    audit: [],
  }),
  change: operation({
    ...common,
    id: 'reportSchedules.change',
    method: 'PATCH',
    path: `${schedulePath}/{id}`,
    summary: 'Update a report schedule',
    description:
      'If you change the expression or time zone, or enable the schedule, the next run is recalculated from now.',
    role: 'editor',
    params: ofSchedule,
    body: ReportScheduleChange,
    record: ReportSchedule,
    responses: { 200: { description: 'The schedule.', schema: ReportSchedule } },
    errors: ['not_found', 'invalid_cron'],
    audit: audited('update', 'reportSchedule'),
  }),
  remove: operation({
    ...common,
    id: 'reportSchedules.remove',
    method: 'DELETE',
    path: `${schedulePath}/{id}`,
    summary: 'Delete a report schedule; runs are kept',
    role: 'editor',
    params: ofSchedule,
    responses: { 204: { description: 'Deleted.', schema: null } },
    errors: ['not_found'],
    audit: audited('delete', 'reportSchedule'),
  }),
} as const;

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
    params: Type.Object({ id: IdText('Id of the run.') }, { description: 'Run to read.' }),
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
      { id: IdText('Id of the run.'), format: IdText('pdf, csv, markdown or html.') },
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
