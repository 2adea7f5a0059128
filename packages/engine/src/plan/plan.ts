import type { VolumeKey, WindowSpec } from './input.ts';
import type { EndpointMapping, PlanModel } from './models.ts';
import type { Ordinals } from './ordinals.ts';
import type { Program } from './program.ts';
import type {
  SnapshotCategory,
  SnapshotChannel,
  SnapshotCreative,
  SnapshotFlow,
  SnapshotJoin,
  SnapshotOffer,
  SnapshotPlacement,
  SnapshotSubCategory,
} from './snapshot.ts';
import type { VolumeLimit } from './volumes.ts';

/**
 * A published flow with the tenant's catalogue, ready to decide: what does not depend on customer and request is
 * worked out here. Made by `compile`, frozen, shared by all decisions of the same catalogue version.
 */
export interface Plan {
  readonly flow: SnapshotFlow;
  /** Zone of the cap days. */
  readonly timezone: string;
  readonly currency: string;
  readonly locale: string;
  /** Counting windows; `ContactCounts.counts` has one row for each, in this order. */
  readonly windows: readonly WindowSpec[];
  /** Zones whose `ZoneClock` the input must contain. The tenant's comes first. */
  readonly zones: readonly string[];
  /** Names under `customer.` that may hold a further zone: the input holds its clock too, when it is a zone. Sorted. */
  readonly zoneFields: readonly string[];
  /** How far back the contact log must reach, in ms. */
  readonly logHorizonMs: number;
  /** A contact that is this long ago is felt by no cooldown, in ms. */
  readonly longestCooldownMs: number;
  /** Which customer outcomes the policies read; null: none. */
  readonly outcomeReads: OutcomeReads | null;
  /** True when some offer leaves once its stock is used up. The input then lists those (`soldOut`). */
  readonly tracksStock: boolean;
  /** What's counted over all customers. The input then has the counts (`volumes`). Null: nothing. */
  readonly volumes: PlanVolumes | null;
  /** Names under `customer.` that anything in the plan can read, sorted. */
  readonly profileFields: readonly string[];
  /** Auto-enriched schemas, in order. The first that has a row with the column provides the value. */
  readonly autoSources: readonly AutoSource[];
  /** Linked schemas and joins, in the order in which they write names; after the auto-enriched schemas. */
  readonly joinedSources: readonly JoinedSource[];
  /** Models that may score decisions. The input has the states of those that learn. */
  readonly models: readonly Pick<PlanModel, 'id' | 'key' | 'type' | 'learns' | 'hasState'>[];
  /** Experiments that may assign customers: their variants are part of the input. */
  readonly experiments: readonly { readonly id: string; readonly key: string }[];
  /** True: a model that decides something draws its scores. */
  readonly drawsScores: boolean;
  /** Sources of the enrich nodes. Rows are passed as `input.enriched[nodeId][position]`. */
  readonly enrichSources: readonly EnrichSource[];
  /** Webhooks to call before a decision; empty in nearly all plans. Answers are passed as `input.external[nodeId]`. */
  readonly webhooks: readonly PlanWebhook[];
  readonly reads: PlanReads;
  readonly limits: PlanLimits;
  readonly names: PlanNames;
  /** Numbers of ids, each kind in id order: records name offers and creatives by them. */
  readonly ordinals: Ordinals;
  /** What the engine itself works with. Not useful to callers. */
  readonly program: Program;
}

export interface OutcomeReads {
  /** Keys of outcome types, sorted; null: all of them. */
  readonly keys: readonly string[] | null;
  /** An outcome that is this long ago is felt by no policy, in ms. */
  readonly horizonMs: number;
}

/** What a plan counts over all customers. */
export interface PlanVolumes {
  readonly counted: readonly PlanVolume[];
  /** Cost of one impression of an offer, in cents. */
  impressionCents(offerId: string): number;
}

export interface PlanVolume extends VolumeKey {
  /** For a category: its current offers, which it sums. Otherwise null. */
  readonly offerIds: readonly string[] | null;
  readonly limits: readonly VolumeLimit[];
}

export interface AutoSource {
  readonly schemaId: string;
  /** Column compared with the customer id. */
  readonly rowKey: string;
  /** Columns that are read. Empty: only whether there is a row matters (`input.known`). */
  readonly columns: readonly string[];
}

export interface EnrichSource extends AutoSource {
  readonly nodeId: string;
  readonly position: number;
  /** Column the value is compared with: `lookupKey`, or the primary key when the schema has no such column. */
  readonly lookupColumn: string;
  /** Path of the value looked up, e.g. `request.customerId` or `customer.account_id`. */
  readonly lookupFrom: string;
  /** Put before the column's name under `customer.`. */
  readonly prefix: string;
  /**
   * 0 when the looked-up value is known before anything is read. Otherwise the round trip, after the first, that reads
   * it: the value may come from auto-enriched rows, or from earlier enrich nodes, whose rows win.
   */
  readonly trip: number;
}

/** A webhook of the plan's flow or of one that it calls. */
export interface PlanWebhook {
  /** The id in the plan; `ownId` is the id in its flow. */
  readonly nodeId: string;
  readonly ownId: string;
  /** Scopes its hidden values. */
  readonly flowId: string;
  readonly flowVersion: number | null;
  readonly hook: string;
  /** As stored, with bullets in place of hidden values. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Of a model's endpoint, whose id is `flowId` and whose hook is `model`; absent for nodes. */
  readonly mapping?: EndpointMapping;
}

/** The parts of a request that a decision can depend on, so that a record stores those and no more. */
export interface PlanReads {
  /** Top-level names under `attributes.`. */
  readonly attributes: readonly string[];
  /** Names under `request.context.`; null: the whole context. */
  readonly context: readonly string[] | null;
  /** IDs and names of segments that rules, policies and eligibility name. */
  readonly segments: readonly string[];
  /** Tags and product types in lower case: segments so named count as interests. */
  readonly interests: readonly string[];
  /** True when evidence decides anything but the components shown with an item. */
  readonly evidenceRanks: boolean;
  /** True when a ranking objective reads the tenant-wide counts: the input then holds them. */
  readonly objectiveCounts: boolean;
}

export interface PlanLimits {
  readonly defaultLimit: number;
  /** Smallest of topN, maxCandidates, response.limit, the tenant's maxOffersPerDecision and 50. */
  readonly cut: number;
}

/** Lookups by id for the answer. */
export interface PlanNames {
  offer(id: string): SnapshotOffer | undefined;
  creative(id: string): SnapshotCreative | undefined;
  channel(id: string): SnapshotChannel | undefined;
  placement(id: string): SnapshotPlacement | undefined;
  category(id: string): SnapshotCategory | undefined;
  subCategory(id: string): SnapshotSubCategory | undefined;
}

/** A value from the joined rows: a column of the only row, or an aggregate over all of them. */
export type JoinedFigure = 'value' | 'count' | 'sum' | 'avg' | 'min' | 'max' | 'last';

export interface JoinedValue {
  /** Name under `customer.`. */
  readonly name: string;
  readonly figure: JoinedFigure;
  /** Column it's computed from; null for `count`. */
  readonly column: string | null;
}

/** A linked schema or a join as decisions read it. */
export interface JoinedSource extends Pick<SnapshotJoin, 'schemaId' | 'lookupColumn' | 'path'> {
  /** False: at most one row counts, and it makes the customer known. */
  readonly isMany: boolean;
  readonly values: readonly JoinedValue[];
}
