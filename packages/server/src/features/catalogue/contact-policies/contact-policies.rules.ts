import { hash } from 'node:crypto';
import type { ErrorEntry } from '@arbiter/contract';
import {
  canonicalJson,
  compileCondition,
  listWords,
  policyProblems,
  policyRemarks,
  policyTypes,
  type SnapshotPolicy,
} from '@arbiter/engine';
import { isUuid } from '../../../platform/ids.ts';
import { asJsonObject } from '../../../platform/json.ts';
import { type Remark, remarksAt } from '../../../platform/remark.ts';
import { zoneProblem } from '../../../platform/zones.ts';

/**
 * What keeps a policy of this type and config from being stored (docs/design/api-catalogue.md 8.4). A contract type
 * that the engine cannot evaluate yet is refused, after the faults of its config: a policy that blocks nothing would be worse
 * than none.
 */
export function contactPolicyProblems(ruleType: string, config: Readonly<Record<string, unknown>>): ErrorEntry[] {
  const problems = policyProblems(ruleType, asJsonObject(config)).map(({ path, message }) => ({
    path: `/config${path}`,
    message,
  }));
  const { timezone } = config;
  const unknownZone = ruleType === 'time_window' && typeof timezone === 'string' ? zoneProblem(timezone) : null;
  const told = problems.some(({ path }) => path === '/config/timezone');
  if (unknownZone !== null && !told) problems.push({ path: '/config/timezone', message: unknownZone });
  if (problems.length > 0 || policyTypes.includes(ruleType)) return problems;
  return [
    { path: '/ruleType', message: `${ruleType} is not available yet; available types: ${listWords(policyTypes)}` },
  ];
}

/** What has no effect in a config without problems: unknown keys, a policy that can never act. */
export function contactPolicyRemarks(ruleType: string, config: Readonly<Record<string, unknown>>): Remark[] {
  return remarksAt('/config', policyRemarks(ruleType, asJsonObject(config)));
}

/** Keys of configs that hold ids, which decisions compare as text. */
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

/** Names what a policy does and where: another type, config or list of assignments has another mark. */
export function policyMark({ ruleType, config, scopes }: SnapshotPolicy): string {
  const assigned = scopes.map(({ scope, scopeId }) => `${scope} ${scopeId ?? ''}`).sort();
  return hash('sha256', canonicalJson({ ruleType, config, scopes: assigned })).slice(0, 32);
}

/** What the keys of a config name that must exist, where the policy cannot act without it. */
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

/** Lists of ids in a config. One that names nothing has no effect: no record will ever have it. */
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
 * The config as it is stored: its condition in the first spelling (docs/design/api-catalogue.md 1.3), ids in lower case. Only
 * for a config without problems.
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
