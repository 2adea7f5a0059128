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
  out.count = 0;
  putAnswer(pieces, decision, facts, texts);
  // Only when an answer has fewer pieces than the one before: emptying the list would give its memory back.
  if (out.parts.length !== out.count) out.parts.length = out.count;
  return out.parts.join('');
}

type Part = string | number | boolean;

/**
 * Pieces of the text, in a list that is reused. They're joined at once, because concatenation would create an object for
 * each piece.
 */
const out = { parts: [] as Part[], count: 0 };

function put(a: Part, b: Part): void {
  const { parts, count } = out;
  parts[count] = a;
  parts[count + 1] = b;
  out.count = count + 2;
}

/** IDs need no escaping. */
function putId(name: string, id: string | null): void {
  if (id === null) {
    put(name, 'null');
    return;
  }
  put(name, '"');
  put(id, '"');
}

function putAnswer(pieces: Pieces, decision: Decision, facts: AnswerFacts, texts: readonly ItemTexts[]): void {
  const { asked } = facts;
  putId('{"recommendationId":', facts.recommendationId);
  putId(',"requestId":', facts.requestId);
  put(',"timestamp":"', new Date(facts.now).toISOString());
  put('","customerId":', canonicalJson(facts.customerId));
  put(',"anonymous":', facts.anonymous);
  put(',"known":', facts.known);
  put(',', pieces.flow);
  put(',"channel":', orNull(asked.channel));
  putId(',"channelId":', asked.channelId);
  put(',"placement":', orNull(asked.placement));
  put(',"count":', decision.items.length);
  for (let i = 0; i < decision.items.length; i++) {
    putItem(i === 0 ? ',"decisions":[' : ',', pieces, decision.items[i]!, i, facts, texts[i]!);
  }
  put(decision.items.length === 0 ? ',"decisions":[]' : ']', ',"placementResults":null');
  put(',"properties":', canonicalJson(decision.properties));
  put(',"emptyReason":', orNull(decision.emptyReason));
  put(',"controlGroup":', decision.controlGroup);
  put(',"degradedScoring":', decision.degradedScoring);
  put(',"dryRun":', facts.dryRun);
  put(',"experiment":', JSON.stringify(experimentOf(decision)));
  put(',"freshness":{"configVersion":', facts.configVersion);
  put(',"configAgeMs":', facts.configAgeMs);
  put(',"evidenceAgeMs":', facts.evidenceAgeMs);
  put(',"profileAgeMs":', facts.profileAgeMs);
  putId('},"trace":{"traceId":', facts.traceId);
  putSummary(decision.summary, facts.durationMs);
  if (facts.quota !== null) put(',"quota":', JSON.stringify(facts.quota));
  put('}', '');
}

function putItem(
  before: string,
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
  put(before, '{"rank":');
  put(item.rank, ',"placementRank":');
  put(item.placementRank ?? 'null', '');
  putId(',"interactionId":', interactionId);
  putId(',"recommendationId":', facts.recommendationId);
  put(',', offer.front);
  put(',"priority":', item.priority);
  put(',"mandatory":', item.mandatory);
  put(',"score":', round6(item.score));
  put(',"scoreComponents":{"propensity":', round6(c.propensity));
  put(',"relevance":', round6(c.relevance));
  put(',"impact":', round6(c.impact));
  put(',"emphasis":', round6(c.emphasis));
  put(',"fitMultiplier":', round6(c.fitMultiplier));
  put('},"modelKey":', orNull(item.modelKey));
  put(',"modelType":', orNull(item.modelType));
  put(',"propensitySource":"', item.propensitySource);
  put('","selection":{"probability":', round6(selection.probability));
  put(',"estimated":', selection.estimated);
  put(',"explored":', selection.explored);
  put(',"method":', canonicalJson(selection.method));
  put('},', pieces.creative(item.creativeId));
  put(',', pieces.channel(item.channelId));
  put(',', pieces.placement(item.placementId));
  put(',"content":', texts.content);
  put(',"personalization":', texts.personalization);
  put(',"metadata":', offer.metadata);
  put(',"impressionRecorded":', !facts.dryRun && item.effect === 'impress');
  if (!facts.dryRun && item.effect === 'reserve' && interactionId !== null) {
    put(',"reservation":{"id":"', interactionId);
    put('","expiresAt":"', facts.reservationExpiresAt());
    put('"}}', '');
  } else put(',"reservation":null}', '');
}

function putSummary(summary: DecisionSummary, durationMs: number): void {
  put(',"summary":{"candidateCount":', summary.candidateCount);
  put(',"mandatoryCount":', summary.mandatoryCount);
  put(',"afterCreatives":', summary.afterCreatives);
  put(',"afterQualification":', summary.afterQualification);
  put(',"afterSuppression":', summary.afterSuppression);
  put(',"afterContactPolicy":', summary.afterContactPolicy);
  put(',"afterScoring":', summary.afterScoring);
  put(',"finalCount":', summary.finalCount);
  put(',"computeErrors":', summary.computeErrors);
  put(',"channelCoupling":', canonicalJson(summary.channelCoupling));
  put(',"slateProbability":', round6(summary.slateProbability));
  put(',"droppedByReason":', canonicalJson(summary.droppedByReason));
  put(',"warnings":', canonicalJson(summary.warnings));
  put(',"durationMs":', durationMs);
  put('}}', '');
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
const maxTexts = 1024;

function once<Value>(make: (id: string) => Value): (id: string) => Value {
  const values = new Map<string, Value>();
  return (id) => {
    let value = values.get(id);
    if (value === undefined) {
      value = make(id);
      if (values.size >= maxTexts) values.clear();
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
