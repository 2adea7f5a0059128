import type { Explanation } from '@arbiter/contract/explanation/explanation';

/** Channel and placement of a request. */
export interface Where {
  readonly channel?: string;
  readonly channelId?: string;
  readonly placement?: string;
}

/** Returns channel and placement of a decision, as requested. Channels are named by type or ID. */
export function whereOf(explanation: Pick<Explanation, 'channel' | 'channelId' | 'placement'> | null): Where {
  const { channel = null, channelId = null, placement = null } = explanation ?? {};
  return {
    ...(channel ? { channel } : channelId ? { channelId } : {}),
    ...(placement ? { placement } : {}),
  };
}
