import type {
  AlgorithmModelCreate,
  BehavioralMetricCreate,
  CategoryCreate,
  ChannelCreate,
  ContactPolicyCreate,
  CreativeCreate,
  DataSchemaCreate,
  DecisionFlowCreate,
  ExperimentCreate,
  GeofenceCreate,
  JourneyCreate,
  OfferCreate,
  OutcomeTypeCreate,
  QualificationRuleCreate,
  SegmentCreate,
  SubCategoryCreate,
  TriggerCreate,
} from '@arbiter/contract';

/**
 * A demo data pack (docs/design/api-access.md 13): data only. Records have the shape of the contract's create bodies.
 * Where those take an id, a pack has the record's name (`categoryName`, `offerName`, ...) and the loader inserts the
 * id; inside configs, a pack uses `reference`.
 */
export interface Pack {
  /** Dataset key of the API, for example `coffee_rewards`. */
  readonly key: string;
  /** Raised when the generated rows change. Part of the generator's seed. */
  readonly version: number;
  readonly name: string;
  readonly description: string;
  readonly testingFocus: readonly string[];
  /** Source of its data. */
  readonly source: string;
  readonly schemas: readonly PackSchema[];
  /** In addition to the system types that every tenant has. */
  readonly outcomeTypes: readonly OutcomeTypeCreate[];
  readonly categories: readonly PackCategory[];
  readonly channels: readonly ChannelCreate[];
  readonly offers: readonly PackOffer[];
  readonly creatives: readonly PackCreative[];
  readonly segments: readonly PackSegment[];
  readonly models: readonly AlgorithmModelCreate[];
  /** Keys of models that a job trains after the load, and makes active. */
  readonly trainedModels: readonly string[];
  /** Loaded if the tenant's experiments are on. */
  readonly experiments?: readonly PackExperiment[];
  readonly qualificationRules: readonly PackQualificationRule[];
  readonly contactPolicies: readonly PackContactPolicy[];
  /** Published on load, in this order. */
  readonly flows: readonly PackFlow[];
  /** Loaded if the tenant's journeys are on. */
  readonly journeys?: readonly JourneyCreate[];
  /** Those that enroll in journeys are loaded if the tenant's journeys are on. */
  readonly metrics?: readonly BehavioralMetricCreate[];
  readonly triggers?: readonly TriggerCreate[];
  /** Loaded if the tenant's geofences are on. */
  readonly geofences?: readonly GeofenceCreate[];
  /** Events of the 90 days before `loadedAt`, unordered. */
  readonly history: (loadedAt: Date) => Iterable<PackInteraction>;
  /** How customers respond: the probabilities behind the outcomes of `history`, for tests and evaluation. */
  readonly truth: PackTruth;
  /** A customer who gets at least one item from the first flow on every channel. */
  readonly firstCustomer: string;
}

/** An experiment that names models of the pack by their keys. */
export type PackExperiment = Omit<ExperimentCreate, 'championModelId' | 'challengers'> & {
  readonly championModel: string;
  readonly challengers: readonly { readonly model: string; readonly trafficPct: number }[];
};

export type PackField = NonNullable<DataSchemaCreate['fields']>[number];
export type PackRow = Readonly<Record<string, string | number | boolean | null>>;

export interface PackSchema {
  readonly schema: Omit<DataSchemaCreate, 'linkedSchemaId'>;
  /** Name of the pack's schema that this one joins, by `joinMapping`. */
  readonly linkedTo?: string;
  /** How an uploaded file is read. By default its headers are the column names. */
  readonly csv?: PackCsv;
  /** The rows, generated one by one: the same on every load except for instants, which end at `loadedAt`. */
  readonly rows: (loadedAt: Date) => Iterable<PackRow>;
}

export type PackCategory = CategoryCreate & {
  readonly subCategories: readonly Omit<SubCategoryCreate, 'categoryId'>[];
};

export type PackOffer = Omit<OfferCreate, 'categoryId' | 'subCategoryId'> & {
  readonly categoryName: string;
  readonly subCategoryName: string;
};

export type PackCreative = Omit<CreativeCreate, 'offerId' | 'channelId' | 'placementId'> & {
  readonly offerName: string;
  readonly channelName: string;
};

/** `scopeName`: the pack's record that `scope` refers to; left out for `global`. */
export type PackQualificationRule = Omit<QualificationRuleCreate, 'scopeId' | 'scopes'> & {
  readonly scopeName?: string;
};

/** `scopeNames` instead of `scope`: several records that the policy targets. */
export type PackContactPolicy = Omit<ContactPolicyCreate, 'scopeId' | 'scopes'> & {
  readonly scopeName?: string;
  readonly scopeNames?: readonly { readonly scope: 'category' | 'offer' | 'channel'; readonly name: string }[];
};

export type PackFlow = DecisionFlowCreate & {
  /** Notes of the published version. */
  readonly notes: string;
};

export interface PackCsv {
  /** Headers, in lower case, of columns with another name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Columns, and the texts that mean null in them. */
  readonly nulls: Readonly<Record<string, readonly string[]>>;
}

export type PackSegment = Omit<SegmentCreate, 'baseSchemaId' | 'joins'> & { readonly baseSchemaName: string };

/** One row of history: an impression, or the customer's response. */
export interface PackInteraction {
  readonly customerId: string;
  readonly creativeName: string;
  /** Key of an outcome type; `impression` for an impression. */
  readonly outcome: string;
  readonly at: Date;
  /** Value of a conversion in the tenant's currency; otherwise null. */
  readonly value: number | null;
}

/** Probability, 0 to 1, that a customer of the pack responds well to an offer on a channel. */
export type PackTruth = (customer: PackRow, offerName: string, channelName: string) => number;

/** Kinds of records that a pack's configs refer to. */
export const referenceKinds = [
  ...(['category', 'channel', 'decisionFlow', 'journey', 'metric', 'model', 'offer', 'placement', 'segment'] as const),
] as const;
export type ReferenceKind = (typeof referenceKinds)[number];

/**
 * Returns a placeholder for the id of one of the pack's records in a config; for models, for the key. A placement is named
 * `<channel>/<placement>`.
 */
export const reference = (kind: ReferenceKind, name: string): string => `@${kind}/${name}`;

/** Returns the parts of a text made by `reference`, or null. */
export function readReference(text: string): { readonly kind: ReferenceKind; readonly name: string } | null {
  const [kind, ...rest] = text.startsWith('@') ? text.slice(1).split('/') : [];
  const known = referenceKinds.find((each) => each === kind);
  return known === undefined ? null : { kind: known, name: rest.join('/') };
}
