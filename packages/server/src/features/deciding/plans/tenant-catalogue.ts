import type { TenantSettings } from '@arbiter/contract';
import type { JoinedSource, Plan, PlanRefs, SnapshotPolicy } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import type { TriedPolicy } from '../../catalogue/contact-policies/index.ts';
import type { RouteRequest } from '../../catalogue/flow-routes/index.ts';
import type { RunnableFlow } from '../../catalogue/flows/index.ts';
import type { OutcomeTypeFacts } from '../../catalogue/outcomes/index.ts';
import type { SchemaTable } from '../../catalogue/schemas/index.ts';
import type { MembershipReader } from '../../catalogue/segments/index.ts';
import type { DecisionMetric, RealtimeCounter } from '../../data/behavioral-metrics/index.ts';
import type { VolumeRef } from '../volumes/index.ts';
import type { CatalogueRows } from './catalogue-rows.ts';
import type { ReadSet } from './read-set.ts';

/** One version of the tenant's catalogue, as this process holds it: what decisions use. */
export interface TenantCatalogue {
  readonly tenantId: string;
  readonly version: number;
  readonly settings: TenantSettings;
  /** Whether a quota of decisions holds (docs/design/api-access.md 5.4); a tenant is born a playground or never becomes one. */
  readonly isPlayground: boolean;
  /** IDs of the active channels. */
  readonly channelIds: readonly string[];
  /** IDs of channels that no plan holds, because they are not active now. */
  readonly inactiveChannels: ReadonlySet<string>;
  readonly outcomes: ReadonlyMap<string, OutcomeTypeFacts>;
  /** Active policies that write suppressions when an outcome is recorded. */
  readonly outcomePolicies: readonly SnapshotPolicy[];
  /** Their current state, by id: rows that they wrote as something else don't apply. */
  readonly policyMarks: ReadonlyMap<string, string>;
  /** Whether anything is counted over all customers. Events of offers are booked there. */
  readonly countsVolumes: boolean;
  /** What was counted over all customers when this was read. */
  readonly volumes: readonly VolumeRef[];
  /** Where a schema's rows are stored, by schema id. */
  readonly schemaTables: ReadonlyMap<string, SchemaTable>;
  /** Behavioral metrics; none while they are off. */
  readonly metrics: readonly DecisionMetric[];
  /** Adds recorded events to realtime metrics. */
  readonly realtimeCounter: RealtimeCounter;
  /** Offers and creatives, for the next version to reuse. */
  readonly rows: CatalogueRows;
  /** False: the tenant has no runnable flow at all. */
  hasFlow(): boolean;
  /**
   * Returns the flow that runs for an explicit key or id; for null the one that a route assigns to the request, or the
   * default one. A promise when its plan isn't compiled and stored yet. Throws AppError 404 or 409 for an explicit one
   * that can't run, and Error when `hasFlow()` is false.
   */
  flowFor(asked: string | null, request?: RouteRequest): LiveFlow | Promise<LiveFlow>;
  /** Returns the plan of a published version of a flow, not necessarily the newest. Like `flowFor`. */
  flowVersion(flow: RunnableFlow): LiveFlow | Promise<LiveFlow>;
  /**
   * Compiles a flow for a preview only: a draft, an older version, other weights. Neither stored nor cached. Reads
   * offers of statuses that no published flow names, and what the overlay changes.
   */
  compileOnce(flow: RunnableFlow, overlay?: CatalogueOverlay): Promise<LiveFlow>;
  /** Opens a stored plan for a preview only. */
  openOnce(hash: Buffer): Promise<LiveFlow>;
  /** Compiles the plans of some flows that can run, likeliest first, in advance. Stores none. */
  compileAhead(): Promise<void>;
  /** Returns the longest look-back of any compiled plan's windows, in ms. */
  logHorizonMs(): number;
}

/** A flow compiled against the catalogue. Its plan is stored: records may name it. */
export interface CompiledFlow {
  readonly plan: Plan;
  /** Names the plan's content, see `sealPlan`. */
  readonly hash: Buffer;
  readonly neverStore: ReadonlySet<string>;
  /** Paths of the values that rules compare offers with, by rule. */
  readonly comparedWith: ReadonlyMap<string, string>;
  readonly refs: PlanRefs;
  /** Returns a fingerprint of each policy that writes suppressions. */
  readonly outcomePolicyMarks: () => ReadonlyMap<string, string>;
}

/** A flow that decisions are made with now. */
export interface LiveFlow extends CompiledFlow {
  /** Stored as well. */
  readonly readSet: ReadSet;
  /** Linked schemas and joins with all that the read set has of them. */
  readonly joined: readonly JoinedSource[];
  /** Reads the segments of its customers; null: it reads none. */
  readonly membership: MembershipReader | null;
  /** Set if it was compiled with other policies than the catalogue's, in place of its marks. */
  readonly policyMarks?: TenantCatalogue['policyMarks'];
}

/** Changes to the catalogue that aren't stored. */
export interface CatalogueOverlay {
  /** Offers to treat as active, with all their creatives except archived ones. */
  readonly offerIds: readonly string[];
  /** New policies, and policies that replace stored ones with the same id. */
  readonly policies: readonly TriedPolicy[];
}

/** Runs work in a transaction of the catalogue's tenant. */
export type InTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
