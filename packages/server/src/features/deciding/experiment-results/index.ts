import { experimentResultOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { type Handlers, handlerEntries, reply } from '../../../http/handler.ts';
import { experimentResultJobs } from './experiment-results.jobs.ts';
import type { JudgePorts } from './judge.service.ts';
import { readResults } from './results.service.ts';

export { resultsOf } from './results.service.ts';
export { countImpressions } from './results.store.ts';

const routes: Handlers<typeof experimentResultOperations> = {
  async results(tx, { params }) {
    return reply(200, await readResults(tx, params.id));
  },
};

export const experimentResultsFeature = feature({
  name: 'experiment-results',
  operations: () => handlerEntries(experimentResultOperations, routes),
  jobs: (ports: JudgePorts) => experimentResultJobs(ports),
});
