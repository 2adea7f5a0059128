import type { ContactCounts, DecisionInput, DecisionRequest, Evidence, Json, Plan, ZoneClock } from '@arbiter/engine';

/**
 * The inputs of a decision as its sealed record keeps them: every value the engine could read and no more
 * (decisioning.md 3). Short keys, because one is written per decision; `unpackInput` is the only reader.
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
  /** segments */
  readonly g?: readonly string[];
  /** contact counts: lanes as [offer, creative, channel, campaign], lastAt, counts by window */
  readonly c?: readonly [
    lanes: readonly (readonly (string | null)[])[],
    lastAt: readonly number[],
    counts: readonly (readonly number[])[],
  ];
  /** suppressions */
  readonly s?: DecisionInput['suppressions'];
  /** number of the evidence state */
  readonly v: number;
  /** zone clocks */
  readonly z: Readonly<Record<string, readonly (number | string)[]>>;
  /** names that were withheld by `neverStore` */
  readonly w?: readonly string[];
}

/** Cuts attributes and context down to what the plan can read; the decision itself runs on this form. */
export function reduceRequest(request: DecisionRequest, plan: Plan): DecisionRequest {
  const { reads } = plan;
  return {
    ...request,
    attributes: pick(request.attributes, reads.attributes),
    context: reads.context === null ? request.context : pick(request.context, reads.context),
  };
}

/** Packs what a decision read. `neverStore`: names of attributes and columns that are left out. */
export function packInput(input: DecisionInput, neverStore: ReadonlySet<string>): PackedInput {
  const withheld = new Set<string>();
  const strip = (values: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> => {
    if (neverStore.size === 0) return values;
    const kept: Record<string, Json> = {};
    for (const [name, value] of Object.entries(values)) {
      if (neverStore.has(name)) withheld.add(name);
      else kept[name] = value;
    }
    return kept;
  };
  const q: Record<string, unknown> = {};
  for (const key of requestKeys) {
    const value = key === 'attributes' ? strip(input.request.attributes) : input.request[key];
    if (!isDefault(value)) q[key] = value;
  }
  const enriched = Object.entries(input.enriched);
  const { contacts } = input;
  const packed: Record<string, unknown> = {
    n: input.now,
    q,
    k: input.known,
    p: strip(input.profile),
    v: input.evidence.number,
    z: Object.fromEntries(Object.entries(input.zones).map(([zone, clock]) => [zone, zoneKeys.map((k) => clock[k])])),
  };
  if (enriched.length > 0) {
    packed.e = Object.fromEntries(enriched.map(([node, rows]) => [node, rows.map((row) => row && strip(row))]));
  }
  if (input.segments.length > 0) packed.g = input.segments;
  if (contacts.lanes.length > 0) {
    packed.c = [
      contacts.lanes.map((l) => [l.offerId, l.creativeId, l.channelId, l.campaignId]),
      contacts.lastAt,
      contacts.counts,
    ];
  }
  if (input.suppressions.length > 0) packed.s = input.suppressions;
  if (withheld.size > 0) packed.w = [...withheld].sort();
  return packed as unknown as PackedInput;
}

/** The engine input that a record holds. `evidence` is the state that the record numbers. */
export function unpackInput(packed: PackedInput, seed: string, evidence: Evidence, windows: number): DecisionInput {
  return {
    now: packed.n,
    seed,
    zones: Object.fromEntries(
      Object.entries(packed.z).map(([zone, values]) => [
        zone,
        Object.fromEntries(zoneKeys.map((key, i) => [key, values[i]])) as unknown as ZoneClock,
      ]),
    ),
    request: { ...requestDefaults, ...packed.q },
    known: packed.k,
    profile: packed.p,
    enriched: packed.e ?? {},
    segments: packed.g ?? [],
    contacts: unpackCounts(packed, windows),
    suppressions: packed.s ?? [],
    evidence,
  };
}

function unpackCounts(packed: PackedInput, windows: number): ContactCounts {
  if (!packed.c) return { lanes: [], lastAt: [], counts: Array.from({ length: windows }, () => []) };
  const [lanes, lastAt, counts] = packed.c;
  return {
    lanes: lanes.map(([offerId, creativeId, channelId, campaignId]) => ({
      offerId: offerId!,
      creativeId: creativeId ?? null,
      channelId: channelId ?? null,
      campaignId: campaignId ?? null,
    })),
    lastAt,
    counts,
  };
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
const requestKeys = Object.keys(requestDefaults) as (keyof DecisionRequest)[];
const zoneKeys = [
  'dayStart',
  'dayEnd',
  'weekStart',
  'weekEnd',
  'monthStart',
  'monthEnd',
  'days30Start',
  'date',
  'hour',
  'minute',
  'second',
  'weekday',
] as const satisfies readonly (keyof ZoneClock)[];

function isDefault(value: unknown): boolean {
  if (value === null || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function pick(values: Readonly<Record<string, Json>>, names: readonly string[]): Readonly<Record<string, Json>> {
  let kept: Record<string, Json> | null = null;
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) {
      kept ??= {};
      kept[name] = value;
    }
  }
  return kept ?? none;
}

const none: Readonly<Record<string, Json>> = Object.freeze({});
