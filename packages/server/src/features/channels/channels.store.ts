import type { Channel, Placement } from '@arbiter/contract';
import type { Json, SnapshotChannel, SnapshotInactivePlacement, SnapshotPlacement } from '@arbiter/engine';
import type { Tx } from '../../db/tx.ts';
import type { GovernedRow, RecordSpec } from '../records/index.ts';

export interface ChannelRow extends GovernedRow {
  readonly name: string;
  readonly key: string;
  readonly channelType: string;
  readonly description: string;
  readonly status: Channel['status'];
  readonly deliveryMode: Channel['deliveryMode'];
  readonly impressionMode: Channel['impressionMode'];
  readonly couplingMode: Channel['couplingMode'];
  readonly providerConfig: Channel['providerConfig'];
  readonly fileConfig: Record<string, unknown>;
  readonly timezone: string | null;
  readonly version: number;
  readonly deletedAt: Date | null;
}

export interface PlacementRow extends GovernedRow {
  readonly channelId: string;
  readonly name: string;
  readonly key: string;
  readonly description: string;
  readonly slotType: Placement['slotType'];
  readonly maxSlots: number;
  readonly schema: Placement['schema'];
  /** In the stored spelling of conditions (api-catalogue.md 1.3). */
  readonly targeting: Json | null;
  readonly status: Placement['status'];
  readonly version: number;
  readonly deletedAt: Date | null;
}

export const channelSpec: RecordSpec<ChannelRow> = {
  table: 'channels',
  noun: 'channel',
  entityType: 'channel',
  softDelete: true,
  versionColumn: 'version',
  jsonColumns: ['providerConfig', 'fileConfig'],
  idColumns: ['id'],
  searchColumns: ['name', 'key'],
  uniques: {
    channels_name: { code: 'duplicate_name', path: '/name' },
    channels_key: { code: 'duplicate_key', path: '/key' },
  },
  nameOf: (row) => row.name,
};

export const placementSpec: RecordSpec<PlacementRow> = {
  table: 'placements',
  noun: 'placement',
  entityType: 'placement',
  softDelete: true,
  versionColumn: 'version',
  jsonColumns: ['schema', 'targeting'],
  idColumns: ['id', 'channelId'],
  searchColumns: ['name', 'key'],
  uniques: {
    placements_name: { code: 'duplicate_name', path: '/name' },
    placements_key: { code: 'duplicate_key', path: '/key' },
  },
  nameOf: (row) => row.name,
};

/** Keys of live channels that begin with this text. */
export async function channelKeysLike(tx: Tx, start: string): Promise<Set<string>> {
  const rows = await tx.query<{ key: string }>(
    'select key from arbiter.channels where tenant_id = $1 and deleted_at is null and starts_with(key, $2)',
    [tx.tenantId, start],
  );
  return new Set(rows.map((row) => row.key));
}

/** Keys of live placements of a channel. */
export async function placementKeys(tx: Tx, channelId: string): Promise<Set<string>> {
  const rows = await tx.query<{ key: string }>(
    'select key from arbiter.placements where tenant_id = $1 and deleted_at is null and channel_id = $2',
    [tx.tenantId, channelId],
  );
  return new Set(rows.map((row) => row.key));
}

/** Ids of the live placements of a channel, each locked for deletion, in id order. */
export async function lockPlacementsOfChannel(tx: Tx, channelId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from arbiter.placements where tenant_id = $1 and deleted_at is null and channel_id = $2
     order by id for update`,
    [tx.tenantId, channelId],
  );
  return rows.map((row) => row.id);
}

/** Channels that can take part in decisions: active, not deleted. */
export async function snapshotChannels(tx: Tx): Promise<SnapshotChannel[]> {
  return tx.query<SnapshotChannel>(
    `select id, name, channel_type as "channelType", impression_mode as "impressionMode",
       coupling_mode as "couplingMode"
     from arbiter.channels where tenant_id = $1 and deleted_at is null and status = 'active' order by id`,
    [tx.tenantId],
  );
}

/** Channels that are there and not active: a request may name them and gets nothing. */
export async function selectInactiveChannelIds(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from arbiter.channels where tenant_id = $1 and deleted_at is null and status <> 'active'`,
    [tx.tenantId],
  );
  return rows.map((row) => row.id);
}

/** Active placements of active channels. */
export async function snapshotPlacements(tx: Tx): Promise<SnapshotPlacement[]> {
  const rows = await tx.query<SnapshotPlacement & { readonly targeting: Json }>(
    `select p.id, p.channel_id as "channelId", p.name, p.key, p.slot_type as "slotType", p.max_slots as "maxSlots",
       p.targeting
     from arbiter.placements p
     join arbiter.channels c on c.tenant_id = p.tenant_id and c.id = p.channel_id
     where p.tenant_id = $1 and p.deleted_at is null and p.status = 'active'
       and c.deleted_at is null and c.status = 'active'
     order by p.id`,
    [tx.tenantId],
  );
  return rows.map(({ targeting, ...row }) => (targeting === null ? row : { ...row, targeting }));
}

/** Placements that are there and get nothing: they or their channels are not active. */
export async function snapshotInactivePlacements(tx: Tx): Promise<SnapshotInactivePlacement[]> {
  return tx.query<SnapshotInactivePlacement>(
    `select p.id, p.name, p.channel_id as "channelId", c.channel_type as "channelType",
       c.coupling_mode as "couplingMode"
     from arbiter.placements p
     join arbiter.channels c on c.tenant_id = p.tenant_id and c.id = p.channel_id
     where p.tenant_id = $1 and p.deleted_at is null and c.deleted_at is null
       and (p.status <> 'active' or c.status <> 'active')
     order by p.id`,
    [tx.tenantId],
  );
}

/** What history says of a channel, deleted ones included; null when the tenant has none of that id. */
export async function findChannelFacts(
  tx: Tx,
  id: string,
): Promise<{ readonly id: string; readonly name: string; readonly impressionMode: 'implicit' | 'explicit' } | null> {
  const [row] = await tx.query<{ id: string; name: string; impressionMode: 'implicit' | 'explicit' }>(
    'select id, name, impression_mode as "impressionMode" from arbiter.channels where tenant_id = $1 and id = $2',
    [tx.tenantId, id],
  );
  return row ?? null;
}

/** True when the tenant has a placement of that id, deleted ones included. */
export async function hasPlacement(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query('select 1 from arbiter.placements where tenant_id = $1 and id = $2', [tx.tenantId, id]);
  return rows.length > 0;
}
