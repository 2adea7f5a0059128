import type { RecordedResult } from '../deciding/decision-record.ts';
import type { DecisionTrace } from '../deciding/decision-trace.ts';
import type { RecommendAnswer } from '../deciding/recommendation.ts';
import type { ExplainedItem, Explanation } from './explanation.ts';
import { debugRows, traceRows } from './limits.ts';

// Pure functions of types: importing them loads no schemas.

/** How any decision came about, recorded or simulated. */
export type ExplainedDecision = Omit<Explanation, 'source'>;

/** The parts of a trace that explain the decision. */
export type ExplainableTrace = Pick<
  DecisionTrace,
  | 'channel'
  | 'channelId'
  | 'placement'
  | 'pipeline'
  | 'selectedOffers'
  | 'scoringResults'
  | 'dropped'
  | 'qualificationResults'
  | 'suppressionResults'
  | 'contactPolicyResults'
  | 'summary'
>;

/** Explains a decision from its trace. */
export function explainTrace(trace: ExplainableTrace): ExplainedDecision {
  const { channel, channelId, placement, pipeline: stages, scoringResults: scores, dropped, summary } = trace;
  const gates = {
    rules: trace.qualificationResults,
    suppressions: trace.suppressionResults,
    policies: trace.contactPolicyResults,
  };
  const items = trace.selectedOffers.map(({ interactionId: _, ...item }) => item);
  const isCut = {
    scores: scores.length >= traceRows.perOffer,
    dropped: dropped.length >= traceRows.dropped,
    gates: Object.values(gates).some((rows) => rows.length >= traceRows.perOffer),
  };
  return { channel, channelId, placement, stages, items, scores, dropped, gates, summary, cut: cutLists(isCut) };
}

/** Explains a response with `meta`, which has no gates: of `simulate`, or of `recommend` with `debug`. */
export function explainAnswer(answer: RecommendAnswer): ExplainedDecision {
  const { channel, channelId, placement, meta } = answer;
  const { stages = [], scores = [], dropped = [] } = meta ?? {};
  const isCut = { scores: scores.length >= debugRows.scores, dropped: dropped.length >= debugRows.dropped };
  return {
    ...{ channel, channelId, placement, stages, scores, dropped },
    items: answer.decisions.map(answeredItem),
    gates: null,
    summary: answer.trace.summary,
    cut: cutLists({ ...isCut, gates: false }),
  };
}

function answeredItem(item: RecommendAnswer['decisions'][number]): ExplainedItem {
  return {
    offerId: item.offerId,
    offerName: item.offerName ?? null,
    rank: item.rank,
    score: item.score ?? null,
    creativeId: item.creativeId ?? null,
    channelId: item.channelId ?? null,
    placementId: item.placementId ?? null,
    mandatory: item.mandatory ?? false,
    selection: item.selection ?? null,
  };
}

/** Explains a decision from the result in its record: its items and counts, nothing about other offers. */
export function explainRecord(
  { items, summary }: Pick<RecordedResult, 'items' | 'summary'>,
  nameOf: (offerId: string) => string | null = () => null,
): ExplainedDecision {
  return {
    channel: null,
    channelId: null,
    placement: null,
    stages: [],
    items: items.map(({ offerId, rank, score, creativeId, channelId, placementId, mandatory, selection }) => ({
      offerId,
      offerName: nameOf(offerId),
      ...{ rank, score, creativeId, channelId, placementId, mandatory, selection },
    })),
    scores: items
      .filter(({ mandatory }) => !mandatory)
      .map(({ offerId, score, scoreComponents, priority, modelKey, modelType, propensitySource }) => ({
        ...{ offerId, score, priority, modelKey, modelType, propensitySource },
        components: scoreComponents,
        rank: null,
        method: null,
        exponents: null,
        creativeWeight: null,
        evidence: null,
        shadowScores: {},
        contributions: [],
      })),
    dropped: [],
    gates: null,
    summary: { ...summary, durationMs: null },
    cut: [],
  };
}

const lists = ['scores', 'dropped', 'gates'] as const;

const cutLists = (isCut: Readonly<Record<(typeof lists)[number], boolean>>): ExplainedDecision['cut'] =>
  lists.filter((list) => isCut[list]);
