import { type LockDependants, noContent, type RouteColumn, recordHandlers } from '../catalogue-records/index.ts';
import {
  type ChannelWritePorts,
  changeChannel,
  createChannel,
  deleteChannel,
  showChannels,
} from './channels.service.ts';
import { channelSpec, placementSpec } from './channels.store.ts';
import { changePlacement, createPlacement, deletePlacement, showPlacements } from './placements.service.ts';
import { providerRemarks } from './provider-config.rules.ts';

/** What channels need from the process and from features that build on them. */
export interface ChannelPorts extends ChannelWritePorts {
  readonly lockRoutes: LockDependants<RouteColumn>;
}

export const channelRoutes = (ports: ChannelPorts) =>
  recordHandlers(channelSpec, {
    show: showChannels,
    create: (tx, body) => createChannel(tx, body, ports),
    change: (tx, id, rowVersion, changes) => changeChannel(tx, id, rowVersion, changes, ports),
    remarks: (_tx, { providerConfig }) => (providerConfig === null ? [] : providerRemarks(providerConfig)),
    remove: (tx, id, addressed) => noContent(deleteChannel(tx, id, addressed, ports.lockRoutes)),
  });

export const placementRoutes = ({ lockRoutes }: ChannelPorts) =>
  recordHandlers(placementSpec, {
    show: showPlacements,
    create: createPlacement,
    change: changePlacement,
    remove: (tx, id, addressed) => noContent(deletePlacement(tx, id, addressed, lockRoutes)),
  });
