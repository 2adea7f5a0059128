import type { TenantSettingsPatch, tenantSettingsOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { changeSettings, readNumberedSettings, type SettingsPorts } from './settings.service.ts';

/** The answer may be sent back as it was read; its number is the server's. */
function withoutVersion(body: TenantSettingsPatch & { readonly settingsVersion?: unknown }): TenantSettingsPatch {
  const { settingsVersion: _version, ...patch } = body;
  return patch;
}

/** Handlers of the tenant settings (docs/design/api-access.md 6). */
export function tenantSettingsRoutes(ports: SettingsPorts): Handlers<typeof tenantSettingsOperations> {
  return {
    get: async (tx) => reply(200, await readNumberedSettings(tx)),
    update: async (tx, { body }) => reply(200, await changeSettings(tx, withoutVersion(body), ports)),
  };
}
