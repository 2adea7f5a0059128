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
  parts.length = 0;
  putAnswer(parts, pieces, decision, facts, texts);
  return parts.join('');
}

/**
 * Pieces of the text in the making. Joined at once: the language's own concatenation would leave an object for each
 * piece, more than the text itself takes.
 */
const parts: Part[] = [];
type Part = string | number | boolean;

function putAnswer(
  out: Part[],
  pieces: Pieces,
  decision: Decision,
  facts: AnswerFacts,
  texts: readonly ItemTexts[],
): void {
  const { asked } = facts;
  out.push('{"recommendationId":', orNull(facts.recommendationId), ',"requestId":"', facts.requestId);
  out.push('","timestamp":"', new Date(facts.now).toISOString(), '","customerId":', canonicalJson(facts.customerId));
  out.push(',"anonymous":', facts.anonymous, ',"known":', facts.known, ',', pieces.flow);
  out.push(',"channel":', orNull(asked.channel), ',"channelId":', orNull(asked.channelId));
  out.push(',"placement":', orNull(asked.placement), ',"count":', decision.items.length, ',"decisions":[');
  for (let i = 0; i < decision.items.length; i++) {
    if (i > 0) out.push(',');
    putItem(out, pieces, decision.items[i]!, i, facts, texts[i]!);
  }
  out.push('],"placementResults":null,"properties":', canonicalJson(decision.properties));
  out.push(',"emptyReason":', orNull(decision.emptyReason), ',"controlGroup":', decision.controlGroup);
  out.push(',"degradedScoring":', decision.degradedScoring, ',"dryRun":', facts.dryRun);
  out.push(',"experiment":', JSON.stringify(experimentOf(decision)));
  out.push(',"freshness":{"configVersion":', facts.configVersion, ',"configAgeMs":', facts.configAgeMs);
  out.push(',"evidenceAgeMs":', facts.evidenceAgeMs, ',"profileAgeMs":', facts.profileAgeMs);
  out.push('},"trace":{"traceId":', orNull(facts.traceId), ',"summary":');
  putSummary(out, decision.summary, facts.durationMs);
  out.push('}');
  if (facts.quota !== null) out.push(',"quota":', JSON.stringify(facts.quota));
  out.push('}');
}

function putItem(
  out: Part[],
  pieces: Pieces,
  item: DecisionItem,
  index: number,
  facts: AnswerFacts,
  texts: ItemTexts,
): void {
  const c = item.scoreComponents;
  const { selection } = item;
  const interactionId = facts.interactionIds === null ? null : facts.interactionIds[index]!;
  const offer = pieces.offer(item.offerId);
  out.push('{"rank":', item.rank, ',"placementRank":', orNull(item.placementRank));
  out.push(',"interactionId":', orNull(interactionId), ',"recommendationId":', orNull(facts.recommendationId));
  out.push(',', offer.front, ',"priority":', item.priority, ',"mandatory":', item.mandatory);
  out.push(',"score":', round6(item.score), ',"scoreComponents":{"propensity":', round6(c.propensity));
  out.push(',"relevance":', round6(c.relevance), ',"impact":', round6(c.impact));
  out.push(',"emphasis":', round6(c.emphasis), ',"fitMultiplier":', round6(c.fitMultiplier));
  out.push('},"modelKey":', orNull(item.modelKey), ',"modelType":', orNull(item.modelType));
  out.push(',"propensitySource":"', item.propensitySource, '","selection":{"probability":');
  out.push(round6(selection.probability), ',"estimated":', selection.estimated, ',"explored":', selection.explored);
  out.push(',"method":', canonicalJson(selection.method), '},', pieces.creative(item.creativeId));
  out.push(',', pieces.channel(item.channelId), ',', pieces.placement(item.placementId));
  out.push(',"content":', texts.content, ',"personalization":', texts.personalization);
  out.push(',"metadata":', offer.metadata, ',"impressionRecorded":', !facts.dryRun && item.effect === 'impress');
  if (!facts.dryRun && item.effect === 'reserve' && interactionId !== null) {
    out.push(',"reservation":{"id":"', interactionId, '","expiresAt":"', facts.reservationExpiresAt(), '"}}');
  } else out.push(',"reservation":null}');
}

function putSummary(out: Part[], summary: DecisionSummary, durationMs: number): void {
  out.push('{"candidateCount":', summary.candidateCount, ',"mandatoryCount":', summary.mandatoryCount);
  out.push(',"afterCreatives":', summary.afterCreatives, ',"afterQualification":', summary.afterQualification);
  out.push(',"afterSuppression":', summary.afterSuppression, ',"afterContactPolicy":', summary.afterContactPolicy);
  out.push(',"afterScoring":', summary.afterScoring, ',"finalCount":', summary.finalCount);
  out.push(',"computeErrors":', summary.computeErrors, ',"channelCoupling":', canonicalJson(summary.channelCoupling));
  out.push(',"slateProbability":', round6(summary.slateProbability));
  out.push(',"droppedByReason":', canonicalJson(summary.droppedByReason));
  out.push(',"warnings":', canonicalJson(summary.warnings), ',"durationMs":', durationMs, '}');
}

const orNull = (value: string | number | null): string => (value === null ? 'null' : canonicalJson(value));

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
