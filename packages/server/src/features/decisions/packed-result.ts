import type { Decision, DecisionItem, DecisionSummary, Json, PropensitySource, Snapshot } from '@arbiter/engine';

/**
 * A decision's result as its record keeps it: what was decided, without what follows from plan and inputs (rendered content
 * and computed fields, which a replay makes again and the result hash covers). Ids are positions in the plan, which the
 * record names by its hash; so a record stays below the size that would have to be compressed.
 */
export interface PackedResult {
  /** Items, see `packItem`. */
  readonly i: readonly (readonly (number | string | null)[])[];
  /** Counts of the summary, see `summaryCounts`. */
  readonly m: readonly number[];
  /** Members that differ from their defaults, under their own names. */
  readonly o: Readonly<Record<string, Json>>;
}

/** Positions of ids in a plan's content, both ways. */
export interface PlanRefs {
  readonly offers: ReadonlyMap<string, number>;
  readonly creatives: ReadonlyMap<string, number>;
  readonly channels: ReadonlyMap<string, number>;
  readonly placements: ReadonlyMap<string, number>;
  readonly snapshot: Pick<Snapshot, 'offers' | 'creatives' | 'channels' | 'placements'>;
}

export function planRefs(snapshot: Snapshot): PlanRefs {
  const positions = (rows: readonly { readonly id: string }[]) => new Map(rows.map((row, at) => [row.id, at]));
  return {
    offers: positions(snapshot.offers),
    creatives: positions(snapshot.creatives),
    channels: positions(snapshot.channels),
    placements: positions(snapshot.placements),
    snapshot,
  };
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

/** Defaults of the members under `o`; what equals them is left out. */
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

export function packResult(decision: Decision, refs: PlanRefs): PackedResult {
  const { summary } = decision;
  const { placementResults, properties, emptyReason, controlGroup, degradedScoring, slateProbability, assignment } =
    decision;
  const { channelCoupling, droppedByReason, warnings } = summary;
  const members: Record<string, unknown> = {
    placementResults,
    properties,
    emptyReason,
    controlGroup,
    degradedScoring,
    slateProbability,
    channelCoupling,
    droppedByReason,
    warnings,
  };
  const o: Record<string, Json> = {};
  for (const [name, value] of Object.entries(members)) if (!isDefault(value, defaults[name]!)) o[name] = value as Json;
  if (
    assignment.experiment !== null ||
    assignment.holdout !== null ||
    assignment.creative.some((share) => share !== 1)
  ) {
    o.assignment = assignment as unknown as Json;
  }
  return { i: decision.items.map((item) => packItem(item, refs)), m: summaryCounts.map((name) => summary[name]), o };
}

/** The result without the answer's properties: a formula may have made them of a value that is never stored. */
export function withoutProperties(packed: PackedResult): PackedResult {
  const { properties: _, ...o } = packed.o;
  return { ...packed, o };
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
  };
}

function packItem(item: DecisionItem, refs: PlanRefs): (number | string | null)[] {
  const c = item.scoreComponents;
  const { selection } = item;
  const flags =
    (item.effect === 'reserve' ? 1 : 0) +
    (item.mandatory ? 2 : 0) +
    (selection.estimated ? 4 : 0) +
    (selection.explored ? 8 : 0);
  const packed: (number | string | null)[] = [
    refs.offers.get(item.offerId)!,
    ref(refs.creatives, item.creativeId),
    ref(refs.channels, item.channelId),
    ref(refs.placements, item.placementId),
    item.placementRank,
    flags,
    item.priority,
    item.score,
    c.propensity,
    c.relevance,
    c.impact,
    c.emphasis,
    c.fitMultiplier,
    sources.indexOf(item.propensitySource),
    selection.probability,
    selection.method,
  ];
  if (item.modelKey !== null || item.modelType !== null) packed.push(item.modelKey, item.modelType);
  return packed;
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
      estimated: (flags & 4) !== 0,
      explored: (flags & 8) !== 0,
      method: packed[15] ?? null,
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
