export { type SessionDependencies, sessionRoutes } from './session.routes.ts';
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
export { selectQuotaUsed } from './tenants.store.ts';
