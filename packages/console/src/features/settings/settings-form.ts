import type { TenantSettingsAnswer, TenantSettingsPatch } from '@arbiter/contract/identity/tenant-settings';

/** Settings that this page changes, by how they are written. */
export const textSettings = ['timezone', 'locale', 'currency'] as const;
export const numberSettings = [
  'maxOffersPerDecision',
  'reservationTtlSeconds',
  'mandatoryDailyCap',
  'holdoutPercentage',
] as const;
export const governanceSettings = ['approvalWorkflowEnabled', 'fourEyesEnabled', 'mfaRequired'] as const;
export const featureSettings = ['enableBudgets', 'enableContentManagement'] as const;
const others = ['theme', 'decisionTraceEnabled', 'decisionTraceSampleRate'] as const;

export const shownSettings = [
  ...textSettings,
  ...numberSettings,
  ...governanceSettings,
  ...featureSettings,
  ...others,
] as const;
export type SettingName = (typeof shownSettings)[number];
export type SettingValues = Pick<TenantSettingsAnswer, SettingName>;

/** What was changed on the page and not saved yet. */
export type Changes = Partial<SettingValues>;

/** Changes that say something else than what is stored; a number that was cleared is not sent. */
export function patchOf(stored: TenantSettingsAnswer, changes: Changes): TenantSettingsPatch {
  const changed = shownSettings.filter((name) => {
    const value = changes[name];
    if (value === undefined || (typeof value === 'number' && Number.isNaN(value))) return false;
    return value !== stored[name];
  });
  return Object.fromEntries(changed.map((name) => [name, changes[name]]));
}

/** Changes that were kept from before, as far as they still are settings: another version may have written them. */
export function validChanges(draft: unknown, stored: TenantSettingsAnswer): Changes {
  if (typeof draft !== 'object' || draft === null) return {};
  const known = shownSettings.filter((name) => typeof Reflect.get(draft, name) === typeof stored[name]);
  return Object.fromEntries(known.map((name) => [name, Reflect.get(draft, name)]));
}
