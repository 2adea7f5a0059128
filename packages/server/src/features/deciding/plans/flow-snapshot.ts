import type { Plan, Snapshot } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import {
  type LiveRoute,
  type RoutePlaces,
  type RouteRequest,
  readRoutes,
  routeTable,
} from '../../catalogue/flow-routes/index.ts';
import { offerStatusesOf, type RunnableFlow } from '../../catalogue/flows/index.ts';
import { selectSoldOut } from '../../catalogue/offers/index.ts';
import { type CatalogueContent, readContent } from './catalogue-content.ts';
import { readRows } from './catalogue-rows.ts';
import { compileFlow } from './compile-flow.ts';
import { piecesOf } from './pieces-of-content.ts';
import { headOf, snapshotOf } from './plan-head.ts';
import { type Piece, type SealedPlan, sealPlan, storePlan } from './plan-pieces.ts';

/** The hash of a plan that isn't stored. */
const noHash = Buffer.alloc(32);

/**
 * Reads what a flow's plan is compiled from, as the transaction sees it, and compiles it. Read-only:
 * neither decides nor stores anything.
 */
export async function readFlowSnapshot(
  tx: Tx,
  flow: RunnableFlow,
): Promise<{ readonly snapshot: Snapshot; readonly plan: Plan; readonly soldOut: readonly string[] }> {
  const content = await readContentFor(tx, flow);
  const snapshot = snapshotOf(content, headOf(content, flow), content.rows);
  const { plan } = await compileFlow(snapshot, noHash);
  return { snapshot, plan, soldOut: plan.tracksStock ? await selectSoldOut(tx) : [] };
}

/** A plan for past requests, not stored yet. */
export interface CandidatePlan {
  readonly sealed: SealedPlan;
  readonly pieces: readonly Piece[];
  /** Of the catalogue. */
  readonly version: number;
  readonly routing: Routing;
}

/** How requests are routed to flows, as data. */
export interface Routing {
  readonly routes: readonly LiveRoute[];
  readonly places: RoutePlaces;
  /** IDs of flows that can run. */
  readonly runnable: readonly string[];
  /** ID of the default flow; null without one. */
  readonly fallback: string | null;
}

/** Returns a function that finds the flow of a request. */
export function routerOf({ routes, places, runnable, fallback }: Routing): (request: RouteRequest) => string | null {
  const canRun = new Set(runnable);
  const table = routeTable(routes, places, (id) => canRun.has(id));
  return (request) => table.flowFor(request) ?? fallback;
}

/** Reads a flow's plan as the transaction sees it, which may be one that is rolled back. */
export async function readCandidate(tx: Tx, flow: RunnableFlow): Promise<CandidatePlan> {
  const content = await readContentFor(tx, flow);
  const pieces = piecesOf(content);
  const { channels, placements, inactivePlacements = [] } = content.lists;
  const routing: Routing = {
    routes: await readRoutes(tx),
    places: { channels: channels.map(routedChannel), placements: placements.map(routedPlacement), inactivePlacements },
    runnable: content.flows.runnable().map(({ id }) => id),
    fallback: content.flows.fallback()?.id ?? null,
  };
  return { sealed: await sealPlan(headOf(content, flow), pieces), pieces, version: content.version, routing };
}

const routedChannel = ({ id, channelType }: RoutePlaces['channels'][number]) => ({ id, channelType });
const routedPlacement = ({ id, channelId, key, name, slotType }: RoutePlaces['placements'][number]) => ({
  ...{ id, channelId, key, name, slotType },
});

/** Stores the plan, so that threads can open it. It expires like others unless something else names it. */
export const storeCandidate = (tx: Tx, { sealed, pieces, version }: CandidatePlan): Promise<void> =>
  storePlan(tx, sealed, pieces, version);

async function readContentFor(tx: Tx, flow: RunnableFlow): Promise<CatalogueContent> {
  const content = await readContent(tx, null);
  const statuses = offerStatusesOf(flow);
  const hasAll = statuses.every((status) => content.wanted.statuses.includes(status));
  return hasAll ? content : { ...content, rows: await readRows(tx, { ...content.wanted, statuses }, null) };
}
