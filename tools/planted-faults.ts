/**
 * Faults that the types must catch: in a copy of the sources each text is replaced, and the compiler has to complain about
 * the file that is named. A fault that compiles means that the types promise less than they did.
 */

export interface Fault {
  /** What would go wrong at run time if it compiled. */
  readonly name: string;
  /** Where it is planted, from the repository's root. */
  readonly file: string;
  readonly replace: string;
  readonly by: string;
  /** Where the compiler has to see it; default: where it is planted. */
  readonly seenIn?: string;
}

const features = 'packages/server/src/features/catalogue';

export const faults: readonly Fault[] = [
  {
    name: 'a column that the answer shows is left out of the select',
    file: `${features}/channels/placements.service.ts`,
    replace: "['name', 'offerId', 'placementId', 'status'] as const",
    by: "['name', 'offerId', 'placementId'] as const",
  },
  {
    name: 'a column that the snapshot needs is left out of the select of an SQL text',
    file: `${features}/categories/categories.store.ts`,
    replace: "columns(categorySpec, ['id', 'name', 'customFields'])",
    by: "columns(categorySpec, ['id', 'customFields'])",
  },
  {
    name: 'a row type has a column that the table does not have',
    file: `${features}/channels/channels.store.ts`,
    replace: 'RecordRow<typeof placementResource, { targeting: Json | null }>;',
    by: 'RecordRow<typeof placementResource, { targeting: Json | null; colour: string }>;',
  },
  {
    name: 'a select names a column that the table does not have',
    file: `${features}/outcomes/outcomes.store.ts`,
    replace: "columns(outcomeTypeSpec, ['key',",
    by: "columns(outcomeTypeSpec, ['weight', 'key',",
  },
  {
    name: 'a resource filters by a property without a column',
    file: 'packages/contract/src/catalogue/offers.ts',
    replace: '    status: Type.Optional(OfferStatusSchema),\n',
    by: '    status: Type.Optional(OfferStatusSchema),\n    colour: Type.Optional(OfferStatusSchema),\n',
    seenIn: `${features}/offers/offers.store.ts`,
  },
  {
    name: 'a resource refers to others by a property without a column',
    file: 'packages/contract/src/catalogue/creatives.ts',
    replace: "offerId: { to: 'offer', onDelete: 'cascade' },",
    by: "offer: { to: 'offer', onDelete: 'cascade' },",
    seenIn: `${features}/creatives/creatives.store.ts`,
  },
  {
    name: 'the server has page limits of its own',
    file: `${features}/outcomes/outcomes.routes.ts`,
    replace: '    create: createOutcomeType,\n',
    by: '    create: createOutcomeType,\n    page: { usual: 50, maximum: 500 },\n',
  },
];
