export { tenantSettingsRoutes } from './settings.routes.ts';
export { readPatch } from './settings.rules.ts';
export { changeSettings, readNumberedSettings, readSettings } from './settings.service.ts';
