import { noContent, recordHandlers } from '../catalogue-records/index.ts';
import { changeChannel, createChannel, deleteChannel, showChannels } from './channels.service.ts';
import { channelSpec, placementSpec } from './channels.store.ts';
import { changePlacement, createPlacement, deletePlacement, showPlacements } from './placements.service.ts';

export const channelRoutes = () =>
  recordHandlers(channelSpec, {
    show: showChannels,
    create: createChannel,
    change: changeChannel,
    remove: (tx, id, addressed) => noContent(deleteChannel(tx, id, addressed)),
  });

export const placementRoutes = () =>
  recordHandlers(placementSpec, {
    show: showPlacements,
    create: createPlacement,
    change: changePlacement,
    remove: (tx, id, addressed) => noContent(deletePlacement(tx, id, addressed)),
  });
