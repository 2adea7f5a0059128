import type {
  AlgorithmModelCreate,
  CategoryCreate,
  ChannelCreate,
  ContactPolicyCreate,
  CreativeCreate,
  DataSchemaCreate,
  DecisionFlowCreate,
  OfferCreate,
  OutcomeTypeCreate,
  QualificationRuleCreate,
  SegmentCreate,
  SubCategoryCreate,
} from '@arbiter/contract';

/**
 * A demo data pack (docs/design/api-access.md 13): data only. Records have the shape of the contract's create bodies; where those
 * take an id, a pack names the record (`categoryName`, `offerName`, ...) and the loader puts the id in; inside configs a pack names
 * records by `reference`.
 */
export interface Pack {
  /** Dataset key of the API, for example `coffee_rewards`. */
  readonly key: string;
  /** Raised when the generated rows change; part of the generator's seed. */
  readonly version: number;
  readonly name: string;
  readonly description: string;
  readonly testingFocus: readonly string[];
  /** Where its data comes from. */
  readonly source: string;
  readonly schemas: readonly PackSchema[];
  /** Besides the system types that every tenant has. */
  readonly outcomeTypes: readonly OutcomeTypeCreate[];
  readonly categories: readonly PackCategory[];
  readonly channels: readonly ChannelCreate[];
  readonly offers: readonly PackOffer[];
  readonly creatives: readonly PackCreative[];
  readonly segments: readonly PackSegment[];
  readonly models: readonly AlgorithmModelCreate[];
  readonly qualificationRules: readonly PackQualificationRule[];
  readonly contactPolicies: readonly PackContactPolicy[];
  /** Published on load, in this order. */
  readonly flows: readonly PackFlow[];
  /** What happened in the 90 days before `loadedAt`, in no order. */
  readonly history: (loadedAt: Date) => Iterable<PackInteraction>;
  /** How customers answer: what the outcomes of `history` were drawn by, for tests and evaluation. */
  readonly truth: PackTruth;
  /** A customer who gets at least one item from the first flow on every channel. */
  readonly firstCustomer: string;
}

export type PackField = NonNullable<DataSchemaCreate['fields']>[number];
export type PackRow = Readonly<Record<string, string | number | boolean | null>>;

export interface PackSchema {
  readonly schema: Omit<DataSchemaCreate, 'linkedSchemaId'>;
  /** Name of the schema of the pack that this one is linked to, by the schema's `joinMapping`. */
  readonly linkedTo?: string;
  /** How a file that is uploaded is read; by default its headers are the names of the columns. */
  readonly csv?: PackCsv;
  /** The rows, the same at every load but for instants, which end at `loadedAt`; made one by one while they are read. */
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

/** `scopeName`: the record of the pack that `scope` means; left out for `global`. */
export type PackQualificationRule = Omit<QualificationRuleCreate, 'scopeId' | 'scopes'> & {
  readonly scopeName?: string;
};

/** `scopeNames` in place of `scope`: several records that the policy aims at. */
export type PackContactPolicy = Omit<ContactPolicyCreate, 'scopeId' | 'scopes'> & {
  readonly scopeName?: string;
  readonly scopeNames?: readonly { readonly scope: 'category' | 'offer' | 'channel'; readonly name: string }[];
};

export type PackFlow = DecisionFlowCreate & {
  /** Notes of the published version. */
  readonly notes: string;
};

export interface PackCsv {
  /** Headers, in lower case, that stand for a column of another name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Columns, and the texts that mean null in them. */
  readonly nulls: Readonly<Record<string, readonly string[]>>;
}

export type PackSegment = Omit<SegmentCreate, 'baseSchemaId' | 'joins'> & { readonly baseSchemaName: string };

/** One row of history: something that was shown to a customer, or what the customer did about it. */
export interface PackInteraction {
  readonly customerId: string;
  readonly creativeName: string;
  /** Key of an outcome type; `impression` for what was shown. */
  readonly outcome: string;
  readonly at: Date;
  /** What a conversion was worth, in the tenant's currency; null for all else. */
  readonly value: number | null;
}

/** The chance, 0 to 1, that a customer of the pack answers an offer well on a channel. */
export type PackTruth = (customer: PackRow, offerName: string, channelName: string) => number;

/** Kinds of records that configs of a pack name. */
export const referenceKinds = ['category', 'channel', 'model', 'offer', 'placement', 'segment'] as const;
export type ReferenceKind = (typeof referenceKinds)[number];

/** Stands inside a config for the id of a record of the pack, for models for the key; a placement is named `<channel>/<placement>`. */
export const reference = (kind: ReferenceKind, name: string): string => `@${kind}/${name}`;

/** The parts of a text that `reference` made, or null. */
export function readReference(text: string): { readonly kind: ReferenceKind; readonly name: string } | null {
  const [kind, ...rest] = text.startsWith('@') ? text.slice(1).split('/') : [];
  const known = referenceKinds.find((each) => each === kind);
  return known === undefined ? null : { kind: known, name: rest.join('/') };
}
