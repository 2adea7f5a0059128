import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, IdText, Int, Name, Nullable, StringEnum } from '../core/schemas.ts';
import { audited, common, destinations, times } from './report-parts.ts';
import { PreviewAnswer, ReportFormats, RunNowAnswer, RunNowBody } from './report-runs.ts';
import { ReportParams, reportSourceKeys } from './report-sources.ts';

export const reportCharts = ['auto', 'none', 'line', 'bar', 'funnel', 'histogram'] as const;

/** Templates per tenant (docs/design/api-access.md 22). */
export const maxReportTemplates = 500;

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
  formats: ReportFormats,
  narrative: Narrative,
  filters: Filters,
  enabled: Type.Boolean({ description: 'While a template is disabled, its schedules advance without a run.' }),
};

/** What a report shows. */
export const ReportTemplate = Type.Object(
  { id: Id('ID of the template.'), ...templateFields, ...times },
  { description: 'A template for reports and dashboards.' },
);
export type ReportTemplate = Static<typeof ReportTemplate>;

const { name: templateName, dataSources: templateSources } = templateFields;

export const ReportTemplateCreate = Type.Object(
  { ...Type.Partial(Type.Object(templateFields)).properties, name: templateName, dataSources: templateSources },
  {
    description:
      'A new template. Defaults: one section for each source, with IDs s1, s2 and so on and the name of ' +
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

const templatePath = '/api/v1/reports/templates';
const ofTemplate = Type.Object({ id: IdText('ID of the template.') }, { description: 'Template to use.' });
const limits = [{ limit: 30, windowSeconds: 60, per: 'tenant', bucket: 'reports' }] as const;

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
        description: `Returns all of them. A tenant can have at most ${maxReportTemplates}.`,
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
