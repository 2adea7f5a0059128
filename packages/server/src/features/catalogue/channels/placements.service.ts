import type { BoundCreative, Placement, PlacementCreate } from '@arbiter/contract';
import type { Json } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import {
  type Addressed,
  createRecord,
  freeKey,
  keyFromName,
  type LockDependants,
  lockMadeKeys,
  type RecordChange,
  type RelatedRow,
  type RouteColumn,
  readReferring,
  readRelated,
  requireLive,
  softDeleteRecord,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { type PlacementRow, placementKeys, placementSpec } from './channels.store.ts';
import { readTargeting } from './targeting.rules.ts';

/** Columns of a creative that channels and placements show. */
export const creativeColumns = ['name', 'offerId', 'placementId', 'status'] as const;

export function showCreative(row: RelatedRow<'creative', (typeof creativeColumns)[number]>): BoundCreative {
  const { id, name, offerId, placementId, status } = row;
  return { id, name, offerId, placementId, status };
}

/** Shows placements with their channel and creatives. */
export async function showPlacements(tx: Tx, rows: readonly PlacementRow[]): Promise<Placement[]> {
  const creatives = await readReferring(
    tx,
    'creative',
    'placementId',
    rows.map((row) => row.id),
    creativeColumns,
  );
  const channels = await readRelated(
    tx,
    'channel',
    rows.map((row) => row.channelId),
    ['name'],
  );
  return rows.map((row) => ({
    ...toWire(row),
    channel: { id: row.channelId, name: channels.get(row.channelId)?.name ?? '' },
    creatives: (creatives.get(row.id) ?? []).map(showCreative),
  }));
}

/**
 * Returns the condition in its stored form; undefined (property not sent) stays undefined. Throws 400 if it isn't a
 * condition.
 */
export function storedTargeting(tx: Tx, targeting: unknown, path: string): Json | null | undefined {
  if (targeting === undefined) return undefined;
  const read = readTargeting(targeting, path);
  if ('errors' in read) {
    throw new AppError('validation_failed', { detail: 'The targeting condition is invalid.', errors: read.errors });
  }
  tx.remarks.push(...read.remarks);
  return read.stored;
}

/** Throws 400 `reference_not_found` if the channel is missing or deleted. */
export async function createPlacement(tx: Tx, body: PlacementCreate): Promise<PlacementRow> {
  const targeting = storedTargeting(tx, body.targeting, '/targeting');
  await requireLive(tx, 'channel', body.channelId, '/channelId');
  if (body.key === undefined) await lockMadeKeys(tx, `${placementSpec.resource.path} ${body.channelId.toLowerCase()}`);
  const key = body.key ?? freeKey(keyFromName(body.name, 'placement'), await placementKeys(tx, body.channelId));
  return createRecord(tx, placementSpec, { ...body, targeting, key });
}

export async function changePlacement(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: Omit<RecordChange<PlacementRow>, 'targeting'> & { readonly targeting?: unknown },
): Promise<PlacementRow> {
  const targeting = storedTargeting(tx, changes.targeting, '/targeting');
  return updateRecord(tx, placementSpec, id, { rowVersion, change: () => ({ ...changes, targeting }) });
}

/** Throws 409 `in_use` while live creatives use the placement. Deletes its flow route. */
export async function deletePlacement(
  tx: Tx,
  id: string,
  addressed: Addressed,
  lockRoutes: LockDependants<RouteColumn>,
): Promise<void> {
  let deleteRoutes = async () => 0;
  await softDeleteRecord(tx, placementSpec, id, {
    addressed,
    async check(row) {
      deleteRoutes = await lockRoutes(tx, 'placementId', [row.id]);
    },
  });
  await deleteRoutes();
}
