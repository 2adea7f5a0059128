import { noContent, recordHandlers } from '../catalogue-records/index.ts';
import { changeChannel, createChannel, deleteChannel, showChannels } from './channels.service.ts';
import { channelSpec, placementSpec } from './channels.store.ts';
import { changePlacement, createPlacement, deletePlacement, showPlacements } from './placements.service.ts';
import type { ChannelPorts } from './provider-secrets.service.ts';

export const channelRoutes = (ports: ChannelPorts) =>
  recordHandlers(channelSpec, {
    show: showChannels,
    create: (tx, body) => createChannel(tx, body, ports),
    change: (tx, id, rowVersion, changes) => changeChannel(tx, id, rowVersion, changes, ports),
    remove: (tx, id, addressed) => noContent(deleteChannel(tx, id, addressed)),
  });

export const placementRoutes = () =>
  recordHandlers(placementSpec, {
    show: showPlacements,
    create: createPlacement,
    change: changePlacement,
    remove: (tx, id, addressed) => noContent(deletePlacement(tx, id, addressed)),
  });
