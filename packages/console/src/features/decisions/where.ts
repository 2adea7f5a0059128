import { type JsonObject, textOf } from './reading.ts';

/** Channel and placement of a request. */
export interface Where {
  readonly channel?: string;
  readonly channelId?: string;
  readonly placement?: string;
}

/** Returns channel and placement of a decision from its trace or result. Channels are named by type or ID. */
export function whereOf(source: JsonObject | null): Where {
  const [channel, channelId, placement] = ['channel', 'channelId', 'placement'].map((name) => textOf(source?.[name]));
  return {
    ...(channel ? { channel } : channelId ? { channelId } : {}),
    ...(placement ? { placement } : {}),
  };
}
