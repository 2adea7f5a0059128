import Type, { type Static } from 'typebox';
import { Binary } from './core/bodies.ts';
import { operation } from './core/operation.ts';
import { cursorPage, cursorQuery, offsetPage, offsetQuery, type PageLimits, usualPage } from './core/pages.ts';
import { Id, IdFilter, IdText, Int, Name, Nullable, StringEnum, Timestamp } from './core/schemas.ts';
import {
  mostSectionRows,
  ReportParams,
  reportNotes,
  reportScope,
  reportSourceKeys,
  reportTable,
} from './report-sources.ts';

/** In what a report can be written (part 1, section 2). */
export const reportFormats = ['pdf', 'csv', 'markdown', 'html'] as const;
export type ReportFormat = (typeof reportFormats)[number];

export const reportRunStatuses = ['running', 'completed', 'completed_with_errors', 'failed'] as const;
export type ReportRunStatus = (typeof reportRunStatuses)[number];

export const reportCharts = ['auto', 'none', 'line', 'bar', 'funnel', 'histogram'] as const;

/** Templates of a tenant, and schedules (docs/design/api-access.md 22). */
export const mostReportTemplates = 500;
export const mostReportSchedules = 500;

/** Runs per page (part 1, section 8). */
export const reportRunPage: PageLimits = { usual: 50, maximum: 200 };

const DataSource = Type.Object(
  {
    sourceKey: StringEnum(reportSourceKeys, { description: 'The source; see GET /api/v1/reports/sources.' }),
    params: Type.Optional(ReportParams),
  },
  { additionalProperties: false, description: 'A source, and what it is asked with.' },
);

const Section = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$', description: 'Unique in the report.' }),
    title: Name('What stands above it.', 200),
    dataSourceIndex: Int(0, 19, 'Place of its source in `dataSources`, from 0.'),
    view: Type.Optional(
      Type.Object(
        {
          chart: Type.Optional(
            StringEnum(reportCharts, {
              description: '`auto`: what suits the source; `none`: only the table.',
              default: 'auto',
            }),
          ),
          width: Type.Optional(
            StringEnum(['quarter', 'half', 'full'], { description: 'How wide a dashboard shows it.', default: 'full' }),
          ),
        },
        { additionalProperties: false, description: 'How it is shown.' },
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
  description: 'What it is written in.',
});
const destinations = (description: string) => Type.Array(Id('Id of a destination.'), { maxItems: 20, description });

const Narrative = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether the figures are told in words, too.' }),
    prompt: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'What the words should look at: figures and sections that it names by their titles come first.',
      }),
    ),
  },
  { additionalProperties: false, description: 'The figures in words.' },
);

const Filters = Type.Object(
  { destinations: destinations('Where its runs go, when neither the schedule nor the call names others.') },
  { additionalProperties: false, description: 'Where it goes.' },
);

const description = Nullable(Type.String({ maxLength: 2000 }), { description: 'What it is for, or null.' });

const templateFields = {
  name: Name('Name; the title of the report.', 120),
  description,
  dataSources: Type.Array(DataSource, { minItems: 1, maxItems: 20, description: 'What it is made of.' }),
  sections: Type.Array(Section, { minItems: 1, maxItems: 40, description: 'What it shows, in this order.' }),
  formats,
  narrative: Narrative,
  filters: Filters,
  enabled: Type.Boolean({ description: 'Schedules of a template that is off move on without a run.' }),
};

const times = {
  createdAt: Timestamp('When it was made.'),
  updatedAt: Timestamp('When it last changed.'),
};

/** What a report shows (part 1, section 2). */
export const ReportTemplate = Type.Object(
  { id: Id('Id of the template.'), ...templateFields, ...times },
  { description: 'A template of reports, and of dashboards.' },
);
export type ReportTemplate = Static<typeof ReportTemplate>;

const { name: templateName, dataSources: templateSources } = templateFields;

export const ReportTemplateCreate = Type.Object(
  { ...Type.Partial(Type.Object(templateFields)).properties, name: templateName, dataSources: templateSources },
  {
    description:
      'A new template. Defaults: one section for each source, ids s1, s2 and so on, under the name of the source; formats ' +
      '[html]; no narrative; no destinations; enabled.',
    examples: [
      {
        name: 'Business week',
        dataSources: [{ sourceKey: 'daily_trend', params: { days: 7 } }, { sourceKey: 'offer_performance' }],
        formats: ['html', 'pdf'],
      },
    ],
  },
);
export type ReportTemplateCreate = Static<typeof ReportTemplateCreate>;

export const ReportTemplateChange = Type.Object(Type.Partial(Type.Object(templateFields)).properties, {
  description: 'Changes of a template. New sources without sections get sections of their own.',
  examples: [{ enabled: false }],
});
export type ReportTemplateChange = Static<typeof ReportTemplateChange>;

const scheduleFields = {
  name: Name('Name.', 120),
  // An empty one is a wrong expression like any other: 422, by the handler.
  cronExpression: Type.String({
    maxLength: 255,
    description:
      'Five fields: minute, hour, day of the month, month, day of the week; with names, lists, ranges and steps; 7 is ' +
      'Sunday too. With both kinds of day given, either is enough.',
  }),
  timezone: Type.String({ minLength: 1, maxLength: 64, description: "IANA zone; default the tenant's." }),
  destinations: destinations("Where its runs go; none: where the template's do."),
  enabled: Type.Boolean({ description: 'A schedule that is off has no next run.' }),
};

/** When a report is made by itself (part 1, section 2). */
export const ReportSchedule = Type.Object(
  {
    id: Id('Id of the schedule.'),
    templateId: Id('Its template.'),
    ...scheduleFields,
    nextRunAt: Nullable(Timestamp('Instant.'), { description: 'When it runs next; null while it is off.' }),
    lastRunAt: Nullable(Timestamp('Instant.'), { description: 'When it ran last, or null.' }),
    lastRunId: Nullable(Id('Run.'), { description: 'The last run, or null.' }),
    ...times,
  },
  { description: 'A schedule of a report.' },
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
    description: "A new schedule. Defaults: the tenant's zone, the template's destinations, enabled.",
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
    templateId: Type.Optional(Id('May be sent as it is; another template is 400.')),
  },
  { description: 'Changes of a schedule.', examples: [{ enabled: false }] },
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
    ok: Nullable(Type.Boolean(), { description: 'Whether it was taken; null while it is on its way.' }),
    providerMessageId: Nullable(Type.String(), { description: 'How the message is called there, or null.' }),
    error: Nullable(Type.String(), { description: 'What went wrong last, in our words, or null.' }),
  },
  { description: 'What came of the report at one destination.' },
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
    truncated: Type.Boolean({ description: `There were more than ${mostSectionRows} rows.` }),
    notes: reportNotes,
  },
  { description: 'A section with its figures.' },
);
export type ReportSectionData = Static<typeof SectionData>;

const NarrativeOutput = Type.Object(
  {
    executiveSummary: Type.String({ description: 'The report in a few sentences.' }),
    sectionNarratives: Type.Array(
      Type.Object(
        {
          sectionId: Type.String({ description: 'The section.' }),
          narrative: Type.String({ description: 'Its figures in words.' }),
        },
        { description: 'A section in words.' },
      ),
      { description: 'The sections in words.' },
    ),
    keyTakeaways: Type.Array(Type.String(), { description: 'What matters most.' }),
  },
  { description: 'The figures in words.' },
);
export type ReportNarrative = Static<typeof NarrativeOutput>;

const nullableNarrative = Nullable(NarrativeOutput, { description: 'The figures in words; null when that is off.' });
const artifacts = Type.Array(ArtifactFacts, { description: 'Its files.' });
const deliveryResults = Type.Array(DeliveryResult, { description: 'One for each destination.' });
const status = StringEnum(reportRunStatuses, { description: 'What came of it.' });

const runFields = {
  id: Id('Id of the run.'),
  templateId: Id('Its template, which may be deleted.'),
  templateName: Type.String({ description: 'Name of the template then.' }),
  scheduleId: Nullable(Id('Schedule.'), { description: 'The schedule that started it, or null.' }),
  status,
  triggeredBy: Type.String({ description: 'Id of the user, `schedule`, or `api` for a key.' }),
  startedAt: Timestamp('When it was started.'),
  completedAt: Nullable(Timestamp('Instant.'), { description: 'When it was written, or null.' }),
  durationMs: Nullable(Type.Integer(), { description: 'How long it took, or null.' }),
  error: Nullable(Type.String(), { description: 'Why it failed (`interrupted` after a crash), or null.' }),
  deliveryResults,
  artifacts,
};

const RunRow = Type.Object(runFields, { description: 'A run.' });
export type ReportRunRow = Static<typeof RunRow>;

export const ReportRun = Type.Object(
  {
    ...runFields,
    sectionsData: Type.Array(SectionData, { description: 'The figures; none before it is written.' }),
    narrativeOutput: nullableNarrative,
  },
  { description: 'A run with its figures.' },
);
export type ReportRun = Static<typeof ReportRun>;

const RunNowBody = Type.Object(
  {
    destinations: Type.Optional(destinations("Where it goes; default: where the template's runs do.")),
    formats: Type.Optional(formats),
  },
  { description: 'What is different this time.', examples: [{ formats: ['pdf'] }] },
);
export type RunNowBody = Static<typeof RunNowBody>;

const RunNowAnswer = Type.Object(
  { runId: Id('The run.'), status, artifacts, deliveryResults },
  { description: 'What came of the run.' },
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
        { ...ArtifactFacts.properties, base64: Type.String({ description: 'The bytes of the file.' }) },
        { description: 'A file.' },
      ),
      { description: 'The files.' },
    ),
  },
  { description: 'The report as it would be now.' },
);
export type ReportPreview = Static<typeof PreviewAnswer>;

const common = { tag: 'Reports', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
const templatePath = '/api/v1/reports/templates';
const schedulePath = '/api/v1/reports/schedules';
const ofTemplate = Type.Object({ id: IdText('Id of the template.') }, { description: 'Which template.' });
const ofSchedule = Type.Object({ id: IdText('Id of the schedule.') }, { description: 'Which schedule.' });
const limits = [{ limit: 30, windowSeconds: 60, per: 'tenant', bucket: 'reports' }] as const;
const audited = (action: string, entityType: string) => [{ action, entityType }];

/** Templates of reports, and what is made of them (part 1, 4.10; docs/design/api-access.md 11, 22). */
export const reportTemplateOperations = {
  list: operation({
    ...common,
    id: 'reportTemplates.list',
    method: 'GET',
    path: templatePath,
    summary: 'List templates of reports, newest first',
    role: 'viewer',
    responses: {
      200: {
        description: `All of them; a tenant has at most ${mostReportTemplates}.`,
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
    summary: 'Create a template of reports',
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
    summary: 'Read one template',
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
    summary: 'Change a template',
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
    summary: 'Delete a template and its schedules; its runs stay',
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
    summary: 'Make a report once, and keep and send nothing',
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
    summary: 'Make a report now, keep it and send it',
    description:
      'Also of a template that is off. The run is stored before it begins, so that a caller who leaves does not lose it. ' +
      'Destinations get one try each, at most 5 seconds. 202 whatever came of it: see `status`.',
    role: 'editor',
    loadClass: 'heavy',
    idempotent: true,
    rateLimits: limits,
    transaction: 'own',
    params: ofTemplate,
    body: RunNowBody,
    responses: { 202: { description: 'What came of it.', schema: RunNowAnswer } },
    errors: ['not_found'],
    audit: audited('run_started', 'reportRun'),
  }),
} as const;

/** When reports are made by themselves (part 1, 4.10; docs/design/quality.md T22). */
export const reportScheduleOperations = {
  list: operation({
    ...common,
    id: 'reportSchedules.list',
    method: 'GET',
    path: schedulePath,
    summary: 'List schedules of reports, newest first',
    role: 'viewer',
    query: Type.Object(
      { ...cursorQuery(usualPage), templateId: Type.Optional(IdFilter('Only of this template.')) },
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
    summary: 'Create a schedule of a report',
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
    summary: 'Read one schedule',
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
    summary: 'Change a schedule',
    description: 'A changed expression or zone, or one that is switched on, counts anew from now.',
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
    summary: 'Delete a schedule; its runs stay',
    role: 'editor',
    params: ofSchedule,
    responses: { 204: { description: 'Deleted.', schema: null } },
    errors: ['not_found'],
    audit: audited('delete', 'reportSchedule'),
  }),
} as const;

/** Reports that were made (part 1, 4.10). */
export const reportRunOperations = {
  list: operation({
    ...common,
    id: 'reportRuns.list',
    method: 'GET',
    path: '/api/v1/reports/runs',
    summary: 'List runs of reports, newest first',
    role: 'viewer',
    query: Type.Object(
      { templateId: Type.Optional(IdFilter('Only of this template.')), ...offsetQuery(reportRunPage) },
      { description: 'Filter and page.' },
    ),
    responses: { 200: { description: 'A page, without figures.', schema: offsetPage(RunRow) } },
    errors: [],
    audit: [],
  }),
  get: operation({
    ...common,
    id: 'reportRuns.get',
    method: 'GET',
    path: '/api/v1/reports/runs/{id}',
    summary: 'Read one run with its figures',
    role: 'viewer',
    params: Type.Object({ id: IdText('Id of the run.') }, { description: 'Which run.' }),
    responses: { 200: { description: 'The run.', schema: ReportRun } },
    errors: ['not_found'],
    audit: [],
  }),
  artifact: operation({
    ...common,
    id: 'reportRuns.artifact',
    method: 'GET',
    path: '/api/v1/reports/runs/{id}/artifacts/{format}',
    summary: 'Download a file of a run',
    description: 'A format that was not written is 404.',
    role: 'viewer',
    params: Type.Object(
      { id: IdText('Id of the run.'), format: IdText('pdf, csv, markdown or html.') },
      { description: 'Which file.' },
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
