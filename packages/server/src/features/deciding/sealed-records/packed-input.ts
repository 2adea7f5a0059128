import {
  boundaries,
  type ContactCounts,
  type ContactLane,
  canonicalJson,
  type DecisionInput,
  type DecisionRequest,
  type Json,
  type LatestOutcome,
  type PackedExperiment,
  type PackedRow,
  type Plan,
  type PlanRefs,
  pick,
  put,
  requestDefaults,
  type VolumeCount,
  wallClock,
  type ZoneClock,
} from '@arbiter/engine';
import type { ReadSetNames } from '../plans/index.ts';

/** Attributes and context of more bytes than this, together, are cut down to what some plan of the tenant reads. */
const wholeQuestionBytes = 4096;

/** Parts of a request that only its record stores whole. The decision itself uses what the plan reads of them. */
export type RequestExtras = Pick<DecisionRequest, 'attributes' | 'context'>;

/** How the inputs of a flow's decisions are stored. */
export interface InputRules {
  readonly neverStore: ReadonlySet<string>;
  readonly refs: PlanRefs;
  readonly plan: Pick<Plan, 'reads' | 'zones'>;
  readonly readSet: Pick<ReadSetNames, 'attributes' | 'context'>;
}

/** Zone clocks as text; those of a batch are the same for all its decisions, so one writer serves a batch. */
export type ZoneWriter = (zones: DecisionInput['zones']) => string;

export function newZoneWriter(): ZoneWriter {
  const texts = new Map<DecisionInput['zones'], string>();
  return (zones) => {
    let text = texts.get(zones);
    if (text === undefined) {
      text = JSON.stringify(Object.fromEntries(Object.entries(zones).map(([zone, clock]) => [zone, packZone(clock)])));
      texts.set(zones, text);
    }
    return text;
  };
}

/**
 * Returns JSON text of what a decision read, in the form of `PackedInput`, written directly from the input, because
 * every decision needs one. `asked`: the question as sent. `segments`: the customer's stored segments, of which the
 * input has those that the plan uses. `experiments`: those that the decision used, new assignments among them. `withheld`:
 * what the plan reads and must not be stored.
 */
export function inputText(
  input: DecisionInput,
  asked: RequestExtras,
  rules: InputRules,
  zones: ZoneWriter,
  segments: readonly string[] = input.segments,
  experiments: readonly PackedExperiment[] | null = null,
): { readonly text: string; readonly withheld: readonly string[] } {
  const { neverStore, refs } = rules;
  const withheld: Set<string> | null = neverStore.size === 0 ? null : new Set();
  const { request } = input;
  const question = keptQuestion(asked, request, rules, withheld);
  const fields = fieldsText(request, question);
  const profile = JSON.stringify(without(input.profile, neverStore, withheld));
  const enriched = enrichedText(input.enriched, neverStore, withheld);
  // The name of a zone may be such a value: where something is withheld, those that a customer named stay away.
  const clocks =
    withheld === null || withheld.size === 0
      ? input.zones
      : Object.fromEntries(Object.entries(input.zones).filter(([zone]) => rules.plan.zones.includes(zone)));
  let text =
    `{"n":${input.now},"q":{${fields}},"k":${input.known},"p":${profile},` +
    `"v":${input.evidence.number},"z":${zones(clocks)}`;
  if (enriched !== '{}') text += `,"e":${enriched}`;
  if (segments.length > 0) text += `,"g":${JSON.stringify(segments)}`;
  if (input.contacts.lanes.length > 0) text += `,"c":${countsText(input.contacts, input.now, refs)}`;
  if (input.outcomes !== undefined) text += `,"l":${outcomesText(input.outcomes, input.now, refs)}`;
  if (input.suppressions.length > 0) text += `,"s":${JSON.stringify(input.suppressions)}`;
  text += countersText(input, refs);
  if (input.external !== undefined) text += `,"y":${externalText(input.external, refs)}`;
  if (input.modelStates !== undefined) {
    const hashes = Object.entries(input.modelStates).map(([key, { hash }]) => [key, hash] as const);
    if (hashes.length > 0) text += `,"m":${canonicalJson(Object.fromEntries(hashes))}`;
  }
  if (input.openBreakers !== undefined && input.openBreakers.length > 0) {
    text += `,"j":${canonicalJson(Object.fromEntries(input.openBreakers.map((key) => [key, 'open'])))}`;
  }
  if (experiments !== null) text += `,"t":${experimentsText(experiments)}`;
  if (input.joinTruncated === true) text += ',"f":true';
  if (input.quotaLeft !== undefined) text += `,"a":${input.quotaLeft}`;
  const names = withheld === null || withheld.size === 0 ? noNames : [...withheld].sort();
  if (names.length > 0) text += `,"w":${JSON.stringify(names)}`;
  if (question.unread !== null) {
    const unread = [...question.unread].filter((name) => !names.includes(name)).sort();
    if (unread.length > 0) text += `,"u":${JSON.stringify(unread)}`;
  }
  if (question.cut.length > 0) text += `,"x":${JSON.stringify(question.cut)}`;
  return { text: `${text}}`, withheld: names };
}

function experimentsText(experiments: readonly PackedExperiment[]): string {
  const packed = experiments.map(({ key, variant, share }) => ({ key, variant, share }));
  return JSON.stringify(packed.length === 1 ? packed[0] : packed);
}

const noNames: readonly string[] = Object.freeze([]);

/** Members of the question that differ from their defaults. */
function fieldsText(request: DecisionRequest, question: KeptQuestion): string {
  let fields = '';
  for (let index = 0; index < requestKeys.length; index++) {
    const key = requestKeys[index]!;
    // The request's id is in the record's own row.
    if (key === 'requestId') continue;
    if (key === 'attributes' || key === 'context') {
      if (question[key] !== '') fields += `${fields === '' ? '' : ','}"${key}":${question[key]}`;
      continue;
    }
    const value = request[key];
    if (value !== undefined && !isDefault(value)) fields += `${fields === '' ? '' : ','}"${key}":${jsonOf(value)}`;
  }
  return fields;
}

function enrichedText(
  enriched: DecisionInput['enriched'],
  neverStore: ReadonlySet<string>,
  withheld: Set<string> | null,
): string {
  for (const _ in enriched) {
    const nodes = Object.entries(enriched).map(
      ([node, rows]) => [node, rows.map((row) => row && without(row, neverStore, withheld))] as const,
    );
    return JSON.stringify(Object.fromEntries(nodes));
  }
  return '{}';
}

/** Returns the values without those that are never stored, whose names are added to `withheld`; null: there are none. */
function without(values: PackedRow, neverStore: ReadonlySet<string>, withheld: Set<string> | null): PackedRow {
  if (withheld === null) return values;
  const storedValues: Record<string, Json> = {};
  for (const [name, value] of Object.entries(values)) {
    if (neverStore.has(name)) withheld.add(name);
    else put(storedValues, name, value);
  }
  return storedValues;
}

interface KeptQuestion {
  /** JSON text; empty: nothing to keep. */
  readonly attributes: string;
  readonly context: string;
  /** Withheld names that the plan does not read; null for none. */
  readonly unread: ReadonlySet<string> | null;
  readonly cut: readonly string[];
}

const noQuestion: KeptQuestion = { attributes: '', context: '', unread: null, cut: noNames };

/** Returns attributes and context as sent; when they exceed what a record holds, only what the tenant reads. */
function keptQuestion(
  asked: RequestExtras,
  read: RequestExtras,
  { neverStore, readSet }: InputRules,
  withheld: Set<string> | null,
): KeptQuestion {
  const hasAttributes = !isDefault(asked.attributes);
  const hasContext = !isDefault(asked.context);
  if (!hasAttributes && !hasContext) return noQuestion;
  let { attributes, context } = asked;
  let unread: Set<string> | null = null;
  if (withheld !== null) {
    unread = new Set();
    attributes = without(attributes, neverStore, unread);
    context = without(context, neverStore, unread);
    for (const name of unread) {
      if (Object.hasOwn(read.attributes, name) || Object.hasOwn(read.context, name)) withheld.add(name);
    }
  }
  let attributesText = hasAttributes ? JSON.stringify(attributes) : '';
  let contextText = hasContext ? JSON.stringify(context) : '';
  let cut = noNames;
  // No text has more bytes than three times its length: most are short enough without being counted.
  const length = attributesText.length + contextText.length;
  if (length * 3 > wholeQuestionBytes && Buffer.byteLength(attributesText + contextText) > wholeQuestionBytes) {
    const all = { attributes, context };
    attributes = pick(attributes, readSet.attributes);
    if (readSet.context !== null) context = pick(context, readSet.context);
    cut = [
      ...Object.keys(all.attributes).flatMap((name) => (Object.hasOwn(attributes, name) ? [] : [`attributes.${name}`])),
      ...Object.keys(all.context).flatMap((name) => (Object.hasOwn(context, name) ? [] : [`context.${name}`])),
    ].sort();
    attributesText = JSON.stringify(attributes);
    contextText = JSON.stringify(context);
  }
  return {
    attributes: attributesText === '{}' ? '' : attributesText,
    context: contextText === '{}' ? '' : contextText,
    unread,
    cut,
  };
}

/** Strings are the rule, and `JSON.stringify` is slow to start; the canonical form of a string is the same. */
const jsonOf = (value: unknown): string => (typeof value === 'string' ? canonicalJson(value) : JSON.stringify(value));

function countsText({ lanes, lastAt, counts }: ContactCounts, now: number, refs: PlanRefs): string {
  let rows = '';
  let latest = '';
  // Lanes of one campaign are usually neighbors.
  let campaignId: string | null = null;
  let campaignLane = 0;
  for (let i = 0; i < lanes.length; i++) {
    const comma = i === 0 ? '' : ',';
    const lane = lanes[i]!;
    if (lane.campaignId !== null && lane.campaignId === campaignId) {
      rows += `${comma}[${offerText(lane, refs)},${campaignLane}]`;
    } else {
      rows += `${comma}[${laneText(lane, refs)}]`;
      campaignId = lane.campaignId;
      campaignLane = i;
    }
    // A lane without any contact has no latest one, and JSON no infinity.
    latest += `${comma}${Number.isFinite(lastAt[i]) ? now - lastAt[i]! : 'null'}`;
  }
  let windows = '';
  let before = '';
  for (let i = 0; i < counts.length; i++) {
    const text = counts[i]!.join(',');
    // Most windows of most customers count the same.
    windows += `${windows === '' ? '' : ','}${text === before ? '0' : `[${text}]`}`;
    before = text;
  }
  return `[[${rows}],[${latest}],[${windows}]]`;
}

function countersText({ soldOut = [], volumes = [] }: DecisionInput, refs: PlanRefs): string {
  if (soldOut.length + volumes.length === 0) return '';
  const parts: string[] = [];
  if (soldOut.length > 0) parts.push(`"stock":[${soldOut.map((id) => placeOf(refs.offers, id)).join(',')}]`);
  if (volumes.length > 0) parts.push(`"volumes":[${volumes.map((volume) => volumeText(volume, refs)).join(',')}]`);
  return `,"b":{${parts.join(',')}}`;
}

function volumeText(volume: VolumeCount, refs: PlanRefs): string {
  const positions = positionsOf(volume.scope, refs);
  const id = positions === null ? JSON.stringify(volume.scopeId) : placeOf(positions, volume.scopeId);
  const { impressions, spentCents, dayImpressions, daySpentCents } = volume;
  return `["${volume.scope}",${id},${impressions},${spentCents},${dayImpressions},${daySpentCents}]`;
}

/** Returns plan positions of what a scope names; null: store its ids unchanged. */
function positionsOf(scope: VolumeCount['scope'], refs: PlanRefs): ReadonlyMap<string, number> | null {
  return scope === 'offer'
    ? refs.offers
    : scope === 'creative'
      ? refs.creatives
      : scope === 'channel'
        ? refs.channels
        : null;
}

function outcomesText(outcomes: readonly LatestOutcome[], now: number, refs: PlanRefs): string {
  const rows = outcomes.map(({ key, lane, at }) => `[${canonicalJson(key)},${now - at},${laneText(lane, refs)}]`);
  return `[${rows.join(',')}]`;
}

function externalText(external: NonNullable<DecisionInput['external']>, refs: PlanRefs): string {
  const members = Object.entries(external).map(([node, answer]) => {
    if ('error' in answer) return `${canonicalJson(node)}:${canonicalJson(answer.error)}`;
    const rows = answer.candidates.map(
      ({ offerId, score, drop }) => `[${placeOf(refs.offers, offerId)},${score},${drop ? 1 : 0}]`,
    );
    return `${canonicalJson(node)}:[${rows.join(',')}]`;
  });
  return `{${members.join(',')}}`;
}

const laneText = (lane: ContactLane, refs: PlanRefs): string =>
  `${offerText(lane, refs)}${lane.campaignId === null ? '' : `,${canonicalJson(lane.campaignId)}`}`;

const offerText = ({ offerId, creativeId, channelId }: ContactLane, refs: PlanRefs): string =>
  `${placeOf(refs.offers, offerId)},${placeOf(refs.creatives, creativeId)},${placeOf(refs.channels, channelId)}`;

/** Position of an id in the plan, or the id when the plan does not hold it. */
function placeOf(positions: ReadonlyMap<string, number>, id: string | null): number | string | null {
  return id === null ? null : (positions.get(id) ?? canonicalJson(id));
}

/** `campaignId` and `channelIds` have no default: they are absent in real time. */
const requestKeys = [...Object.keys(requestDefaults), 'campaignId', 'channelIds'] as (keyof DecisionRequest)[];

const minuteMs = 60_000;

function packZone(clock: ZoneClock): (number | string | readonly (readonly number[])[])[] {
  const packed: (number | string | readonly (readonly number[])[])[] = [clock.dayStart];
  for (const key of boundaries) packed.push((clock[key] - clock.dayStart) / minuteMs);
  for (const key of wallClock) packed.push(clock[key]);
  if (clock.offsets !== undefined) packed.push(clock.offsets);
  return packed;
}

function isDefault(value: unknown): boolean {
  if (value === null || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
