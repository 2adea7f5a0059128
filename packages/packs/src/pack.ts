import type {
  CategoryCreate,
  ChannelCreate,
  ContactPolicyCreate,
  CreativeCreate,
  DataSchemaCreate,
  DecisionFlowCreate,
  OfferCreate,
  OutcomeTypeCreate,
  QualificationRuleCreate,
  SubCategoryCreate,
} from '@arbiter/contract';

/**
 * A demo data pack (docs/design/api-access.md 13): data only. Records have the shape of the contract's create bodies; where those
 * take an id, a pack names the record (`categoryName`, `offerName`, ...) and the loader puts the id in.
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
  readonly qualificationRules: readonly PackQualificationRule[];
  readonly contactPolicies: readonly PackContactPolicy[];
  /** Published on load, in this order. */
  readonly flows: readonly PackFlow[];
  /** A customer who gets at least one item from the first flow on every channel. */
  readonly firstCustomer: string;
}

export type PackField = NonNullable<DataSchemaCreate['fields']>[number];
export type PackRow = Readonly<Record<string, string | number | boolean | null>>;

export interface PackSchema {
  readonly schema: DataSchemaCreate;
  /** The rows, the same at every load but for instants, which end at `loadedAt`. */
  readonly rows: (loadedAt: Date) => readonly PackRow[];
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

export type PackContactPolicy = Omit<ContactPolicyCreate, 'scopeId' | 'scopes'> & {
  readonly scopeName?: string;
};

export type PackFlow = DecisionFlowCreate & {
  /** Notes of the published version. */
  readonly notes: string;
};
