import type { pipelineOperations, pipelineRunOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { noContent, recordHandlers } from '../../catalogue/catalogue-records/index.ts';
import {
  changePipeline,
  createPipeline,
  deletePipeline,
  type PipelinePorts,
  showPipelines,
} from './pipelines.service.ts';
import { pipelineSpec } from './pipelines.store.ts';
import { cancelRun, listRuns, readProgress, startRun } from './runs.service.ts';

export const pipelineRoutes = (ports: PipelinePorts): Handlers<typeof pipelineOperations> =>
  recordHandlers(pipelineSpec, {
    show: showPipelines,
    create: (tx, body) => createPipeline(tx, body, ports),
    change: (tx, id, rowVersion, changes) => changePipeline(tx, id, rowVersion, changes, ports),
    remove: (tx, id, addressed) => noContent(deletePipeline(tx, id, addressed)),
  });

export const pipelineRunRoutes = (): Handlers<typeof pipelineRunOperations> => ({
  start: async (tx, { params }) => reply(201, await startRun(tx, params.id)),
  list: async (tx, { params, query }) => reply(200, await listRuns(tx, params.id, query)),
  progress: async (tx, { params }) => reply(200, await readProgress(tx, params.id, params.runId)),
  cancel: async (tx, { params }) => reply(200, await cancelRun(tx, params.id, params.runId)),
});
