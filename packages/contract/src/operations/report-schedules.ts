import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery, defaultPage } from '../core/pages.ts';
import { Id, IdFilter, IdText, Name, Nullable, Timestamp } from '../core/schemas.ts';
import { audited, common, destinations, times } from './report-parts.ts';

/** Schedules per tenant (docs/design/api-access.md 22). */
export const maxReportSchedules = 500;

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
    id: Id('ID of the schedule.'),
    templateId: Id('Template of the schedule.'),
    ...scheduleFields,
    nextRunAt: Nullable(Timestamp('Instant.'), { description: 'Next run; null while disabled.' }),
    lastRunAt: Nullable(Timestamp('Instant.'), { description: 'When it last ran, or null.' }),
    lastRunId: Nullable(Id('Run.'), { description: 'ID of the last run, or null.' }),
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

const schedulePath = '/api/v1/reports/schedules';
const ofSchedule = Type.Object({ id: IdText('ID of the schedule.') }, { description: 'Schedule to use.' });

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
      { ...cursorQuery(defaultPage), templateId: Type.Optional(IdFilter('Template to filter by.')) },
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
