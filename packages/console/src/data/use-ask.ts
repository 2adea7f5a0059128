import type { Operation } from '@arbiter/contract/operation';
import type { CallBody, CallInput } from '@arbiter/sdk/caller';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call } from './call.ts';
import { codeOf, failureOf } from './failure.ts';
import { operationKey } from './operation-key.ts';
import { waitBefore } from './pace.ts';
import { useTenant } from './use-operation.ts';

/** How old an answer may be that is not asked for again, in milliseconds: as for what screens show. */
const freshMs = 15_000;

export type Ask = <const O extends Operation>(operation: O, input: CallInput<O>) => Promise<CallBody<O> | null>;

/**
 * Asks once, outside of what is drawn: what is known already is not asked for again, and the server's limit is kept. Null: not
 * here (any more). Throws on any other failure.
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
