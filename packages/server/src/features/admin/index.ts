export { adminRlsRoutes, deadLetterRoutes } from './admin.routes.ts';
export {
  type AppliedTenant,
  applyBootstrap,
  type BootstrapDependencies,
  createDemoTenant,
  type DemoTenant,
  type PackPort,
} from './bootstrap.ts';
