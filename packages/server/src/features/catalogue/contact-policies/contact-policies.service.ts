import type { ContactPolicy, ContactPolicyCreate, ContactPolicyScope, EntityType } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, refuseProblems } from '../../../platform/app-error.ts';
import type { Remark } from '../../../platform/remark.ts';
import { requireComparedMetric } from '../../data/behavioral-metrics/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import {
  type Addressed,
  assignScopes,
  createRecord,
  readRelated,
  requireLive,
  softDeleteRecord,
  toWire,
  updateRecord,
  wantedAssignments,
} from '../catalogue-records/index.ts';
import {
  contactPolicyProblems,
  contactPolicyRemarks,
  listedRecords,
  namedCategories,
  storedConfig,
} from './contact-policies.rules.ts';
import { type ContactPolicyRow, contactPolicySpec } from './contact-policies.store.ts';
import { historyRemarks } from './required-history.service.ts';

/** Records that may refer to a policy. Declared here, connected in `main` (docs/architecture.md). */
export interface PolicyReferrers {
  /** Returns name and key of every decision flow, not deleted, whose draft refers to the policy, by key. */
  flowsNaming(tx: Tx, policyId: string): Promise<readonly { readonly name: string; readonly key: string }[]>;
}

/** Default scope of a policy. */
export const defaultScope: ContactPolicyScope = 'offer';

const resources: Readonly<Record<ContactPolicyScope, EntityType | null>> = {
  global: null,
  offer: 'offer',
  creative: 'creative',
  channel: 'channel',
  category: 'category',
  subcategory: 'subCategory',
};

/** Shows one policy. */
export function showContactPolicy(row: ContactPolicyRow): ContactPolicy {
  const [first] = row.scopes;
  return {
    ...toWire(row),
    scope: first?.scope ?? defaultScope,
    scopeId: first?.scopeId ?? null,
    scopes: row.scopes.map((assignment) => ({ ...assignment, contactPolicyId: row.id })),
    rowVersion: row.version,
  };
}

/** Shows policies. `scope` and `scopeId` come from the first assignment. */
export const showContactPolicies = (_tx: Tx, rows: readonly ContactPolicyRow[]): ContactPolicy[] =>
  rows.map(showContactPolicy);

export async function createContactPolicy(tx: Tx, body: ContactPolicyCreate): Promise<ContactPolicyRow> {
  const { scope, scopeId, scopes, config = {}, ...fields } = body;
  await checkPolicy(tx, body.ruleType, config);
  tx.remarks.push(...(await configRemarks(tx, { ruleType: body.ruleType, config })));
  const wanted = wantedAssignments(body, null, defaultScope) ?? [];
  const assigned = await targetsOf(tx, wanted, []);
  return createRecord(tx, contactPolicySpec, { ...fields, config: storedConfig(config), scopes: assigned });
}

/** Updates the supplied fields. A new type or config is checked together with the other. */
export async function updateContactPolicy(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: Partial<ContactPolicyCreate>,
): Promise<ContactPolicyRow> {
  const { scope, scopeId, scopes, config, ...rest } = changes;
  const fields = config === undefined ? rest : { ...rest, config: storedConfig(config) };
  return updateRecord(tx, contactPolicySpec, id, {
    rowVersion,
    change: async (current) => {
      if (rest.ruleType !== undefined || config !== undefined) {
        const ruleType = rest.ruleType ?? current.ruleType;
        await checkPolicy(tx, ruleType, config ?? current.config);
        tx.remarks.push(...(await configRemarks(tx, { ruleType, config: config ?? current.config })));
      }
      const wanted = wantedAssignments(changes, current.scopes, defaultScope);
      if (wanted === null) return fields;
      return { ...fields, scopes: await targetsOf(tx, wanted, current.scopes) };
    },
  });
}

/** Throws 400 for a type or config that can't be stored, and 403 `feature_disabled` for one that the tenant has turned off. */
export async function checkPolicy(tx: Tx, ruleType: string, config: Readonly<Record<string, unknown>>): Promise<void> {
  refuseProblems(contactPolicyProblems(ruleType, config));
  await checkBudgets(tx, ruleType);
  await requireCategories(tx, ruleType, config);
  await requireComparedMetric(tx, ruleType, config);
}

type Targets = Parameters<typeof assignScopes<ContactPolicyScope>>;

/** Returns the assignments after a write. Throws 400 `reference_not_found`. */
export const targetsOf = (
  tx: Tx,
  wanted: Targets[1],
  current: Targets[2],
): ReturnType<typeof assignScopes<ContactPolicyScope>> => assignScopes(tx, wanted, current, (word) => resources[word]);

/**
 * Throws 403 `feature_disabled` for a policy on budgets if budgets are off for the tenant (docs/design/api-settled.md
 * 106).
 */
async function checkBudgets(tx: Tx, ruleType: string): Promise<void> {
  if (ruleType !== 'budget_exhausted' || (await readSettings(tx)).enableBudgets) return;
  throw new AppError('feature_disabled', {
    detail: 'Budgets are disabled. Enable them with the setting enableBudgets.',
  });
}

/** Throws 400 `reference_not_found` if a category in the config doesn't exist (docs/design/api-catalogue.md 8.4). */
async function requireCategories(tx: Tx, ruleType: string, config: Readonly<Record<string, unknown>>): Promise<void> {
  for (const { entityType, id, path } of namedCategories(ruleType, config)) await requireLive(tx, entityType, id, path);
}

/**
 * Returns warnings for ids in a config that refer to nothing, so that the config's statement about them has no effect
 * (docs/design/api-settled.md, Typos).
 */
async function unknownIds(tx: Tx, ruleType: string, config: Readonly<Record<string, unknown>>): Promise<Remark[]> {
  const listed = listedRecords(ruleType, config);
  if (listed === null) return [];
  const { entityType, path, ids } = listed;
  const found = await readRelated(
    tx,
    entityType,
    ids.map((id) => id.toLowerCase()),
    [],
  );
  return ids.flatMap((id, at) =>
    found.has(id.toLowerCase())
      ? []
      : [
          {
            path: `${path}/${at}`,
            nearest: null,
            reason: `must be an existing ${entityType}`,
            code: 'unknown_reference' as const,
          },
        ],
  );
}

type PolicyBody = Pick<ContactPolicyCreate, 'ruleType'> & { readonly config: Readonly<Record<string, unknown>> };

/** Returns warnings for parts of a config without effect. */
async function configRemarks(tx: Tx, { ruleType, config }: PolicyBody): Promise<Remark[]> {
  return [...contactPolicyRemarks(ruleType, config), ...(await unknownIds(tx, ruleType, config))];
}

/**
 * Returns warnings for parts of a stored policy without effect, and what its owner should know about the history it
 * counts.
 */
export async function policyRemarksOf(tx: Tx, policy: PolicyBody): Promise<Remark[]> {
  return [...(await configRemarks(tx, policy)), ...(await historyRemarks(tx, policy))];
}

/** Soft-deletes a policy. Flows that still refer to it produce warnings, not a refusal. */
export async function deleteContactPolicy(
  tx: Tx,
  id: string,
  addressed: Addressed,
  referrers: PolicyReferrers,
): Promise<{ deleted: true; warnings: string[] }> {
  const row = await softDeleteRecord(tx, contactPolicySpec, id, { addressed });
  const flows = await referrers.flowsNaming(tx, row.id);
  return {
    deleted: true,
    warnings: flows.map((flow) => `Used by decision flow "${flow.name}" (${flow.key})`),
  };
}
