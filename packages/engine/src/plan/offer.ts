import type { Candidate } from './candidate.ts';
import type { Formula, OutputType } from './formula.ts';
import type { WindowSpec, ZoneClock } from './input.ts';
import type { Wish } from './probe.ts';
import type { RuleVerdict } from './rule.ts';
import type { Run } from './run.ts';
import type { JsonObject, SnapshotContentItem, SnapshotCreative, SnapshotOffer } from './snapshot.ts';
import type { VolumeLimit } from './volumes.ts';

/** An offer of the plan: what does not depend on the decision. Numbers as in `Ordinals`. */
export interface PlanOffer {
  readonly ordinal: number;
  readonly id: string;
  readonly row: SnapshotOffer;
  // Everything that's read for every candidate is here too: with thousands of offers, each further object is a cache
  // miss.
  readonly categoryId: string | null;
  readonly priority: number;
  readonly businessValue: number;
  readonly margin: number | null;
  readonly revenueValue: number | null;
  /** False: active, not mandatory, not excluded, not scheduled, not capped, no stock, no budget, so that inventory need not check it. */
  readonly gated: boolean;
  readonly category: number;
  readonly subCategory: number;
  /** `offer.*` of formulas and conditions. */
  readonly view: JsonObject;
  /** Values of its custom fields by key, defaults filled in: bare names of formulas. */
  readonly customFields: JsonObject;
  /** Computed custom fields in dependency order. */
  readonly computed: readonly ComputedField[];
  /** Numbers of its product type and tags, which are compared with the customer's interests. */
  readonly interests: readonly number[];
  readonly schedule: Schedule | null;
  /** The offer's own caps on contacts with one customer. */
  readonly caps: OfferCaps | null;
  /** The offer's own caps over all customers; null when nothing is counted for it. */
  readonly budget: OfferBudget | null;
  readonly eligibility: Eligibility | null;
  /** In id order. */
  readonly creatives: readonly PlanCreative[];
}

export interface PlanCreative {
  /** Position in `program.creatives`. */
  readonly at: number;
  readonly ordinal: number;
  readonly id: string;
  readonly row: SnapshotCreative;
  /** Published content item that provides the creative's content; null when it has only its own. */
  readonly item: SnapshotContentItem | null;
  readonly weight: number;
  /** Number in `program.channels`. Creatives of other channels aren't in the plan. */
  readonly channel: number;
  /** Number in `program.placements`; NONE means any placement of the channel. */
  readonly placement: number;
  readonly priorityOverride: number | null;
  readonly constrained: boolean;
  readonly view: JsonObject;
  readonly channelView: JsonObject;
}

export interface ComputedField {
  readonly key: string;
  readonly source: string;
  /** Null when the formula can't be compiled or is part of a cycle; `problem` says which. */
  readonly formula: Formula | null;
  readonly problem: { readonly kind: string; readonly error: string } | null;
  readonly outputType: OutputType;
}

export type ScheduleCause = 'not_started' | 'ended' | 'day' | 'hour' | 'unreadable';

/** Says why an offer's schedule is closed, or null when it is open (docs/design/api-catalogue.md 6, docs/design/quality.md E16). */
export interface Schedule {
  readonly zone: string;
  closed(now: number, clock: ZoneClock): ScheduleCause | null;
}

/**
 * The offer's own gate: all keys must hold. Asked in the qualify node before the rules (docs/design/api-catalogue.md
 * 6).
 */
export interface Eligibility {
  readonly readsPropensity: boolean;
  /** Returns the first key that doesn't hold, or null. `waits`: `failsThreshold` asks about the threshold later. */
  fails(run: Run, candidate: Candidate, waits: boolean): string | null;
  failsThreshold(run: Run, candidate: Candidate): string | null;
  explain(run: Run, candidate: Candidate, key: string): RuleVerdict;
  /** Returns what would satisfy the keys that don't hold. */
  wishes(run: Run, candidate: Candidate): readonly Wish[];
}

/** Maximum contacts of one customer with one offer: the offer's `frequencyCaps` (docs/design/api-catalogue.md 6). */
export interface OfferCaps {
  readonly limits: readonly OfferLimit[];
  /** True: the stored value can't be read, so the offer is closed. */
  readonly unreadable: boolean;
}

export interface OfferLimit {
  readonly limit: CapLimit;
  /** Position in `plan.windows`. */
  readonly window: number;
  /** Row of the tally that holds the contacts by offer. */
  readonly row: number;
}

/** One limit of a cap, with the words of its reason and detail. */
export interface CapLimit extends Limit {
  readonly period: string;
  /** In the reason: `day`, `week`, `month`, `total`, `7d`, `12h`. */
  readonly word: string;
  readonly length: { readonly windowDays: number } | { readonly windowHours: number } | null;
}

/** At most `max` contacts in the window. */
export interface Limit {
  readonly spec: WindowSpec;
  readonly max: number;
}

/** Caps and costs of an offer over all customers (docs/design/api-catalogue.md 6, docs/design/api-settled.md 52). */
export interface OfferBudget {
  /** Its number among the plan's volumes. */
  readonly volume: number;
  readonly impressionCents: number;
  readonly limits: readonly (VolumeLimit & { readonly cause: BudgetCause })[];
  /** True: the stored value can't be read, so the offer is closed. */
  readonly unreadable: boolean;
}

export type BudgetCause =
  | 'daily_spend'
  | 'lifetime_spend'
  | 'daily_impressions'
  | 'lifetime_impressions'
  | 'unreadable';
