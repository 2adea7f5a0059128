import { channelOperations, placementOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { type ChannelPorts, channelRoutes, placementRoutes } from './channels.routes.ts';

export type { ChannelPorts } from './channels.routes.ts';
export { createChannel } from './channels.service.ts';
export {
  findChannelFacts,
  hasPlacement,
  selectInactiveChannelIds,
  snapshotChannels,
  snapshotInactivePlacements,
  snapshotPlacements,
} from './channels.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['channels', 'placements'];

export const channelsFeature = feature({
  name: 'channels',
  tables,
  operations: (ports: ChannelPorts) => [
    ...handlerEntries(channelOperations, channelRoutes(ports)),
    ...handlerEntries(placementOperations, placementRoutes(ports)),
  ],
});
