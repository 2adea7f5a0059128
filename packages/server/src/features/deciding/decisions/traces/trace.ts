import type { RecommendAnswer } from '@arbiter/contract';
import { type Decision, type DecisionInput, type Plan, round6 } from '@arbiter/engine';
import type { CompiledFlow } from '../../plans/index.ts';
import { shownAssignment } from '../../sealed-records/index.ts';
import { timedStages } from '../recommend/answer.ts';
import type { StageClock } from './stage-clock.ts';
import { hiddenValues, withhold, withInstants } from './trace-rows.ts';

const resultRows = 2_000;
const droppedRows = 500;

/** Body of a stored trace (docs/design/api-decisioning.md 11), without its ids. */
export function traceBody(
  plan: Plan,
  input: DecisionInput,
  decision: Decision,
  answer: RecommendAnswer,
  { hash: planHash, neverStore, comparedWith }: Pick<CompiledFlow, 'hash' | 'neverStore' | 'comparedWith'>,
  inputsHash: string,
  stages: StageClock | null,
): object {
  const { trace } = decision;
  const hidden = neverStore.size === 0 ? null : hiddenValues(plan, neverStore, comparedWith);
  const top = decision.items[0];
  return {
    source: 'recommend',
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
    scoringResults: trace?.scoringResults.slice(0, resultRows) ?? [],
    selectedOffers: decision.items.map((item, i) => ({
      offerId: item.offerId,
      offerName: plan.names.offer(item.offerId)?.name ?? null,
      score: round6(item.score),
      rank: item.rank,
      creativeId: item.creativeId,
      channelId: item.channelId,
      placementId: item.placementId,
      mandatory: item.mandatory,
      interactionId: answer.decisions[i]?.interactionId ?? null,
      selection: { ...item.selection, probability: round6(item.selection.probability) },
    })),
    qualificationResults: trace?.qualificationResults.slice(0, resultRows).map((row) => withhold(row, hidden)) ?? [],
    contactPolicyResults: trace?.contactPolicyResults.slice(0, resultRows).map((row) => withhold(row, hidden)) ?? [],
    suppressionResults: trace?.suppressionResults.slice(0, resultRows).map(withInstants) ?? [],
    dropped: trace?.dropped.slice(0, droppedRows).map((row) => withhold(withInstants({ ...row }), hidden)) ?? [],
    result: { count: decision.items.length, topOffer: top ? { offerId: top.offerId, score: round6(top.score) } : null },
    summary: answer.trace.summary,
    assignment: shownAssignment(decision.assignment, decision.controlGroup),
    controlGroup: decision.controlGroup,
    degradedScoring: decision.degradedScoring,
    experimentAssignment: decision.variant === null ? null : { experimentKey: null, ...decision.variant },
    totalDurationMs: answer.trace.summary.durationMs,
  };
}
