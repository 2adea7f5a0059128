import {
  canonicalJson,
  type Decision,
  type DecisionItem,
  type DecisionSummary,
  type ItemTexts,
  type Plan,
  round6,
} from '@arbiter/engine';
import { type AnswerFacts, experimentOf, shapeAnswer } from './answer.ts';

/**
 * Returns the answer of recommend as JSON text: what `shapeAnswer` returns, joined from pieces that are rendered once
 * per plan (docs/design/decisioning.md 6). Content and variables come as canonical text. Answers in other shapes
 * (minimal, chosen fields, grouped, debug) are rendered from `shapeAnswer`.
 */
export function answerText(plan: Plan, decision: Decision, facts: AnswerFacts, texts: readonly ItemTexts[]): string {
  const isStandard =
    decision.responseFormat === 'standard' &&
    decision.includeFields.length === 0 &&
    decision.placementResults === null &&
    !facts.debug;
  if (!isStandard) return JSON.stringify(shapeAnswer(plan, decision, facts));
  const pieces = piecesOf(plan);
  const { asked } = facts;
  let items = '';
  for (let i = 0; i < decision.items.length; i++) {
    items += `${i === 0 ? '' : ','}${itemText(pieces, decision.items[i]!, i, facts, texts[i]!)}`;
  }
  return (
    `{"recommendationId":${orNull(facts.recommendationId)},"requestId":"${facts.requestId}",` +
    `"timestamp":"${new Date(facts.now).toISOString()}","customerId":${canonicalJson(facts.customerId)},` +
    `"anonymous":${facts.anonymous},"known":${facts.known},${pieces.flow},"channel":${orNull(asked.channel)},` +
    `"channelId":${orNull(asked.channelId)},"placement":${orNull(asked.placement)},` +
    `"count":${decision.items.length},"decisions":[${items}],"placementResults":null,` +
    `"properties":${canonicalJson(decision.properties)},"emptyReason":${orNull(decision.emptyReason)},` +
    `"controlGroup":${decision.controlGroup},"degradedScoring":${decision.degradedScoring},` +
    `"dryRun":${facts.dryRun},"experiment":${JSON.stringify(experimentOf(decision))},` +
    `"freshness":{"configVersion":${facts.configVersion},` +
    `"configAgeMs":${facts.configAgeMs},"evidenceAgeMs":${facts.evidenceAgeMs},"profileAgeMs":${facts.profileAgeMs}},` +
    `"trace":{"traceId":${orNull(facts.traceId)},"summary":${summaryText(decision.summary, facts.durationMs)}}` +
    `${facts.quota === null ? '' : `,"quota":${JSON.stringify(facts.quota)}`}}`
  );
}

function itemText(pieces: Pieces, item: DecisionItem, index: number, facts: AnswerFacts, texts: ItemTexts): string {
  const c = item.scoreComponents;
  const { selection } = item;
  const interactionId = facts.interactionIds === null ? null : facts.interactionIds[index]!;
  const offer = pieces.offer(item.offerId);
  const isReserved = !facts.dryRun && item.effect === 'reserve' && interactionId !== null;
  return (
    `{"rank":${item.rank},"placementRank":${item.placementRank},"interactionId":${orNull(interactionId)},` +
    `"recommendationId":${orNull(facts.recommendationId)},${offer.front},"priority":${item.priority},` +
    `"mandatory":${item.mandatory},"score":${round6(item.score)},"scoreComponents":{` +
    `"propensity":${round6(c.propensity)},"relevance":${round6(c.relevance)},"impact":${round6(c.impact)},` +
    `"emphasis":${round6(c.emphasis)},"fitMultiplier":${round6(c.fitMultiplier)}},` +
    `"modelKey":${orNull(item.modelKey)},"modelType":${orNull(item.modelType)},` +
    `"propensitySource":"${item.propensitySource}","selection":{"probability":${round6(selection.probability)},` +
    `"estimated":${selection.estimated},"explored":${selection.explored},` +
    `"method":${canonicalJson(selection.method)}},${pieces.creative(item.creativeId)},` +
    `${pieces.channel(item.channelId)},${pieces.placement(item.placementId)},"content":${texts.content},` +
    `"personalization":${texts.personalization},"metadata":${offer.metadata},` +
    `"impressionRecorded":${!facts.dryRun && item.effect === 'impress'},` +
    `"reservation":${isReserved ? `{"id":"${interactionId}","expiresAt":"${facts.reservationExpiresAt()}"}` : 'null'}}`
  );
}

function summaryText(summary: DecisionSummary, durationMs: number): string {
  return (
    `{"candidateCount":${summary.candidateCount},"mandatoryCount":${summary.mandatoryCount},` +
    `"afterCreatives":${summary.afterCreatives},"afterQualification":${summary.afterQualification},` +
    `"afterSuppression":${summary.afterSuppression},"afterContactPolicy":${summary.afterContactPolicy},` +
    `"afterScoring":${summary.afterScoring},"finalCount":${summary.finalCount},` +
    `"computeErrors":${summary.computeErrors},"channelCoupling":${canonicalJson(summary.channelCoupling)},` +
    `"slateProbability":${round6(summary.slateProbability)},` +
    `"droppedByReason":${canonicalJson(summary.droppedByReason)},"warnings":${canonicalJson(summary.warnings)},` +
    `"durationMs":${durationMs}}`
  );
}

const orNull = (text: string | null): string => (text === null ? 'null' : canonicalJson(text));

/** An answer's catalogue parts, rendered on first use. */
interface Pieces {
  readonly flow: string;
  offer(id: string): OfferPieces;
  creative(id: string | null): string;
  channel(id: string | null): string;
  placement(id: string | null): string;
}

interface OfferPieces {
  /** `"offerId"` to `"productType"`. */
  readonly front: string;
  readonly metadata: string;
}

const pieces = new WeakMap<Plan, Pieces>();

function piecesOf(plan: Plan): Pieces {
  let planPieces = pieces.get(plan);
  if (planPieces === undefined) {
    planPieces = makePieces(plan);
    pieces.set(plan, planPieces);
  }
  return planPieces;
}

function makePieces(plan: Plan): Pieces {
  const { names, flow } = plan;
  return {
    flow: members({ decisionFlowId: flow.id, decisionFlowKey: flow.key, decisionFlowVersion: flow.version }),
    offer: once((id) => {
      const offer = names.offer(id);
      const category = offer?.categoryId == null ? undefined : names.category(offer.categoryId);
      const subCategory = offer?.subCategoryId == null ? undefined : names.subCategory(offer.subCategoryId);
      const front = members({
        offerId: id,
        offerName: offer?.name ?? '',
        shortDesc: offer?.shortDesc ?? '',
        description: offer?.description ?? '',
        categoryId: offer?.categoryId ?? null,
        categoryName: category?.name ?? null,
        subCategoryId: offer?.subCategoryId ?? null,
        subCategoryName: subCategory?.name ?? null,
        productType: offer?.productType ?? null,
      });
      return { front, metadata: JSON.stringify(offer?.metadata ?? {}) };
    }),
    creative: onceOrNull((id) => {
      const creative = id === null ? undefined : names.creative(id);
      return members({
        creativeId: id,
        creativeName: creative?.name ?? null,
        templateType: creative?.templateType ?? null,
        abTestVariant: creative?.abTestVariant ?? null,
      });
    }),
    channel: onceOrNull((id) => {
      const channel = id === null ? undefined : names.channel(id);
      return members({
        channelId: id,
        channelName: channel?.name ?? null,
        channelType: channel?.channelType ?? null,
      });
    }),
    placement: onceOrNull((id) =>
      members({ placementId: id, placementName: id === null ? null : (names.placement(id)?.name ?? null) }),
    ),
  };
}

/** Members of an object without its braces. */
const members = (object: object): string => JSON.stringify(object).slice(1, -1);

/** Texts kept of one kind: with thousands of offers only those in use, not eventually all. */
const mostTexts = 1024;

function once<Value>(make: (id: string) => Value): (id: string) => Value {
  const values = new Map<string, Value>();
  return (id) => {
    let value = values.get(id);
    if (value === undefined) {
      value = make(id);
      if (values.size >= mostTexts) values.clear();
      values.set(id, value);
    }
    return value;
  };
}

function onceOrNull(make: (id: string | null) => string): (id: string | null) => string {
  const ofNull = make(null);
  const ofId = once(make);
  return (id) => (id === null ? ofNull : ofId(id));
}
