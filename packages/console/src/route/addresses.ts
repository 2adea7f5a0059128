import { writeSearch } from './search.ts';

/**
 * The addresses that screens link to, so that features can link to each other. Record kinds have those of their list and
 * records (`records/record-kinds.ts`). A test compares these with the manifest: don't link to screens that don't exist.
 */

const part = (id: string): string => encodeURIComponent(id);
type AddressSearch = Readonly<Record<string, unknown>>;

export const addresses = {
  home: () => '/',
  decisions: (search: AddressSearch = {}) => `/decisions${writeSearch(search)}`,
  decision: (id: string, search: AddressSearch = {}) => `/decisions/${part(id)}${writeSearch(search)}`,
  compare: (a: string, b: string) => `/decisions/compare${writeSearch({ a, b })}`,
  simulate: (search: AddressSearch = {}) => `/simulate${writeSearch(search)}`,
  customers: () => '/customers',
  customer: (id: string, search: AddressSearch = {}) => `/customers/${part(id)}${writeSearch(search)}`,
  flows: () => '/flows',
  editFlow: (id: string, search: AddressSearch = {}) => `/flows/${part(id)}/edit${writeSearch(search)}`,
  flowSettings: (id: string) => `/flows/${part(id)}/settings`,
  publishFlow: (id: string) => `/flows/${part(id)}/publish`,
  flow: (id: string, search: AddressSearch = {}) => `/flows/${part(id)}${writeSearch(search)}`,
  /** The form of a new test, filled in from a decision. */
  newDecisionTest: (search: AddressSearch = {}) => `/decision-tests/new${writeSearch(search)}`,
  studies: (search: AddressSearch = {}) => `/studies${writeSearch(search)}`,
  newStudy: (search: AddressSearch = {}) => `/studies/new${writeSearch(search)}`,
  study: (id: string) => `/studies/${part(id)}`,
  offers: (search: AddressSearch = {}) => `/offers${writeSearch(search)}`,
  offerMatrix: (search: AddressSearch = {}) => `/offers/matrix${writeSearch(search)}`,
  offer: (id: string) => `/offers/${part(id)}`,
  creatives: (search: AddressSearch = {}) => `/creatives${writeSearch(search)}`,
  creative: (id: string) => `/creatives/${part(id)}`,
  /** The form of a new creative for a place. */
  newCreative: (search: AddressSearch = {}) => `/creatives/new${writeSearch(search)}`,
  content: (id: string, search: AddressSearch = {}) => `/content/${part(id)}${writeSearch(search)}`,
  categories: (search: AddressSearch = {}) => `/categories${writeSearch(search)}`,
  /** The category tree with a node of either level selected. */
  category: (id: string) => `/categories${writeSearch({ node: id })}`,
  newSubCategory: (search: AddressSearch = {}) => `/categories/sub/new${writeSearch(search)}`,
  editSubCategory: (id: string) => `/categories/sub/${part(id)}/edit`,
  channels: (search: AddressSearch = {}) => `/channels${writeSearch(search)}`,
  channel: (id: string) => `/channels/${part(id)}`,
  placements: (search: AddressSearch = {}) => `/channels/placements${writeSearch(search)}`,
  newPlacement: (search: AddressSearch = {}) => `/channels/placements/new${writeSearch(search)}`,
  placement: (id: string) => `/channels/placements/${part(id)}`,
  policies: (search: AddressSearch = {}) => `/policies${writeSearch(search)}`,
  policyStudio: (search: AddressSearch = {}) => `/policies/studio${writeSearch(search)}`,
  policy: (id: string) => `/policies/${part(id)}`,
  rule: (id: string) => `/rules/${part(id)}`,
  suppressions: (search: AddressSearch = {}) => `/suppressions${writeSearch(search)}`,
  flowRoutes: () => '/flows/routes',
  segment: (id: string) => `/segments/${part(id)}`,
  schemas: () => '/data/schemas',
  schema: (id: string, search: AddressSearch = {}) => `/data/schemas/${part(id)}${writeSearch(search)}`,
  newSchemaField: (schemaId: string) => `/data/schemas/${part(schemaId)}/fields/new`,
  schemaField: (schemaId: string, fieldId: string) => `/data/schemas/${part(schemaId)}/fields/${part(fieldId)}`,
  /** Forms of joins, with a way back to the schema. */
  newSchemaJoin: (schema: string) => `/data/schemas/joins/new${writeSearch({ schema })}`,
  editSchemaJoin: (id: string, schema: string) => `/data/schemas/joins/${part(id)}/edit${writeSearch({ schema })}`,
  /** The import of a file into a new schema, or into the given one. */
  importRows: (search: AddressSearch = {}) => `/data/schemas/import${writeSearch(search)}`,
  approvals: (search: AddressSearch = {}) => `/approvals${writeSearch(search)}`,
  audit: (search: AddressSearch = {}) => `/audit${writeSearch(search)}`,
  health: () => '/health',
  settings: () => '/settings',
  apiKeys: () => '/settings/api-keys',
  oauthClients: () => '/settings/oauth-clients',
  people: () => '/settings/people',
  singleSignOn: () => '/settings/single-sign-on',
  destinations: () => '/settings/destinations',
  newDestination: () => '/settings/destinations/new',
  sendMessage: () => '/settings/destinations/send',
  editDestination: (id: string) => `/settings/destinations/${part(id)}/edit`,
  account: () => '/settings/me',
  login: (search: AddressSearch = {}) => `/login${writeSearch(search)}`,
} as const;
