import { simulationOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type SimulationJobPorts, simulationJobs } from './simulations.jobs.ts';
import { simulationRoutes } from './simulations.routes.ts';
import type { SimulationPorts } from './simulations.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['simulations'];

export const simulationsFeature = feature({
  name: 'simulations',
  tables,
  resets: { empties: tables },
  operations: (ports: SimulationPorts) => handlerEntries(simulationOperations, simulationRoutes(ports)),
  jobs: (ports: SimulationJobPorts) => simulationJobs(ports),
});
