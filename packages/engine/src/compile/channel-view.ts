import type { SnapshotChannel } from '../snapshot.ts';
import type { JsonObject } from './config-problems.ts';

/** Rows as the rest of the engine reads them: `channel.*`. */
export function channelView(channel: SnapshotChannel): JsonObject {
  const { id, name, channelType, impressionMode, couplingMode } = channel;
  return { id, name, type: channelType, channelType, impressionMode, couplingMode };
}
