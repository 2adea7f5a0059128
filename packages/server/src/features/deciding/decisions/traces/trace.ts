import type { RecommendAnswer, TraceBody } from '@arbiter/contract';
import { type Decision, type DecisionInput, type Plan, round6 } from '@arbiter/engine';
import type { Frozen } from '../../../../platform/json.ts';
import type { CompiledFlow } from '../../plans/index.ts';
import { shownAssignment } from '../../sealed-records/index.ts';
import { timedStages } from '../recommend/answer.ts';
import type { StageClock } from './stage-clock.ts';
import { hiddenValues, shownRows } from './trace-rows.ts';

const noRows = {
  scoringResults: [],
  qualificationResults: [],
  contactPolicyResults: [],
  suppressionResults: [],
  dropped: [],
};

/** Body of a stored trace (docs/design/api-decisioning.md 11), without its ids. */
export function traceBody(
  plan: Plan,
  input: DecisionInput,
  decision: Decision,
  answer: RecommendAnswer,
  { hash: planHash, neverStore, comparedWith }: Pick<CompiledFlow, 'hash' | 'neverStore' | 'comparedWith'>,
  { inputsHash, source }: { readonly inputsHash: string; readonly source: string },
  stages: StageClock | null,
): Frozen<TraceBody> {
  const { trace } = decision;
  const hidden = neverStore.size === 0 ? null : hiddenValues(plan, neverStore, comparedWith);
  const rows = trace === null ? noRows : shownRows(trace, hidden);
  const top = decision.items[0];
  return {
    source,
    decisionFlowId: plan.flow.id,
    decisionFlowVersion: plan.flow.version,
    configVersion: answer.freshness.configVersion,
    planHash: planHash.toString('hex'),
    seed: input.seed,
    inputsHash,
    channel: answer.channel,
    channelId: answer.channelId,
    placement: answer.placement,
    placements: input.request.placements,
    customerSegments: [...new Set([...input.segments, ...input.request.segments])],
    pipeline: trace === null ? [] : timedStages(trace, stages),
    scoringResults: rows.scoringResults,
    selectedOffers: selectedOffers(plan, decision, (at) => answer.decisions[at]?.interactionId ?? null),
    qualificationResults: rows.qualificationResults,
    contactPolicyResults: rows.contactPolicyResults,
    suppressionResults: rows.suppressionResults,
    dropped: rows.dropped,
    result: { count: decision.items.length, topOffer: top ? { offerId: top.offerId, score: round6(top.score) } : null },
    summary: answer.trace.summary,
    assignment: shownAssignment(decision.assignment, decision.controlGroup),
    controlGroup: decision.controlGroup,
    degradedScoring: decision.degradedScoring,
    experimentAssignment: decision.variant,
    totalDurationMs: answer.trace.summary.durationMs,
  };
}

/** The offers of the response. `interactionIdOf`: id in history of the item at a position, or null. */
export const selectedOffers = (
  plan: Plan,
  decision: Decision,
  interactionIdOf: (at: number) => string | null,
): Frozen<TraceBody['selectedOffers']> =>
  decision.items.map((item, at) => ({
    offerId: item.offerId,
    offerName: plan.names.offer(item.offerId)?.name ?? null,
    score: round6(item.score),
    rank: item.rank,
    creativeId: item.creativeId,
    channelId: item.channelId,
    placementId: item.placementId,
    mandatory: item.mandatory,
    interactionId: interactionIdOf(at),
    selection: { ...item.selection, probability: round6(item.selection.probability) },
  }));
