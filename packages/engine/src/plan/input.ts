import type { Json } from './snapshot.ts';

/** Everything besides the plan that one decision reads. Plain data, so that it can be sealed and replayed. */
export interface DecisionInput {
  /** Epoch ms; the decision's clock. */
  readonly now: number;
  /** 32 hex digits (docs/design/api-decisioning.md 1 no. 5). */
  readonly seed: string;
  /** Wall clock of each zone of `plan.zones`, computed by the server's one zone module (docs/design/quality.md F15). */
  readonly zones: Readonly<Record<string, ZoneClock>>;
  readonly request: DecisionRequest;
  /** True when a customer-type schema or enrich source had a row. */
  readonly known: boolean;
  /** Auto-enriched `customer.*` values: those of `plan.profileFields` that the customer has. */
  readonly profile: Readonly<Record<string, Json>>;
  /** Rows of the enrich nodes: node id -> one row or null per source, in order. */
  readonly enriched: Readonly<Record<string, readonly (Readonly<Record<string, Json>> | null)[]>>;
  /** IDs and names of the stored segments the customer belongs to. */
  readonly segments: readonly string[];
  readonly contacts: ContactCounts;
  /** Outcomes that `plan.outcomeReads` asks for; absent when it is null. */
  readonly outcomes?: readonly LatestOutcome[] | undefined;
  readonly suppressions: readonly Suppression[];
  /** IDs of the plan's offers without stock left; absent or empty: none. */
  readonly soldOut?: readonly string[] | undefined;
  /**
   * Volumes over all customers that are used up, or so nearly that this answer could use them up; those of the plan that
   * are not among them are far from each of their limits. Absent: the plan counts none.
   */
  readonly volumes?: readonly VolumeCount[] | undefined;
  readonly evidence: Evidence;
  /** Counts for ranking objectives, when the plan needs them (`plan.reads.objectiveCounts`). */
  readonly objectiveCounts?: ObjectiveCounts | undefined;
  /** True: a joined schema has more rows of the customer than its aggregates in `profile` cover. */
  readonly joinTruncated?: boolean | undefined;
  /** Answers of webhooks, by node; absent: none was asked. A node without an answer counts as failed. */
  readonly external?: Readonly<Record<string, ExternalAnswer>> | undefined;
  /** Learned states of the plan's models, by their keys; absent when no model of the plan has a state. */
  readonly modelStates?: Readonly<Record<string, ModelState>> | undefined;
  /** Keys of the plan's models that aren't asked because they failed recently; absent: none. */
  readonly openBreakers?: readonly string[] | undefined;
  /** The customer's variants of the plan's experiments, by key of the experiment; absent: none was assigned yet. */
  readonly experiments?: Readonly<Record<string, AssignedVariant>> | undefined;
  /** Items that the tenant may still be given, when a quota holds for it; absent: no quota (docs/design/api-access.md 5.4). */
  readonly quotaLeft?: number | undefined;
}

/** The variant of an experiment that a customer was assigned, for as long as the assignment lasts. */
export interface AssignedVariant {
  /** `__champion__`, `__holdout__` or the key of the challenger. */
  readonly variant: string;
  /** Share of customers that got the variant when the customer was assigned, 0 to 1. */
  readonly share: number;
}

/** A webhook's answer, or the reason it's missing. */
export type ExternalAnswer =
  | { readonly candidates: readonly ExternalEntry[] }
  /** A word such as `timeout`. */
  | { readonly error: string };

export interface ExternalEntry {
  readonly offerId: string;
  /** Null: not given. Finite and at least 0. */
  readonly score: number | null;
  readonly drop: boolean;
}

/** Calendar of one zone at `now`. Ranges are epoch ms, start inclusive, end exclusive; days have 23 to 25 hours. */
export interface ZoneClock {
  readonly dayStart: number;
  readonly dayEnd: number;
  readonly weekStart: number;
  readonly weekEnd: number;
  readonly monthStart: number;
  readonly monthEnd: number;
  /** Start of the local day 29 days before today: "30 days" ending today. */
  readonly days30Start: number;
  /** Local date `YYYY-MM-DD`. */
  readonly date: string;
  /** Local hour 0-23, minute 0-59. */
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 = Sunday. */
  readonly weekday: number;
  /** UTC offsets for dates in formulas, oldest first: `[from, offsetMs]`; absent: the one that holds at `now`. */
  readonly offsets?: readonly (readonly [from: number, offsetMs: number])[];
}

export interface DecisionRequest {
  readonly requestId: string;
  readonly customerId: string;
  readonly channel: string | null;
  readonly channelId: string | null;
  /** Placement id, key, name or slot type. */
  readonly placement: string | null;
  readonly placements: readonly { readonly placementId: string; readonly limit: number | null }[] | null;
  readonly deduplicate: boolean;
  readonly limit: number | null;
  readonly context: Readonly<Record<string, Json>>;
  readonly segments: readonly string[];
  readonly attributes: Readonly<Record<string, Json>>;
  readonly locale: string | null;
  readonly currency: string | null;
  readonly excludeOffers: readonly string[];
  readonly excludeCreatives: readonly string[];
  readonly dryRun: boolean;
  /** Campaign the decision is made for; null or absent in real time. */
  readonly campaignId?: string | null;
  /** The only channels to use, by id; absent: all. Never empty. Not combined with another channel or placement. */
  readonly channelIds?: readonly string[];
}

/** Identity of contacts that are counted together: one lane per (offer, creative, channel, campaign). */
export interface ContactLane {
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly campaignId: string | null;
}

/**
 * A customer's contacts as stored in the state row: counted impressions and open reservations
 * (docs/design/api-catalogue.md 8.1). The log is complete since `keptFrom`; older contacts are only in `totals` and
 * `lastAt`.
 */
export interface Contacts {
  readonly lanes: readonly ContactLane[];
  /** Per lane: counted contacts ever, and instant (epoch ms) of the latest. */
  readonly totals: readonly number[];
  readonly lastAt: readonly number[];
  /** Counted contacts since `keptFrom`, oldest first: lane index and instant. */
  readonly log: readonly { readonly lane: number; readonly at: number }[];
  readonly keptFrom: number;
  readonly reservations: readonly {
    readonly id: string;
    readonly lane: number;
    readonly at: number;
    readonly expiresAt: number;
  }[];
}

/** A counting window of the plan. `rolling`: after now - ms; no decision happens before a contact that counts. */
export type WindowSpec =
  | { readonly kind: 'day' | 'week' | 'month' | 'days30' | 'alltime' }
  | { readonly kind: 'rolling'; readonly ms: number };

/** Contacts folded over `plan.windows` at `now`, including open reservations. A record stores this. */
export interface ContactCounts {
  readonly lanes: readonly ContactLane[];
  readonly lastAt: readonly number[];
  /** `counts[w][lane]` for window w of `plan.windows`. */
  readonly counts: readonly (readonly number[])[];
}

/** The latest instant (epoch ms, of the event) of one outcome with one offer, creative, channel and campaign. */
export interface LatestOutcome {
  /** Key of the outcome type. */
  readonly key: string;
  readonly lane: ContactLane;
  readonly at: number;
}

/** What's counted over all customers: everything, or what's shown of an offer, creative, channel or category. */
export interface VolumeKey {
  readonly scope: 'global' | 'offer' | 'creative' | 'channel' | 'category' | 'subcategory';
  /** Null only for `global`. */
  readonly scopeId: string | null;
}

/** Impressions with open reservations, and booked costs in cents; ever, and on the day of the tenant's zone. */
export interface VolumeCounts {
  readonly impressions: number;
  readonly spentCents: number;
  readonly dayImpressions: number;
  readonly daySpentCents: number;
}

export interface VolumeCount extends VolumeKey, VolumeCounts {}

export interface Suppression {
  readonly scope: 'global' | 'category' | 'offer';
  readonly scopeId: string;
  readonly policyId: string | null;
  readonly reason: string;
  readonly expiresAt: number;
}

/** A model's learned state, identified by its content (docs/design/api-decisioning.md 15, continuous state). */
export interface ModelState {
  /** SHA-256 of the canonical form of the state, in hex. Names it in records. */
  readonly hash: string;
  readonly state: Json;
}

/** Positive and negative outcomes so far, a numbered tenant-wide state (docs/design/api-decisioning.md 3). */
export interface Evidence {
  readonly number: number;
  offer(offerId: string): readonly [positives: number, negatives: number];
  /**
   * While this is the same object, `offer` returns the same pair for an id each time, updated in place: a plan then
   * looks each offer up once, not once per decision. Absent: no such promise.
   */
  readonly pairsOf?: object;
  category(categoryId: string): readonly [positives: number, negatives: number];
  readonly global: readonly [positives: number, negatives: number];
}

/** An offer's recent counts, for days that end today in the tenant's zone. */
export interface OfferCounts {
  /** Over 30 days. */
  readonly impressions: number;
  readonly positives: number;
  readonly converts: number;
  /** Over 7 days. */
  readonly impressions7: number;
}

/** Counts behind the objectives engagement, conversion and fairness: a numbered tenant-wide state (docs/design/api-catalogue.md 17). */
export interface ObjectiveCounts {
  readonly number: number;
  /** Returns all 0 for an offer without counts. */
  offer(offerId: string): OfferCounts;
  /** Over all offers of the tenant, in 7 days. */
  readonly impressions7: number;
}
