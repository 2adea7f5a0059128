import type { TenantSettingsAnswer, TenantSettingsPatch } from '@arbiter/contract/identity/tenant-settings';

/** Settings on this page, by the type of their field. */
export const textSettings = ['timezone', 'locale', 'currency'] as const;
export const numberSettings = [
  'maxOffersPerDecision',
  'reservationTtlSeconds',
  'mandatoryDailyCap',
  'holdoutPercentage',
] as const;
export const governanceSettings = ['approvalWorkflowEnabled', 'fourEyesEnabled', 'mfaRequired'] as const;
export const featureSettings = ['enableBudgets', 'enableContentManagement'] as const;
const otherSettings = ['theme', 'decisionTraceEnabled', 'decisionTraceSampleRate'] as const;

export const shownSettings = [
  ...textSettings,
  ...numberSettings,
  ...governanceSettings,
  ...featureSettings,
  ...otherSettings,
] as const;
export type SettingName = (typeof shownSettings)[number];
export type SettingValues = Pick<TenantSettingsAnswer, SettingName>;

/** Unsaved changes. */
export type SettingChanges = Partial<SettingValues>;

/** Returns the changes that differ from the stored settings, without cleared numbers. */
export function patchOf(stored: TenantSettingsAnswer, changes: SettingChanges): TenantSettingsPatch {
  const changed = shownSettings.filter((name) => {
    const value = changes[name];
    if (value === undefined || (typeof value === 'number' && Number.isNaN(value))) return false;
    return value !== stored[name];
  });
  return Object.fromEntries(changed.map((name) => [name, changes[name]]));
}

/** Returns the valid part of a stored draft, which may come from another version. */
export function validChanges(draft: unknown, stored: TenantSettingsAnswer): SettingChanges {
  if (typeof draft !== 'object' || draft === null) return {};
  const known = shownSettings.filter((name) => typeof Reflect.get(draft, name) === typeof stored[name]);
  return Object.fromEntries(known.map((name) => [name, Reflect.get(draft, name)]));
}
