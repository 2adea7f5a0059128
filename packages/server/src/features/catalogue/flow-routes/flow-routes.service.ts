import type { FlowRoute, FlowRouteCreate } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { invalid } from '../../../platform/app-error.ts';
import {
  cascadeSoftDelete,
  createRecord,
  findRecords,
  type LockDependants,
  type RouteColumn,
  readRelated,
  requireLive,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { type FlowRouteRow, findRouteOf, flowRouteSpec, lockPair, type RoutePair } from './flow-routes.store.ts';

/** Routes as answers carry them, each with its flow. */
export async function showFlowRoutes(tx: Tx, rows: readonly FlowRouteRow[]): Promise<FlowRoute[]> {
  const flows = await readRelated(
    tx,
    'decisionFlow',
    rows.map((row) => row.decisionFlowId),
    ['name', 'key'],
  );
  return rows.map((row) => {
    const flow = flows.get(row.decisionFlowId);
    return {
      ...toWire(row),
      decisionFlow: { id: row.decisionFlowId, name: flow?.name ?? '', key: flow?.key ?? '' },
    };
  });
}

type ScopedRoute = { readonly [P in keyof RoutePair]?: RoutePair[P] | undefined };

/**
 * The pair that a body means, whose records are kept from being deleted until the transaction ends. A placement fills in
 * its channel; 400 when the body names another one next to it. `current`: of the route that is changed.
 */
async function wantedPair(tx: Tx, sent: ScopedRoute, current: RoutePair): Promise<RoutePair> {
  if (sent.channelId != null) await requireLive(tx, 'channel', sent.channelId, '/channelId');
  const placementId = sent.placementId === undefined ? current.placementId : sent.placementId;
  if (placementId === null) {
    return { placementId, channelId: sent.channelId === undefined ? current.channelId : lower(sent.channelId) };
  }
  const { channelId } =
    sent.placementId == null
      ? current
      : await requireLive(tx, 'placement', sent.placementId, '/placementId', ['channelId']);
  if (sent.channelId != null && lower(sent.channelId) !== channelId) {
    throw invalid('/channelId', 'must be the channel of the placement');
  }
  return { placementId: lower(placementId), channelId };
}

const lower = <T extends string | null>(id: T) => (id === null ? id : id.toLowerCase()) as T;

/** Sets the route of a channel and placement: makes it, or replaces flow and priority of the one that is there. */
export async function setFlowRoute(
  tx: Tx,
  body: FlowRouteCreate,
): Promise<{ readonly row: FlowRouteRow; readonly created: boolean }> {
  await requireLive(tx, 'decisionFlow', body.decisionFlowId, '/decisionFlowId');
  const pair = await wantedPair(tx, body, { channelId: null, placementId: null });
  await lockPair(tx, pair);
  const values = { decisionFlowId: body.decisionFlowId, priority: body.priority ?? 0 };
  const known = await findRouteOf(tx, pair);
  if (known === null) return { row: await createRecord(tx, flowRouteSpec, { ...pair, ...values }), created: true };
  return { row: await updateRecord(tx, flowRouteSpec, known, { change: () => values }), created: false };
}

/** Changes the supplied fields. 409 `duplicate_key` when another route has the pair. */
export async function changeFlowRoute(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: Partial<FlowRouteCreate>,
): Promise<FlowRouteRow> {
  const { channelId, placementId, ...rest } = changes;
  // Before the route itself: whoever deletes a flow or a channel locks it first, and then its routes.
  if (rest.decisionFlowId !== undefined) await requireLive(tx, 'decisionFlow', rest.decisionFlowId, '/decisionFlowId');
  if (channelId != null) await requireLive(tx, 'channel', channelId, '/channelId');
  if (placementId != null) await requireLive(tx, 'placement', placementId, '/placementId');
  return updateRecord(tx, flowRouteSpec, id, {
    rowVersion,
    change: async (current) => ({ ...rest, ...(await wantedPair(tx, { channelId, placementId }, current)) }),
  });
}

/** Routes go with their flow, channel or placement (docs/design/api-catalogue.md 18). */
export const lockRoutes: LockDependants<RouteColumn> = async (tx, column, ids) => {
  const rows = await findRecords(tx, flowRouteSpec, column, ids, 'delete');
  return async () => {
    await cascadeSoftDelete(tx, flowRouteSpec, rows);
    return rows.length;
  };
};
