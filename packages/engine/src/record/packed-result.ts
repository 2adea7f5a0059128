import { canonicalJson } from '../canonical/canonical-json.ts';
import type { Decision, DecisionItem, DecisionSummary, DrawnItem, PropensitySource } from '../plan/decision.ts';
import type { Json } from '../plan/snapshot.ts';
import { contentText } from './content-text.ts';
import type { PlanRefs } from './plan-refs.ts';

/**
 * A decision's result in its record, without rendered content and computed fields: a replay recreates them from plan and inputs,
 * and the result hash covers them. IDs are positions in the plan, so a record is too small to need compression.
 */
export interface PackedResult {
  /** Items, see `itemText`. */
  readonly i: readonly (readonly (number | string | null)[])[];
  /** Counts of the summary, see `summaryCounts`. */
  readonly m: readonly number[];
  /** Properties that differ from their defaults. */
  readonly o: Readonly<Record<string, Json>>;
  /** Drawn items, if there are more than in the answer: offer, creative, probability, flags of `itemText`. */
  readonly d?: readonly (readonly [
    offer: number,
    creative: number | null,
    probability: number,
    flags: number,
    draws?: number,
  ])[];
}

const sources: readonly PropensitySource[] = [
  'request',
  'model',
  'offer',
  'offer_blend',
  'category',
  'global',
  'default',
];

const summaryCounts = [
  'candidateCount',
  'mandatoryCount',
  'afterCreatives',
  'afterQualification',
  'afterSuppression',
  'afterContactPolicy',
  'afterScoring',
  'finalCount',
  'computeErrors',
] as const satisfies readonly (keyof DecisionSummary)[];

/** Defaults of the properties under `o`, which leaves out equal values. */
const defaults: Readonly<Record<string, Json>> = {
  placementResults: null,
  properties: {},
  emptyReason: null,
  controlGroup: false,
  degradedScoring: false,
  slateProbability: 1,
  channelCoupling: [],
  droppedByReason: {},
  warnings: [],
};

/**
 * Returns the JSON of a decision's `PackedResult`, written directly because every decision needs it. `withProperties: false`
 * leaves out `properties`, which a formula may have computed from a value that is never stored.
 */
export function resultText(decision: Decision, refs: PlanRefs, withProperties = true): string {
  let items = '';
  for (const item of decision.items) items += `${items === '' ? '' : ','}${itemText(item, refs)}`;
  const { summary } = decision;
  let counts = '';
  for (const name of summaryCounts) counts += `${counts === '' ? '' : ','}${summary[name]}`;
  const drawn = decision.draws === null ? '' : `,"d":[${decision.draws.map((draw) => drawText(draw, refs)).join(',')}]`;
  return `{"i":[${items}],"m":[${counts}],"o":{${membersText(decision, withProperties)}}${drawn}}`;
}

/** Reads a `PackedResult` back from its text. */
export const readResultText = (text: string): PackedResult => JSON.parse(text) as PackedResult;

/** Returns the text whose SHA-256 is the result hash: everything that was decided, including rendered content. */
export function hashedText(text: string, items: readonly ItemTexts[]): string {
  let all = text;
  for (const { content, personalization } of items) all += `\n${content}\n${personalization}`;
  return all;
}

/** An item's shown content as canonical JSON, used by both answer and hash. */
export interface ItemTexts {
  readonly content: string;
  readonly personalization: string;
}

export const itemTexts = (decision: Decision): ItemTexts[] =>
  decision.items.map(({ content, personalization }) => ({
    content: contentText(content),
    personalization: contentText(personalization),
  }));

function membersText(decision: Decision, withProperties: boolean): string {
  const { assignment, summary } = decision;
  let text = '';
  const member = (name: string, value: unknown): void => {
    if (!isDefault(value, defaults[name]!)) text += `${text === '' ? '' : ','}"${name}":${canonicalJson(value)}`;
  };
  member('placementResults', decision.placementResults);
  if (withProperties) member('properties', decision.properties);
  member('emptyReason', decision.emptyReason);
  member('controlGroup', decision.controlGroup);
  member('degradedScoring', decision.degradedScoring);
  member('slateProbability', decision.slateProbability);
  member('channelCoupling', summary.channelCoupling);
  member('droppedByReason', summary.droppedByReason);
  member('warnings', summary.warnings);
  // Absent, not empty, in plans without calls.
  if (decision.subFlows !== null) {
    text += `${text === '' ? '' : ','}"subFlows":${canonicalJson(decision.subFlows)}`;
  }
  const isPlain =
    assignment.experiment === null && assignment.holdout === null && assignment.creative.every((share) => share === 1);
  if (!isPlain) text += `${text === '' ? '' : ','}"assignment":${canonicalJson(assignment)}`;
  return text;
}

/** The result without content and computed fields; `result` of `GET /decisions/{id}` where a replay cannot add them. */
export function unpackResult(packed: PackedResult, refs: PlanRefs): Readonly<Record<string, Json>> {
  const value = (name: string): Json => packed.o[name] ?? defaults[name] ?? null;
  return {
    items: packed.i.map((item, at) => unpackItem(item, at + 1, refs)),
    placementResults: value('placementResults'),
    properties: value('properties'),
    emptyReason: value('emptyReason'),
    controlGroup: value('controlGroup'),
    degradedScoring: value('degradedScoring'),
    slateProbability: value('slateProbability'),
    assignment: packed.o.assignment ?? { creative: packed.i.map(() => 1), experiment: null, holdout: null },
    summary: {
      ...Object.fromEntries(summaryCounts.map((name, at) => [name, packed.m[at] ?? 0])),
      channelCoupling: value('channelCoupling'),
      slateProbability: value('slateProbability'),
      droppedByReason: value('droppedByReason'),
      warnings: value('warnings'),
    },
    ...(packed.o.subFlows === undefined ? {} : { subFlows: packed.o.subFlows }),
    ...(packed.d === undefined ? {} : { draws: packed.d.map((draw) => unpackDraw(draw, refs)) }),
  };
}

const estimatedFlag = 4;
const exploredFlag = 8;

const chanceFlags = ({ estimated, explored }: { readonly estimated: boolean; readonly explored: boolean }): number =>
  (estimated ? estimatedFlag : 0) + (explored ? exploredFlag : 0);

function drawText(draw: DrawnItem, refs: PlanRefs): string {
  const { offerId, creativeId, probability, draws } = draw;
  const counted = draws === undefined ? '' : `,${draws}`;
  return `[${refs.offers.get(offerId)!},${ref(refs.creatives, creativeId)},${finite(probability)},${chanceFlags(draw)}${counted}]`;
}

function unpackDraw(
  [offer, creative, probability, flags, draws]: NonNullable<PackedResult['d']>[number],
  refs: PlanRefs,
): Json {
  const { offers, creatives } = refs.snapshot;
  return {
    offerId: offers[offer]?.id ?? null,
    creativeId: creative === null ? null : (creatives[creative]?.id ?? null),
    probability,
    estimated: (flags & estimatedFlag) !== 0,
    explored: (flags & exploredFlag) !== 0,
    ...(draws === undefined ? {} : { draws }),
  };
}

function itemText(item: DecisionItem, refs: PlanRefs): string {
  const c = item.scoreComponents;
  const { selection } = item;
  const flags = (item.effect === 'reserve' ? 1 : 0) + (item.mandatory ? 2 : 0) + chanceFlags(selection);
  const { draws } = selection;
  const model =
    item.modelKey === null && item.modelType === null && draws === undefined
      ? ''
      : `,${canonicalJson(item.modelKey)},${canonicalJson(item.modelType)}${draws === undefined ? '' : `,${draws}`}`;
  return (
    `[${refs.offers.get(item.offerId)!},${ref(refs.creatives, item.creativeId)},${ref(refs.channels, item.channelId)},` +
    `${ref(refs.placements, item.placementId)},${item.placementRank},${flags},${finite(item.priority)},` +
    `${finite(item.score)},${finite(c.propensity)},${finite(c.relevance)},${finite(c.impact)},${finite(c.emphasis)},` +
    `${finite(c.fitMultiplier)},${sources.indexOf(item.propensitySource)},${finite(selection.probability)},` +
    `${canonicalJson(selection.method)}${model}]`
  );
}

/** Throws for a number that JSON can't express. The engine's rules don't produce one. */
function finite(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError('a decision contains a number that is not finite');
  return value;
}

function unpackItem(packed: readonly (number | string | null)[], rank: number, refs: PlanRefs): Json {
  const { snapshot } = refs;
  const number = (at: number): number => packed[at] as number;
  const idAt = (rows: readonly { readonly id: string }[], at: number): string | null =>
    packed[at] === null ? null : (rows[number(at)]?.id ?? null);
  const flags = number(5);
  return {
    rank,
    placementRank: packed[4] ?? null,
    offerId: idAt(snapshot.offers, 0),
    creativeId: idAt(snapshot.creatives, 1),
    channelId: idAt(snapshot.channels, 2),
    placementId: idAt(snapshot.placements, 3),
    effect: (flags & 1) !== 0 ? 'reserve' : 'impress',
    mandatory: (flags & 2) !== 0,
    priority: number(6),
    score: number(7),
    scoreComponents: {
      propensity: number(8),
      relevance: number(9),
      impact: number(10),
      emphasis: number(11),
      fitMultiplier: number(12),
    },
    modelKey: packed[16] ?? null,
    modelType: packed[17] ?? null,
    propensitySource: sources[number(13)] ?? null,
    selection: {
      probability: number(14),
      estimated: (flags & estimatedFlag) !== 0,
      explored: (flags & exploredFlag) !== 0,
      method: packed[15] ?? null,
      ...(packed[18] === undefined ? {} : { draws: packed[18] }),
    },
  };
}

const ref = (positions: ReadonlyMap<string, number>, id: string | null): number | null =>
  id === null ? null : positions.get(id)!;

function isDefault(value: unknown, standard: Json): boolean {
  if (value === standard) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
