import { baseFlowConfig, type DecisionFlow, type DecisionFlowCreate, type PublishedVersion } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import {
  type Addressed,
  assertRowVersion,
  createRecord,
  getRecord,
  type LockDependants,
  type RecordChange,
  type RouteColumn,
  requireGoingLive,
  restorable,
  softDeleteRecord,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { checkDraft, type DraftUse } from './flow-check.ts';
import { type FlowPorts, withoutSecrets } from './flow-ports.ts';
import { hideSecrets } from './flow-secrets.rules.ts';
import { keepSecrets } from './flow-secrets.service.ts';
import { copySecrets, draftVersion } from './flow-secrets.store.ts';
import { baseFlowKey, baseFlowName, emptyDraft, namesPolicy } from './flows.rules.ts';
import {
  type DecisionFlowRow,
  type FlowVersionRow,
  flowSpec,
  insertVersion,
  lockDefaultChoice,
  selectDefault,
  selectDraftsContaining,
  selectIdByKey,
  selectVersions,
} from './flows.store.ts';

function publishedVersion(row: FlowVersionRow): PublishedVersion {
  return {
    version: row.version,
    publishedAt: row.publishedAt.toISOString(),
    notes: row.notes,
    configSnapshot: row.config,
  };
}

/** Flows as answers carry them, with their published versions; in lists those come without their configs. */
export async function showFlows(
  tx: Tx,
  rows: readonly DecisionFlowRow[],
  view: 'one' | 'list',
): Promise<DecisionFlow[]> {
  const ids = rows.map((row) => row.id);
  const found = await selectVersions(tx, ids, view === 'one' ? 'all' : 'none');
  const versions = Map.groupBy(found, (version) => version.flowId);
  return rows.map((row) => {
    const { publishedVersion: _newest, ...wire } = toWire(row);
    return { ...wire, publishedVersions: (versions.get(row.id) ?? []).map(publishedVersion) };
  });
}

/** One flow as answers return it. */
export async function showFlow(tx: Tx, row: DecisionFlowRow): Promise<DecisionFlow> {
  const [flow] = await showFlows(tx, [row], 'one');
  if (flow === undefined) throw new Error('each row has one response');
  return flow;
}

/** Takes the default away from the flow that has it: a change of that flow, with version and audit row of its own. */
async function unsetDefault(tx: Tx, except: string | null): Promise<void> {
  const { defaultId } = await selectDefault(tx);
  if (defaultId === null || defaultId === except) return;
  await updateRecord(tx, flowSpec, defaultId, { change: () => ({ isDefault: false }) });
}

/** A tenant's first flow becomes its default, whatever the body says; later ones only on request. */
export async function createFlow(
  tx: Tx,
  body: DecisionFlowCreate,
  ports: FlowPorts = withoutSecrets,
  use: Extract<DraftUse, 'create' | 'import'> = 'create',
): Promise<DecisionFlowRow> {
  const { draftConfig, ...fields } = body;
  if (draftConfig !== undefined) await checkDraft(tx, draftConfig, { use, ports, flow: { id: null, key: body.key } });
  const { config, values } = hideSecrets(draftConfig ?? emptyDraft);
  await lockDefaultChoice(tx);
  const { hasFlows } = await selectDefault(tx);
  if (body.isDefault === true) await unsetDefault(tx, null);
  const row = await createRecord(tx, flowSpec, {
    ...fields,
    draftConfig: config,
    isDefault: !hasFlows || body.isDefault === true,
  });
  await keepSecrets(tx, ports.envelope, row.id, values);
  return row;
}

/** Changes the supplied fields; `rowVersion` + 1. A tenant keeps its default until that flow is deleted. */
export async function updateFlow(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  fields: RecordChange<DecisionFlowRow>,
  ports: FlowPorts = withoutSecrets,
): Promise<DecisionFlowRow> {
  if (fields.isDefault === true) await lockDefaultChoice(tx);
  return updateRecord(tx, flowSpec, id, {
    rowVersion,
    change: async (current) => {
      if (fields.isDefault === false && current.isDefault) {
        throw invalid('/isDefault', "can't be unset; make another flow the default instead");
      }
      const { draftConfig } = fields;
      if (draftConfig !== undefined) await checkDraft(tx, draftConfig, { use: 'update', ports, flow: current });
      if (fields.isDefault === true) await unsetDefault(tx, current.id);
      if (draftConfig === undefined) return fields;
      const { config, values } = hideSecrets(draftConfig);
      await keepSecrets(tx, ports.envelope, current.id, values);
      return { ...fields, draftConfig: config };
    },
  });
}

/** Soft delete; a protected flow is 409 `protected`. A deleted flow stops being the default; its routes go with it. */
export async function deleteFlow(
  tx: Tx,
  id: string,
  addressed: Addressed,
  lockRoutes: LockDependants<RouteColumn>,
): Promise<{ success: true; cascaded: number }> {
  let deleteRoutes = async () => 0;
  // The flow may be the default that another call is replacing right now.
  await lockDefaultChoice(tx);
  await softDeleteRecord(tx, flowSpec, id, {
    addressed,
    set: { isDefault: false },
    check: async (row) => {
      if (row.isProtected) {
        throw new AppError('protected', {
          detail: 'The flow is protected. Set isProtected to false before you delete it.',
        });
      }
      deleteRoutes = await lockRoutes(tx, 'decisionFlowId', [row.id]);
    },
  });
  return { success: true, cascaded: await deleteRoutes() };
}

/** A flow comes back neither as the default nor with its routes (docs/design/api-catalogue.md 19). */
export const restorableFlow = restorable(flowSpec, { set: () => ({ isDefault: false }) });

/**
 * Makes the draft the next version, the flow active and protected. What is published is the draft that was checked: a
 * flow that changed between the check and the lock is 409 `concurrent_modification` (docs/design/quality.md E11).
 */
export async function publishFlow(
  tx: Tx,
  request: { readonly id: string; readonly notes?: string | null; readonly rowVersion?: number },
  ports: FlowPorts = withoutSecrets,
): Promise<DecisionFlowRow> {
  const seen = await getRecord(tx, flowSpec, request.id);
  await requireGoingLive(tx, flowSpec.resource.noun);
  assertRowVersion(flowSpec, seen, request.rowVersion);
  await checkDraft(tx, seen.draftConfig, { use: 'publish', ports, flow: seen });
  return updateRecord(tx, flowSpec, request.id, {
    action: 'publish',
    change: async (current) => {
      if (current.rowVersion !== seen.rowVersion) {
        throw new AppError('concurrent_modification', {
          detail: 'The flow was changed while it was being published. Try again.',
        });
      }
      const version = (current.publishedVersion ?? 0) + 1;
      await insertVersion(tx, {
        flowId: current.id,
        version,
        config: current.draftConfig,
        notes: request.notes ?? null,
      });
      await copySecrets(tx, current.id, draftVersion, version);
      return { status: 'active' as const, isProtected: true, publishedVersion: version };
    },
  });
}

/**
 * Returns the base flow: finds it by its key, or creates it, publishes it as version 1, and makes it the default when
 * the tenant has none.
 */
export async function ensureBaseFlow(tx: Tx): Promise<{ flowId: string; created: boolean }> {
  const known = await selectIdByKey(tx, baseFlowKey);
  if (known !== null) return { flowId: known, created: false };
  await lockDefaultChoice(tx);
  const meanwhile = await selectIdByKey(tx, baseFlowKey);
  if (meanwhile !== null) return { flowId: meanwhile, created: false };
  const { defaultId } = await selectDefault(tx);
  const row = await createRecord(tx, flowSpec, {
    key: baseFlowKey,
    name: baseFlowName,
    status: 'active',
    isProtected: true,
    isDefault: defaultId === null,
    draftConfig: baseFlowConfig,
    publishedVersion: 1,
  });
  await insertVersion(tx, { flowId: row.id, version: 1, config: baseFlowConfig, notes: null });
  return { flowId: row.id, created: true };
}

/** Returns flows whose draft names a contact policy: the flows' part of deleting one (port `PolicyReferrers`). */
export async function flowsNamingPolicy(tx: Tx, policyId: string): Promise<{ name: string; key: string }[]> {
  const flows = await selectDraftsContaining(tx, policyId);
  return flows.filter((flow) => namesPolicy(flow.draftConfig, policyId)).map(({ name, key }) => ({ name, key }));
}
