export { ConfigError, configExitCode, readConfig } from './config.ts';
export {
  applyFragment,
  applyOnly,
  backupTo,
  migrateOnly,
  migrationStatus,
  printSignInLink,
  restoreFrom,
  type ServerShell,
  serve,
} from './main/serve.ts';
export { type RunningServer, startServer, version } from './main/start.ts';
