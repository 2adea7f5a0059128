import type { OfferStatus } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import type { GovernedRow, ListOrder, RecordSpec } from '../records/index.ts';

export type StoredConfig = Readonly<Record<string, unknown>>;

/** A row of `decision_flows`. */
export interface DecisionFlowRow extends GovernedRow {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly status: OfferStatus;
  readonly autoAssembly: boolean;
  readonly isDefault: boolean;
  readonly isProtected: boolean;
  readonly couplingOverride: 'partial' | 'atomic' | null;
  readonly draftConfig: StoredConfig;
  /** Newest entry of `flow_versions`; null before the first publish. */
  readonly publishedVersion: number | null;
  readonly rowVersion: number;
  readonly deletedAt: Date | null;
}

export const flowSpec: RecordSpec<DecisionFlowRow> = {
  table: 'decision_flows',
  noun: 'decision flow',
  entityType: 'decisionFlow',
  softDelete: true,
  versionColumn: 'rowVersion',
  jsonColumns: ['draftConfig'],
  idColumns: [],
  searchColumns: ['name', 'key'],
  uniques: { decision_flows_key: { code: 'duplicate_key', path: '/key' } },
  nameOf: (row) => row.name,
};

/** Status, then last update, newest first (part 2, 4.6). */
export const byStatus: ListOrder = {
  keys: [
    { column: 'status', kind: 'text', direction: 'asc' },
    { column: 'updatedAt', kind: 'instant', direction: 'desc' },
  ],
  ids: 'desc',
};

/** A row of `flow_versions`; `config` is null where it was not asked for. */
export interface FlowVersionRow {
  readonly flowId: string;
  readonly version: number;
  readonly config: StoredConfig | null;
  readonly nodeCount: number;
  readonly scoringMethod: string | null;
  readonly notes: string | null;
  readonly publishedAt: Date;
  readonly publishedBy: string;
}

/** Versions of these flows, oldest first. `withConfig`: `all` of them, or the one with this number. */
export async function selectVersions(
  tx: Tx,
  flowIds: readonly string[],
  withConfig: 'all' | 'none' | number,
): Promise<FlowVersionRow[]> {
  if (flowIds.length === 0) return [];
  return tx.query<FlowVersionRow>(
    `select flow_id as "flowId", version, notes, published_at as "publishedAt", published_by as "publishedBy",
       case when $3::boolean or version = $4::integer then config end as config,
       jsonb_array_length(config -> 'nodes') as "nodeCount",
       coalesce(
         (select node -> 'config' ->> 'method' from jsonb_array_elements(config -> 'nodes') as node
          where node ->> 'type' = 'score' and coalesce((node ->> 'enabled')::boolean, true) limit 1),
         config -> 'flowConfig' -> 'scoring' ->> 'method'
       ) as "scoringMethod"
     from arbiter.flow_versions where tenant_id = $1 and flow_id = any($2::uuid[]) order by flow_id, version`,
    [tx.tenantId, flowIds, withConfig === 'all', typeof withConfig === 'number' ? withConfig : null],
  );
}

/** Appends a version. The flow's row must be locked, so that numbers have neither gap nor twin (quality.md E11). */
export async function insertVersion(
  tx: Tx,
  row: {
    readonly flowId: string;
    readonly version: number;
    readonly config: StoredConfig;
    readonly notes: string | null;
  },
): Promise<void> {
  await tx.query(
    `insert into arbiter.flow_versions (tenant_id, flow_id, version, config, notes, published_at, published_by)
     values ($1, $2, $3, $4::jsonb, $5, $6, $7)`,
    [tx.tenantId, row.flowId, row.version, JSON.stringify(row.config), row.notes, tx.now, tx.actor.name],
  );
}

/**
 * Makes who is default one question at a time per tenant, until the transaction ends: taken before any row that may
 * gain or lose the default is locked (quality.md T9).
 */
export async function lockDefaultChoice(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.default_flow:' || $1, 0))`, [tx.tenantId]);
}

/** Id of the tenant's default flow, and whether it has any flow that is not deleted. */
export async function selectDefault(
  tx: Tx,
): Promise<{ readonly defaultId: string | null; readonly hasFlows: boolean }> {
  const rows = await tx.query<{ id: string; isDefault: boolean }>(
    `select id, is_default as "isDefault" from arbiter.decision_flows
     where tenant_id = $1 and deleted_at is null order by is_default desc limit 1`,
    [tx.tenantId],
  );
  const [first] = rows;
  return { defaultId: first?.isDefault === true ? first.id : null, hasFlows: first !== undefined };
}

/** Id of the live flow with this key, or null. */
export async function selectIdByKey(tx: Tx, key: string): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    'select id from arbiter.decision_flows where tenant_id = $1 and key = $2 and deleted_at is null',
    [tx.tenantId, key],
  );
  return row?.id ?? null;
}

/** Flows, not deleted, whose draft has this text somewhere, by key. */
export async function selectDraftsContaining(
  tx: Tx,
  text: string,
): Promise<{ readonly name: string; readonly key: string; readonly draftConfig: StoredConfig }[]> {
  return tx.query(
    `select name, key, draft_config as "draftConfig" from arbiter.decision_flows
     where tenant_id = $1 and deleted_at is null and position($2 in draft_config::text) > 0 order by key collate "C"`,
    [tx.tenantId, text],
  );
}

/** A live flow with its last published version, if there is one. */
export interface PublishedFlowRow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly status: OfferStatus;
  readonly isDefault: boolean;
  readonly couplingOverride: 'partial' | 'atomic' | null;
  readonly version: number | null;
  readonly config: StoredConfig | null;
}

/** All live flows with their last published version; updated last first, ties by key. One statement. */
export async function selectPublishedFlows(tx: Tx): Promise<PublishedFlowRow[]> {
  return tx.query<PublishedFlowRow>(
    `select flow.id, flow.key, flow.name, flow.status, flow.is_default as "isDefault",
       flow.coupling_override as "couplingOverride", published.version, published.config
     from arbiter.decision_flows flow
     left join arbiter.flow_versions published
       on published.tenant_id = flow.tenant_id and published.flow_id = flow.id
         and published.version = flow.published_version
     where flow.tenant_id = $1 and flow.deleted_at is null order by flow.updated_at desc, flow.key collate "C"`,
    [tx.tenantId],
  );
}

/** Live flows that are not archived and whose draft or last published config contains the text; by key. */
export async function selectFlowsContaining(
  tx: Tx,
  text: string,
): Promise<{ readonly id: string; readonly name: string }[]> {
  return tx.query(
    `select f.id, f.name from arbiter.decision_flows f
     where f.tenant_id = $1 and f.deleted_at is null and f.status <> 'archived' and (
       position($2 in f.draft_config::text) > 0 or exists (
         select 1 from (
           select v.config from arbiter.flow_versions v
           where v.tenant_id = f.tenant_id and v.flow_id = f.id order by v.version desc limit 1) last
         where position($2 in last.config::text) > 0))
     order by f.key collate "C"`,
    [tx.tenantId, text],
  );
}
