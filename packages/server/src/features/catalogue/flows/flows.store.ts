import { decisionFlowResource } from '@arbiter/contract';
import { type FlowConfig, modelsNamed } from '@arbiter/engine';
import { columns, computed, expression, optional, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';

export type StoredConfig = Readonly<Record<string, unknown>>;

/** A row of `decision_flows`. `publishedVersion`: newest entry of `flow_versions`, null before the first publish. */
export type DecisionFlowRow = RecordRow<typeof decisionFlowResource>;

export const flowSpec = recordSpec(decisionFlowResource);

const flowVersions = table<'flow_versions', { config: StoredConfig }>('flow_versions');

const versionColumns = selectList(
  columns(flowVersions, ['flowId', 'version', 'notes', 'publishedAt', 'publishedBy']),
  computed({
    // Null when it wasn't read.
    config: expression<StoredConfig | null>('case when $3::boolean or version = $4::integer then config end'),
    nodeCount: expression<number>(`jsonb_array_length(config -> 'nodes')`),
    scoringMethod: expression<string | null>(`coalesce(
      (select node -> 'config' ->> 'method' from jsonb_array_elements(config -> 'nodes') as node
       where node ->> 'type' = 'score' and coalesce((node ->> 'enabled')::boolean, true) limit 1),
      config -> 'flowConfig' -> 'scoring' ->> 'method'
    )`),
  }),
);

/** A row of `flow_versions`; `config` is null when it wasn't read. */
export type FlowVersionRow = RowOf<typeof versionColumns>;

/** Versions of these flows, oldest first. `withConfig`: `all` of them, or the one with this number. */
export async function selectVersions(
  tx: Tx,
  flowIds: readonly string[],
  withConfig: 'all' | 'none' | number,
): Promise<FlowVersionRow[]> {
  if (flowIds.length === 0) return [];
  return select(
    tx,
    versionColumns,
    'from arbiter.flow_versions where tenant_id = $1 and flow_id = any($2::uuid[]) order by flow_id, version',
    [tx.tenantId, flowIds, withConfig === 'all', typeof withConfig === 'number' ? withConfig : null],
  );
}

/** Appends a version. The flow's row must be locked, so that numbers have no gaps and no duplicates (docs/design/quality.md E11). */
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
 * Serializes changes of a tenant's default flow until the transaction ends. Take it before locking any row that may
 * gain or lose the default (docs/design/quality.md T9).
 */
export async function lockDefaultChoice(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.default_flow:' || $1, 0))`, [tx.tenantId]);
}

/** ID of the tenant's default flow, and whether it has any flow that is not deleted. */
export async function selectDefault(
  tx: Tx,
): Promise<{ readonly defaultId: string | null; readonly hasFlows: boolean }> {
  const rows = await select(
    tx,
    columns(flowSpec, ['id', 'isDefault']),
    'from arbiter.decision_flows where tenant_id = $1 and deleted_at is null order by is_default desc limit 1',
    [tx.tenantId],
  );
  const [first] = rows;
  return { defaultId: first?.isDefault === true ? first.id : null, hasFlows: first !== undefined };
}

/** ID of the live flow with this key, or null. */
export async function selectIdByKey(tx: Tx, key: string): Promise<string | null> {
  const [row] = await select(
    tx,
    columns(flowSpec, ['id']),
    'from arbiter.decision_flows where tenant_id = $1 and key = $2 and deleted_at is null',
    [tx.tenantId, key],
  );
  return row?.id ?? null;
}

/** Returns those of the ids that are flows of the tenant, including deleted ones. */
export async function selectKnownIds(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await select(
    tx,
    columns(flowSpec, ['id']),
    'from arbiter.decision_flows where tenant_id = $1 and id = any ($2)',
    [tx.tenantId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** IDs of all flows that have this key, deleted ones too. */
export async function selectIdsByKey(tx: Tx, key: string): Promise<string[]> {
  const rows = await select(
    tx,
    columns(flowSpec, ['id']),
    'from arbiter.decision_flows where tenant_id = $1 and key = $2 order by id',
    [tx.tenantId, key],
  );
  return rows.map(({ id }) => id);
}

/** True when a flow that isn't deleted has this key. */
export async function hasFlowWithKey(tx: Tx, key: string): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from arbiter.decision_flows where tenant_id = $1 and key = $2 and deleted_at is null',
    [tx.tenantId, key],
  );
  return rows.length > 0;
}

/** Returns flows that aren't deleted and whose draft contains this text, in any case, by key. */
export async function selectDraftsContaining(
  tx: Tx,
  text: string,
): Promise<Pick<DecisionFlowRow, 'name' | 'key' | 'draftConfig'>[]> {
  return select(
    tx,
    columns(flowSpec, ['name', 'key', 'draftConfig']),
    `from arbiter.decision_flows
     where tenant_id = $1 and deleted_at is null and position(lower($2) in lower(draft_config::text)) > 0 order by key collate "C"`,
    [tx.tenantId, text],
  );
}

const publishedColumns = selectList(
  columns(flowSpec, ['id', 'key', 'name', 'status', 'isDefault', 'couplingOverride'], 'flow'),
  optional(columns(flowVersions, ['version', 'config'], 'published')),
);

/** A live flow with its last published version, if there is one. */
export type PublishedFlowRow = RowOf<typeof publishedColumns>;

/**
 * Returns all live flows with their last published version, most recently updated first, ties by key. One statement.
 */
export async function selectPublishedFlows(tx: Tx): Promise<PublishedFlowRow[]> {
  return select(
    tx,
    publishedColumns,
    `from arbiter.decision_flows flow
     left join arbiter.flow_versions published
       on published.tenant_id = flow.tenant_id and published.flow_id = flow.id
         and published.version = flow.published_version
     where flow.tenant_id = $1 and flow.deleted_at is null order by flow.updated_at desc, flow.key collate "C"`,
    [tx.tenantId],
  );
}

/** Drafts and last published configs of live flows that are not archived; by id. One statement, at every catalogue change. */
export async function selectLiveConfigs(tx: Tx): Promise<StoredConfig[]> {
  const rows = await select(
    tx,
    selectList(columns(flowSpec, ['draftConfig'], 'flow'), optional(columns(flowVersions, ['config'], 'published'))),
    `from arbiter.decision_flows flow
     left join arbiter.flow_versions published
       on published.tenant_id = flow.tenant_id and published.flow_id = flow.id
         and published.version = flow.published_version
     where flow.tenant_id = $1 and flow.deleted_at is null and flow.status <> 'archived' order by flow.id`,
    [tx.tenantId],
  );
  return rows.flatMap(({ draftConfig, config }) => [draftConfig, config].filter(isConfig));
}

const isConfig = (config: unknown): config is StoredConfig => typeof config === 'object' && config !== null;

/** Returns active flows whose published version scores by a model with one of these names, by key. */
export async function flowsScoringBy(
  tx: Tx,
  names: readonly string[],
): Promise<{ readonly id: string; readonly name: string }[]> {
  const flows = await selectPublishedFlows(tx);
  return flows
    .filter(({ status, config }) => status === 'active' && config !== null && scoresBy(config, names))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ id, name }) => ({ id, name }));
}

/** A config that passed the flow check when it was published. */
export function asFlowConfig(config: unknown): FlowConfig {
  if (!isFlowConfig(config)) throw new Error('a published config has nodes');
  return config;
}

const isFlowConfig = (config: unknown): config is FlowConfig => Array.isArray(Object(config).nodes);

const scoresBy = (config: StoredConfig, names: readonly string[]): boolean =>
  modelsNamed(asFlowConfig(config), []).some((name) => names.includes(name));

/**
 * Returns live flows that aren't archived and whose draft or last published config contains the text in any case, by
 * key.
 */
export async function selectFlowsContaining(tx: Tx, text: string): Promise<Pick<DecisionFlowRow, 'id' | 'name'>[]> {
  return select(
    tx,
    columns(flowSpec, ['id', 'name'], 'f'),
    `from arbiter.decision_flows f
     where f.tenant_id = $1 and f.deleted_at is null and f.status <> 'archived' and (
       position(lower($2) in lower(f.draft_config::text)) > 0 or exists (
         select 1 from (
           select v.config from arbiter.flow_versions v
           where v.tenant_id = $1 and v.flow_id = f.id order by v.version desc limit 1) last
         where position(lower($2) in lower(last.config::text)) > 0))
     order by f.key collate "C"`,
    [tx.tenantId, text],
  );
}
