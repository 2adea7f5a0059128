import Type, { type Static } from 'typebox';
import { cataloguePage } from '../core/pages.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, newestFirst, resource } from '../core/resource.ts';
import { Id, IdFilter, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

/** Statuses of offers and creatives. */
export const offerStatuses = ['draft', 'active', 'paused', 'archived'] as const;
export type OfferStatus = (typeof offerStatuses)[number];

const OfferStatusSchema = StringEnum(offerStatuses, {
  description: 'Only active offers are used in decisions.',
});

/** Validity of an offer (docs/design/api-catalogue.md 6). */
export const OfferSchedule = Type.Object(
  {
    startDate: Type.Optional(
      Nullable(Type.String(), {
        description: 'First day (YYYY-MM-DD, from 00:00) or instant with offset (inclusive).',
      }),
    ),
    endDate: Type.Optional(
      Nullable(Type.String(), {
        description: 'Last day (YYYY-MM-DD, until it ends) or instant with offset (exclusive).',
      }),
    ),
    daysOfWeek: Type.Optional(
      Nullable(Type.Array(Int(0, 6, 'Day of the week. 0 is Sunday.'), { maxItems: 7 }), {
        description: 'Allowed days of the week. Empty or null means every day.',
      }),
    ),
    startHour: Type.Optional(Nullable(Int(0, 24, 'Hour.'), { description: 'First allowed hour, inclusive.' })),
    endHour: Type.Optional(Nullable(Int(0, 24, 'Hour.'), { description: 'End of the allowed hours, exclusive.' })),
    timezone: Type.Optional(Nullable(Type.String(), { description: "IANA time zone. Defaults to the tenant's." })),
  },
  { description: 'When the offer can be shown. Empty means always.' },
);
export type OfferSchedule = Static<typeof OfferSchedule>;

/** Gates of an offer that hold before the qualification rules (docs/design/api-catalogue.md 6). */
export const OfferEligibility = Type.Object(
  {
    propensityThreshold: Type.Optional(
      Nullable(Type.Number({ minimum: 0, maximum: 1 }), { description: 'Minimum propensity, 0 to 1.' }),
    ),
    requiredSegments: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 1000,
        description: 'Segments (id or name) the customer must all be in.',
      }),
    ),
    excludedSegments: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 1000,
        description: 'Segments (id or name) the customer must not be in.',
      }),
    ),
    conditions: Type.Optional(
      Type.Unknown({ description: 'Condition group or list over customer and request values.' }),
    ),
  },
  { description: 'Gates that must all pass. Empty means no gates.' },
);
export type OfferEligibility = Static<typeof OfferEligibility>;

const Cents = (description: string) =>
  Type.Optional(Nullable(Int(0, Number.MAX_SAFE_INTEGER, 'Amount in cents.'), { description }));
const Most = (description: string) =>
  Type.Optional(Nullable(Int(0, Number.MAX_SAFE_INTEGER, 'Impressions.'), { description }));

/** An offer's maximum cost and impressions over all customers (docs/design/api-catalogue.md 6). */
export const OfferBudget = Type.Object(
  {
    currency: Type.Optional(
      Nullable(Type.String(), { description: "ISO 4217 currency code. Defaults to the tenant's currency." }),
    ),
    dailyCapCents: Cents('Maximum cost per day. 0 blocks the offer; null means no limit.'),
    lifetimeCapCents: Cents('Maximum total cost. 0 blocks the offer; null means no limit.'),
    costPerImpressionCents: Cents('Cost of one impression.'),
    costPerClickCents: Cents('Cost of one `click` outcome.'),
    costPerConversionCents: Cents('Cost of one conversion.'),
    dailyMaxImpressions: Most('Maximum impressions per day. 0 blocks the offer; null means no limit.'),
    maxPerDay: Most('Same as `dailyMaxImpressions`.'),
    lifetimeMaxImpressions: Most('Maximum total impressions. 0 blocks the offer; null means no limit.'),
  },
  {
    description:
      'Limits across all customers, and what the offer costs. Empty means no limits. Impressions and their cost never exceed a cap. The cost of an outcome is booked when the outcome arrives, and once a cap is exceeded the offer is no longer shown. If none of the three prices is set, a positive outcome costs its conversion value.',
  },
);
export type OfferBudget = Static<typeof OfferBudget>;

const Counter = (description: string) =>
  Type.Optional(Type.Integer({ description: `${description} Set by the server.` }));

const ShownBudget = Type.Object(
  {
    ...OfferBudget.properties,
    currentDailySpentCents: Counter('Cost today.'),
    currentLifetimeSpentCents: Counter('Total cost.'),
    currentDailyImpressions: Counter('Impressions today.'),
    currentLifetimeImpressions: Counter('Total impressions.'),
    lastDailyResetDate: Type.Optional(
      Nullable(Type.String(), {
        description: "Day of the daily counters, in the tenant's time zone. Set by the server.",
      }),
    ),
  },
  { description: 'Limits across all customers and current usage.' },
);

/** Stock of an offer (docs/design/api-catalogue.md 6). */
export const OfferInventory = Type.Object(
  {
    totalStock: Type.Optional(
      Nullable(Int(0, Number.MAX_SAFE_INTEGER, 'Pieces.'), {
        description: 'Total quantity. Null means stock is not tracked.',
      }),
    ),
  },
  { description: 'Stock. Empty means stock is not tracked. An offer that is out of stock is not shown.' },
);
export type OfferInventory = Static<typeof OfferInventory>;

const Cap = (window: string) =>
  Type.Optional(
    Nullable(Int(0, 1_000_000, 'Contacts.'), {
      description: `Maximum contacts ${window} of one customer with this offer. 0 blocks; null means no limit.`,
    }),
  );

const ShownInventory = Type.Object(
  { ...OfferInventory.properties, remainingStock: Counter('Remaining quantity.') },
  { description: 'Stock and remaining quantity.' },
);

/** How often one customer may be contacted with an offer (docs/design/api-catalogue.md 6). */
export const OfferFrequencyCaps = Type.Object(
  {
    perCustomer: Type.Optional(
      Nullable(
        Type.Object({
          daily: Cap("per day in the tenant's time zone"),
          weekly: Cap("per ISO week in the tenant's time zone"),
          monthly: Cap("per month in the tenant's time zone"),
          total: Cap('ever'),
        }),
        { description: 'Limits per customer. All must be met.' },
      ),
    ),
  },
  { description: 'Caps of the offer itself. Empty means no caps. Mandatory offers obey them too.' },
);
export type OfferFrequencyCaps = Static<typeof OfferFrequencyCaps>;

/** A creative as its offer shows it. */
export const OfferCreativeRef = Type.Object(
  {
    id: Id('Creative.'),
    name: Type.String({ description: 'Name of the creative.' }),
    status: Type.String({ description: 'Status of the creative.' }),
    channelId: Id('Channel of the creative.'),
    placementId: Nullable(Type.String(), { description: 'Placement the creative is bound to, or null.' }),
    templateType: Type.String({ description: 'Template type of the creative.' }),
    weight: Type.Integer({ description: 'Weight of the creative.' }),
    version: Type.Integer({ description: 'Version of the creative.' }),
  },
  { description: 'A creative of the offer.' },
);
export type OfferCreativeRef = Static<typeof OfferCreativeRef>;

const CategoryRef = Type.Object(
  {
    id: Id('Category.'),
    name: Type.String({ description: 'Name of the category.' }),
    status: Type.String({ description: 'Status of the category.' }),
  },
  { description: 'Category of an offer.' },
);

const writable = {
  name: Name('Name. Unique among offers that are not deleted.'),
  status: OfferStatusSchema,
  categoryId: Nullable(Id('Category.'), { description: 'Category of the offer.' }),
  subCategoryId: Nullable(Id('Sub-category.'), { description: 'Sub-category. Must belong to the category.' }),
  category: Type.String({ maxLength: 255, description: 'Legacy label.' }),
  group: Type.String({ maxLength: 255, description: 'Legacy group.' }),
  priority: Int(0, 100, 'Offers with a higher priority are shown first.'),
  businessValue: Type.Number({ minimum: 0, maximum: 100, description: 'Used for the impact component of the score.' }),
  mandatory: Type.Boolean({ description: 'Included in every decision it qualifies for. Only admins can set it.' }),
  mandatoryReason: Nullable(Type.String({ maxLength: 1000 }), { description: 'Why the offer is mandatory.' }),
  mandatoryExpiresAt: Nullable(Timestamp('Instant.'), { description: 'When it stops being mandatory.' }),
  mandatoryApprovedBy: Nullable(Id('User.'), { description: 'Active admin of the tenant who approved it.' }),
  emergencyExcluded: Type.Boolean({ description: 'True: removes the offer from all decisions immediately.' }),
  description: Type.String({ maxLength: 10_000, description: 'Long description.' }),
  shortDesc: Type.String({ maxLength: 500, description: 'Short description.' }),
  eligibility: OfferEligibility,
  budget: OfferBudget,
  schedule: OfferSchedule,
  inventory: OfferInventory,
  frequencyCaps: OfferFrequencyCaps,
  metadata: JsonObject('Free-form data, at most 64 KB.'),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 50, description: 'Labels.' }),
  productType: Nullable(Type.String({ maxLength: 255 }), { description: 'Used to calculate relevance in scoring.' }),
  margin: Nullable(Type.Number(), { description: 'Used for the impact component of the score.' }),
  revenueValue: Nullable(Type.Number({ minimum: 0 }), { description: 'Used for the impact component of the score.' }),
};

/** An offer with its relations. */
export const Offer = Type.Object(
  {
    id: Id('Offer.'),
    tenantId: Id('Tenant.'),
    ...writable,
    budget: ShownBudget,
    inventory: ShownInventory,
    version: Type.Integer({ description: 'Starts at 1 and increases with every update and cascade.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    creatives: Type.Array(OfferCreativeRef, { description: 'Creatives that are not deleted, oldest first.' }),
    categoryRef: Nullable(CategoryRef, { description: 'The category, or null.' }),
    subCategoryRef: Nullable(CategoryRef, { description: 'The sub-category, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'An offer.' },
);
export type Offer = Static<typeof Offer>;

const changes = Type.Partial(Type.Object(writable)).properties;

/** Body of POST: only the name is required. */
export const OfferCreate = Type.Object(
  { ...changes, name: writable.name },
  {
    description:
      'A new offer. Defaults: draft, category "engagement", priority 50, businessValue 50. `mandatory: ' +
      'true` requires the admin role and the three governance fields.',
    examples: [
      {
        name: 'Gold card',
        status: 'active',
        priority: 70,
        businessValue: 60,
        shortDesc: 'No fee in the first year',
        tags: ['card'],
        schedule: { startDate: '2026-01-01', endDate: '2099-12-31' },
      },
    ],
  },
);
export type OfferCreate = Static<typeof OfferCreate>;

const DeletedOffer = {
  description: 'The offer was deleted with its creatives.',
  schema: Type.Object(
    {
      success: Type.Literal(true, { description: 'Always true.' }),
      id: Id('The deleted offer.'),
      cascaded: Type.Integer({ description: 'Number of creatives deleted with it.' }),
    },
    { description: 'What was deleted.' },
  ),
};

const offerDraft: Draft<OfferCreate> = ({ name, marker, id }) => ({
  name: name('Offer'),
  status: 'active',
  categoryId: id('category'),
  subCategoryId: id('subCategory'),
  category: `label ${marker}`,
  group: `group ${marker}`,
  priority: 70,
  businessValue: 60.5,
  emergencyExcluded: false,
  description: `Long text of ${marker}`,
  shortDesc: `Short text of ${marker}`,
  eligibility: {
    excludedSegments: ['nobody'],
    conditions: { field: 'attributes.page', operator: 'neq', value: 'never' },
  },
  budget: { currency: 'EUR', dailyCapCents: 500_000, costPerImpressionCents: 1, lifetimeMaxImpressions: 900_000 },
  schedule: { startDate: '2020-01-01', endDate: '2099-12-31', startHour: 0, endHour: 24, timezone: 'Europe/Paris' },
  frequencyCaps: { perCustomer: { daily: 1_000, weekly: 5_000, monthly: 20_000, total: 1_000_000 } },
  metadata: { campaign: marker, deep: { list: [1, 'two'] } },
  tags: ['tag', marker],
  productType: 'card',
  margin: 1.5,
  revenueValue: 20,
});

/** Offers, described once. */
export const offerResource = resource({
  entityType: 'offer',
  name: 'offers',
  path: 'offers',
  tag: 'Offers',
  noun: 'offer',
  nouns: 'offers',
  writeRole: 'editor',
  softDelete: true,
  readsDeleted: true,
  record: Offer,
  create: OfferCreate,
  draft: offerDraft,
  changes,
  page: cataloguePage,
  order: newestFirst,
  search: ['name'],
  searchOrder: 10,
  filters: {
    status: Type.Optional(OfferStatusSchema),
    categoryId: Type.Optional(IdFilter('Category to filter by.')),
    subCategoryId: Type.Optional(IdFilter('Sub-category to filter by.')),
  },
  queries: {},
  unique: { name: 'duplicate_name' },
  references: {
    categoryId: { to: 'category', onDelete: 'refuse' },
    subCategoryId: { to: 'subCategory', onDelete: 'refuse' },
  },
  files: {
    without: [
      'budget.currentDailyImpressions',
      'budget.currentDailySpentCents',
      'budget.currentLifetimeImpressions',
      'budget.currentLifetimeSpentCents',
      'budget.lastDailyResetDate',
      'inventory.remainingStock',
    ],
    idsInside: ['eligibility'],
  },
  removal: { 200: DeletedOffer },
  errors: { create: ['forbidden', 'feature_disabled'], update: ['forbidden', 'feature_disabled'] },
  rateLimits: [{ limit: 2000, windowSeconds: 60, per: 'tenant', bucket: 'offers' }],
});

export const offerOperations = recordOperations(offerResource);

/** Body of PUT on the collection: `id`, the fields that change, and the precondition `rowVersion`. */
export type OfferUpdate = Static<typeof offerOperations.update.body>;
