import type { Candidate } from './candidate.ts';
import type { CalledVariant, ExperimentUse } from './decision.ts';
import type { DropReason } from './drop-reason.ts';
import type { RemovingStage } from './empty-reason.ts';
import type { ForcedWalk } from './forced.ts';
import type { FormulaScope } from './formula.ts';
import type { DecisionInput, DecisionRequest, ZoneClock } from './input.ts';
import type { LaneView } from './lanes.ts';
import type { ModelRun } from './models.ts';
import type { PlanOffer } from './offer.ts';
import type { Plan } from './plan.ts';
import type { Probe } from './probe.ts';
import type { Program } from './program.ts';
import type { AssignedModel, Ladder, Rescoring, ScoredBy, Scoring } from './scoring.ts';
import type { Scratch } from './scratch.ts';
import type { Json, JsonObject } from './snapshot.ts';
import type { Phases } from './stages.ts';
import type { Target } from './target.ts';
import type { TraceBuilder } from './trace.ts';
import type { OpenVolumes } from './volumes.ts';

/** One decision in progress. Never leaves the engine. */
export interface Run {
  /** Different for every decision of the plan; nothing is decided by it. */
  readonly number: number;
  readonly plan: Plan;
  readonly program: Program;
  readonly scratch: Scratch;
  /** The stages that this request runs through. */
  phases: Phases;
  /** The score stage that counts now: that of the flow, or of a flow that it calls. */
  scoring: Scoring;
  /**
   * By number of a list: how a called flow scored its candidates, so that later reports about them match. Null: no
   * called flow has scored.
   */
  rescored: Map<number, ScoredBy> | null;
  /** The stages that gave scores so far, where scores are drawn and change behind the score node; null: nothing keeps them. */
  rescorings: Rescoring[] | null;
  /** Champions and challengers of called flows, in the order in which they scored; null: none did. */
  calledVariants: CalledVariant[] | null;
  /** The ladder whose category expectations are in the scratch, once a called flow has scored. */
  priorsOf: Ladder | null;
  /** Put before the names of stages: empty, or `call_flow:<key>/` in a called flow. */
  prefix: string;
  /** Number of the list that is worked on; 0: that of the flow itself (`PlanParts.own`). */
  origin: number;
  /** Offers of lists that a called flow's list is merged into: what happens to them in the called flow is of no account. */
  present: ReadonlySet<PlanOffer> | null;
  /** Offers whose leaving was recorded since a call that replaces the list began; null: no such call is running. */
  noted: Set<PlanOffer> | null;
  readonly input: DecisionInput;
  readonly request: DecisionRequest;
  readonly now: number;
  /** Clock of the tenant's zone. */
  readonly clock: ZoneClock;
  /** What formulas and conditions read; `offer`, `creative`, `channel`, `score` are set per candidate. */
  readonly scope: FormulaScope;
  /** `customer.*`; enrich nodes add to it. */
  readonly customer: Record<string, Json>;
  readonly segments: ReadonlySet<string>;
  readonly lanes: LaneView;
  /** The customer's outcomes as lanes; null until a policy asks (`outcomesOf`). */
  outcomes: LaneView | null;
  readonly target: Target;
  /** Number of the target among those that the plan remembers; -1 when it depends on more than the channel. */
  readonly targetNumber: number;
  /** An answer has no more items than this. */
  readonly maxItems: number;
  readonly holdout: boolean;
  readonly rankMethod: string;
  /** `selection.method` of items that aren't mandatory: the rank method, or its exploration strategy. */
  readonly selectionMethod: string;
  /** `attributes.propensityScores`. */
  readonly propensityScores: { readonly [key: string]: Json } | null;
  /** Offers without stock left; null: none. */
  readonly soldOut: ReadonlySet<string> | null;
  /** Volumes near their limits, with the items of the answer; null: none. */
  readonly volumes: OpenVolumes | null;
  readonly excludedCreatives: ReadonlySet<string> | null;
  /** Normal candidates in offer order; those of one offer are adjacent. */
  list: Candidate[];
  mandatory: Candidate[];
  /** Candidates of the pool that are in use. */
  poolUsed: number;
  /** Candidates that got a reason since the last stage was closed. */
  leaving: number;
  /** Offers in `list`. */
  offerCount: number;
  /** By placement number: whether its targeting admits this request. */
  readonly openPlacements: (boolean | undefined)[];
  /** The stage that last removed a candidate. */
  lastRemover: RemovingStage | null;
  /** By requested active placement: the stage that last removed a candidate for it; null: none yet. */
  readonly slotRemover: (string | null)[];
  readonly droppedByReason: { [reason in DropReason]?: number };
  /** Candidates that policies removed, by rule type; null while there are none. */
  policyBlocks: Record<string, number> | null;
  /** Times that a policy could not be evaluated, and blocked. */
  policyErrors: number;
  readonly warnings: string[];
  readonly after: StageCounts;
  /** Items that a quota took from the answer. */
  withheldByQuota: number;
  /** Maxima over the candidates that entered the score node. */
  maxMargin: number;
  maxRevenue: number;
  /** Part of relevance by channel number; null without a reference channel. */
  channelParts: Float64Array | null;
  /** By interest number: 1 for an interest of the customer; null when the customer has none. */
  interests: Uint8Array | null;
  /** True when the tally holds the counted contacts of the last 30 days by offer. */
  contacted: boolean;
  /** True when it holds the contacts by creative. */
  creativesCounted: boolean;
  /** True when it holds the contacts with offers that have caps of their own. */
  offerCapsCounted: boolean;
  /** By number of the plan's models: those in use. */
  readonly modelRuns: (ModelRun | undefined)[];
  /** Shadow models that a trace used. */
  shadowRuns: Map<number, ModelRun> | null;
  /** The model, champion or challenger, that scores all candidates; null: settings decide. */
  assigned: AssignedModel | null;
  /** Experiments that scored so far, each once; null: none did. */
  experiments: ExperimentUse[] | null;
  /** True: a required model wasn't available. */
  degraded: boolean;
  readonly trace: TraceBuilder | null;
  /** Called for webhooks without an answer; null: those count as failed. */
  readonly ask: AskExternal | null;
  /** A question about one offer; null for real decisions. */
  readonly probe: Probe | null;
  /**
   * Offers that a gate has refused, while every gate is asked about every offer: no stage removes candidates before the
   * scores. Null: they leave where they're refused, as in every decision, and in a survey from the scores on.
   */
  survey: Set<PlanOffer> | null;
  /** The answer that the walk has to follow; null if the walk decides. */
  forced: ForcedWalk | null;
  /** Called for each finished stage. */
  readonly observe: ((stage: string, nodeId: string | null) => void) | null;
}

/** What a webhook is asked about: at most 200 offers, with score and place if they have any yet. */
export type AskExternal = (
  nodeId: string,
  candidates: readonly AskedCandidate[],
  /** What a model's endpoint is asked instead; absent for webhooks. */
  question?: EndpointQuestion,
) => void;

/** What a model's endpoint is asked. */
export interface EndpointQuestion {
  readonly attributes: JsonObject;
  readonly candidates: readonly { readonly id: string; readonly name: string; readonly attributes: JsonObject }[];
}

export interface AskedCandidate {
  readonly offerId: string;
  readonly score: number | null;
  readonly rank: number | null;
}

export interface StageCounts {
  inventory: number;
  mandatory: number;
  creatives: number;
  qualification: number;
  suppression: number;
  contactPolicy: number;
  scoring: number;
}
