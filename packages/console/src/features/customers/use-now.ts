import { channelOperations } from '@arbiter/contract/channels';
import { simulationOperations } from '@arbiter/contract/simulations';
import { useOperation } from '../../data/use-operation.ts';

/** Channels that are asked at once. */
export const channelsAsked = 6;

/** The active channels. */
export function useActiveChannels() {
  return useOperation(channelOperations.list, { query: { status: 'active', limit: 100 } });
}

/** What a channel would show the customer at this moment; whoever asks for the same gets the same answer. */
export function useNow(customerId: string, channelId: string) {
  const answer = useOperation(
    simulationOperations.run,
    { body: { customerId, channelId, limit: 1 } },
    { keepPrevious: false },
  );
  // Asked for a customer, it answers as recommend does; asked for a segment, with figures.
  return { ...answer, data: answer.data !== undefined && 'decisions' in answer.data ? answer.data : undefined };
}
