import {
  dashboardOperations,
  reportRunOperations,
  reportScheduleOperations,
  reportSourceOperations,
  reportTemplateOperations,
} from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import type { KeyedWork } from '../../../http/binding/keyed-work.ts';
import { handlerEntries } from '../../../http/handler.ts';
import type { TickFailure } from '../alerts/index.ts';
import type { BackgroundPorts } from './background.service.ts';
import { type DuePorts, startDueReports } from './due.service.ts';
import { enqueueRun, reportJobs, retainRuns } from './reports.jobs.ts';
import {
  dashboardRoutes,
  reportRunRoutes,
  reportScheduleRoutes,
  reportSourceRoutes,
  reportTemplateRoutes,
} from './reports.routes.ts';
import type { RunPorts } from './runs.service.ts';

export { type BackgroundPorts, noteReportDelivery, reportFiles } from './background.service.ts';
export type { RunPorts } from './runs.service.ts';

/** Starts the reports that are due, in all tenants; part of the tick. */
export const startReports = (ports: DuePorts, now: Date): Promise<TickFailure[]> =>
  startDueReports(ports, now, enqueueRun);

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['report_templates', 'report_schedules', 'report_runs', 'report_leases', 'report_artifacts'];

export const reportsFeature = feature({
  name: 'reports',
  tables,
  resets: { empties: ['report_artifacts', 'report_leases', 'report_runs', 'report_schedules', 'report_templates'] },
  retains: [{ dataClass: 'metrics', counted: 'metrics', remove: retainRuns }],
  operations: (ports: RunPorts & { readonly keyedWork: KeyedWork }) => [
    ...handlerEntries(reportSourceOperations, reportSourceRoutes(ports)),
    ...handlerEntries(dashboardOperations, dashboardRoutes()),
    ...handlerEntries(reportTemplateOperations, reportTemplateRoutes(ports)),
    ...handlerEntries(reportScheduleOperations, reportScheduleRoutes()),
    ...handlerEntries(reportRunOperations, reportRunRoutes()),
  ],
  jobs: (ports: BackgroundPorts) => reportJobs(ports),
});
