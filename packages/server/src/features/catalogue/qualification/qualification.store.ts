import { type QualificationScope, qualificationRuleResource } from '@arbiter/contract';
import type { SnapshotRule } from '@arbiter/engine';
import { columns, computed, epochMs, select, selectList } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { asJsonObject } from '../../../platform/json.ts';
import { type RecordRow, recordSpec, type ScopeAssignmentRow } from '../catalogue-records/index.ts';

/** The assignments as they are stored, at least one; answers name the record in each. */
type StoredRuleScopes = { scopes: readonly ScopeAssignmentRow<QualificationScope>[] };

/** A row of `qualification_rules`. */
export type QualificationRuleRow = RecordRow<typeof qualificationRuleResource, StoredRuleScopes>;

export const qualificationRuleSpec = recordSpec<typeof qualificationRuleResource, StoredRuleScopes>(
  qualificationRuleResource,
);

/** Rules that decisions can use: not deleted, active; by id. One statement, at every catalogue change. */
export async function snapshotRules(tx: Tx): Promise<SnapshotRule[]> {
  return selectRules(tx, ['active']);
}

/** Rules that decisions may use later: not deleted, draft or paused; by id. */
export async function idleRules(tx: Tx): Promise<SnapshotRule[]> {
  return selectRules(tx, ['draft', 'paused']);
}

async function selectRules(tx: Tx, statuses: readonly string[]): Promise<SnapshotRule[]> {
  const rows = await select(
    tx,
    selectList(
      columns(qualificationRuleSpec, ['id', 'name', 'ruleType', 'config', 'scopes', 'priority', 'stage']),
      computed({ createdAt: epochMs('created_at') }),
    ),
    `from arbiter.qualification_rules
     where tenant_id = $1 and deleted_at is null and status = any($2::text[]) order by id`,
    [tx.tenantId, statuses],
  );
  return rows.map((row) => ({
    ...row,
    config: asJsonObject(row.config),
    scopes: row.scopes.map(({ scope, scopeId }) => ({ scope, scopeId })),
  }));
}

/**
 * Rules, neither deleted nor archived, that name a segment by its id or its name, or that apply to its members; by id.
 * `restricting`: only those that apply to its members, since one that requires the segment would close without them.
 */
export async function rulesNamingSegment(
  tx: Tx,
  { id, name }: { readonly id: string; readonly name: string },
  kind: 'any' | 'restricting',
): Promise<Pick<QualificationRuleRow, 'id' | 'name'>[]> {
  return select(
    tx,
    columns(qualificationRuleSpec, ['id', 'name']),
    `from arbiter.qualification_rules
     where tenant_id = $1 and deleted_at is null and status <> 'archived'
       and ($4 = 'any' and rule_type = 'segment_required' and config -> 'requiredSegments' ?| array[$2, $3]
         or scopes @> jsonb_build_array(jsonb_build_object('scope', 'segment', 'scopeId', $2::text))) order by id`,
    [tx.tenantId, id, name, kind],
  );
}

/** Active rules that read this metric. */
export async function rulesReadingMetric(tx: Tx, id: string): Promise<Pick<QualificationRuleRow, 'id' | 'name'>[]> {
  return select(
    tx,
    columns(qualificationRuleSpec, ['id', 'name']),
    `from arbiter.qualification_rules where tenant_id = $1 and deleted_at is null and status = 'active'
       and rule_type = 'metric_condition' and lower(config ->> 'metricId') = $2 order by id`,
    [tx.tenantId, id],
  );
}
