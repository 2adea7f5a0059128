import { channelResource, placementResource } from '@arbiter/contract';
import type { Json, SnapshotChannel, SnapshotInactivePlacement, SnapshotPlacement } from '@arbiter/engine';
import { columns, type RowOf, select, selectList } from '../../../db/columns.ts';
import { uuidArray } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';

export type ChannelRow = RecordRow<typeof channelResource>;
/** Targeting is stored in the canonical spelling of conditions (docs/design/api-catalogue.md 1.3). */
export type PlacementRow = RecordRow<typeof placementResource, { targeting: Json | null }>;

export const channelSpec = recordSpec(channelResource);
export const placementSpec = recordSpec<typeof placementResource, { targeting: Json | null }>(placementResource);

/** Returns keys of live channels that start with this text. */
export async function channelKeysLike(tx: Tx, start: string): Promise<Set<string>> {
  const rows = await select(
    tx,
    columns(channelSpec, ['key']),
    'from arbiter.channels where tenant_id = $1 and deleted_at is null and starts_with(key, $2)',
    [tx.tenantId, start],
  );
  return new Set(rows.map((row) => row.key));
}

/** Returns keys of a channel's live placements. */
export async function placementKeys(tx: Tx, channelId: string): Promise<Set<string>> {
  const rows = await select(
    tx,
    columns(placementSpec, ['key']),
    'from arbiter.placements where tenant_id = $1 and deleted_at is null and channel_id = $2',
    [tx.tenantId, channelId],
  );
  return new Set(rows.map((row) => row.key));
}

/** Returns channels that decisions can use: active, not deleted. */
export async function snapshotChannels(tx: Tx): Promise<SnapshotChannel[]> {
  return select(
    tx,
    columns(channelSpec, ['id', 'name', 'channelType', 'impressionMode', 'couplingMode']),
    `from arbiter.channels where tenant_id = $1 and deleted_at is null and status = 'active' order by id`,
    [tx.tenantId],
  );
}

/** Returns inactive channels: a request may name them but gets nothing. */
export async function selectInactiveChannelIds(tx: Tx): Promise<string[]> {
  const rows = await select(
    tx,
    columns(channelSpec, ['id']),
    `from arbiter.channels where tenant_id = $1 and deleted_at is null and status <> 'active'`,
    [tx.tenantId],
  );
  return rows.map((row) => row.id);
}

/** Returns active placements of active channels. */
export async function snapshotPlacements(tx: Tx): Promise<SnapshotPlacement[]> {
  const rows = await select(
    tx,
    columns(placementSpec, ['id', 'channelId', 'name', 'key', 'slotType', 'maxSlots', 'targeting'], 'p'),
    `from arbiter.placements p
     join arbiter.channels c on c.tenant_id = p.tenant_id and c.id = p.channel_id
     where p.tenant_id = $1 and p.deleted_at is null and p.status = 'active'
       and c.deleted_at is null and c.status = 'active'
     order by p.id`,
    [tx.tenantId],
  );
  return rows.map(({ targeting, ...row }) => (targeting === null ? row : { ...row, targeting }));
}

/** Returns placements that get nothing because they or their channels aren't active. */
export async function snapshotInactivePlacements(tx: Tx): Promise<SnapshotInactivePlacement[]> {
  return select(
    tx,
    selectList(
      columns(placementSpec, ['id', 'name', 'channelId'], 'p'),
      columns(channelSpec, ['channelType', 'couplingMode'], 'c'),
    ),
    `from arbiter.placements p
     join arbiter.channels c on c.tenant_id = p.tenant_id and c.id = p.channel_id
     where p.tenant_id = $1 and p.deleted_at is null and c.deleted_at is null
       and (p.status <> 'active' or c.status <> 'active')
     order by p.id`,
    [tx.tenantId],
  );
}

/** Returns the names of these channels, deleted ones included, by ID. */
export async function readChannelNames(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await select(
    tx,
    columns(channelSpec, ['id', 'name']),
    'from arbiter.channels where tenant_id = $1 and id = any($2::uuid[])',
    [tx.tenantId, uuidArray(ids)],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns those of the IDs that name a placement of the tenant, deleted ones included. */
export async function placementsAmong(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await select(
    tx,
    columns(placementSpec, ['id']),
    'from arbiter.placements where tenant_id = $1 and id = any($2::uuid[])',
    [tx.tenantId, uuidArray(ids)],
  );
  return new Set(rows.map(({ id }) => id));
}

const delivery = columns(channelSpec, ['id', 'deliveryMode', 'fileConfig']);

/** Active channels, oldest first. */
export async function activeChannels(tx: Tx): Promise<RowOf<typeof delivery>[]> {
  return select(
    tx,
    delivery,
    `from arbiter.channels where tenant_id = $1 and deleted_at is null and status = 'active' order by id`,
    [tx.tenantId],
  );
}

/** Those of these channels that deliver files or call lists, oldest first. */
export async function channelFiles(tx: Tx, ids: readonly string[]): Promise<RowOf<typeof delivery>[]> {
  return select(
    tx,
    delivery,
    `from arbiter.channels where tenant_id = $1 and id = any($2::uuid[]) and delivery_mode in ('file', 'manual')
      order by id`,
    [tx.tenantId, uuidArray(ids)],
  );
}

/** Those of these channels that send messages through a provider. */
export async function integrationChannels(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await select(
    tx,
    delivery,
    `from arbiter.channels where tenant_id = $1 and id = any($2::uuid[]) and delivery_mode = 'integration'`,
    [tx.tenantId, uuidArray(ids)],
  );
  return rows.map(({ id }) => id);
}
