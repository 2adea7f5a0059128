import { hash } from 'node:crypto';
import type { ErrorEntry } from '@arbiter/contract';
import { canonicalJson, compileCondition, policyProblems, policyRemarks, type SnapshotPolicy } from '@arbiter/engine';
import { isUuid } from '../../../platform/ids.ts';
import { asJsonObject } from '../../../platform/json.ts';
import { type Remark, remarksAt } from '../../../platform/remark.ts';
import { zoneProblem } from '../../../platform/time/zones.ts';

/**
 * Returns why a policy with this type and config can't be stored (docs/design/api-catalogue.md 8.4).
 */
export function contactPolicyProblems(ruleType: string, config: Readonly<Record<string, unknown>>): ErrorEntry[] {
  const problems = policyProblems(ruleType, asJsonObject(config)).map(({ path, message }) => ({
    path: `/config${path}`,
    message,
  }));
  const { timezone } = config;
  const unknownZone = ruleType === 'time_window' && typeof timezone === 'string' ? zoneProblem(timezone) : null;
  const hasTimezoneProblem = problems.some(({ path }) => path === '/config/timezone');
  if (unknownZone !== null && !hasTimezoneProblem) problems.push({ path: '/config/timezone', message: unknownZone });
  return problems;
}

/** Returns warnings for a config without problems: unknown keys, and policies that can never apply. */
export function contactPolicyRemarks(ruleType: string, config: Readonly<Record<string, unknown>>): Remark[] {
  return remarksAt('/config', policyRemarks(ruleType, asJsonObject(config)));
}

/** Config keys that hold ids, which decisions compare as text. */
const idKeys = [
  'appliesAcross',
  'categoryId',
  'excludeCampaignIds',
  'excludeOfferIds',
  'subCategoryId',
  'targetCategory',
  'triggerCategoryId',
  'withinCampaignId',
];

/** Identifies what a policy does and where: another type, config or list of assignments gives another mark. */
export function policyMark({ ruleType, config, scopes }: SnapshotPolicy): string {
  const assigned = scopes.map(({ scope, scopeId }) => `${scope} ${scopeId ?? ''}`).sort();
  return hash('sha256', canonicalJson({ ruleType, config, scopes: assigned })).slice(0, 32);
}

/** Returns the categories a config refers to that must exist for the policy to apply. */
export function namedCategories(
  ruleType: string,
  config: Readonly<Record<string, unknown>>,
): readonly { readonly entityType: 'category' | 'subCategory'; readonly id: string; readonly path: string }[] {
  if (ruleType !== 'category_suppression') return [];
  return categoryKeys.flatMap(({ key, entityType }) => {
    const id = config[key];
    return typeof id === 'string' ? [{ entityType, id, path: `/config/${key}` }] : [];
  });
}

/** Returns the id lists of a config. An id that refers to nothing has no effect, now or later. */
export function listedRecords(
  ruleType: string,
  config: Readonly<Record<string, unknown>>,
): { readonly entityType: 'offer' | 'channel'; readonly path: string; readonly ids: readonly string[] } | null {
  const key =
    ruleType === 'mutual_exclusion' ? 'excludeOfferIds' : ruleType === 'cross_channel_cap' ? 'appliesAcross' : null;
  const ids = key === null ? null : config[key];
  if (key === null || !Array.isArray(ids)) return null;
  return { entityType: key === 'appliesAcross' ? 'channel' : 'offer', path: `/config/${key}`, ids: ids.map(String) };
}

const categoryKeys = [
  { key: 'categoryId', entityType: 'category' },
  { key: 'subCategoryId', entityType: 'subCategory' },
  { key: 'triggerCategoryId', entityType: 'category' },
] as const;

/**
 * Returns the config as stored: its condition in canonical spelling (docs/design/api-catalogue.md 1.3), ids in lower
 * case. Expects a config without problems.
 */
export function storedConfig(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const stored: Record<string, unknown> = { ...config };
  for (const key of idKeys) if (Object.hasOwn(stored, key)) stored[key] = inLowerCase(stored[key]);
  if (config.condition === undefined || config.condition === null) return stored;
  const compiled = compileCondition(config.condition);
  return compiled.ok ? { ...stored, condition: compiled.condition.stored } : stored;
}

function inLowerCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inLowerCase);
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value;
}
