import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { useMemo } from 'react';
import { useOperation } from '../../data/use-operation.ts';

/** Returns channel names by ID. */
export function useChannelNames(): ReadonlyMap<string, string> {
  const { data } = useOperation(channelOperations.list, { query: { limit: 200 } });
  return useMemo(() => new Map((data?.data ?? []).map(({ id, name }) => [id, name])), [data]);
}
