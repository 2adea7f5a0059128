import type { DecisionRequest } from '@arbiter/engine';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import { type FlowPorts, flowConfigToTry, flowVersionToTry, type RunnableFlow } from '../../catalogue/flows/index.ts';
import type { LiveFlow, TenantCatalogue } from '../plans/index.ts';
import type { StoredFlow } from './segment-question.ts';
import { type WantedFlow, withFormula } from './simulate.rules.ts';

export interface FlowChoicePorts extends FlowPorts {
  readonly database: Database;
}

/**
 * The flow that a simulation runs: as published, an older version, the draft, or a config that is stored nowhere, with other
 * exponents where those were asked for. Throws AppError 404, 409 `flow_not_published`, 400 for a config or exponents that
 * cannot run, 422 for a draft that could not be published.
 */
export async function chooseFlow(
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

/** The plan of a chosen flow. One that is not published as it is here is compiled for this call and kept nowhere. */
export async function planOf(catalogue: TenantCatalogue, { flow, isLive }: StoredFlow): Promise<LiveFlow> {
  if (isLive) {
    const live = await catalogue.flowFor(flow.id);
    if (live.plan.flow.version === flow.version) return live;
  }
  return catalogue.compileOnce(flow);
}
