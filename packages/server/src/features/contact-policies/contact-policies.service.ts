import type {
  ContactPolicy,
  ContactPolicyCreate,
  ContactPolicyScope,
  ContactPolicyType,
  ContactPolicyUpdate,
  OfferStatus,
} from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { refuseProblems } from '../../platform/app-error.ts';
import {
  type Addressed,
  assignedTo,
  assignScopes,
  createRecord,
  getRecord,
  type ListOptions,
  listRecords,
  type Pagination,
  type Referable,
  softDeleteRecord,
  toWire,
  updateRecord,
  wantedAssignments,
} from '../records/index.ts';
import { contactPolicyProblems, contactPolicyRemarks, storedConfig } from './contact-policies.rules.ts';
import { byPriority, type ContactPolicyRow, contactPolicySpec } from './contact-policies.store.ts';

/** Who may name a policy: declared here, plugged by `main` (architecture.md 2). */
export interface PolicyReferrers {
  /** Name and key of every decision flow, not deleted, whose draft names the policy; by key. */
  flowsNaming(tx: Tx, policyId: string): Promise<readonly { readonly name: string; readonly key: string }[]>;
}

/** Scope of a policy that names none (part 2, section 2). */
const defaultScope: ContactPolicyScope = 'offer';

const resources: Readonly<Record<ContactPolicyScope, Referable | null>> = {
  global: null,
  offer: 'offer',
  creative: 'creative',
  channel: 'channel',
  category: 'category',
  subcategory: 'subCategory',
};

function answer(row: ContactPolicyRow): ContactPolicy {
  const [first] = row.scopes;
  return {
    ...toWire(row),
    scope: first?.scope ?? defaultScope,
    scopeId: first?.scopeId ?? null,
    scopes: row.scopes.map((assignment) => ({ ...assignment, contactPolicyId: row.id })),
    rowVersion: row.version,
  };
}

export async function createContactPolicy(tx: Tx, body: ContactPolicyCreate): Promise<ContactPolicy> {
  const { scope, scopeId, scopes, config = {}, ...fields } = body;
  refuseProblems(contactPolicyProblems(body.ruleType, config));
  tx.remarks.push(...contactPolicyRemarks(body.ruleType, config));
  const wanted = wantedAssignments(body, null, defaultScope) ?? [];
  const assigned = await assignScopes(tx, wanted, [], (word) => resources[word]);
  return answer(
    await createRecord(tx, contactPolicySpec, { ...fields, config: storedConfig(config), scopes: assigned }),
  );
}

/** Changes the supplied fields; a new type or config is checked as the pair it results in. */
export async function updateContactPolicy(tx: Tx, body: ContactPolicyUpdate): Promise<ContactPolicy> {
  const { id, rowVersion, scope, scopeId, scopes, config, ...rest } = body;
  const fields = config === undefined ? rest : { ...rest, config: storedConfig(config) };
  const row = await updateRecord(tx, contactPolicySpec, id, {
    rowVersion,
    change: async (current) => {
      if (rest.ruleType !== undefined || config !== undefined) {
        const ruleType = rest.ruleType ?? current.ruleType;
        refuseProblems(contactPolicyProblems(ruleType, config ?? current.config));
        tx.remarks.push(...contactPolicyRemarks(ruleType, config ?? current.config));
      }
      const wanted = wantedAssignments(body, current.scopes, defaultScope);
      if (wanted === null) return fields;
      return { ...fields, scopes: await assignScopes(tx, wanted, current.scopes, (word) => resources[word]) };
    },
  });
  return answer(row);
}

/** The live policy, or with `includeDeleted` a deleted one as well; 404 otherwise. */
export async function readContactPolicy(tx: Tx, id: string, includeDeleted = false): Promise<ContactPolicy> {
  return answer(await getRecord(tx, contactPolicySpec, id, { includeDeleted }));
}

export interface ContactPolicyFilters {
  readonly status?: OfferStatus | undefined;
  readonly ruleType?: ContactPolicyType | undefined;
  readonly scope?: ContactPolicyScope | undefined;
  readonly scopeId?: string | undefined;
}

/** One page by priority, highest first, then newest. `scope` and `scopeId` must hold for one assignment together. */
export async function listContactPolicies(
  tx: Tx,
  { scope, scopeId, ...filters }: ContactPolicyFilters,
  page: Pick<ListOptions<ContactPolicyRow>, 'limit' | 'cursor' | 'search' | 'includeDeleted'>,
): Promise<{ data: ContactPolicy[]; pagination: Pagination }> {
  const { rows, pagination } = await listRecords(tx, contactPolicySpec, {
    ...page,
    filters,
    ...assignedTo({ scope, scopeId }),
    order: byPriority,
    defaultLimit: 25,
    maximumLimit: 200,
  });
  return { data: rows.map(answer), pagination };
}

/** Soft delete; flows that still name the policy are told as warnings, not refused (part 2, 4.5). */
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
    warnings: flows.map((flow) => `Referenced by decision flow "${flow.name}" (${flow.key})`),
  };
}
