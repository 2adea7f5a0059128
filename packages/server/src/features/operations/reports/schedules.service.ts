import {
  defaultPage,
  maxReportSchedules,
  type Pagination,
  pageSize,
  type ReportSchedule,
  type ReportScheduleChange,
  type ReportScheduleCreate,
} from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import { type Cron, nextRun, parseCron } from '../../../platform/time/cron.ts';
import { zoneProblem } from '../../../platform/time/zones.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { requireDestinations } from './destinations.service.ts';
import {
  countSchedules,
  deleteSchedule,
  insertSchedule,
  type ScheduleRow,
  selectSchedule,
  selectSchedules,
  updateSchedule,
} from './schedules.store.ts';
import { selectTemplate } from './templates.store.ts';

const notFound = (what: string) => new AppError('not_found', { detail: `This ${what} does not exist.` });

/** A schedule as answers carry it. */
export const showSchedule = (row: ScheduleRow): ReportSchedule => ({
  ...row,
  destinations: [...row.destinations],
  nextRunAt: row.nextRunAt?.toISOString() ?? null,
  lastRunAt: row.lastRunAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** What the audit log stores. Running isn't a change of the schedule. */
const auditView = (row: ScheduleRow) => {
  const { nextRunAt: _next, lastRunAt: _last, lastRunId: _run, ...shown } = showSchedule(row);
  return shown;
};

/** Returns one page, newest first. */
export async function listSchedules(
  tx: Tx,
  query: {
    readonly limit?: number | undefined;
    readonly cursor?: string | undefined;
    readonly templateId?: string | undefined;
  },
): Promise<{ data: ReportSchedule[]; pagination: Pagination }> {
  const { cursor, templateId = null } = query;
  const limit = pageSize(defaultPage, query.limit);
  if (cursor !== undefined && (await selectSchedule(tx, cursor)) === undefined) {
    throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  }
  const isNone = templateId !== null && !isUuid(templateId);
  const rows = isNone ? [] : await selectSchedules(tx, templateId, cursor ?? null, limit + 1);
  const total = isNone ? 0 : await countSchedules(tx, templateId);
  const page = pageOf({ rows, limit, total, cursorOf: ({ id }) => id });
  return { data: page.rows.map(showSchedule), pagination: page.pagination };
}

/** Returns one schedule. Throws 404. */
export async function getSchedule(tx: Tx, id: string, lock = false): Promise<ScheduleRow> {
  const row = await selectSchedule(tx, id, lock);
  if (row === undefined) throw notFound('schedule');
  return row;
}

function readCron(text: string): Cron {
  try {
    return parseCron(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new AppError('invalid_cron', {
      detail: `The cron expression ${error.message}.`,
      errors: [{ path: '/cronExpression', message: error.message }],
    });
  }
}

/** Returns a schedule's first run after an instant. Throws 422 `invalid_cron`, 400 for an invalid zone. */
export function nextRunAfter(cronExpression: string, timezone: string, after: Date): Date {
  const problem = zoneProblem(timezone);
  if (problem !== null) throw invalid('/timezone', problem);
  return new Date(nextRun(readCron(cronExpression), timezone, after.getTime()));
}

/** Throws 404 for an unknown template or destination, 422 `invalid_cron`, 409 `limit_reached`. */
export async function createSchedule(tx: Tx, body: ReportScheduleCreate): Promise<ScheduleRow> {
  if ((await countSchedules(tx, null)) >= maxReportSchedules) {
    throw new AppError('limit_reached', {
      detail: `A tenant can have at most ${maxReportSchedules} report schedules.`,
    });
  }
  const { name, cronExpression, destinations = [], enabled = true } = body;
  const timezone = body.timezone ?? (await readSettings(tx)).timezone;
  const next = nextRunAfter(cronExpression, timezone, tx.now);
  // Locked, so that the template isn't deleted in the meantime.
  const template = await selectTemplate(tx, body.templateId, 'for key share');
  if (template === undefined) throw notFound('template');
  const row: ScheduleRow = {
    id: newId(),
    templateId: template.id,
    name,
    cronExpression,
    timezone,
    destinations: await requireDestinations(tx, destinations, '/destinations'),
    enabled,
    nextRunAt: enabled ? next : null,
    lastRunAt: null,
    lastRunId: null,
    createdAt: tx.now,
    updatedAt: tx.now,
  };
  await insertSchedule(tx, row);
  await auditSchedule(tx, 'create', row, { after: auditView(row) });
  return row;
}

/** Changes the given fields. Another expression or zone, or turning it on, restarts the schedule from now. */
export async function changeSchedule(tx: Tx, id: string, change: ReportScheduleChange): Promise<ScheduleRow> {
  const before = await getSchedule(tx, id, true);
  const { templateId, destinations, ...fields } = change;
  if (templateId !== undefined && templateId.toLowerCase() !== before.templateId) {
    throw invalid('/templateId', "can't be changed; leave it out or send it unchanged");
  }
  const whole = { ...before, ...fields };
  const isMoved =
    whole.cronExpression !== before.cronExpression ||
    whole.timezone !== before.timezone ||
    (whole.enabled && !before.enabled);
  const next = isMoved ? nextRunAfter(whole.cronExpression, whole.timezone, tx.now) : before.nextRunAt;
  const row: ScheduleRow = {
    ...whole,
    destinations:
      destinations === undefined
        ? before.destinations
        : await requireDestinations(tx, destinations, '/destinations', before.destinations),
    nextRunAt: whole.enabled ? next : null,
    updatedAt: tx.now,
  };
  await updateSchedule(tx, row);
  await auditSchedule(tx, 'update', row, { before: auditView(before), after: auditView(row) });
  return row;
}

/** 404 when it is not there. */
export async function removeSchedule(tx: Tx, id: string): Promise<void> {
  await takeAway(tx, await getSchedule(tx, id, true));
}

/** The schedules of a template go with it, each with its own audit row. */
export async function removeSchedulesOf(tx: Tx, templateId: string): Promise<void> {
  for (const row of await selectSchedules(tx, templateId, null, null)) await takeAway(tx, row);
}

async function takeAway(tx: Tx, row: ScheduleRow): Promise<void> {
  await deleteSchedule(tx, row.id);
  await auditSchedule(tx, 'delete', row, { before: auditView(row) });
}

async function auditSchedule(
  tx: Tx,
  action: 'create' | 'update' | 'delete',
  { id, name }: ScheduleRow,
  change: { readonly before?: object; readonly after?: object },
): Promise<void> {
  await recordAudit(tx, { action, entityType: 'reportSchedule', entityId: id, entityName: name, ...change });
}
