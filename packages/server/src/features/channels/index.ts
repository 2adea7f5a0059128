import { channelOperations, placementOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { restorable } from '../catalogue-records/index.ts';
import { channelRoutes, placementRoutes } from './channels.routes.ts';
import { restorableChannel } from './channels.service.ts';
import { placementSpec } from './channels.store.ts';

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
  restores: [restorableChannel, restorable(placementSpec)],
  operations: () => [
    ...handlerEntries(channelOperations, channelRoutes()),
    ...handlerEntries(placementOperations, placementRoutes()),
  ],
});
