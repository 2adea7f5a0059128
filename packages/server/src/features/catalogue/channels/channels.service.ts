import { type Channel, type ChannelCreate, placementWritable } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { invalid } from '../../../platform/app-error.ts';
import { zoneProblem } from '../../../platform/time/zones.ts';
import {
  type Addressed,
  cascadeRestore,
  cascadeSoftDelete,
  createRecord,
  findDeletedWith,
  findRecords,
  freeKey,
  keyFromName,
  type LockDependants,
  lockMadeKeys,
  type RecordChange,
  type RouteColumn,
  readReferring,
  restorable,
  softDeleteRecord,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { type ChannelRow, channelKeysLike, channelSpec, type PlacementRow, placementSpec } from './channels.store.ts';
import { type FileConfigPorts, readFileConfig } from './file-config.rules.ts';
import { creativeColumns, showCreative, storedTargeting } from './placements.service.ts';
import { givenPaths } from './provider-config.rules.ts';
import { keepProviderSecrets, type ProviderSecretPorts, readProviderConfig } from './provider-secrets.service.ts';

/** Shows channels with their placements by name, and creatives oldest first. */
export async function showChannels(tx: Tx, rows: readonly ChannelRow[]): Promise<Channel[]> {
  const ids = rows.map((row) => row.id);
  const placements = Map.groupBy(await findRecords(tx, placementSpec, 'channelId', ids), (row) => row.channelId);
  const creatives = await readReferring(tx, 'creative', 'channelId', ids, creativeColumns);
  return rows.map((row) => ({
    ...toWire(row),
    placements: [...(placements.get(row.id) ?? [])]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ tenantId: _tenant, deletedAt: _deleted, ...placement }) => toWire(placement)),
    creatives: (creatives.get(row.id) ?? []).map(showCreative),
  }));
}

function assertZone(timezone: string | null | undefined): void {
  const problem = typeof timezone === 'string' ? zoneProblem(timezone) : null;
  if (problem !== null) throw invalid('/timezone', problem);
}

/** What writing a channel needs from the process. */
export interface ChannelWritePorts extends ProviderSecretPorts, FileConfigPorts {}

/** Returns the channel columns of a write, and the secrets to store separately. */
function readColumns<C extends RecordChange<ChannelRow>>(tx: Tx, ports: ChannelWritePorts, values: C) {
  assertZone(values.timezone);
  const { providerConfig, fileConfig } = values;
  const split = providerConfig === undefined ? null : readProviderConfig(tx, ports, providerConfig);
  const columns = {
    ...values,
    ...(split === null ? {} : { providerConfig: split.shown }),
    ...(fileConfig === undefined ? {} : { fileConfig: readFileConfig(fileConfig, ports) }),
  };
  return { columns, split };
}

/** Creates the channel and its inline placements, all or nothing. Missing keys are derived from the names. */
export async function createChannel(tx: Tx, body: ChannelCreate, ports: ChannelWritePorts): Promise<ChannelRow> {
  const { placements = [], ...values } = body;
  const { columns, split } = readColumns(tx, ports, values);
  const wanted = keyFromName(values.name, 'channel');
  if (values.key === undefined) await lockMadeKeys(tx, channelSpec.resource.path);
  // Numbered variants of a long key are shorter in front, so the look-up leaves room for the number.
  const key = values.key ?? freeKey(wanted, await channelKeysLike(tx, wanted.slice(0, 55)));
  const channel = await createRecord(tx, channelSpec, { ...columns, key });
  if (split !== null) await keepProviderSecrets(tx, ports, channel.id, {}, split);
  const usedKeys = new Set(placements.flatMap((placement) => (placement.key === undefined ? [] : [placement.key])));
  for (const [index, placement] of placements.entries()) {
    const placementKey = placement.key ?? freeKey(keyFromName(placement.name, 'placement'), usedKeys);
    assertFirst(placements, index);
    usedKeys.add(placementKey);
    const targeting = storedTargeting(tx, placement.targeting, `/placements/${index}/targeting`);
    const own = { ...declaredOf(placement), targeting, channelId: channel.id, key: placementKey };
    await createRecord(tx, placementSpec, own);
  }
  return channel;
}

type InlinePlacement = NonNullable<ChannelCreate['placements']>[number];

/**
 * Drops undeclared properties: unknown ones are only removed at the top level of a body, and this becomes a row of
 * columns.
 */
function declaredOf(placement: InlinePlacement): Omit<InlinePlacement, 'targeting'> {
  const declared = Object.entries(placement).filter(([name]) => Object.hasOwn(placementWritable, name));
  return Object.fromEntries(declared) as InlinePlacement;
}

/** Names and keys that repeat within one request are the caller's mistake, not a conflict with stored records. */
function assertFirst(placements: readonly { readonly name: string; readonly key?: string }[], index: number): void {
  const current = placements[index];
  for (const earlier of placements.slice(0, index)) {
    if (earlier.name === current?.name) throw invalid(`/placements/${index}/name`, 'is listed more than once');
    if (earlier.key !== undefined && earlier.key === current?.key) {
      throw invalid(`/placements/${index}/key`, 'is listed more than once');
    }
  }
}

export async function changeChannel(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: RecordChange<ChannelRow>,
  ports: ChannelWritePorts,
): Promise<ChannelRow> {
  const { columns, split } = readColumns(tx, ports, changes);
  return updateRecord(tx, channelSpec, id, {
    rowVersion,
    secretsGiven: split === null ? [] : givenPaths(split),
    async change(current) {
      if (split !== null) await keepProviderSecrets(tx, ports, current.id, current.providerConfig, split);
      return columns;
    },
  });
}

/** Throws 409 `in_use` while live creatives use the channel. Deletes its placements and flow routes. */
export async function deleteChannel(
  tx: Tx,
  id: string,
  addressed: Addressed,
  lockRoutes: LockDependants<RouteColumn>,
): Promise<void> {
  let placements: PlacementRow[] = [];
  let deleteRoutes = async () => 0;
  await softDeleteRecord(tx, channelSpec, id, {
    addressed,
    async check(row) {
      placements = await findRecords(tx, placementSpec, 'channelId', [row.id], 'delete');
      // A route of one of its placements refers to the channel as well.
      deleteRoutes = await lockRoutes(tx, 'channelId', [row.id]);
    },
  });
  await deleteRoutes();
  await cascadeSoftDelete(tx, placementSpec, placements);
}

/** Restores a channel with the placements that were deleted at the same instant (docs/design/api-catalogue.md 19). */
export const restorableChannel = restorable(channelSpec, {
  async after(tx, channel) {
    if (channel.deletedAt === null) return;
    const deletedPlacements = await findDeletedWith(tx, placementSpec, 'channelId', channel.id, channel.deletedAt);
    await cascadeRestore(tx, placementSpec, deletedPlacements);
  },
});
