import {
  type DebugMeta,
  debugRows,
  type RecommendAnswer,
  type RecommendQuota,
  type TimedSummary,
  type TraceStage,
  type Warning,
} from '@arbiter/contract';
import {
  type Decision,
  type DecisionItem,
  type DecisionSummary,
  type DecisionTrace,
  type Plan,
  round6,
  targetHint,
} from '@arbiter/engine';
import type { Frozen } from '../../../../platform/json.ts';
import type { StageClock } from '../traces/stage-clock.ts';
import { shownRows } from '../traces/trace-rows.ts';

/** What an answer contains besides the decision itself. */
export interface AnswerFacts {
  readonly requestId: string;
  /** Null for a dry run: nothing was stored, so nothing can be named. */
  readonly recommendationId: string | null;
  readonly interactionIds: readonly string[] | null;
  readonly customerId: string;
  readonly anonymous: boolean;
  readonly known: boolean;
  readonly asked: {
    readonly channel: string | null;
    readonly channelId: string | null;
    readonly placement: string | null;
  };
  /** Epoch ms. */
  readonly now: number;
  readonly configVersion: number;
  readonly configAgeMs: number;
  readonly evidenceAgeMs: number;
  readonly profileAgeMs: number;
  readonly durationMs: number;
  readonly traceId: string | null;
  /** Times of the stages; null: not measured. */
  readonly stages: StageClock | null;
  /** ISO instant. Called only by answers that reserve. */
  readonly reservationExpiresAt: () => string;
  readonly dryRun: boolean;
  readonly debug: boolean;
  /** Customer schemas that the flow doesn't read. Only with `debug`. */
  readonly schemaWarnings: readonly Warning[];
  /** Playgrounds only. */
  readonly quota: RecommendQuota | null;
}

type Item = RecommendAnswer['decisions'][number];

const minimalFields: ReadonlySet<string> = new Set([
  'rank',
  'interactionId',
  'recommendationId',
  'offerId',
  'offerName',
  'score',
  'creativeId',
  'channelId',
  'placementId',
  'content',
  'personalization',
]);
const fieldsAlwaysKept: ReadonlySet<string> = new Set(['rank', 'interactionId', 'recommendationId', 'offerId']);

/** The experiment of the flow's own score stage; null: the customer takes part in none there. */
export function experimentOf({ variant }: Decision): RecommendAnswer['experiment'] {
  if (variant === null || variant.experimentKey === null) return null;
  return { experimentKey: variant.experimentKey, variant: variant.variant };
}

/** The answer of recommend (docs/design/api-decisioning.md 2). Numbers are rounded to 6 decimals here and nowhere before. */
export function shapeAnswer(plan: Plan, decision: Decision, facts: AnswerFacts): RecommendAnswer {
  const items = decision.items.map((item, i) => shapeItem(plan, decision, item, i, facts));
  const answer: RecommendAnswer = {
    recommendationId: facts.recommendationId,
    requestId: facts.requestId,
    timestamp: new Date(facts.now).toISOString(),
    customerId: facts.customerId,
    anonymous: facts.anonymous,
    known: facts.known,
    decisionFlowId: plan.flow.id,
    decisionFlowKey: plan.flow.key,
    decisionFlowVersion: plan.flow.version,
    channel: facts.asked.channel,
    channelId: facts.asked.channelId,
    placement: facts.asked.placement,
    count: items.length,
    decisions: items,
    placementResults:
      decision.placementResults === null
        ? null
        : Object.fromEntries(
            decision.placementResults.map((p) => [
              p.placementId,
              {
                placementId: p.placementId,
                placementName: p.placementName,
                channelId: p.channelId,
                count: p.items.length,
                emptyReason: p.emptyReason,
                decisions: p.items.map((i) => items[i]!),
              },
            ]),
          ),
    properties: { ...decision.properties },
    emptyReason: decision.emptyReason,
    controlGroup: decision.controlGroup,
    degradedScoring: decision.degradedScoring,
    dryRun: facts.dryRun,
    experiment: experimentOf(decision),
    freshness: {
      configVersion: facts.configVersion,
      configAgeMs: facts.configAgeMs,
      evidenceAgeMs: facts.evidenceAgeMs,
      profileAgeMs: facts.profileAgeMs,
    },
    trace: {
      traceId: facts.traceId,
      summary: timedSummary(decision.summary, facts.durationMs) as TimedSummary,
    },
  };
  if (facts.quota !== null) answer.quota = facts.quota;
  if (facts.debug && decision.trace !== null) {
    answer.meta = shapeMeta(plan, decision, decision.trace, facts) as DebugMeta;
  }
  return answer;
}

function shapeItem(plan: Plan, decision: Decision, item: DecisionItem, index: number, facts: AnswerFacts): Item {
  const offer = plan.names.offer(item.offerId);
  const creative = item.creativeId === null ? undefined : plan.names.creative(item.creativeId);
  const channel = item.channelId === null ? undefined : plan.names.channel(item.channelId);
  const placement = item.placementId === null ? undefined : plan.names.placement(item.placementId);
  const category = offer?.categoryId == null ? undefined : plan.names.category(offer.categoryId);
  const subCategory = offer?.subCategoryId == null ? undefined : plan.names.subCategory(offer.subCategoryId);
  const interactionId = facts.interactionIds === null ? null : facts.interactionIds[index]!;
  const c = item.scoreComponents;
  const shaped: Item = {
    rank: item.rank,
    placementRank: item.placementRank,
    interactionId,
    recommendationId: facts.recommendationId,
    offerId: item.offerId,
    offerName: offer?.name ?? '',
    shortDesc: offer?.shortDesc ?? '',
    description: offer?.description ?? '',
    categoryId: offer?.categoryId ?? null,
    categoryName: category?.name ?? null,
    subCategoryId: offer?.subCategoryId ?? null,
    subCategoryName: subCategory?.name ?? null,
    productType: offer?.productType ?? null,
    priority: item.priority,
    mandatory: item.mandatory,
    score: round6(item.score),
    scoreComponents: {
      propensity: round6(c.propensity),
      relevance: round6(c.relevance),
      impact: round6(c.impact),
      emphasis: round6(c.emphasis),
      fitMultiplier: round6(c.fitMultiplier),
    },
    modelKey: item.modelKey,
    modelType: item.modelType,
    propensitySource: item.propensitySource,
    selection: shownSelection(item.selection),
    creativeId: item.creativeId,
    creativeName: creative?.name ?? null,
    templateType: creative?.templateType ?? null,
    abTestVariant: creative?.abTestVariant ?? null,
    channelId: item.channelId,
    channelName: channel?.name ?? null,
    channelType: channel?.channelType ?? null,
    placementId: item.placementId,
    placementName: placement?.name ?? null,
    content: item.content,
    personalization: item.personalization,
    metadata: offer?.metadata ?? {},
    impressionRecorded: !facts.dryRun && item.effect === 'impress',
    reservation:
      !facts.dryRun && item.effect === 'reserve' && interactionId !== null
        ? { id: interactionId, expiresAt: facts.reservationExpiresAt() }
        : null,
  };
  if (decision.responseFormat === 'minimal') return keep(shaped, (name) => minimalFields.has(name));
  const { includeFields } = decision;
  if (includeFields.length === 0) return shaped;
  return keep(shaped, (name) => fieldsAlwaysKept.has(name) || includeFields.includes(name));
}

function shownSelection({ draws: _draws, probability, ...selection }: DecisionItem['selection']) {
  return { probability: round6(probability), ...selection };
}

function keep(item: Item, wanted: (name: string) => boolean): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => wanted(name))) as Item;
}

/** The stages of a trace with the time that each took. */
export function timedStages(trace: DecisionTrace, stages: StageClock | null): Frozen<TraceStage[]> {
  return trace.pipeline.map((row) => ({ ...row, durationMs: stages?.msOf(row.stage, row.nodeId) ?? null }));
}

const timedSummary = (summary: DecisionSummary, durationMs: number): Frozen<TimedSummary> => ({
  ...roundedSummary(summary),
  durationMs,
});

/** The summary as responses show it. */
export const roundedSummary = (summary: DecisionSummary): DecisionSummary => ({
  ...summary,
  slateProbability: round6(summary.slateProbability),
});

function shapeMeta(plan: Plan, decision: Decision, trace: DecisionTrace, facts: AnswerFacts): Frozen<DebugMeta> {
  const rows = shownRows(trace, null);
  const hint = targetHint(plan, facts.asked, decision.emptyReason);
  return {
    stages: timedStages(trace, facts.stages),
    dropped: rows.dropped.slice(0, debugRows.dropped),
    scores: rows.scoringResults.slice(0, debugRows.scores),
    warnings: decision.summary.warnings,
    ...(hint === null ? {} : { hint }),
    ...(facts.schemaWarnings.length === 0 ? {} : { schemaWarnings: facts.schemaWarnings }),
  };
}
