import type {
  ContactCounts,
  ContactLane,
  DecisionInput,
  DecisionRequest,
  Evidence,
  LatestOutcome,
  ObjectiveCounts,
  VolumeCount,
  ZoneClock,
} from '../plan/input.ts';
import type { Plan, PlanReads } from '../plan/plan.ts';
import type { Json } from '../plan/snapshot.ts';
import type { PlanRefs } from './plan-refs.ts';

/**
 * The inputs of a decision in its sealed record: exactly the values the engine could read (docs/design/decisioning.md 3).
 * Keys are short because every decision writes one. Only `unpackInput` reads it.
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
  /** segments with stored membership, including those the plan doesn't use */
  readonly g?: readonly string[];
  /**
   * contact counts: lanes as [offer, creative, channel, campaign?] (positions in the plan, or ids it doesn't have); a number as
   * the campaign: the same as in the lane at this position
   */
  readonly c?: readonly [
    lanes: readonly (readonly (number | string | null)[])[],
    lastAt: readonly (number | null)[],
    /** Per window; 0: same as the previous window. */
    counts: readonly (readonly number[] | 0)[],
  ];
  /** outcomes for policies: key, ms before now, lane as in `c`; absent when the plan reads none */
  readonly l?: readonly (readonly (number | string | null)[])[];
  /** suppressions */
  readonly s?: DecisionInput['suppressions'];
  /** number of the evidence state */
  readonly v: number;
  /** zone clocks */
  readonly z: Readonly<Record<string, readonly (number | string | readonly (readonly number[])[])[]>>;
  /** items left in the quota */
  readonly a?: number;
  /** true: aggregates cover only the newest joined rows */
  readonly f?: boolean;
  /** fields that the plan reads but `neverStore` withheld: the record can't be replayed */
  readonly w?: readonly string[];
  /** withheld fields that the plan doesn't read */
  readonly u?: readonly string[];
  /** attributes and context left out because they were too large, as `attributes.a`, `context.b` */
  readonly x?: readonly string[];
  /**
   * exhausted counters: `stock` lists offers (positions in the plan) without stock; `volumes` lists those near a limit, each
   * [scope, id (positions of offers, creatives and channels), impressions, cents, and both of the day]
   */
  readonly b?: { readonly stock?: readonly (number | string)[]; readonly volumes?: readonly PackedVolume[] };
  /** webhook answers by node: [offer (position in the plan, or its id), score, 1 to drop it], or why the call failed */
  readonly y?: Readonly<Record<string, PackedAnswer>>;
  /** model states: hash by model key */
  readonly m?: Readonly<Record<string, string>>;
  /** states of circuit breakers by model key, without closed ones (`i.k` in docs/design/recording.md, but `k` was taken) */
  readonly j?: Readonly<Record<string, 'open'>>;
  /** the experiment of the decision; a list when called flows have their own */
  readonly t?: PackedExperiment | readonly PackedExperiment[];
}

export interface PackedExperiment {
  readonly key: string;
  readonly variant: string;
  /** Share of customers in the variant at the time of the assignment, 0 to 1. */
  readonly share: number;
}

export type PackedAnswer = string | readonly (readonly [offer: number | string, score: number | null, drop: 0 | 1])[];

export type PackedVolume = readonly [
  scope: VolumeCount['scope'],
  scopeId: number | string | null,
  impressions: number,
  spentCents: number,
  dayImpressions: number,
  daySpentCents: number,
];

/** Reduces attributes and context to what the plan can read. Decisions use this form too. */
export function reduceRequest(request: DecisionRequest, plan: Pick<Plan, 'reads'>): DecisionRequest {
  const { reads } = plan;
  return {
    ...request,
    attributes: pick(request.attributes, reads.attributes),
    context: reads.context === null ? request.context : pick(request.context, reads.context),
  };
}

/** Returns the experiments of a record. */
export const experimentsOf = ({ t }: Pick<PackedInput, 't'>): readonly PackedExperiment[] =>
  t === undefined ? [] : 'key' in t ? [t] : t;

export type PackedRow = Readonly<Record<string, Json>>;

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

/** Returns the webhook answers of a record. */
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

/** What a replay needs besides the packed inputs. */
export interface RecordedFacts {
  readonly requestId: string;
  readonly seed: string;
  readonly evidence: Evidence;
  /** By the hashes in the record. */
  readonly modelStates: ReadonlyMap<string, Json>;
  /** The counts that the record refers to; null if none. */
  readonly objectiveCounts?: ObjectiveCounts | null;
  readonly windows: number;
  readonly refs: PlanRefs;
}

/** Returns the engine input of a record. `evidence` is the state that the record refers to. */
export function unpackInput(packed: PackedInput, facts: RecordedFacts): DecisionInput {
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
    ...(packed.t === undefined
      ? {}
      : {
          experiments: Object.fromEntries(
            experimentsOf(packed).map(({ key, variant, share }) => [key, { variant, share }]),
          ),
        }),
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
    lanes: unpackCampaigns(lanes).map((lane) => unpackLane(lane, refs)),
    lastAt: lastAt.map((ms) => (ms === null ? Number.NEGATIVE_INFINITY : packed.n - ms)),
    counts: unpackWindows(counts),
  };
}

/** Returns lanes with the ID of each campaign. */
export const unpackCampaigns = (lanes: readonly PackedLane[]): readonly PackedLane[] =>
  lanes.map((lane) => (typeof lane[3] === 'number' ? [...lane.slice(0, 3), lanes[lane[3]]?.[3] ?? null] : lane));

/** Returns the counts of all windows. */
export function unpackWindows(packed: readonly (readonly number[] | 0)[]): (readonly number[])[] {
  const counts: (readonly number[])[] = [];
  for (const window of packed) counts.push(window === 0 ? counts.at(-1)! : window);
  return counts;
}

export const requestDefaults: DecisionRequest = {
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

/** Boundaries of a zone's calendar, stored in minutes from the first, because days begin at whole minutes. */
export const boundaries = ['dayEnd', 'weekStart', 'weekEnd', 'monthStart', 'monthEnd', 'days30Start'] as const;

export const wallClock = ['date', 'hour', 'minute', 'second', 'weekday'] as const;

const minuteMs = 60_000;

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

export function pick(values: PackedRow, names: readonly string[]): PackedRow {
  let readable: Record<string, Json> | null = null;
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) {
      readable ??= {};
      put(readable, name, value);
    }
  }
  return readable ?? none;
}

/** Sets a property with any name that JSON allows: assigning to `__proto__` wouldn't create one. */
export function put(target: Record<string, Json>, name: string, value: Json): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

const none: PackedRow = Object.freeze({});

/** Whether a plan can test this segment ID or name: something refers to it, or it's a tag or product type. */
export function usesSegment({
  segments,
  interests,
}: Pick<PlanReads, 'segments' | 'interests'>): (word: string) => boolean {
  const named = new Set(segments);
  const liked = new Set(interests);
  return (word) => named.has(word) || liked.has(word.toLowerCase());
}

/**
 * Returns the input that a recorded decision used. Records store more of the request and the customer's segments than the plan
 * reads.
 */
export function recordedInput(
  plan: Pick<Plan, 'reads' | 'windows'>,
  packed: PackedInput,
  facts: Omit<RecordedFacts, 'windows'>,
): DecisionInput {
  const input = unpackInput(packed, { ...facts, windows: plan.windows.length });
  const segments = input.segments.filter(usesSegment(plan.reads));
  return { ...input, segments, request: reduceRequest(input.request, plan) };
}
