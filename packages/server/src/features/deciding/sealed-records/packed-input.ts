import {
  type ContactCounts,
  type ContactLane,
  canonicalJson,
  type DecisionInput,
  type DecisionRequest,
  type Evidence,
  type Json,
  type LatestOutcome,
  type ObjectiveCounts,
  type Plan,
  type VolumeCount,
  type ZoneClock,
} from '@arbiter/engine';
import type { PlanRefs, ReadSetNames } from '../plans/index.ts';

/**
 * The inputs of a decision as its sealed record keeps them: every value the engine could read and no more
 * (docs/design/decisioning.md 3). Short keys, because one is written per decision; `unpackInput` is the only reader.
 */
export interface PackedInput {
  /** now */
  readonly n: number;
  /** Request fields that differ from their defaults. */
  readonly q: Partial<DecisionRequest>;
  /** known */
  readonly k: boolean;
  /** profile */
  readonly p: Readonly<Record<string, Json>>;
  /** enriched */
  readonly e?: DecisionInput['enriched'];
  /** segments: all whose membership is kept, also those that the plan does not use */
  readonly g?: readonly string[];
  /** contact counts: lanes as [offer, creative, channel, campaign?] (positions in the plan, or ids it does not hold) */
  readonly c?: readonly [
    lanes: readonly (readonly (number | string | null)[])[],
    lastAt: readonly (number | null)[],
    /** Per window; 0: like the window before. */
    counts: readonly (readonly number[] | 0)[],
  ];
  /** outcomes that policies looked at: key, ms before now, then the lane as in `c`; absent when the plan reads none */
  readonly l?: readonly (readonly (number | string | null)[])[];
  /** suppressions */
  readonly s?: DecisionInput['suppressions'];
  /** number of the evidence state */
  readonly v: number;
  /** zone clocks */
  readonly z: Readonly<Record<string, readonly (number | string | readonly (readonly number[])[])[]>>;
  /** items that a quota left */
  readonly a?: number;
  /** true: figures of joined rows are over the newest of them only */
  readonly f?: boolean;
  /** names that the plan reads and that were withheld by `neverStore`: such a record cannot be replayed */
  readonly w?: readonly string[];
  /** names that were withheld likewise and that the plan does not read */
  readonly u?: readonly string[];
  /** names of attributes and context that were cut because there was too much of them, as `attributes.a`, `context.b` */
  readonly x?: readonly string[];
  /**
   * counters that were used up: `stock`, of offers (positions in the plan) without stock; `volumes` that were near a limit,
   * each [scope, id (positions of offers, creatives and channels), impressions, cents, and both of the day]
   */
  readonly b?: { readonly stock?: readonly (number | string)[]; readonly volumes?: readonly PackedVolume[] };
  /** answers of webhooks by node: [offer (position in the plan, or its id), score, 1 when it drops], or why there is none */
  readonly y?: Readonly<Record<string, PackedAnswer>>;
  /** model states: hash by model key */
  readonly m?: Readonly<Record<string, string>>;
  /** states of circuit breakers by key of the model; those that are closed are left out (`i.k` of docs/design/recording.md: that letter was taken) */
  readonly j?: Readonly<Record<string, 'open'>>;
  // Room for what does not exist yet (docs/adr/0020); no record holds these.
  /** experiment */
  readonly t?: { readonly key: string; readonly variant: string; readonly share: number };
}

export type PackedAnswer = string | readonly (readonly [offer: number | string, score: number | null, drop: 0 | 1])[];

type PackedVolume = readonly [
  scope: VolumeCount['scope'],
  scopeId: number | string | null,
  impressions: number,
  spentCents: number,
  dayImpressions: number,
  daySpentCents: number,
];

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

/** Reduces attributes and context to what the plan can read. The decision itself uses this form. */
export function reduceRequest(request: DecisionRequest, plan: Pick<Plan, 'reads'>): DecisionRequest {
  const { reads } = plan;
  return {
    ...request,
    attributes: pick(request.attributes, reads.attributes),
    context: reads.context === null ? request.context : pick(request.context, reads.context),
  };
}

/**
 * Returns JSON text of what a decision read, in the form of `PackedInput`, written directly from the input, because
 * every decision needs one. `asked`: the question as sent. `segments`: the customer's stored segments, of which the
 * input has those that the plan uses. `withheld`: what the plan reads and must not be stored.
 */
export function inputText(
  input: DecisionInput,
  asked: RequestExtras,
  rules: InputRules,
  zones: ZoneWriter,
  segments: readonly string[] = input.segments,
): { readonly text: string; readonly withheld: readonly string[] } {
  const { neverStore, refs } = rules;
  const withheld = new Set<string>();
  const strip = (values: PackedRow): PackedRow =>
    neverStore.size === 0 ? values : without(values, neverStore, withheld);
  const { request } = input;
  const question = keptQuestion(asked, request, rules, withheld);
  let fields = '';
  for (const key of requestKeys) {
    // The request's id is in the record's own row.
    if (key === 'requestId') continue;
    if (key === 'attributes' || key === 'context') {
      if (question[key] !== '') fields += `${fields === '' ? '' : ','}"${key}":${question[key]}`;
      continue;
    }
    const value = request[key];
    if (value !== undefined && !isDefault(value)) fields += `${fields === '' ? '' : ','}"${key}":${jsonOf(value)}`;
  }
  const profile = JSON.stringify(strip(input.profile));
  const enriched = Object.entries(input.enriched).map(
    ([node, rows]) => [node, rows.map((row) => row && strip(row))] as const,
  );
  // The name of a zone may be such a value: where something is withheld, those that a customer named stay away.
  const clocks =
    withheld.size === 0
      ? input.zones
      : Object.fromEntries(Object.entries(input.zones).filter(([zone]) => rules.plan.zones.includes(zone)));
  let text =
    `{"n":${input.now},"q":{${fields}},"k":${input.known},"p":${profile},` +
    `"v":${input.evidence.number},"z":${zones(clocks)}`;
  if (enriched.length > 0) text += `,"e":${JSON.stringify(Object.fromEntries(enriched))}`;
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
  if (input.joinTruncated === true) text += ',"f":true';
  if (input.quotaLeft !== undefined) text += `,"a":${input.quotaLeft}`;
  const names = withheld.size === 0 ? noNames : [...withheld].sort();
  if (names.length > 0) text += `,"w":${JSON.stringify(names)}`;
  if (question.unread !== null) {
    const unread = [...question.unread].filter((name) => !withheld.has(name)).sort();
    if (unread.length > 0) text += `,"u":${JSON.stringify(unread)}`;
  }
  if (question.cut.length > 0) text += `,"x":${JSON.stringify(question.cut)}`;
  return { text: `${text}}`, withheld: names };
}

type PackedRow = Readonly<Record<string, Json>>;

const noNames: readonly string[] = Object.freeze([]);

/** Returns the values without those that are never stored, whose names are added to `withheld`. */
function without(values: PackedRow, neverStore: ReadonlySet<string>, withheld: Set<string>): PackedRow {
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(values)) {
    if (neverStore.has(name)) withheld.add(name);
    else put(kept, name, value);
  }
  return kept;
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
  withheld: Set<string>,
): KeptQuestion {
  const hasAttributes = !isDefault(asked.attributes);
  const hasContext = !isDefault(asked.context);
  if (!hasAttributes && !hasContext) return noQuestion;
  let { attributes, context } = asked;
  let unread: Set<string> | null = null;
  if (neverStore.size > 0) {
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
  for (let i = 0; i < lanes.length; i++) {
    const comma = i === 0 ? '' : ',';
    rows += `${comma}[${laneText(lanes[i]!, refs)}]`;
    // A lane without any contact has no latest one, and JSON no infinity.
    latest += `${comma}${Number.isFinite(lastAt[i]) ? now - lastAt[i]! : 'null'}`;
  }
  let windows = '';
  let before = '';
  for (const window of counts) {
    const text = window.join(',');
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

function unpackVolume([scope, id, ...counts]: PackedVolume, { snapshot }: PlanRefs): VolumeCount {
  const rows =
    scope === 'offer'
      ? snapshot.offers
      : scope === 'creative'
        ? snapshot.creatives
        : scope === 'channel'
          ? snapshot.channels
          : [];
  const [impressions, spentCents, dayImpressions, daySpentCents] = counts;
  return { scope, scopeId: idOf(rows, id), impressions, spentCents, dayImpressions, daySpentCents };
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

/** The answers of webhooks that a record holds. */
export function unpackExternal(packed: NonNullable<PackedInput['y']>, { snapshot }: PlanRefs): ExternalInput {
  return Object.fromEntries(
    Object.entries(packed).map(([node, answer]) => [
      node,
      typeof answer === 'string'
        ? { error: answer }
        : {
            candidates: answer.map(([offer, score, drop]) => ({
              offerId: idOf(snapshot.offers, offer) ?? '',
              score,
              drop: drop === 1,
            })),
          },
    ]),
  );
}

type ExternalInput = NonNullable<DecisionInput['external']>;

function laneText({ offerId, creativeId, channelId, campaignId }: ContactLane, refs: PlanRefs): string {
  return (
    `${placeOf(refs.offers, offerId)},${placeOf(refs.creatives, creativeId)},` +
    `${placeOf(refs.channels, channelId)}${campaignId === null ? '' : `,${canonicalJson(campaignId)}`}`
  );
}

/** Position of an id in the plan, or the id when the plan does not hold it. */
function placeOf(positions: ReadonlyMap<string, number>, id: string | null): number | string | null {
  return id === null ? null : (positions.get(id) ?? canonicalJson(id));
}

/** The engine input that a record holds. `evidence` is the state that the record numbers. */
export function unpackInput(
  packed: PackedInput,
  facts: {
    readonly requestId: string;
    readonly seed: string;
    readonly evidence: Evidence;
    /** By the hashes in the record. */
    readonly modelStates: ReadonlyMap<string, Json>;
    /** The state of the counts that the record numbers; null when it numbers none. */
    readonly objectiveCounts?: ObjectiveCounts | null;
    readonly windows: number;
    readonly refs: PlanRefs;
  },
): DecisionInput {
  return {
    now: packed.n,
    seed: facts.seed,
    zones: Object.fromEntries(Object.entries(packed.z).map(([zone, values]) => [zone, unpackZone(values)])),
    request: { ...requestDefaults, ...packed.q, requestId: facts.requestId },
    known: packed.k,
    profile: packed.p,
    enriched: packed.e ?? {},
    segments: packed.g ?? [],
    contacts: unpackCounts(packed, facts.windows, facts.refs),
    ...(packed.l === undefined ? {} : { outcomes: unpackOutcomes(packed.l, packed.n, facts.refs) }),
    suppressions: packed.s ?? [],
    ...(packed.b?.stock === undefined
      ? {}
      : { soldOut: packed.b.stock.map((value) => idOf(facts.refs.snapshot.offers, value) ?? '') }),
    ...(packed.b?.volumes === undefined
      ? {}
      : { volumes: packed.b.volumes.map((volume) => unpackVolume(volume, facts.refs)) }),
    evidence: facts.evidence,
    ...((facts.objectiveCounts ?? null) === null ? {} : { objectiveCounts: facts.objectiveCounts ?? undefined }),
    ...(packed.y === undefined ? {} : { external: unpackExternal(packed.y, facts.refs) }),
    ...(packed.m === undefined ? {} : { modelStates: unpackStates(packed.m, facts.modelStates) }),
    ...(packed.j === undefined ? {} : { openBreakers: Object.keys(packed.j) }),
    ...(packed.f === true ? { joinTruncated: true } : {}),
    ...(packed.a === undefined ? {} : { quotaLeft: packed.a }),
  };
}

function unpackStates(
  hashes: NonNullable<PackedInput['m']>,
  states: ReadonlyMap<string, Json>,
): NonNullable<DecisionInput['modelStates']> {
  return Object.fromEntries(
    Object.entries(hashes).map(([key, hash]) => [key, { hash, state: states.get(hash) ?? null }]),
  );
}

type PackedLane = readonly (number | string | null)[];

/** Returns the id at a position; an id is returned unchanged. */
function idOf(rows: readonly { readonly id: string }[], value: number | string | null | undefined): string | null {
  return typeof value === 'number' ? (rows[value]?.id ?? null) : (value ?? null);
}

function unpackLane([offerId, creativeId, channelId, campaignId]: PackedLane, { snapshot }: PlanRefs): ContactLane {
  return {
    offerId: idOf(snapshot.offers, offerId) ?? '',
    creativeId: idOf(snapshot.creatives, creativeId),
    channelId: idOf(snapshot.channels, channelId),
    campaignId: typeof campaignId === 'string' ? campaignId : null,
  };
}

function unpackOutcomes(rows: NonNullable<PackedInput['l']>, now: number, refs: PlanRefs): LatestOutcome[] {
  return rows.map(([key, age, ...lane]) => ({
    key: String(key),
    at: now - Number(age),
    lane: unpackLane(lane, refs),
  }));
}

function unpackCounts(packed: PackedInput, windows: number, refs: PlanRefs): ContactCounts {
  if (!packed.c) return { lanes: [], lastAt: [], counts: Array.from({ length: windows }, () => []) };
  const [lanes, lastAt, counts] = packed.c;
  return {
    lanes: lanes.map((lane) => unpackLane(lane, refs)),
    lastAt: lastAt.map((ms) => (ms === null ? Number.NEGATIVE_INFINITY : packed.n - ms)),
    counts: unpackWindows(counts),
  };
}

/** The counts of all windows. */
export function unpackWindows(packed: readonly (readonly number[] | 0)[]): (readonly number[])[] {
  const counts: (readonly number[])[] = [];
  for (const window of packed) counts.push(window === 0 ? counts.at(-1)! : window);
  return counts;
}

const requestDefaults: DecisionRequest = {
  requestId: '',
  customerId: '',
  channel: null,
  channelId: null,
  placement: null,
  placements: null,
  deduplicate: false,
  limit: null,
  context: {},
  segments: [],
  attributes: {},
  locale: null,
  currency: null,
  excludeOffers: [],
  excludeCreatives: [],
  dryRun: false,
};
/** `campaignId` and `channelIds` have no default: they are absent in real time. */
const requestKeys = [...Object.keys(requestDefaults), 'campaignId', 'channelIds'] as (keyof DecisionRequest)[];
/** Boundaries of a zone's calendar, written as minutes from the first: days begin at whole minutes. */
const boundaries = ['dayEnd', 'weekStart', 'weekEnd', 'monthStart', 'monthEnd', 'days30Start'] as const;
const wallClock = ['date', 'hour', 'minute', 'second', 'weekday'] as const;
const minuteMs = 60_000;

function packZone(clock: ZoneClock): (number | string | readonly (readonly number[])[])[] {
  const packed: (number | string | readonly (readonly number[])[])[] = [clock.dayStart];
  for (const key of boundaries) packed.push((clock[key] - clock.dayStart) / minuteMs);
  for (const key of wallClock) packed.push(clock[key]);
  if (clock.offsets !== undefined) packed.push(clock.offsets);
  return packed;
}

function unpackZone(packed: readonly unknown[]): ZoneClock {
  const dayStart = packed[0] as number;
  const clock: Record<string, unknown> = { dayStart };
  boundaries.forEach((key, i) => {
    clock[key] = dayStart + (packed[i + 1] as number) * minuteMs;
  });
  wallClock.forEach((key, i) => {
    clock[key] = packed[i + 1 + boundaries.length];
  });
  const offsets = packed[1 + boundaries.length + wallClock.length];
  if (offsets !== undefined) clock.offsets = offsets;
  return clock as unknown as ZoneClock;
}

function isDefault(value: unknown): boolean {
  if (value === null || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function pick(values: PackedRow, names: readonly string[]): PackedRow {
  let kept: Record<string, Json> | null = null;
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) {
      kept ??= {};
      put(kept, name, value);
    }
  }
  return kept ?? none;
}

/** Sets a member under any name that JSON may have: an assignment to `__proto__` would set none. */
function put(target: Record<string, Json>, name: string, value: Json): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

const none: PackedRow = Object.freeze({});
