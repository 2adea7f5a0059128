import type { OfferStatus, QualificationRuleType, QualificationScope, QualificationStage } from '@arbiter/contract';
import type { SnapshotRule } from '@arbiter/engine';
import type { Tx } from '../../db/tx.ts';
import type { GovernedRow, ListOrder, RecordSpec, ScopeAssignmentRow } from '../records/index.ts';

/** A row of `qualification_rules`. */
export interface QualificationRuleRow extends GovernedRow {
  readonly name: string;
  readonly description: string;
  readonly status: OfferStatus;
  readonly ruleType: QualificationRuleType;
  readonly config: Readonly<Record<string, unknown>>;
  readonly priority: number;
  readonly stage: QualificationStage;
  /** At least one. */
  readonly scopes: readonly ScopeAssignmentRow<QualificationScope>[];
  readonly version: number;
  readonly deletedAt: Date | null;
}

export const qualificationRuleSpec: RecordSpec<QualificationRuleRow> = {
  table: 'qualification_rules',
  noun: 'qualification rule',
  entityType: 'qualificationRule',
  softDelete: true,
  versionColumn: 'version',
  jsonColumns: ['config', 'scopes'],
  idColumns: [],
  searchColumns: ['name'],
  uniques: { qualification_rules_name: { code: 'duplicate_name', path: '/name' } },
  nameOf: (row) => row.name,
};

/** Priority, highest first, then newest (api-catalogue.md 1.1). */
export const byPriority: ListOrder = {
  keys: [{ column: 'priority', kind: 'integer', direction: 'desc' }],
  ids: 'desc',
};

/** Rules that can take part in decisions: not deleted, active; by id. One statement, at every catalogue change. */
export async function snapshotRules(tx: Tx): Promise<SnapshotRule[]> {
  const rows = await tx.query<SnapshotRule>(
    `select id, name, rule_type as "ruleType", config, scopes, priority, stage,
       (extract(epoch from created_at) * 1000)::float8 as "createdAt"
     from arbiter.qualification_rules where tenant_id = $1 and deleted_at is null and status = 'active' order by id`,
    [tx.tenantId],
  );
  return rows.map((row) => ({ ...row, scopes: row.scopes.map(({ scope, scopeId }) => ({ scope, scopeId })) }));
}
