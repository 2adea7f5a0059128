import { type LockDependants, noContent, type RouteColumn, recordHandlers } from '../catalogue-records/index.ts';
import { changeChannel, createChannel, deleteChannel, showChannels } from './channels.service.ts';
import { channelSpec, placementSpec } from './channels.store.ts';
import { changePlacement, createPlacement, deletePlacement, showPlacements } from './placements.service.ts';

/** Ports for the features above. */
export interface ChannelPorts {
  readonly lockRoutes: LockDependants<RouteColumn>;
}

export const channelRoutes = ({ lockRoutes }: ChannelPorts) =>
  recordHandlers(channelSpec, {
    show: showChannels,
    create: createChannel,
    change: changeChannel,
    remove: (tx, id, addressed) => noContent(deleteChannel(tx, id, addressed, lockRoutes)),
  });

export const placementRoutes = ({ lockRoutes }: ChannelPorts) =>
  recordHandlers(placementSpec, {
    show: showPlacements,
    create: createPlacement,
    change: changePlacement,
    remove: (tx, id, addressed) => noContent(deletePlacement(tx, id, addressed, lockRoutes)),
  });
