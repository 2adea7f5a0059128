import type { PlanCreative, PlanOffer } from './compile/catalogue.ts';
import type { Plan, Program } from './compile/plan.ts';
import type { PropensitySource } from './decision.ts';
import type { CreativeContacts } from './delivery/pick-creative.ts';
import type { Target } from './delivery/target.ts';
import type { FormulaScope } from './formula/scope.ts';
import type { DecisionInput, DecisionRequest, ZoneClock } from './input.ts';
import type { CountedSet } from './policies/counted-set.ts';
import type { LaneView } from './policies/lane-view.ts';
import type { Prior } from './scoring/propensity.ts';
import type { Json } from './snapshot.ts';
import type { TraceBuilder } from './trace.ts';

/** One decision while it is made. Never leaves the engine. */
export interface Run {
  readonly plan: Plan;
  readonly program: Program;
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
  readonly target: Target;
  readonly holdout: boolean;
  readonly rankMethod: string;
  /** `attributes.propensityScores`. */
  readonly propensityScores: { readonly [key: string]: Json } | null;
  readonly excludedCreatives: ReadonlySet<string> | null;
  /** Normal candidates, in offer order; those of one offer stand together. */
  list: Candidate[];
  mandatory: Candidate[];
  /** Candidates of the pool that are in use. */
  poolUsed: number;
  /** Candidates that got a reason since the last stage was closed. */
  leaving: number;
  /** Offers in `list`. */
  offerCount: number;
  /** Policies that some stage asked, by position in `program.policies`. */
  readonly asked: Uint8Array;
  /** Contacts as each policy counts them, by position in `program.policies`; made when first asked. */
  readonly counted: (CountedSet | undefined)[];
  /** By placement number: whether its targeting lets this request in. */
  readonly openPlacements: (boolean | undefined)[];
  /** The stage that last removed a candidate. */
  lastRemover: string | null;
  readonly droppedByReason: Map<DropReason, number>;
  readonly warnings: string[];
  readonly after: StageCounts;
  /** By category number + 1; made when first asked. */
  readonly priors: (Prior | undefined)[];
  /** Maxima over the candidates that entered the score node. */
  maxMargin: number;
  maxRevenue: number;
  /** Part of relevance by channel number; null without a reference channel. */
  channelParts: Float64Array | null;
  /** By interest number: 1 for an interest of the customer; null when the customer has none. */
  interests: Uint8Array | null;
  /** Counted contacts of the last 30 days by offer number. */
  contacts30Days: ReadonlyMap<number, number>;
  /** Contacts with creatives that have constraints; made when first asked. */
  creativeContacts: CreativeContacts | null;
  readonly trace: TraceBuilder | null;
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

/** Why a candidate leaves (api-decisioning.md 11, api-catalogue.md 5.2, 6, 7). */
export type DropReason =
  | 'schedule'
  | 'excluded'
  | 'emergency_excluded'
  | 'no_creative'
  | 'creative_constraint'
  | 'placement_targeting'
  | 'enrich'
  | 'qualification'
  | 'suppressed'
  | 'contact_policy'
  | 'filter'
  | 'min_propensity'
  | 'min_score'
  | 'mandatory_cap'
  | 'coupling'
  | 'cut';

/**
 * An offer under consideration. With several requested placements there is one candidate per offer and placement it
 * fits, because creative, channel and the gates on them differ.
 */
export interface Candidate {
  offer: PlanOffer;
  creative: PlanCreative | null;
  /** Share of the creative among the usable ones. */
  creativeShare: number;
  /** Position of the requested placement it competes for; -1 when the request names at most one. */
  slot: number;
  /** Placement it would be shown at; null when none is known yet or any of several would do. */
  placementId: string | null;
  /** Product of the penalties of failed match rules. */
  fit: number;
  priority: number;
  score: number;
  /** NaN: not worked out yet; so with the other components. */
  propensity: number;
  propensitySource: PropensitySource;
  positives: number;
  negatives: number;
  relevance: number;
  impact: number;
  emphasis: number;
  /** Position of the allow_override policy that covers it, -1 when none does. */
  override: number;
  /** Why it leaves; null while it stays. */
  reason: DropReason | null;
  /** Rule or policy that removes it, and what it said; for traces. */
  gate: Gate | null;
  taken: boolean;
}

export interface Gate {
  readonly ruleId: string | null;
  readonly policyId: string | null;
  readonly detail: Json;
}

const pools = new WeakMap<Program, Candidate[]>();

/**
 * The plan's own candidates, reused by every decision so that none is allocated on the way. A decision is synchronous
 * and hands out copies only, so two decisions never share one.
 */
export function candidatePool(program: Program): Candidate[] {
  let pool = pools.get(program);
  if (pool === undefined) {
    pool = [];
    pools.set(program, pool);
  }
  return pool;
}

/** Takes candidate number `position` of the pool for an offer and resets it. */
export function takeCandidate(pool: Candidate[], position: number, offer: PlanOffer): Candidate {
  const found = pool[position];
  if (found === undefined) {
    const made = newCandidate(offer);
    pool[position] = made;
    return made;
  }
  found.offer = offer;
  found.creative = null;
  found.creativeShare = 1;
  found.slot = -1;
  found.placementId = null;
  found.fit = 1;
  found.priority = offer.priority;
  found.score = 0;
  found.propensity = Number.NaN;
  found.propensitySource = 'default';
  found.positives = 0;
  found.negatives = 0;
  found.relevance = Number.NaN;
  found.impact = Number.NaN;
  found.emphasis = Number.NaN;
  found.override = -1;
  found.reason = null;
  found.gate = null;
  found.taken = false;
  return found;
}

export function newCandidate(offer: PlanOffer): Candidate {
  return {
    offer,
    creative: null,
    creativeShare: 1,
    slot: -1,
    placementId: null,
    fit: 1,
    priority: offer.priority,
    score: 0,
    propensity: Number.NaN,
    propensitySource: 'default',
    positives: 0,
    negatives: 0,
    relevance: Number.NaN,
    impact: Number.NaN,
    emphasis: Number.NaN,
    override: -1,
    reason: null,
    gate: null,
    taken: false,
  };
}

/** Marks a candidate that leaves at the end of the stage; the first reason stays. */
export function leave(run: Run, candidate: Candidate, reason: DropReason, gate: Gate | null = null): void {
  if (candidate.reason !== null) return;
  candidate.reason = reason;
  candidate.gate = gate;
  run.leaving += 1;
}

/** Points the scope of formulas and conditions at a candidate. */
export function focus(run: Run, candidate: Candidate): void {
  const { scope } = run;
  const creative = candidate.creative;
  scope.offer = candidate.offer.view;
  scope.creative = creative === null ? null : creative.view;
  scope.channel = creative === null ? run.target.channelView : creative.channelView;
  scope.names = candidate.offer.customFields;
}

/** Tie break of api-decisioning.md 1 no. 3: true when `a` stands before `b`. */
export function standsBefore(a: Candidate, b: Candidate): boolean {
  if (a.score !== b.score) return a.score > b.score;
  if (a.priority !== b.priority) return a.priority > b.priority;
  if (a.offer.ordinal !== b.offer.ordinal) return a.offer.ordinal < b.offer.ordinal;
  return a.slot < b.slot;
}
