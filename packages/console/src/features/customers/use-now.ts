import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { simulationOperations } from '@arbiter/contract/deciding/simulations';
import { useOperation } from '../../data/use-operation.ts';

/** Number of channels requested at once. */
export const maxChannels = 6;

/** Returns the active channels. */
export function useActiveChannels() {
  return useOperation(channelOperations.list, { query: { status: 'active', limit: 100 } });
}

/** Returns what a channel would show the customer now. Equal requests share a response. */
export function useNow(customerId: string, channelId: string) {
  const answer = useOperation(
    simulationOperations.run,
    { body: { customerId, channelId, limit: 1 } },
    { keepPrevious: false },
  );
  // For a customer, it responds like recommend; for a segment, with metrics.
  return { ...answer, data: answer.data !== undefined && 'decisions' in answer.data ? answer.data : undefined };
}
