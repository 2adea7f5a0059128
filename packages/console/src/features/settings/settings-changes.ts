import type { TenantSettingsAnswer, TenantSettingsPatch } from '@arbiter/contract/identity/tenant-settings';
import { sameValue } from '../../forms/editing/changes.ts';

/** Settings on this page, by the type of their field. */
export const textSettings = ['timezone', 'locale', 'currency'] as const;
export const numberSettings = [
  'maxOffersPerDecision',
  'reservationTtlSeconds',
  'mandatoryDailyCap',
  'holdoutPercentage',
  'defaultChannelTimeout',
] as const;
export const governanceSettings = ['approvalWorkflowEnabled', 'fourEyesEnabled', 'mfaRequired'] as const;
export const featureSettings = [
  'enableBudgets',
  'enableContentManagement',
  'enableExperiments',
  'enableBehavioralMetrics',
  'enableJourneys',
  'enableGeofences',
] as const;
/** Settings with fields that come from the body of the operation. */
export const describedSettings = [
  'defaultArbitrationProfileId',
  'neverStore',
  'recordReads',
  'aiAnalyzerSettings',
] as const;
const otherSettings = ['theme', 'decisionTraceEnabled', 'decisionTraceSampleRate'] as const;

export const shownSettings = [
  ...textSettings,
  ...numberSettings,
  ...governanceSettings,
  ...featureSettings,
  ...describedSettings,
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
    return !sameValue(value, stored[name]);
  });
  return Object.fromEntries(changed.map((name) => [name, patchedValue(name, changes)]));
}

/** Of the analyzer's settings, the page changes one; the others are reserved. */
function patchedValue(name: SettingName, changes: SettingChanges): unknown {
  if (name !== 'aiAnalyzerSettings') return changes[name];
  return { llmExplanationsEnabled: changes.aiAnalyzerSettings?.llmExplanationsEnabled };
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value);

/** An ID may be missing on either side. */
const isOfKind = (name: SettingName, value: unknown, stored: TenantSettingsAnswer): boolean =>
  name === 'defaultArbitrationProfileId'
    ? ['null', 'string'].includes(kindOf(value))
    : kindOf(value) === kindOf(stored[name]);

/** Returns the valid part of a stored draft, which may come from another version. */
export function validChanges(draft: unknown, stored: TenantSettingsAnswer): SettingChanges {
  if (typeof draft !== 'object' || draft === null) return {};
  const known = shownSettings.filter((name) => isOfKind(name, Reflect.get(draft, name), stored));
  return Object.fromEntries(known.map((name) => [name, Reflect.get(draft, name)]));
}
