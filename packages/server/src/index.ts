export { ConfigError, configExitCode, readConfig } from './config.ts';
export { checkPolicyFolder, testPolicyFolder } from './features/operations/checks/index.ts';
export { overlayOfFolder } from './features/operations/gitops/index.ts';
export {
  applyFragment,
  applyOnly,
  backupTo,
  distributeOnly,
  migrateOnly,
  migrationStatus,
  printSignInLink,
  restoreFrom,
  type ServerShell,
  serve,
} from './main/serve.ts';
export { installDriver } from './main/sources/install-driver.ts';
export { type RunningServer, startServer, version } from './main/start.ts';
