import type { ContactPolicyScope, ContactPolicyType, OfferStatus } from '@arbiter/contract';
import type { SnapshotPolicy } from '@arbiter/engine';
import type { Tx } from '../../db/tx.ts';
import type { GovernedRow, ListOrder, RecordSpec, ScopeAssignmentRow } from '../records/index.ts';

/** A row of `contact_policies`. */
export interface ContactPolicyRow extends GovernedRow {
  readonly name: string;
  readonly description: string;
  readonly status: OfferStatus;
  readonly ruleType: ContactPolicyType;
  readonly config: Readonly<Record<string, unknown>>;
  readonly priority: number;
  /** At least one. */
  readonly scopes: readonly ScopeAssignmentRow<ContactPolicyScope>[];
  readonly version: number;
  readonly deletedAt: Date | null;
}

export const contactPolicySpec: RecordSpec<ContactPolicyRow> = {
  table: 'contact_policies',
  noun: 'contact policy',
  entityType: 'contactPolicy',
  softDelete: true,
  versionColumn: 'version',
  jsonColumns: ['config', 'scopes'],
  idColumns: [],
  searchColumns: ['name'],
  uniques: { contact_policies_name: { code: 'duplicate_name', path: '/name' } },
  nameOf: (row) => row.name,
};

/** Priority, highest first, then newest (part 2, 4.5). */
export const byPriority: ListOrder = {
  keys: [{ column: 'priority', kind: 'integer', direction: 'desc' }],
  ids: 'desc',
};

/** Policies that can take part in decisions: not deleted, active; by id. One statement, at every catalogue change. */
export async function snapshotPolicies(tx: Tx): Promise<SnapshotPolicy[]> {
  const rows = await tx.query<SnapshotPolicy>(
    `select id, name, rule_type as "ruleType", config, scopes, priority,
       (extract(epoch from created_at) * 1000)::float8 as "createdAt"
     from arbiter.contact_policies where tenant_id = $1 and deleted_at is null and status = 'active' order by id`,
    [tx.tenantId],
  );
  return rows.map((row) => ({ ...row, scopes: row.scopes.map(({ scope, scopeId }) => ({ scope, scopeId })) }));
}
