import Type, { type Static } from 'typebox';
import { cataloguePage } from './core/pages.ts';
import { recordOperations } from './core/record-operations.ts';
import { type Draft, newestFirst, resource } from './core/resource.ts';
import { Id, IdFilter, Int, JsonObject, Name, Nullable, StringEnum, Timestamp } from './core/schemas.ts';

/** Statuses of offers and creatives (part 2, section 2). */
export const offerStatuses = ['draft', 'active', 'paused', 'archived'] as const;
export type OfferStatus = (typeof offerStatuses)[number];

const OfferStatusSchema = StringEnum(offerStatuses, {
  description: 'Only active offers take part in decisions.',
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
        description: 'Last day (YYYY-MM-DD, to its end) or instant with offset (exclusive).',
      }),
    ),
    daysOfWeek: Type.Optional(
      Nullable(Type.Array(Int(0, 6, 'Day, 0 = Sunday.'), { maxItems: 7 }), {
        description: 'Allowed days; empty or null = all.',
      }),
    ),
    startHour: Type.Optional(Nullable(Int(0, 24, 'Hour.'), { description: 'First allowed hour, inclusive.' })),
    endHour: Type.Optional(Nullable(Int(0, 24, 'Hour.'), { description: 'End of the allowed hours, exclusive.' })),
    timezone: Type.Optional(Nullable(Type.String(), { description: "IANA zone; null = the tenant's zone." })),
  },
  { description: 'When the offer may be decided; empty = always.' },
);
export type OfferSchedule = Static<typeof OfferSchedule>;

/** Gates of an offer that hold before the qualification rules (docs/design/api-catalogue.md 6). */
export const OfferEligibility = Type.Object(
  {
    propensityThreshold: Type.Optional(
      Nullable(Type.Number({ minimum: 0, maximum: 1 }), { description: 'Least propensity, 0 to 1.' }),
    ),
    requiredSegments: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 1000,
        description: 'Segments (id or name) the customer must all belong to.',
      }),
    ),
    excludedSegments: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 1000,
        description: 'Segments (id or name) the customer must not belong to.',
      }),
    ),
    conditions: Type.Optional(
      Type.Unknown({ description: 'Condition group or list over customer and request values.' }),
    ),
  },
  { description: 'Gates that must all hold; empty = none.' },
);
export type OfferEligibility = Static<typeof OfferEligibility>;

const Cents = (description: string) =>
  Type.Optional(Nullable(Int(0, Number.MAX_SAFE_INTEGER, 'Cents.'), { description }));
const Most = (description: string) =>
  Type.Optional(Nullable(Int(0, Number.MAX_SAFE_INTEGER, 'Impressions.'), { description }));

/** What an offer may cost, and how often it may be shown to all customers together (docs/design/api-catalogue.md 6). */
export const OfferBudget = Type.Object(
  {
    currency: Type.Optional(Nullable(Type.String(), { description: "ISO 4217 code; null = the tenant's currency." })),
    dailyCapCents: Cents('Most that a day may cost; 0 closes the offer, null = no limit.'),
    lifetimeCapCents: Cents('Most that the offer may cost; 0 closes the offer, null = no limit.'),
    costPerImpressionCents: Cents('Cost of one impression.'),
    costPerClickCents: Cents('Cost of one outcome `click`.'),
    costPerConversionCents: Cents('Cost of one outcome that is a conversion.'),
    dailyMaxImpressions: Most('Most impressions of a day; 0 closes the offer, null = no limit.'),
    maxPerDay: Most('Same as dailyMaxImpressions.'),
    lifetimeMaxImpressions: Most('Most impressions ever; 0 closes the offer, null = no limit.'),
  },
  {
    description:
      'Limits over all customers, and what the offer costs; empty = none. Impressions and their cost never exceed a cap; the cost of outcomes is booked when it comes, and the offer leaves from then on. Without any of the three prices a positive outcome costs its conversion value.',
  },
);
export type OfferBudget = Static<typeof OfferBudget>;

const Counter = (description: string) => Type.Optional(Type.Integer({ description: `${description} Server-owned.` }));

const ShownBudget = Type.Object(
  {
    ...OfferBudget.properties,
    currentDailySpentCents: Counter('Cost of the day so far.'),
    currentLifetimeSpentCents: Counter('Cost so far.'),
    currentDailyImpressions: Counter('Impressions of the day so far.'),
    currentLifetimeImpressions: Counter('Impressions so far.'),
    lastDailyResetDate: Type.Optional(
      Nullable(Type.String(), {
        description: "Day in the tenant's zone that the daily counters are of. Server-owned.",
      }),
    ),
  },
  { description: 'Limits over all customers, and what they were used for so far.' },
);

/** Stock of an offer (docs/design/api-catalogue.md 6). */
export const OfferInventory = Type.Object(
  {
    totalStock: Type.Optional(
      Nullable(Int(0, Number.MAX_SAFE_INTEGER, 'Pieces.'), { description: 'Pieces in all; null = untracked.' }),
    ),
  },
  { description: 'Stock; empty = untracked. An offer whose stock is used up is not shown.' },
);
export type OfferInventory = Static<typeof OfferInventory>;

const Cap = (window: string) =>
  Type.Optional(
    Nullable(Int(0, 1_000_000, 'Contacts.'), {
      description: `Most contacts ${window} of one customer with this offer; 0 blocks, null = no limit.`,
    }),
  );

const ShownInventory = Type.Object(
  { ...OfferInventory.properties, remainingStock: Counter('Pieces that are left.') },
  { description: 'Stock, and what is left of it.' },
);

/** How often one customer may be contacted with an offer (docs/design/api-catalogue.md 6). */
export const OfferFrequencyCaps = Type.Object(
  {
    perCustomer: Type.Optional(
      Nullable(
        Type.Object({
          daily: Cap("in a day of the tenant's zone"),
          weekly: Cap("in an ISO week of the tenant's zone"),
          monthly: Cap("in a month of the tenant's zone"),
          total: Cap('ever'),
        }),
        { description: 'Limits for each customer; all must hold.' },
      ),
    ),
  },
  { description: 'Caps of the offer itself; empty = none. Mandatory offers obey them too.' },
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
    weight: Type.Integer({ description: 'Share weight of the creative.' }),
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
  { description: 'A category as an offer shows it.' },
);

const writable = {
  name: Name('Unique among offers that are not deleted.'),
  status: OfferStatusSchema,
  categoryId: Nullable(Id('Category.'), { description: 'Category of the offer.' }),
  subCategoryId: Nullable(Id('Sub-category.'), { description: 'Sub-category; must belong to the category.' }),
  category: Type.String({ maxLength: 255, description: 'Legacy label.' }),
  group: Type.String({ maxLength: 255, description: 'Legacy group.' }),
  priority: Int(0, 100, 'Higher is shown first.'),
  businessValue: Type.Number({ minimum: 0, maximum: 100, description: 'Feeds the impact component.' }),
  mandatory: Type.Boolean({ description: 'Forced into every answer it qualifies for. Set by admins only.' }),
  mandatoryReason: Nullable(Type.String({ maxLength: 1000 }), { description: 'Why the offer is mandatory.' }),
  mandatoryExpiresAt: Nullable(Timestamp('Instant.'), { description: 'When it stops being mandatory.' }),
  mandatoryApprovedBy: Nullable(Id('User.'), { description: 'Active admin of the tenant who approved it.' }),
  emergencyExcluded: Type.Boolean({ description: 'True takes the offer out of every decision at once.' }),
  description: Type.String({ maxLength: 10_000, description: 'Long text.' }),
  shortDesc: Type.String({ maxLength: 500, description: 'Short text.' }),
  eligibility: OfferEligibility,
  budget: OfferBudget,
  schedule: OfferSchedule,
  inventory: OfferInventory,
  frequencyCaps: OfferFrequencyCaps,
  metadata: JsonObject('Free data, at most 64 KB.'),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 50, description: 'Labels.' }),
  productType: Nullable(Type.String({ maxLength: 255 }), { description: 'Used for relevance in scoring.' }),
  margin: Nullable(Type.Number(), { description: 'Feeds the impact component.' }),
  revenueValue: Nullable(Type.Number({ minimum: 0 }), { description: 'Feeds the impact component.' }),
};

/** An offer with its relations (part 2, section 2). */
export const Offer = Type.Object(
  {
    id: Id('Offer.'),
    tenantId: Id('Tenant.'),
    ...writable,
    budget: ShownBudget,
    inventory: ShownInventory,
    version: Type.Integer({ description: 'Starts at 1, rises with every update and cascade.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    creatives: Type.Array(OfferCreativeRef, { description: 'Its creatives that are not deleted, oldest first.' }),
    categoryRef: Nullable(CategoryRef, { description: 'The category, or null.' }),
    subCategoryRef: Nullable(CategoryRef, { description: 'The sub-category, or null.' }),
    createdAt: Timestamp('When it was made.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'An offer.' },
);
export type Offer = Static<typeof Offer>;

const changes = Type.Partial(Type.Object(writable)).properties;

/** Body of POST: only the name is required (part 2, 4.3). */
export const OfferCreate = Type.Object(
  { ...changes, name: writable.name },
  {
    description:
      'A new offer. Defaults: draft, category "engagement", priority 50, businessValue 50. ' +
      '`mandatory: true` needs role admin and its three governance fields.',
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
  description: 'Deleted, with its creatives.',
  schema: Type.Object(
    {
      success: Type.Literal(true, { description: 'Always true.' }),
      id: Id('The deleted offer.'),
      cascaded: Type.Integer({ description: 'Creatives that were deleted with it.' }),
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
  filters: {
    status: Type.Optional(OfferStatusSchema),
    categoryId: Type.Optional(IdFilter('Only offers of this category.')),
    subCategoryId: Type.Optional(IdFilter('Only offers of this sub-category.')),
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
