import type { JsonObject, SnapshotChannel } from '../plan/snapshot.ts';

/** Rows as the rest of the engine reads them: `channel.*`. */
export function channelView(channel: SnapshotChannel): JsonObject {
  const { id, name, channelType, impressionMode, couplingMode } = channel;
  return { id, name, type: channelType, channelType, impressionMode, couplingMode };
}
