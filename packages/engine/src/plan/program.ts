import type { PlanModels } from './models.ts';
import type { PlanCreative, PlanOffer } from './offer.ts';
import type { Ordinals } from './ordinals.ts';
import type { CompiledPolicy } from './policy.ts';
import type { Explore, Grouping, RankMethod } from './ranking.ts';
import type { Run } from './run.ts';
import type { Optimizing, Scoring } from './scoring.ts';
import type {
  JsonObject,
  Snapshot,
  SnapshotChannel,
  SnapshotInactivePlacement,
  SnapshotPlacement,
} from './snapshot.ts';
import type { AfterRank, Branching, OutputStep, Phases } from './stages.ts';
import type { Template } from './template.ts';
import type { VolumeMatcher } from './volumes.ts';

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
