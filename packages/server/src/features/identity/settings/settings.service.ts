import { isDeepStrictEqual } from 'node:util';
import {
  defaultTenantSettings,
  type ErrorEntry,
  type TenantSettings,
  type TenantSettingsAnswer,
  type TenantSettingsPatch,
} from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { recordAudit } from '../audit/index.ts';
import { mergeOverrides, patchProblems, settingsOf, settingsProblems, withoutAlias } from './settings.rules.ts';
import { lockSettings, type StoredSettings, selectSettings, updateSettings } from './settings.store.ts';

/** The tenant's settings, defaults filled in (docs/design/api-access.md 6). */
export async function readSettings(tx: Tx): Promise<TenantSettings> {
  const settings = settingsOf((await selectSettings(tx)).overrides);
  return unswitched.has(tx) ? { ...settings, ...everyFeature } : settings;
}

/** Transactions in which switched-off features accept writes. */
const unswitched = new WeakSet<Tx>();
const everyFeature = {
  enableBehavioralMetrics: true,
  enableExperiments: true,
  enableGeofences: true,
  enableJourneys: true,
} as const;

/**
 * Runs work that ignores the switches of features: what was created while a feature was on can be removed after it was
 * turned off.
 */
export async function ignoringSwitches<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  unswitched.add(tx);
  try {
    return await work();
  } finally {
    unswitched.delete(tx);
  }
}

/** Throws 403 `explanations_not_enabled` unless the tenant opted in to narratives and SHAP. */
export async function requireExplanations(tx: Tx): Promise<void> {
  const { aiAnalyzerSettings } = await readSettings(tx);
  if (aiAnalyzerSettings.llmExplanationsEnabled) return;
  throw new AppError('explanations_not_enabled', {
    detail: 'Explanations are not enabled for this tenant. An admin can enable them in the settings.',
  });
}

/** The same with the number of the state. */
export async function readNumberedSettings(tx: Tx): Promise<TenantSettingsAnswer> {
  return answer(await selectSettings(tx));
}

const answer = (stored: StoredSettings): TenantSettingsAnswer => ({
  ...settingsOf(stored.overrides),
  settingsVersion: stored.version,
});

/** What settings need of features above them. */
export interface SettingsPorts {
  /** Columns that sealed records can keep of every customer. */
  recordableColumns(tx: Tx): Promise<ReadonlySet<string>>;
  /** IDs and names of segments whose membership they can keep. */
  recordableSegments(tx: Tx): Promise<ReadonlySet<string>>;
  /** True when the ranking profile exists; it cannot be deleted until the transaction ends. */
  keepsProfile(tx: Tx, id: string): Promise<boolean>;
  /** Called when realtime metrics no longer fit the settings: another time zone, or metrics that were off. */
  rebuildRealtime(tx: Tx): Promise<void>;
  /** False while second factors cannot be stored: DATA_ENCRYPTION_KEY is not set. */
  readonly storesSecondFactors: boolean;
}

/**
 * Merges a patch into the settings: null resets, lists are replaced. Raises the version, writes the audit row and tells
 * every node, unless every setting has its value already. Throws 400 `validation_failed`, or `reference_not_found` for a ranking profile,
 * and 503 `not_configured` where a second factor is to be required that nobody could set up.
 */
export async function changeSettings(
  tx: Tx,
  patch: TenantSettingsPatch,
  ports: SettingsPorts,
): Promise<TenantSettingsAnswer> {
  refuse(patchProblems(patch));
  const stored = await lockSettings(tx);
  const overrides = mergeOverrides(stored.overrides, withoutAlias(inOneSpelling(patch)));
  const before = settingsOf(stored.overrides);
  const after = settingsOf(overrides);
  if (isDeepStrictEqual(before, after)) return answer(stored);
  await assertProfile(tx, after, before, ports);
  if (after.mfaRequired && !before.mfaRequired && !ports.storesSecondFactors) {
    const reason = "second factors can't be stored, because DATA_ENCRYPTION_KEY is not set";
    throw new AppError('not_configured', {
      detail: `mfaRequired would lock out everyone without a second factor: ${reason}.`,
    });
  }
  // A column or a segment may go after it was named; who changes something else is not refused for that.
  const { customer, segments } =
    patch.recordReads === undefined ? defaultTenantSettings.recordReads : after.recordReads;
  refuse(
    settingsProblems(after, {
      columns: customer.length > 0 ? await ports.recordableColumns(tx) : null,
      segments: segments.length > 0 ? await ports.recordableSegments(tx) : null,
    }),
  );
  const changed = { version: stored.version + 1, overrides };
  await updateSettings(tx, changed);
  await recordAudit(tx, {
    action: 'update',
    entityType: 'tenantSettings',
    entityId: tx.tenantId,
    entityName: null,
    entityVersion: changed.version,
    before,
    after,
  });
  const starts = after.enableBehavioralMetrics && !before.enableBehavioralMetrics;
  if (starts || after.timezone !== before.timezone) await ports.rebuildRealtime(tx);
  tx.touchCatalogue();
  return answer(changed);
}

function refuse(problems: readonly ErrorEntry[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new AppError('validation_failed', { detail: `${first.path.slice(1)} ${first.message}`, errors: problems });
}

/** IDs are kept in lower case, however they were sent. */
function inOneSpelling(patch: TenantSettingsPatch): TenantSettingsPatch {
  const { defaultArbitrationProfileId: id } = patch;
  return typeof id === 'string' ? { ...patch, defaultArbitrationProfileId: id.toLowerCase() } : patch;
}

/** An unchanged default isn't checked again. */
async function assertProfile(
  tx: Tx,
  { defaultArbitrationProfileId: id }: TenantSettings,
  before: TenantSettings,
  ports: SettingsPorts,
): Promise<void> {
  if (id === null || id === before.defaultArbitrationProfileId || (await ports.keepsProfile(tx, id))) return;
  throw new AppError('reference_not_found', {
    detail: 'defaultArbitrationProfileId must be an existing ranking profile.',
    errors: [{ path: '/defaultArbitrationProfileId', message: 'must be an existing ranking profile' }],
  });
}
