export { channelRoutes, placementRoutes } from './channels.routes.ts';
export { snapshotChannels, snapshotPlacements } from './channels.store.ts';
