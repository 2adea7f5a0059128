import { adminCacheOperations, adminRlsOperations, deadLetterOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import type { JobRegistry } from '../../jobs/index.ts';
import { adminCacheRoutes, adminRlsRoutes, deadLetterRoutes } from './admin.routes.ts';

export {
  type AppliedTenant,
  applyBootstrap,
  type BootstrapDependencies,
  createDemoTenant,
  type DemoTenant,
  type PackPort,
} from './bootstrap.ts';

export const adminFeature = feature({
  name: 'admin',
  operations: ({ jobs }: { readonly jobs: JobRegistry }) => [
    ...handlerEntries(adminCacheOperations, adminCacheRoutes()),
    ...handlerEntries(adminRlsOperations, adminRlsRoutes()),
    ...handlerEntries(deadLetterOperations, deadLetterRoutes({ registry: jobs })),
  ],
});
