import type { BoundCreative, Placement, PlacementCreate } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import {
  type Addressed,
  assertNotReferenced,
  createRecord,
  type RecordChange,
  type RelatedRow,
  readReferring,
  readRelated,
  requireLive,
  softDeleteRecord,
  toWire,
  updateRecord,
} from '../records/index.ts';
import { type PlacementRow, placementKeys, placementSpec } from './channels.store.ts';
import { freeKey, keyFromName } from './keys.rules.ts';

/** Columns of a creative that channels and placements show. */
export const creativeColumns = ['name', 'offerId', 'placementId', 'status'];

export function showCreative(row: RelatedRow): BoundCreative {
  const placementId = row.placementId;
  return {
    id: String(row.id),
    name: String(row.name),
    offerId: String(row.offerId),
    placementId: typeof placementId === 'string' ? placementId : null,
    status: String(row.status),
  };
}

/** Placements as answers carry them, with their channel and creatives. */
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
    channel: { id: row.channelId, name: String(channels.get(row.channelId)?.name) },
    creatives: (creatives.get(row.id) ?? []).map(showCreative),
  }));
}

/** 400 `reference_not_found` when the channel is missing or deleted. */
export async function createPlacement(tx: Tx, body: PlacementCreate): Promise<PlacementRow> {
  await requireLive(tx, 'channel', body.channelId, '/channelId');
  const key = body.key ?? freeKey(keyFromName(body.name, 'placement'), await placementKeys(tx, body.channelId));
  return createRecord(tx, placementSpec, { ...body, key });
}

export async function changePlacement(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<PlacementRow>,
): Promise<PlacementRow> {
  return updateRecord(tx, placementSpec, id, { rowVersion, change: () => changes });
}

/** 409 `in_use` while live creatives name the placement. */
export async function deletePlacement(tx: Tx, id: string, addressed: Addressed): Promise<void> {
  await softDeleteRecord(tx, placementSpec, id, {
    addressed,
    check: (row) =>
      assertNotReferenced(tx, 'placement', row.id, addressed, [{ resource: 'creative', column: 'placementId' }]),
  });
}
