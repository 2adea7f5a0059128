import type { RespondRequest } from '@arbiter/contract';
import type { Tx } from '../../../../db/index.ts';
import { customersOfShown } from '../../interactions/index.ts';
import { type CallFacts, readCustomerId } from '../recommend/recommend.rules.ts';

/**
 * Returns the customers of responses that name none: that of the shown item, otherwise the anonymous one of the
 * caller's address. Leaves out responses about unknown items.
 */
export async function findCustomers(
  tx: Tx,
  responses: readonly RespondRequest[],
  facts: Pick<CallFacts, 'ip' | 'userAgent' | 'anonymousKey'>,
): Promise<ReadonlyMap<RespondRequest, string>> {
  const interactionIds = new Set<string>();
  const decisionIds = new Set<string>();
  for (const { interactionId, recommendationId } of responses) {
    if (interactionId != null) interactionIds.add(interactionId.toLowerCase());
    else if (recommendationId != null) decisionIds.add(recommendationId.toLowerCase());
  }
  const shown = await customersOfShown(tx, { interactionIds: [...interactionIds], decisionIds: [...decisionIds] });
  const found = new Map<RespondRequest, string>();
  for (const response of responses) {
    const id = response.interactionId ?? response.recommendationId ?? null;
    const customerId = id === null ? readCustomerId(undefined, null, facts).id : shown.get(id.toLowerCase());
    if (customerId !== undefined) found.set(response, customerId);
  }
  return found;
}
