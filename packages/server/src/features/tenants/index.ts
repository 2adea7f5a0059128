export { type TenantPorts, tenantRoutes } from './tenants.routes.ts';
export {
  createTenant,
  findOperatorTenant,
  getTenant,
  hasTenants,
  type NewTenant,
  type OnTenantCreated,
  playgroundQuota,
} from './tenants.service.ts';
export { joinLivingTenant, raiseQuota, readQuota, selectQuotaUsed, selectTenantIds } from './tenants.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['tenants', 'playground_quotas'];
