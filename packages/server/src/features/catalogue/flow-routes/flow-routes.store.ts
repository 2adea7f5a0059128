import { flowRouteResource } from '@arbiter/contract';
import { columns, computed, epochMs, type RowOf, select, selectList } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';

export type FlowRouteRow = RecordRow<typeof flowRouteResource>;

export const flowRouteSpec = recordSpec(flowRouteResource);

/** Channel and placement of a route; null: any. */
export type RoutePair = Pick<FlowRouteRow, 'channelId' | 'placementId'>;

/** Lets one transaction at a time set the route of a pair, until it ends: two that set a new one would both insert. */
export async function lockPair(tx: Tx, { channelId, placementId }: RoutePair): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.flow_route:' || $1, 0))`, [
    `${tx.tenantId} ${channelId} ${placementId}`,
  ]);
}

/** ID of the live route of the pair, or null. */
export async function findRouteOf(tx: Tx, { channelId, placementId }: RoutePair): Promise<string | null> {
  const [row] = await select(
    tx,
    columns(flowRouteSpec, ['id']),
    `from arbiter.flow_routes where tenant_id = $1 and deleted_at is null
       and channel_id is not distinct from $2::uuid and placement_id is not distinct from $3::uuid`,
    [tx.tenantId, channelId, placementId],
  );
  return row?.id ?? null;
}

const routeColumns = selectList(
  columns(flowRouteSpec, ['id', 'channelId', 'placementId', 'decisionFlowId', 'priority']),
  computed({ createdAt: epochMs('created_at') }),
);

/** A route as decisions take it; `createdAt` in epoch ms. */
export type LiveRoute = RowOf<typeof routeColumns>;

/** The tenant's routes that are not deleted. One statement, at every catalogue change. */
export async function readRoutes(tx: Tx): Promise<LiveRoute[]> {
  return select(tx, routeColumns, 'from arbiter.flow_routes where tenant_id = $1 and deleted_at is null order by id', [
    tx.tenantId,
  ]);
}
