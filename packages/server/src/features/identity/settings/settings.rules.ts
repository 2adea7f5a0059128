import {
  defaultTenantSettings,
  type ErrorEntry,
  type TenantSettings,
  type TenantSettingsPatch,
  TenantSettingsUpdate,
} from '@arbiter/contract';
import { didYouMean } from '@arbiter/engine';
import Value from 'typebox/value';
import { isObject } from '../../../platform/json.ts';
import { zoneProblem } from '../../../platform/time/zones.ts';

/** Settings that differ from the defaults, as they are stored. */
export type Overrides = Readonly<Record<string, unknown>>;

/** Deep merge of a patch into the overrides: null takes a key away, objects are merged, lists replaced. */
export function mergeOverrides(overrides: Overrides, patch: Overrides): Overrides {
  const merged = new Map(Object.entries(overrides));
  for (const [key, value] of Object.entries(patch)) {
    const old = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isObject(value)) merged.set(key, mergeOverrides(isObject(old) ? old : {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

function filledIn(defaults: Overrides, overrides: Overrides): Overrides {
  return Object.fromEntries(
    Object.entries(defaults).map(([key, value]) => {
      const own = overrides[key];
      if (own === undefined) return [key, value];
      return [key, isObject(value) && isObject(own) ? filledIn(value, own) : own];
    }),
  );
}

/** All settings: the defaults with the tenant's overrides, and the four-eyes rule under both of its names. */
export function settingsOf(overrides: Overrides): TenantSettings {
  // Only checked patches are ever merged into overrides, so the result has the shape of the defaults.
  const settings = filledIn(defaultTenantSettings, overrides) as TenantSettings;
  const { aiAnalyzerSettings: analyzer, fourEyesEnabled } = settings;
  return { ...settings, aiAnalyzerSettings: { ...analyzer, governance: { fourEyesEnabled } } };
}

/**
 * The patch with the alias `aiAnalyzerSettings.governance.fourEyesEnabled` moved to the name that is stored. A reset of
 * the whole object resets the alias in it, unless the patch sets `fourEyesEnabled` by its other name.
 */
export function withoutAlias(patch: TenantSettingsPatch): TenantSettingsPatch {
  if (patch.aiAnalyzerSettings === null) return { fourEyesEnabled: null, ...patch };
  const alias = aliasValue(patch);
  if (alias === undefined) return patch;
  const { governance: _governance, ...analyzer } = patch.aiAnalyzerSettings ?? {};
  return { ...patch, fourEyesEnabled: alias, aiAnalyzerSettings: analyzer };
}

function aliasValue(patch: TenantSettingsPatch): boolean | null | undefined {
  const analyzer = patch.aiAnalyzerSettings;
  if (analyzer === undefined || analyzer === null) return undefined;
  return analyzer.governance === null ? null : analyzer.governance?.fourEyesEnabled;
}

type Judge = (value: unknown) => string | null;
const currencies = new Set(Intl.supportedValuesOf('currency'));
const reserved: Judge = (value) => (value === true ? 'is not available yet' : null);
const unbuilt: Judge = () => 'is not available yet; leave it null';

/** What the form cannot say. Keys are JSON Pointers. */
const judges: Readonly<Record<string, Judge>> = {
  '/timezone': (value) => zoneProblem(String(value)),
  '/locale': (value) => (isLocale(String(value)) ? null : 'must be a BCP 47 language tag'),
  '/currency': (value) => (currencies.has(String(value)) ? null : 'must be an ISO 4217 currency code'),
  '/fairnessPolicy': unbuilt,
  '/consentRequired': reserved,
  '/aiAnalyzerSettings/multiLanguageEnabled': reserved,
  '/aiAnalyzerSettings/arbitration/budgetPacingEnabled': reserved,
  '/aiAnalyzerSettings/arbitration/goalSeekEnabled': reserved,
  '/aiAnalyzerSettings/arbitration/lagrangianEnabled': reserved,
  '/aiAnalyzerSettings/arbitration/exp3IxEnabled': reserved,
  '/aiAnalyzerSettings/ml/counterfactualTrainingEnabled': reserved,
};

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** What forbids a patch; `path` is a JSON Pointer into it. Null values (resets) are always fine. */
export function patchProblems(patch: TenantSettingsPatch): ErrorEntry[] {
  const unknown = Object.keys(patch).filter((key) => !Object.hasOwn(defaultTenantSettings, key));
  const problems = unknown.map(
    (key): ErrorEntry => ({
      path: `/${key}`,
      message: `is not a known setting${didYouMean(key, Object.keys(defaultTenantSettings))}`,
    }),
  );
  const judged = Object.entries(judges).flatMap(([path, judge]) => {
    const value = path
      .slice(1)
      .split('/')
      .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), patch);
    const message = value === undefined || value === null ? null : judge(value);
    return message === null ? [] : [{ path, message }];
  });
  problems.push(...judged);
  const alias = aliasValue(patch);
  if (alias !== undefined && patch.fourEyesEnabled !== undefined && alias !== patch.fourEyesEnabled) {
    problems.push({
      path: '/aiAnalyzerSettings/governance/fourEyesEnabled',
      message: 'must be the same as fourEyesEnabled',
    });
  }
  return problems;
}

/**
 * What forbids the settings that a patch leads to; `recordable`: columns and segments that records can keep, null: that was
 * checked when they were named. `path` is a JSON Pointer into the settings.
 */
export function settingsProblems(
  { recordReads, neverStore }: TenantSettings,
  recordable: { readonly columns: ReadonlySet<string> | null; readonly segments: ReadonlySet<string> | null },
): ErrorEntry[] {
  const never = new Set(neverStore);
  const judge = (name: string): string | null => {
    if (never.has(name)) return "is marked neverStore, so it can't be recorded";
    return recordable.columns === null || recordable.columns.has(name)
      ? null
      : `must be a column that can be recorded: one of a schema of type customer that is read automatically and not marked neverStore${didYouMean(name, recordable.columns)}`;
  };
  const columns = recordReads.customer.flatMap((name, at) => {
    const message = judge(name);
    return message === null ? [] : [{ path: `/recordReads/customer/${at}`, message }];
  });
  const { segments } = recordable;
  const unknown = recordReads.segments.flatMap((word, at) =>
    segments === null || segments.has(word)
      ? []
      : [
          {
            path: `/recordReads/segments/${at}`,
            message: `must be the ID or name of an active segment${didYouMean(word, segments)}`,
          },
        ],
  );
  return [...columns, ...unknown];
}

/** Reads a patch that no request validated (bootstrap file): the patch, or every finding by JSON Pointer. */
export function readPatch(value: unknown): { patch: TenantSettingsPatch } | { problems: ErrorEntry[] } {
  if (!Value.Check(TenantSettingsUpdate, value)) {
    return {
      problems: Value.Errors(TenantSettingsUpdate, value).map(({ instancePath, message }) => ({
        path: instancePath,
        message,
      })),
    };
  }
  const problems = patchProblems(value);
  return problems.length > 0 ? { problems } : { patch: value };
}
