import { tenantSettingsOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { tenantSettingsRoutes } from './settings.routes.ts';
import type { SettingsPorts } from './settings.service.ts';

export { settingSql } from './setting-sql.store.ts';
export { readPatch, settingsOf } from './settings.rules.ts';
export {
  changeSettings,
  ignoringSwitches,
  readNumberedSettings,
  readSettings,
  requireExplanations,
  type SettingsPorts,
} from './settings.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['tenant_settings'];

export const settingsFeature = feature({
  name: 'settings',
  tables,
  resets: { keeps: { tenant_settings: 'settings are kept' } },
  operations: (ports: SettingsPorts) => handlerEntries(tenantSettingsOperations, tenantSettingsRoutes(ports)),
});
