import type { RecommendAnswer } from '@arbiter/contract';
import { type Decision, type DecisionInput, type Plan, round6 } from '@arbiter/engine';

const resultRows = 2_000;
const droppedRows = 500;

/** Body of a stored trace (part 2, "Decision trace"; api-decisioning.md 11), without its ids. */
export function traceBody(
  plan: Plan,
  input: DecisionInput,
  decision: Decision,
  answer: RecommendAnswer,
  planHash: Buffer,
): object {
  const { trace } = decision;
  const top = decision.items[0];
  return {
    source: 'recommend',
    decisionFlowId: plan.flow.id,
    decisionFlowVersion: plan.flow.version,
    configVersion: answer.freshness.configVersion,
    planHash: planHash.toString('hex'),
    seed: input.seed,
    channel: answer.channel,
    channelId: answer.channelId,
    placement: answer.placement,
    placements: input.request.placements,
    customerSegments: [...input.segments, ...input.request.segments],
    pipeline: trace?.pipeline ?? [],
    scoringResults: trace?.scoringResults.slice(0, resultRows) ?? [],
    selectedOffers: decision.items.map((item, i) => ({
      offerId: item.offerId,
      score: round6(item.score),
      rank: item.rank,
      creativeId: item.creativeId,
      channelId: item.channelId,
      placementId: item.placementId,
      mandatory: item.mandatory,
      interactionId: answer.decisions[i]?.interactionId ?? null,
      selection: { ...item.selection, probability: round6(item.selection.probability) },
    })),
    qualificationResults: trace?.qualificationResults.slice(0, resultRows) ?? [],
    contactPolicyResults: trace?.contactPolicyResults.slice(0, resultRows) ?? [],
    suppressionResults: trace?.suppressionResults.slice(0, resultRows) ?? [],
    dropped: trace?.dropped.slice(0, droppedRows) ?? [],
    result: { count: decision.items.length, topOffer: top ? { offerId: top.offerId, score: round6(top.score) } : null },
    summary: answer.trace.summary,
    controlGroup: decision.controlGroup,
    degradedScoring: decision.degradedScoring,
    experimentAssignment: null,
    totalDurationMs: answer.trace.summary.durationMs,
  };
}
