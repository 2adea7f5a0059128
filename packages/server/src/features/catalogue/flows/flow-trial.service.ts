import type { Tx } from '../../../db/tx.ts';
import { getRecord } from '../catalogue-records/index.ts';
import { checkDraft } from './flow-check.ts';
import type { RunnableFlow } from './flow-directory.ts';
import type { FlowPorts } from './flow-ports.ts';
import { hideSecrets } from './flow-secrets.rules.ts';
import { readConfig, type VersionName } from './flow-versions.service.ts';
import { asFlowConfig, type DecisionFlowRow, flowSpec, type StoredConfig, selectIdByKey } from './flows.store.ts';

/**
 * The draft or a published version of a flow, to be run without being published. The flow is named by key, else by id, and
 * need not be active. Throws AppError 404, and for a draft that could not be published what publishing answers (422).
 */
export async function flowVersionToTry(
  tx: Tx,
  keyOrId: string,
  version: VersionName,
  ports: FlowPorts,
): Promise<RunnableFlow> {
  const flow = await findFlow(tx, keyOrId);
  const config = await readConfig(tx, flow, version);
  if (version === 'draft') await checkDraft(tx, config, { use: 'publish', ports, flow, isTrial: true });
  return runnable(flow, config, version === 'draft' ? null : version);
}

/** A published version of a flow, which need not be active. Throws AppError 404. */
export async function publishedFlowVersion(tx: Tx, id: string, version: number): Promise<RunnableFlow> {
  const flow = await getRecord(tx, flowSpec, id);
  return runnable(flow, await readConfig(tx, flow, version), version);
}

/**
 * A flow with a config that is stored nowhere. Throws AppError 404, and 400 for a config that could not be published. Values
 * that are never shown are replaced by bullets, and the flow's own are used.
 */
export async function flowConfigToTry(
  tx: Tx,
  keyOrId: string,
  config: StoredConfig,
  ports: FlowPorts,
): Promise<RunnableFlow> {
  const flow = await findFlow(tx, keyOrId);
  await checkDraft(tx, config, { use: 'simulate', ports, flow, isTrial: true });
  return runnable(flow, hideSecrets(config).config, null);
}

async function findFlow(tx: Tx, keyOrId: string): Promise<DecisionFlowRow> {
  return getRecord(tx, flowSpec, (await selectIdByKey(tx, keyOrId)) ?? keyOrId);
}

function runnable(flow: DecisionFlowRow, config: StoredConfig, version: number | null): RunnableFlow {
  const { id, key, name, couplingOverride } = flow;
  return { id, key, name, version, couplingOverride, config: asFlowConfig(config) };
}
