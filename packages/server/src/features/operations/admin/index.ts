import {
  adminCacheOperations,
  adminRlsOperations,
  deadLetterOperations,
  metricsSummaryOperations,
  sbomOperations,
} from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import type { JobRegistry } from '../../../jobs/index.ts';
import {
  adminCacheRoutes,
  adminRlsRoutes,
  deadLetterRoutes,
  type MetricsSummaryPorts,
  metricsSummaryRoutes,
  type SbomPorts,
  sbomRoutes,
} from './admin.routes.ts';

export {
  type AppliedTenant,
  applyBootstrap,
  type BootstrapDependencies,
  createDemoTenant,
} from './bootstrap.ts';

export const adminFeature = feature({
  name: 'admin',
  operations: ({ jobs, ...ports }: { readonly jobs: JobRegistry } & MetricsSummaryPorts & SbomPorts) => [
    ...handlerEntries(adminCacheOperations, adminCacheRoutes()),
    ...handlerEntries(adminRlsOperations, adminRlsRoutes()),
    ...handlerEntries(deadLetterOperations, deadLetterRoutes({ registry: jobs })),
    ...handlerEntries(metricsSummaryOperations, metricsSummaryRoutes(ports)),
    ...handlerEntries(sbomOperations, sbomRoutes(ports)),
  ],
});
