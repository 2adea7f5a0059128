import type { OverlayChange } from '@arbiter/contract';
import type { DecisionRequest } from '@arbiter/engine';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import {
  type FlowPorts,
  flowConfigToTry,
  flowVersionToTry,
  type RunnableFlow,
  readFlowDirectory,
} from '../../catalogue/flows/index.ts';
import { isEmptyOverlay, type LiveFlow, readCandidate, storeCandidate, type TenantCatalogue } from '../plans/index.ts';
import { overlayOf } from './overrides.service.ts';
import type { StoredFlow } from './segment-question.ts';
import { type WantedFlow, withFormula } from './simulate.rules.ts';

export interface FlowChoicePorts extends FlowPorts {
  readonly database: Database;
  readonly tryOverlay: TryOverlay;
}

/** Port: makes the changes in a transaction, does the work and rolls back. Throws 422 `overlay_invalid`. */
export type TryOverlay = <Result>(
  facts: RequestFacts,
  overlay: readonly OverlayChange[],
  work: (tx: Tx) => Promise<Result>,
) => Promise<Result>;

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
  facts: RequestFacts,
): Promise<StoredFlow> {
  const { until } = facts;
  if (wanted.overlay.length > 0) return chooseWithOverlay(ports, catalogue, request, wanted, facts);
  const flow = await findFlow(ports, catalogue, request, wanted, until);
  const actor = systemActor('simulate');
  const overlay = await ports.database.withTenant(catalogue.tenantId, actor, (tx) => overlayOf(tx, wanted.overrides), {
    until,
  });
  return isEmptyOverlay(overlay) ? flow : { ...flow, isLive: false, overlay };
}

/** Compiles the flow with the overlay applied, and stores that plan for this preview only. */
async function chooseWithOverlay(
  ports: FlowChoicePorts,
  catalogue: TenantCatalogue,
  request: DecisionRequest,
  wanted: WantedFlow,
  facts: RequestFacts,
): Promise<StoredFlow> {
  const named = wanted.flow ?? (await catalogue.flowFor(null, request)).plan.flow.id;
  const { flow, candidate } = await ports.tryOverlay(facts, wanted.overlay, async (tx) => {
    const found = withFormula(await flowIn(tx, ports, named, wanted), wanted);
    return { flow: found, candidate: await readCandidate(tx, found) };
  });
  await ports.database.withTenant(catalogue.tenantId, systemActor('simulate'), (tx) => storeCandidate(tx, candidate), {
    until: facts.until,
  });
  return { flow, isLive: false, plan: candidate.sealed.hash.toString('hex') };
}

async function flowIn(tx: Tx, ports: FlowPorts, named: string, { config, version }: WantedFlow): Promise<RunnableFlow> {
  if (config !== null) return flowConfigToTry(tx, named, config, ports);
  if (version !== 'published') return flowVersionToTry(tx, named, version, ports);
  const runnable = (await readFlowDirectory(tx)).find(named)?.runnable ?? null;
  if (runnable !== null) return runnable;
  throw new AppError('flow_not_published', { detail: 'The decision flow is inactive or has no published version.' });
}

async function findFlow(
  ports: FlowChoicePorts,
  catalogue: TenantCatalogue,
  request: DecisionRequest,
  wanted: WantedFlow,
  until: number,
): Promise<StoredFlow> {
  const { config, version } = wanted;
  // A config can't be combined with a version.
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
export async function planOf(
  catalogue: TenantCatalogue,
  { flow, isLive, overlay, plan }: StoredFlow,
): Promise<LiveFlow> {
  if (isLive) {
    const live = await catalogue.flowFor(flow.id);
    if (live.plan.flow.version === flow.version) return live;
  }
  if (plan !== undefined) return catalogue.openOnce(Buffer.from(plan, 'hex'));
  return catalogue.compileOnce(flow, overlay);
}
