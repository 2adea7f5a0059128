export { ConfigError, configExitCode, readConfig } from './config.ts';
export {
  applyFragment,
  applyOnly,
  migrateOnly,
  migrationStatus,
  printSignInLink,
  type ServerShell,
  serve,
} from './main/serve.ts';
export { type RunningServer, startServer, version } from './main/start.ts';
