import type { pipelineOperations, pipelineRunOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { recordHandlers } from '../../catalogue/catalogue-records/index.ts';
import { changePipeline, createPipeline, type PipelinePorts, showPipelines } from './pipelines.service.ts';
import { pipelineSpec } from './pipelines.store.ts';
import { cancelRun, listRuns, readProgress, startRun } from './runs.service.ts';

/** Handlers of pipelines. Deleting one deletes its runs; one in progress stops, because its next batch can't commit. */
export const pipelineRoutes = (ports: PipelinePorts): Handlers<typeof pipelineOperations> =>
  recordHandlers(pipelineSpec, {
    show: showPipelines,
    create: (tx, body) => createPipeline(tx, body, ports),
    change: (tx, id, rowVersion, changes) => changePipeline(tx, id, rowVersion, changes, ports),
  });

export const pipelineRunRoutes = (): Handlers<typeof pipelineRunOperations> => ({
  start: async (tx, { params }) => reply(201, await startRun(tx, params.id)),
  list: async (tx, { params, query }) => reply(200, await listRuns(tx, params.id, query)),
  progress: async (tx, { params }) => reply(200, await readProgress(tx, params.id, params.runId)),
  cancel: async (tx, { params }) => reply(200, await cancelRun(tx, params.id, params.runId)),
});
