import type { RecommendAnswer } from '@arbiter/contract';
import type { DecisionService } from '../../deciding/decisions/index.ts';
import type { DecideForJourney, JourneyDecisionCall } from './journey-ports.ts';

/** How long a decision of a journey may take. Nobody waits for it, so longer than a request. */
const withinMs = 20_000;

/** Returns how journeys decide: like `recommend`, in the same batches. `dryRun`: stores nothing. */
export function journeyDecider(service: Pick<DecisionService, 'recommend'>, dryRun: boolean): DecideForJourney {
  return async (call) => {
    const { text } = await service.recommend(callerOf(call), {
      customerId: call.customerId,
      requestId: call.requestId,
      decisionFlowKey: call.decisionFlowKey,
      limit: call.limit,
      dryRun,
      ...(call.channel === undefined ? {} : { channel: call.channel }),
      ...(call.channelId === undefined ? {} : { channelId: call.channelId }),
      ...(call.placement === undefined ? {} : { placement: call.placement }),
    });
    const answer: RecommendAnswer = JSON.parse(text);
    return {
      recommendationId: answer.recommendationId,
      items: answer.decisions.map(({ offerId, creativeId = null, channelId = null, rank, score = null }) => ({
        ...{ offerId, creativeId, channelId, rank, score },
      })),
    };
  };
}

const callerOf = ({ tenantId, source = 'journey', sourceId }: JourneyDecisionCall) => ({
  tenantId,
  credentialId: 'system:journey',
  ip: '',
  userAgent: '',
  idempotencyKey: null,
  until: performance.now() + withinMs,
  origin: { source, sourceId },
});
