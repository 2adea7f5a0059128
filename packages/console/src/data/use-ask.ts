import type { Operation } from '@arbiter/contract/core/operation';
import type { CallBody, CallInput } from '@arbiter/sdk/caller';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call } from './call.ts';
import { codeOf, failureOf } from './failure.ts';
import { operationKey } from './operation-key.ts';
import { waitBefore } from './pace.ts';
import { useTenant } from './use-operation.ts';

/** Maximum age of a cached response, in milliseconds, as for screens. */
const freshMs = 15_000;

export type Ask = <const O extends Operation>(operation: O, input: CallInput<O>) => Promise<CallBody<O> | null>;

/**
 * Returns a function that requests data once, outside of rendering. Uses cached data and respects the rate limit. Resolves
 * with null if the record doesn't exist. Throws for other failures.
 */
export function useAsk(): Ask {
  const client = useQueryClient();
  const tenant = useTenant();
  return useCallback(
    async (operation, input) => {
      try {
        return await client.fetchQuery({
          queryKey: operationKey(tenant, operation, input),
          queryFn: async ({ signal }) => {
            await new Promise((done) => setTimeout(done, waitBefore(operation)));
            return call(operation, { ...input, signal });
          },
          staleTime: freshMs,
        });
      } catch (error) {
        if (codeOf(failureOf(error)) === 'not_found') return null;
        throw error;
      }
    },
    [client, tenant],
  );
}
