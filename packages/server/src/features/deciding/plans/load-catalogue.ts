import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { RouteRequest } from '../../catalogue/flow-routes/index.ts';
import type { RunnableFlow } from '../../catalogue/flows/index.ts';
import { type CatalogueContent, outcomePoliciesOf, readContent } from './catalogue-content.ts';
import { policyMarksOf } from './catalogue-overlay.ts';
import type { CatalogueRows } from './catalogue-rows.ts';
import { createFlowPlans } from './flow-plans.ts';
import { realtimeCounterOf } from './realtime-counter.ts';
import type { InTransaction, TenantCatalogue } from './tenant-catalogue.ts';

/**
 * Reads one version of the catalogue. `tx` must be a `snapshot`: every change raises the version in its own
 * transaction, so version and rows match, and no writer waits for the reading. Of offers and creatives, reads only what
 * changed since `before`.
 */
export async function loadCatalogue(
  tx: Tx,
  before: CatalogueRows | null,
  inTransaction: InTransaction,
): Promise<TenantCatalogue> {
  const { tenantId } = tx;
  const content = await readContent(tx, before);
  const { version, settings, isPlayground, inactiveChannels, outcomes, countsVolumes, volumes } = content;
  const { policies, schemaTables, rows, lists, flows } = content;
  const outcomePolicies = outcomePoliciesOf(policies);
  const { planOf, ...plans } = createFlowPlans(content, inTransaction);
  return {
    tenantId,
    version,
    settings,
    isPlayground,
    channelIds: lists.channels.map(({ id }) => id),
    inactiveChannels,
    outcomes,
    outcomePolicies,
    policyMarks: policyMarksOf(policies),
    countsVolumes,
    volumes,
    schemaTables,
    metrics: content.metrics,
    realtimeCounter: await realtimeCounterOf(tx, settings),
    rows,
    hasFlow: () => flows.fallback() !== null,
    flowFor: (asked, request) => planOf(asked === null ? defaultFlow(content, request) : namedFlow(content, asked)),
    flowVersion: planOf,
    ...plans,
  };
}

/** The flow that a route assigns to the request, or the default one. */
function defaultFlow({ routes, flows }: CatalogueContent, request: RouteRequest | undefined): RunnableFlow {
  const routed = request === undefined ? null : routes.flowFor(request);
  const flow = (routed === null ? null : flows.runnableOf(routed)) ?? flows.fallback();
  if (flow === null) throw new Error('the tenant has no flow that can run');
  return flow;
}

function namedFlow({ flows }: CatalogueContent, name: string): RunnableFlow {
  const found = flows.find(name);
  if (found === null)
    throw new AppError('not_found', { detail: `Decision flow not found${flows.nearest(name) || '.'}` });
  if (found.runnable !== null) return found.runnable;
  throw new AppError('flow_not_published', { detail: 'The decision flow is inactive or has no published version.' });
}
