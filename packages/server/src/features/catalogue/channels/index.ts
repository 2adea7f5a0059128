import { channelOperations, placementOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { restorable, searchable } from '../catalogue-records/index.ts';
import { type ChannelPorts, channelRoutes, placementRoutes } from './channels.routes.ts';
import { restorableChannel } from './channels.service.ts';
import { channelSpec, placementSpec } from './channels.store.ts';

export type { ChannelPorts } from './channels.routes.ts';
export { createChannel } from './channels.service.ts';
export {
  activeChannels,
  channelFiles,
  integrationChannels,
  placementsAmong,
  readChannelNames,
  selectInactiveChannelIds,
  snapshotChannels,
  snapshotInactivePlacements,
  snapshotPlacements,
} from './channels.store.ts';
export { type FileConfigPorts, readFileConfig } from './file-config.rules.ts';
export { readSendingChannel, type SendingChannel } from './sending-channel.service.ts';
export { readTargeting } from './targeting.rules.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['channels', 'channel_secrets', 'placements'];

export const channelsFeature = feature({
  name: 'channels',
  tables,
  searches: [
    searchable(channelSpec, { detail: 'key' }),
    searchable(placementSpec, { detail: { of: channelSpec, by: 'channelId' } }),
  ],
  resets: { empties: tables },
  restores: [restorableChannel, restorable(placementSpec)],
  operations: (ports: ChannelPorts) => [
    ...handlerEntries(channelOperations, channelRoutes(ports)),
    ...handlerEntries(placementOperations, placementRoutes(ports)),
  ],
});
