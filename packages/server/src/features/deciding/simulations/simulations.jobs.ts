import Type from 'typebox';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { enqueueJob, handleInSlices, handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import type { Trials } from '../decisions/index.ts';
import { runSegmentSimulation } from './segment-run.ts';
import { endSimulation, expireSimulations } from './simulations.store.ts';

/** Runs a simulation over a segment in the background. */
const runSimulationJob = job({
  name: 'simulation.run',
  payload: Type.Object({ simulationId: Type.String({ format: 'uuid' }) }, { additionalProperties: false }),
});

/** Deletes expired simulations. */
const expireSimulationsJob = job({
  name: 'simulations.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '50 4 * * *', payload: {}, upkeep: true },
});

export const enqueueSimulation = (tx: Tx, simulationId: string): Promise<void> =>
  enqueueJob(tx, runSimulationJob, { simulationId }, { key: `simulation.run:${simulationId}` });

/** Time limit for a background simulation, in ms. */
const backgroundMs = 30 * 60_000;

export interface SimulationJobPorts {
  readonly database: Database;
  /** Decisions for show, of this process. */
  readonly trials: () => Trials;
}

/** Returns the handlers of this feature's jobs. */
export function simulationJobs({ database, trials }: SimulationJobPorts): JobHandler[] {
  return [
    handleJob(
      runSimulationJob,
      ({ simulationId: id }, { tenantId, signal }) => {
        const until = performance.now() + backgroundMs;
        return runSegmentSimulation({ database, trials }, { tenantId, id, until, signal });
      },
      async ({ simulationId: id }, tenantId) => {
        const end = { error: 'internal', result: null } as const;
        await database.withTenant(tenantId, systemActor('simulate'), (tx) => endSimulation(tx, id, 'nobody', end));
      },
    ),
    handleInSlices(expireSimulationsJob, database, expireSimulations),
  ];
}
