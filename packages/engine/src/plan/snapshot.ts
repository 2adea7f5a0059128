/**
 * What `compile` reads: the tenant's catalogue and one flow as plain data. The hash of this value's canonical form
 * identifies a plan, so it contains only content: no catalogue version, no clock, no counters
 * (docs/design/decisioning.md 2). The server leaves out rows that decisions can't use (deleted, of other status), unless a
 * flow names their status.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface Snapshot {
  readonly format: 1;
  /** How the engine reads this plan (`semantics` in version.ts), for as long as a record names it. */
  readonly semantics: number;
  readonly tenant: SnapshotTenant;
  readonly flow: SnapshotFlow;
  /**
   * The flows that it calls, directly or through others, as far as they can run; in key order. Left out when it calls none, so
   * that plans keep their hashes.
   */
  readonly subFlows?: readonly SnapshotSubFlow[];
  readonly channels: readonly SnapshotChannel[];
  readonly placements: readonly SnapshotPlacement[];
  /**
   * Placements that a request may name but that get nothing, because they or their channels are inactive. Left out when
   * there are none, so that plans keep their hashes.
   */
  readonly inactivePlacements?: readonly SnapshotInactivePlacement[];
  readonly categories: readonly SnapshotCategory[];
  readonly subCategories: readonly SnapshotSubCategory[];
  readonly offers: readonly SnapshotOffer[];
  /**
   * Categories of offers that are not in `offers` (paused, archived, deleted): a cap on a category counts the contacts
   * of all offers now in it. Only needed when a policy has scope category or subcategory, or `per: category`
   * (`needsOfferCategories`); left out otherwise, so that the plan's hash does not move with drafts.
   */
  readonly otherOffers?: readonly SnapshotOfferCategory[];
  readonly creatives: readonly SnapshotCreative[];
  /**
   * Published content that creatives name by `contentItemId`. Absent without any, so that plans keep their hashes.
   */
  readonly contentItems?: readonly SnapshotContentItem[];
  readonly rules: readonly SnapshotRule[];
  readonly policies: readonly SnapshotPolicy[];
  /**
   * Ranking profiles that the flow names, and the tenant's default when it's in effect. Left out when there are none,
   * so that plans keep their hashes.
   */
  readonly rankingProfiles?: readonly SnapshotRankingProfile[];
  /** Schemas the flow can read: auto-enriched ones (oldest first) and those an enrich node names. */
  readonly schemas: readonly SnapshotSchema[];
  /**
   * What linked schemas and joins add to the customer, in the order in which they write names. Left out when there are
   * none, so that plans keep their hashes.
   */
  readonly joins?: readonly SnapshotJoin[];
  /**
   * Behavioral metrics that rules and policies compare. Left out when there are none, so that plans keep their hashes.
   */
  readonly metrics?: readonly SnapshotMetric[];
  /**
   * Usable models that the flow or a rule names. Absent without any, so that plans keep their hashes.
   */
  readonly models?: readonly SnapshotModel[];
  /**
   * Running experiments whose champion is one of these models, and those that a score node names. Left out when there
   * is none, so that plans keep their hashes.
   */
  readonly experiments?: readonly SnapshotExperiment[];
}

/** An experiment as decisions run it (docs/design/api-decisioning.md 16). Models are named by their own keys. */
export interface SnapshotExperiment {
  readonly id: string;
  readonly key: string;
  /** False: the champion scores for everyone, and nobody is assigned. */
  readonly isRunning: boolean;
  readonly champion: string;
  /** Shares in percent; they sum to 100 with those of the challengers. */
  readonly championPct: number;
  readonly challengers: readonly { readonly model: string; readonly trafficPct: number }[];
  readonly holdoutPct: number;
}

/** A behavioral metric. Its value is an input of each decision: `customer.metrics.<key>`. */
export interface SnapshotMetric {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  /** With dimensions, the value is a list of rows `[dimension, ..., value]`. */
  readonly groupBy: readonly ('offerId' | 'channelId' | 'creativeId' | 'outcomeType')[];
  /** True for counts and sums: a customer without a value has 0. */
  readonly zeroIfMissing: boolean;
}

/**
 * A model as decisions score with it (docs/design/api-decisioning.md 15). What it learned is an input of each decision.
 */
export interface SnapshotModel {
  readonly id: string;
  readonly key: string;
  readonly modelType: string;
  readonly config: { readonly [key: string]: Json };
  /** Names, or `{ name, source, type, default }`. */
  readonly predictors: readonly Json[];
  /** Its names in the flow and the rules: its key, its family, or the key of a model that it replaced. Sorted. */
  readonly names: readonly string[];
}

export interface SnapshotTenant {
  /** IANA zone of the cap days. */
  readonly timezone: string;
  /**
   * UTC offsets of that zone, `[from, offsetMs]`, oldest first: what `format_date` needs for instants on the other side
   * of a change of the clock. Only needed when a formula formats dates; left out otherwise.
   */
  readonly offsets?: readonly (readonly [from: number, offsetMs: number])[];
  readonly locale: string;
  readonly currency: string;
  readonly maxOffersPerDecision: number;
  readonly holdoutPercentage: number;
  readonly mandatoryDailyCap: number;
  /**
   * Ranking profile of flows whose score stage has no exponents. Omitted without a profile, or when it isn't in
   * effect.
   */
  readonly defaultArbitrationProfileId?: string;
  /** Attribute names left out of sealed records. */
  readonly neverStore: readonly string[];
}

export interface SnapshotFlow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  /** Entry of publishedVersions; null for a draft. */
  readonly version: number | null;
  readonly couplingOverride: 'partial' | 'atomic' | null;
  readonly config: FlowConfig;
}

/** The last published version of a flow that is called. */
export type SnapshotSubFlow = Pick<SnapshotFlow, 'id' | 'key' | 'version' | 'config'>;

/** Flow config v2 as stored (docs/design/api-decisioning.md 7). */
export interface FlowConfig {
  readonly version: 2;
  readonly nodes: readonly FlowNode[];
  readonly flowConfig?: { readonly [key: string]: Json };
}

export interface FlowNode {
  readonly id: string;
  readonly type: string;
  readonly config?: { readonly [key: string]: Json };
  readonly name?: string;
  readonly enabled?: boolean;
}

export interface SnapshotChannel {
  readonly id: string;
  readonly name: string;
  readonly channelType: string;
  readonly impressionMode: 'implicit' | 'explicit';
  readonly couplingMode: 'partial' | 'atomic';
}

export interface SnapshotPlacement {
  readonly id: string;
  readonly channelId: string;
  readonly name: string;
  readonly key: string;
  readonly slotType: string;
  readonly maxSlots: number;
  /** Condition on `request.`, `attributes.`, `customer.`; false: the placement gets no items (docs/design/api-catalogue.md 5.2). */
  readonly targeting?: Json;
}

export interface SnapshotInactivePlacement {
  readonly id: string;
  readonly name: string;
  readonly channelId: string;
  /** Type of its channel, which doesn't have to be in the snapshot. */
  readonly channelType: string;
  readonly couplingMode: 'partial' | 'atomic';
}

export interface SnapshotCategory {
  readonly id: string;
  readonly name: string;
  readonly customFields?: readonly SnapshotCustomField[];
}

export interface SnapshotSubCategory {
  readonly id: string;
  readonly categoryId: string;
  readonly name: string;
  readonly customFields?: readonly SnapshotCustomField[];
}

/** Definition of a custom field of offers (docs/design/api-catalogue.md 4); `formula` for type computed. */
export interface SnapshotCustomField {
  readonly key: string;
  readonly type: string;
  readonly defaultValue?: Json;
  readonly formula?: string | null;
  readonly outputType?: string | null;
}

export interface SnapshotOfferCategory {
  readonly id: string;
  readonly categoryId: string | null;
  readonly subCategoryId: string | null;
}

export interface SnapshotOffer {
  readonly id: string;
  readonly name: string;
  readonly status: 'draft' | 'active' | 'paused' | 'archived';
  readonly categoryId: string | null;
  readonly subCategoryId: string | null;
  readonly category: string;
  readonly priority: number;
  readonly businessValue: number;
  readonly mandatory: boolean;
  /** Epoch ms; a mandatory offer is no longer forced from then on (docs/design/quality.md E19). */
  readonly mandatoryExpiresAt: number | null;
  readonly emergencyExcluded: boolean;
  readonly description: string;
  readonly shortDesc: string;
  readonly schedule: { readonly [key: string]: Json } | null;
  readonly eligibility: { readonly [key: string]: Json } | null;
  /** Caps of the offer itself (docs/design/api-catalogue.md 6). Left out when there are none, so that plans keep their hashes. */
  readonly frequencyCaps?: { readonly [key: string]: Json };
  /** True: it leaves when its stock is used up. Left out when stock is not tracked, so that plans keep their hashes. */
  readonly tracksStock?: true;
  /**
   * Caps and costs over all customers. Left out when there are none, and while budgets are turned off, so that plans keep
   * their hashes.
   */
  readonly budget?: { readonly [key: string]: Json };
  readonly metadata: { readonly [key: string]: Json };
  readonly tags: readonly string[];
  readonly productType: string | null;
  readonly margin: number | null;
  readonly revenueValue: number | null;
}

export interface SnapshotCreative {
  readonly id: string;
  readonly name: string;
  readonly offerId: string;
  readonly channelId: string;
  readonly placementId: string | null;
  readonly templateType: string;
  /**
   * Its content item, if it names one. If that isn't in `contentItems`, it isn't published, and the creative shows its
   * own content.
   */
  readonly contentItemId?: string;
  readonly content: { readonly [key: string]: Json };
  readonly personalization: readonly PersonalizationEntry[];
  readonly constraints: {
    readonly frequencyCapPerDay?: number;
    readonly cooldownHours?: number;
    readonly priorityOverride?: number;
  };
  readonly abTestVariant: string | null;
  readonly weight: number;
}

/** The last published state of a content item, ready to be rendered (docs/design/api-catalogue.md 3). */
export interface SnapshotContentItem {
  readonly id: string;
  readonly content: { readonly [key: string]: Json };
  /** `{ <variable>: { source, fallback } }` or `{ <variable>: "<source>" }`. */
  readonly personalization: { readonly [key: string]: Json };
  /** The keys `html` and `text` of its content, if its blocks or its own HTML generated them. */
  readonly html?: readonly MarkupPart[];
  readonly text?: readonly MarkupPart[];
}

/** A part of a text that was checked and taken apart: text that is final, a token, or a link with what surrounds it. */
export type MarkupPart = string | MarkupToken | MarkupUrl;

export interface MarkupToken {
  readonly token: string;
  readonly fallback?: string;
  /** Token to use when the first has no value. */
  readonly or?: string;
}

export interface MarkupUrl {
  /** Texts with tokens, rendered like a `*Url` key; the first that is allowed counts. */
  readonly urls: readonly string[];
  readonly before: string;
  readonly after: string;
}

export interface PersonalizationEntry {
  readonly variable: string;
  readonly fallback?: Json;
  readonly source?: string | null;
}

/** One assignment of a rule or policy; `scopeId` null only for `global`. */
export interface ScopeAssignment {
  readonly scope: string;
  readonly scopeId: string | null;
}

export interface SnapshotRule {
  readonly id: string;
  readonly name: string;
  readonly ruleType: string;
  readonly config: { readonly [key: string]: Json };
  readonly scopes: readonly ScopeAssignment[];
  readonly priority: number;
  readonly stage: 'eligibility' | 'fit' | 'match' | 'ranking';
  /** Epoch ms; ties of priority are broken by age, then id. */
  readonly createdAt: number;
}

export interface SnapshotPolicy {
  readonly id: string;
  readonly name: string;
  readonly ruleType: string;
  readonly config: { readonly [key: string]: Json };
  readonly scopes: readonly ScopeAssignment[];
  readonly priority: number;
  readonly createdAt: number;
}

/** Content of a ranking profile only: a new name changes no plan. */
export interface SnapshotRankingProfile {
  readonly id: string;
  /** Objective -> 0 to 1. */
  readonly weights: Readonly<Record<string, number>>;
}

export interface SnapshotSchema {
  readonly id: string;
  readonly name: string;
  readonly schemaType: string;
  readonly autoEnrich: boolean;
  /** Column compared with the customer id (docs/design/api-catalogue.md 2.2 no. 4). */
  readonly rowKey: string;
  /** Column that an enrich node looks up when the schema lacks its `lookupKey`; absent: the row key. */
  readonly primaryKey?: string;
  /** True: the schema is linked to a parent, so its rows are not added to the customer automatically. */
  readonly linked?: boolean;
  /** Columns in ordinal order, the row key included. */
  readonly columns: readonly { readonly name: string; readonly dataType: string; readonly neverStore: boolean }[];
}

/** A linked schema or an active join whose rows every decision reads (docs/design/api-catalogue.md 2.3). */
export interface SnapshotJoin {
  /** The schema whose rows are joined: at most one row for type customer, otherwise any number. */
  readonly schemaId: string;
  /** Its column to compare. */
  readonly lookupColumn: string;
  /** Rows on the path from the customer to the value that is looked up. Empty: the customer id is looked up itself. */
  readonly path: readonly SnapshotJoinStep[];
  /** Put before each name. */
  readonly prefix: string;
  /** Only existing ones. */
  readonly summaryColumns: readonly string[];
}

/** One row on the path; its `column` is looked up next. */
export interface SnapshotJoinStep {
  readonly schemaId: string;
  readonly lookupColumn: string;
  readonly column: string;
}

export type JsonObject = { readonly [key: string]: Json };
