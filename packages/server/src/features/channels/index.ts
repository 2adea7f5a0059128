export { channelRoutes, placementRoutes } from './channels.routes.ts';
export { createChannel } from './channels.service.ts';
export {
  findChannelFacts,
  hasPlacement,
  selectInactiveChannelIds,
  snapshotChannels,
  snapshotPlacements,
} from './channels.store.ts';
