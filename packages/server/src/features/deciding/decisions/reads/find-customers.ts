import type { RespondRequest } from '@arbiter/contract';
import type { Tx } from '../../../../db/index.ts';
import { customersOfShown } from '../../interactions/index.ts';
import { type CallFacts, readCustomerId } from '../recommend/recommend.rules.ts';

/**
 * The customers of responses that name none, by the response: that of what was shown, else the anonymous one that the caller's
 * address stands for. Those about something that is not known are left out.
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
