import { type JsonObject, textOf } from './reading.ts';

/** Where an answer was asked for, as a request says it. */
export interface Where {
  readonly channel?: string;
  readonly channelId?: string;
  readonly placement?: string;
}

/** Where a decision was asked for: as its trace tells it, or its answer. A channel is named by its type or by its id. */
export function whereOf(source: JsonObject | null): Where {
  const [channel, channelId, placement] = ['channel', 'channelId', 'placement'].map((name) => textOf(source?.[name]));
  return {
    ...(channel ? { channel } : channelId ? { channelId } : {}),
    ...(placement ? { placement } : {}),
  };
}
