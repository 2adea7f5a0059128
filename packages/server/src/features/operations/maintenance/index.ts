import { cronOperations, maintenanceOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type MaintenanceJobPorts, maintenanceJobs } from './maintenance.jobs.ts';
import { type CronPorts, cronRoutes, type MaintenancePorts, maintenanceRoutes } from './maintenance.routes.ts';

export const maintenanceFeature = feature({
  name: 'maintenance',
  operations: (ports: CronPorts & MaintenancePorts) => [
    ...handlerEntries(cronOperations, cronRoutes(ports)),
    ...handlerEntries(maintenanceOperations, maintenanceRoutes(ports)),
  ],
  jobs: (ports: MaintenanceJobPorts) => maintenanceJobs(ports),
});
