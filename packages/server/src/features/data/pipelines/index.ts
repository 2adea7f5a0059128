import { pipelineOperations, pipelineRunOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { pipelineJobs, retainRuns } from './pipelines.jobs.ts';
import { pipelineRoutes, pipelineRunRoutes } from './pipelines.routes.ts';
import type { PipelinePorts } from './pipelines.service.ts';
import type { ExecutePorts } from './work.ts';

export { startDuePipelines } from './due.service.ts';
export { countLatePipelines, pipelinesNamingConnector, pipelinesNamingField } from './pipelines.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['pipelines', 'pipeline_runs'];

export const pipelinesFeature = feature({
  name: 'pipelines',
  tables,
  // A run in progress can't commit once its row is deleted.
  resets: { empties: ['pipeline_runs', 'pipelines'] },
  retains: [{ dataClass: 'metrics', counted: 'metrics', remove: retainRuns }],
  operations: (ports: PipelinePorts) => [
    ...handlerEntries(pipelineOperations, pipelineRoutes(ports)),
    ...handlerEntries(pipelineRunOperations, pipelineRunRoutes()),
  ],
  jobs: (ports: ExecutePorts) => pipelineJobs(ports),
});
