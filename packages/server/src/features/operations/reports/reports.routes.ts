import type {
  dashboardOperations,
  RunNowAnswer,
  reportRunOperations,
  reportScheduleOperations,
  reportSourceOperations,
  reportTemplateOperations,
} from '@arbiter/contract';
import type { KeyedWork } from '../../../http/binding/keyed-work.ts';
import { type Handlers, replayHeader, reply } from '../../../http/handler.ts';
import { decisionHealth, decisionPipeline } from './dashboards.service.ts';
import { getArtifact, getRun, listRuns, previewReport, type RunPorts, runNow } from './runs.service.ts';
import {
  changeSchedule,
  createSchedule,
  getSchedule,
  listSchedules,
  removeSchedule,
  showSchedule,
} from './schedules.service.ts';
import type { SourcePorts } from './sources/source.ts';
import { dashboardData, listSources } from './sources/sources.service.ts';
import {
  changeTemplate,
  createTemplate,
  getTemplate,
  listTemplates,
  removeTemplate,
  showTemplate,
} from './templates.service.ts';

/** Handlers of sources (docs/design/api-access.md 11). */
export const reportSourceRoutes = (ports: SourcePorts): Handlers<typeof reportSourceOperations> => ({
  sources: async () => reply(200, { data: listSources() }),
  data: async (tx, { query }) => reply(200, await dashboardData(tx, query, ports)),
});

/** Handlers of the dashboards of decisions. */
export const dashboardRoutes = (): Handlers<typeof dashboardOperations> => ({
  decisionPipeline: async (tx, { query }) => reply(200, await decisionPipeline(tx, query.windowHours ?? 24)),
  decisionHealth: async (tx, { query }) => reply(200, await decisionHealth(tx, query.days ?? 7)),
});

/** Handlers of templates. */
export function reportTemplateRoutes(
  ports: RunPorts & { readonly keyedWork: KeyedWork },
): Handlers<typeof reportTemplateOperations> {
  return {
    list: async (tx) => reply(200, { data: await listTemplates(tx) }),
    create: async (tx, { body }) => reply(201, showTemplate(await createTemplate(tx, body))),
    get: async (tx, { params }) => reply(200, showTemplate(await getTemplate(tx, params.id))),
    change: async (tx, { params, body }) => reply(200, showTemplate(await changeTemplate(tx, params.id, body))),
    remove: async (tx, { params }) => {
      await removeTemplate(tx, params.id);
      return reply(204, null);
    },
    preview: async (request) => reply(200, await previewReport(ports, request, request.params.id)),
    runNow: async (request) => {
      const { params, body } = request;
      const { answer, isRepeat } = await ports.keyedWork.once<RunNowAnswer>(
        request,
        'POST /api/v1/reports/templates/{id}/run-now',
        { params, body },
        (work) => runNow(ports, request, params.id, body, work),
      );
      return reply(202, answer, isRepeat ? replayHeader : undefined);
    },
  };
}

/** Handlers of schedules. */
export const reportScheduleRoutes = (): Handlers<typeof reportScheduleOperations> => ({
  list: async (tx, { query }) => reply(200, await listSchedules(tx, query)),
  create: async (tx, { body }) => reply(201, showSchedule(await createSchedule(tx, body))),
  get: async (tx, { params }) => reply(200, showSchedule(await getSchedule(tx, params.id))),
  change: async (tx, { params, body }) => reply(200, showSchedule(await changeSchedule(tx, params.id, body))),
  remove: async (tx, { params }) => {
    await removeSchedule(tx, params.id);
    return reply(204, null);
  },
});

/** What a browser may do with a file that it is shown: nothing. */
const fileHeaders = { 'content-security-policy': 'sandbox' } as const;

/** Handlers of runs. */
export const reportRunRoutes = (): Handlers<typeof reportRunOperations> => ({
  list: async (tx, { query }) => reply(200, await listRuns(tx, query)),
  get: async (tx, { params }) => reply(200, await getRun(tx, params.id)),
  artifact: async (tx, { params }) => {
    const { fileName, mimeType, content } = await getArtifact(tx, params.id, params.format);
    return reply(200, { fileName, mediaType: mimeType, content }, fileHeaders);
  },
});
