import type { DecisionRequest } from '@arbiter/engine';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { type FlowPorts, flowConfigToTry, flowVersionToTry, type RunnableFlow } from '../../catalogue/flows/index.ts';
import { isEmptyOverlay, type LiveFlow, type TenantCatalogue } from '../plans/index.ts';
import { overlayOf } from './overrides.service.ts';
import type { StoredFlow } from './segment-question.ts';
import { type WantedFlow, withFormula } from './simulate.rules.ts';

export interface FlowChoicePorts extends FlowPorts {
  readonly database: Database;
}

/**
 * Returns the flow to simulate: published, an older version, the draft, or an unstored config, optionally with other
 * exponents and changes to the catalogue. Throws AppError 404, 409 `flow_not_published`, 400 for a config or exponents that can't run, 422 for a
 * draft that can't be published.
 */
export async function chooseFlow(
  ports: FlowChoicePorts,
  catalogue: TenantCatalogue,
  request: DecisionRequest,
  wanted: WantedFlow,
  until: number,
): Promise<StoredFlow> {
  const flow = await findFlow(ports, catalogue, request, wanted, until);
  const actor = systemActor('simulate');
  const overlay = await ports.database.withTenant(catalogue.tenantId, actor, (tx) => overlayOf(tx, wanted.overrides), {
    until,
  });
  return isEmptyOverlay(overlay) ? flow : { ...flow, isLive: false, overlay };
}

async function findFlow(
  ports: FlowChoicePorts,
  catalogue: TenantCatalogue,
  request: DecisionRequest,
  wanted: WantedFlow,
  until: number,
): Promise<StoredFlow> {
  const { config, version } = wanted;
  // A config goes with no version.
  if (version === 'published' && config === null) {
    const { flow } = (await catalogue.flowFor(wanted.flow, request)).plan;
    return { flow: withFormula(flow, wanted), isLive: wanted.formula === null };
  }
  const named = wanted.flow ?? (await catalogue.flowFor(null, request)).plan.flow.id;
  const read = async (tx: Tx): Promise<RunnableFlow> => {
    if (config !== null) return flowConfigToTry(tx, named, config, ports);
    return flowVersionToTry(tx, named, version === 'published' ? 'draft' : version, ports);
  };
  const flow = await ports.database.withTenant(catalogue.tenantId, systemActor('simulate'), read, { until });
  return { flow: withFormula(flow, wanted), isLive: false };
}

/** Returns the plan of a chosen flow. A plan that isn't the published one is compiled for this call and not cached. */
export async function planOf(catalogue: TenantCatalogue, { flow, isLive, overlay }: StoredFlow): Promise<LiveFlow> {
  if (isLive) {
    const live = await catalogue.flowFor(flow.id);
    if (live.plan.flow.version === flow.version) return live;
  }
  return catalogue.compileOnce(flow, overlay);
}
