import { type ContactPolicyScope, contactPolicyResource } from '@arbiter/contract';
import type { SnapshotPolicy } from '@arbiter/engine';
import { columns, computed, epochMs, select, selectList } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { asJsonObject } from '../../../platform/json.ts';
import { type RecordRow, recordSpec, type ScopeAssignmentRow } from '../catalogue-records/index.ts';

/** The stored assignments, at least one. Responses name the record of each. */
type StoredScopes = { scopes: readonly ScopeAssignmentRow<ContactPolicyScope>[] };

/** A row of `contact_policies`. */
export type ContactPolicyRow = RecordRow<typeof contactPolicyResource, StoredScopes>;

export const contactPolicySpec = recordSpec<typeof contactPolicyResource, StoredScopes>(contactPolicyResource);

/**
 * Returns policies that decisions can use (active, not deleted), by id. One statement per catalogue change.
 */
export async function snapshotPolicies(tx: Tx): Promise<SnapshotPolicy[]> {
  return selectPolicies(tx, ['active']);
}

/** Returns policies that decisions may use later (draft or paused, not deleted), by id. */
export async function idlePolicies(tx: Tx): Promise<SnapshotPolicy[]> {
  return selectPolicies(tx, ['draft', 'paused']);
}

/** Returns the given ids whose policies apply to everything and aren't deleted. */
export async function selectGlobalPolicyIds(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await select(
    tx,
    columns(contactPolicySpec, ['id']),
    `from arbiter.contact_policies
     where tenant_id = $1 and deleted_at is null and id = any($2::uuid[]) and scopes @> '[{"scope": "global"}]'`,
    [tx.tenantId, ids],
  );
  return rows.map(({ id }) => id);
}

async function selectPolicies(tx: Tx, statuses: readonly string[]): Promise<SnapshotPolicy[]> {
  const rows = await select(
    tx,
    selectList(
      columns(contactPolicySpec, ['id', 'name', 'ruleType', 'config', 'scopes', 'priority']),
      computed({ createdAt: epochMs('created_at') }),
    ),
    `from arbiter.contact_policies
     where tenant_id = $1 and deleted_at is null and status = any($2::text[]) order by id`,
    [tx.tenantId, statuses],
  );
  return rows.map((row) => ({
    ...row,
    config: asJsonObject(row.config),
    scopes: row.scopes.map(({ scope, scopeId }) => ({ scope, scopeId })),
  }));
}

/** Returns policies, neither deleted nor archived, that refer to a segment by id or name, by id. */
export async function policiesNamingSegment(
  tx: Tx,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<Pick<ContactPolicyRow, 'id' | 'name'>[]> {
  return select(
    tx,
    columns(contactPolicySpec, ['id', 'name']),
    `from arbiter.contact_policies
     where tenant_id = $1 and deleted_at is null and status <> 'archived'
       and (rule_type = 'segment_exclusion' and config -> 'excludeSegments' ?| array[$2, $3]
         or rule_type = 'do_not_contact' and config -> 'segments' ?| array[$2, $3]) order by id`,
    [tx.tenantId, id, name],
  );
}

/** Active policies that read this metric. */
export async function policiesReadingMetric(tx: Tx, id: string): Promise<Pick<ContactPolicyRow, 'id' | 'name'>[]> {
  return select(
    tx,
    columns(contactPolicySpec, ['id', 'name']),
    `from arbiter.contact_policies where tenant_id = $1 and deleted_at is null and status = 'active'
       and rule_type = 'metric_condition' and lower(config ->> 'metricId') = $2 order by id`,
    [tx.tenantId, id],
  );
}
