import type { tenantSettingsOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import { changeSettings, readNumberedSettings } from './settings.service.ts';

/** Handlers of the tenant settings (api-access.md 6). */
export function tenantSettingsRoutes(): Handlers<typeof tenantSettingsOperations> {
  return {
    get: async (tx) => reply(200, await readNumberedSettings(tx)),
    update: async (tx, { body }) => reply(200, await changeSettings(tx, body)),
  };
}
