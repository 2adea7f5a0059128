import { tenantOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type TenantPorts, tenantRoutes } from './tenants.routes.ts';
import { resetQuota } from './tenants.store.ts';

export type { TenantPorts } from './tenants.routes.ts';
export {
  createTenant,
  findOperatorTenant,
  getTenant,
  hasTenants,
  isLivingTenant,
  playgroundQuota,
  renameTenant,
} from './tenants.service.ts';
export {
  joinLivingTenant,
  raiseQuota,
  readQuota,
  selectQuotaUsed,
  selectResetVersion,
  selectTenantIds,
  selectTenantNames,
} from './tenants.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['tenants', 'playground_quotas'];

export const tenantsFeature = feature({
  name: 'tenants',
  tables,
  resets: {
    clears: ['playground_quotas'],
    keeps: { tenants: 'the tenant itself is kept' },
    end: resetQuota,
  },
  operations: (ports: TenantPorts) => handlerEntries(tenantOperations, tenantRoutes(ports)),
});
