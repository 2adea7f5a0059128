import type { Grouping } from '../delivery/allocate.ts';
import type { Explore } from '../delivery/explore.ts';
import type { RankMethod } from '../delivery/rank-method.ts';
import type { VolumeKey, WindowSpec } from '../input.ts';
import type { PlanModel, PlanModels } from '../models/plan-models.ts';
import type { AfterRank } from '../nodes/after-rank.ts';
import type { OutputStep } from '../nodes/output-step.ts';
import type { CompiledPolicy } from '../policies/policy-kind.ts';
import type { VolumeLimit, VolumeMatcher } from '../policies/volumes.ts';
import type { Run } from '../run.ts';
import type { Optimizing } from '../scoring/optimize-stage.ts';
import type { Scoring } from '../scoring/scoring.ts';
import type {
  Snapshot,
  SnapshotCategory,
  SnapshotChannel,
  SnapshotCreative,
  SnapshotFlow,
  SnapshotInactivePlacement,
  SnapshotOffer,
  SnapshotPlacement,
  SnapshotSubCategory,
} from '../snapshot.ts';
import type { Template } from '../templates/template.ts';
import type { Branching } from './branching.ts';
import type { PlanCreative, PlanOffer } from './catalogue.ts';
import type { JsonObject } from './config-problems.ts';
import type { JoinedSource } from './joined-sources.ts';
import type { Phases } from './phases.ts';

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
  readonly models: readonly Pick<PlanModel, 'id' | 'key' | 'type' | 'learns'>[];
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
}

/** The parts of a request that a decision can depend on, so that a record stores those and no more. */
export interface PlanReads {
  /** Top-level names under `attributes.`. */
  readonly attributes: readonly string[];
  /** Names under `request.context.`; null: the whole context. */
  readonly context: readonly string[] | null;
  /** Ids and names of segments that rules, policies and eligibility name. */
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

export interface Program {
  readonly offers: readonly PlanOffer[];
  readonly creatives: readonly PlanCreative[];
  /** The compiled content of a creative. */
  readonly templateOf: (creative: PlanCreative) => Template;
  readonly channels: readonly SnapshotChannel[];
  readonly placements: readonly SnapshotPlacement[];
  readonly placementNumber: ReadonlyMap<string, number>;
  /** Inactive placements, by id. */
  readonly inactivePlacements: ReadonlyMap<string, SnapshotInactivePlacement>;
  /** Channel number by placement number. */
  readonly placementChannel: readonly number[];
  readonly ordinals: Ordinals;
  readonly mandatoryOffers: readonly PlanOffer[];
  readonly mandatoryDailyCap: number;
  /** UTC offsets of the tenant's zone, when a formula may format dates. */
  readonly offsets: Snapshot['tenant']['offsets'] | null;
  readonly holdoutPercentage: number;
  /** Policies of the plan in order of evaluation. */
  readonly policies: readonly CompiledPolicy[];
  /** Null: nothing is counted over all customers. */
  readonly volumes: VolumeMatcher | null;
  /** Configurations of policies, rules and nodes as written, because durations and hours appear under their names. */
  readonly gateConfigs: readonly { readonly id: string; readonly config?: JsonObject }[];
  readonly days30Window: number;
  readonly dayWindow: number;
  /** True when an enrich node adds to `customer.*`. */
  readonly mergesRows: boolean;
  /** `plan.profileFields` as a set. */
  readonly customerFields: ReadonlySet<string>;
  /** Number of each product type and tag, in lower case. */
  readonly interestNumber: ReadonlyMap<string, number>;
  /** The stages of all requests; those of none when `branching` tells them. */
  readonly phases: Phases;
  /** Null: all requests take the same route. */
  readonly branching: Branching | null;
  readonly afterRank: readonly AfterRank[];
  /** True when it calls flows, whether they can run or not. */
  readonly hasCalls: boolean;
  readonly models: PlanModels;
  /** True: something before the score node asks a model that draws. */
  readonly drawsEarly: boolean;
  readonly scoring: Scoring;
  /** Null: scores stay as the score stage computed them. */
  readonly optimize: Optimizing | null;
  readonly rank: RankStage;
  /** Null: placements are filled one after another. */
  readonly group: Grouping | null;
  /** Null: nothing is left to chance. */
  readonly explore: Explore | null;
  readonly output: readonly OutputStep[];
  /** False: a compute node switched computed custom fields off. */
  readonly customFieldsOn: boolean;
  readonly response: ResponseStage;
  /** By position in `placements`. */
  readonly targeting: readonly (PlacementTargeting | null)[];
}

export interface RankStage {
  readonly nodeId: string | null;
  readonly method: RankMethod;
  /** Candidates that pass the node: the smaller of its `topN` and `maxCandidates`; Infinity: all. */
  readonly cut: number;
}

export interface ResponseStage {
  readonly nodeId: string | null;
  readonly format: 'standard' | 'minimal' | 'grouped';
  readonly includeFields: readonly string[];
}

/** False: the placement gets no items for this request. */
export type PlacementTargeting = (run: Run) => boolean;

/** Number for absent things (an offer without category) and for ids that aren't in the plan. */
export const NONE = -1;
export const UNKNOWN = -2;

/** Dense numbers of ids, so that contacts and candidates are compared as integers. */
export interface Ordinals {
  readonly offer: ReadonlyMap<string, number>;
  readonly creative: ReadonlyMap<string, number>;
  readonly channel: ReadonlyMap<string, number>;
  readonly category: ReadonlyMap<string, number>;
  readonly subCategory: ReadonlyMap<string, number>;
  /** Category and sub-category numbers by offer id, offers outside the plan included. */
  readonly offerCategory: ReadonlyMap<string, readonly [category: number, subCategory: number]>;
}
