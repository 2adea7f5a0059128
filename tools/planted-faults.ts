/**
 * Faults that types must catch: each text is replaced in a copy of the sources, and the compiler has to report the
 * named file. If a fault compiles, a type guarantee has been lost.
 */

export interface Fault {
  /** What would go wrong at run time. */
  readonly name: string;
  /** File to change, from the repository's root. */
  readonly file: string;
  readonly replace: string;
  readonly by: string;
  /** File where the compiler reports it. Default: the changed file. */
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
    by: 'RecordRow<typeof placementResource, { targeting: Json | null; color: string }>;',
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
    by: '    status: Type.Optional(OfferStatusSchema),\n    color: Type.Optional(OfferStatusSchema),\n',
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
  {
    name: 'an answer has every column of its row, without a function that shows it',
    file: 'packages/server/src/features/data/pipelines/pipelines.routes.ts',
    replace: '    show: showPipelines,\n',
    // Each name stays in use, because the compiler reports unused imports, too.
    by: '    showPast: (row) => ({ row, showPipelines }),\n',
  },
  {
    name: 'a record that refers to another is created without looking for it',
    file: `${features}/decision-tests/decision-tests.routes.ts`,
    replace: '    create: createDecisionTest,\n',
    by: '    showPast: (row) => ({ row, createDecisionTest }),\n',
  },
  {
    name: 'a deletion that answers something answers nothing',
    file: `${features}/creatives/creatives.routes.ts`,
    replace: '    remove: async (tx, id, addressed) => reply(200, await deleteCreative(tx, id, addressed)),\n',
    by: '    showPast: (row) => ({ row, reply, deleteCreative }),\n',
  },
  {
    name: 'a port that operations need is not connected',
    file: 'packages/server/src/main/ports.ts',
    replace: '  findModelUses: flowsScoringBy,\n',
    by: '',
    seenIn: 'packages/server/src/main/process-ports.ts',
  },
  {
    name: 'a port that jobs need is not connected',
    file: 'packages/server/src/main/ports.ts',
    replace: '  filesOf: reportFiles,\n',
    by: '',
    seenIn: 'packages/server/src/main/process-ports.ts',
  },
];
