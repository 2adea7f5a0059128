import { writeSearch } from './search.ts';

/**
 * Every address of the console, so that features can link to each other. A test compares them with the manifest: don't link to
 * screens that don't exist.
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
  flow: (id: string, search: AddressSearch = {}) => `/flows/${part(id)}${writeSearch(search)}`,
  offers: (search: AddressSearch = {}) => `/offers${writeSearch(search)}`,
  offer: (id: string) => `/offers/${part(id)}`,
  creatives: (search: AddressSearch = {}) => `/creatives${writeSearch(search)}`,
  creative: (id: string) => `/creatives/${part(id)}`,
  categories: (search: AddressSearch = {}) => `/categories${writeSearch(search)}`,
  /** The category tree with a node of either level selected. */
  category: (id: string) => `/categories${writeSearch({ node: id })}`,
  channels: (search: AddressSearch = {}) => `/channels${writeSearch(search)}`,
  channel: (id: string) => `/channels/${part(id)}`,
  placements: (search: AddressSearch = {}) => `/channels/placements${writeSearch(search)}`,
  placement: (id: string) => `/channels/placements/${part(id)}`,
  policies: (search: AddressSearch = {}) => `/policies${writeSearch(search)}`,
  policy: (id: string) => `/policies/${part(id)}`,
  rules: (search: AddressSearch = {}) => `/rules${writeSearch(search)}`,
  rule: (id: string) => `/rules/${part(id)}`,
  segments: () => '/segments',
  segment: (id: string) => `/segments/${part(id)}`,
  schemas: () => '/data/schemas',
  schema: (id: string) => `/data/schemas/${part(id)}`,
  audit: (search: AddressSearch = {}) => `/audit${writeSearch(search)}`,
  health: () => '/health',
  settings: () => '/settings',
  apiKeys: () => '/settings/api-keys',
  people: () => '/settings/people',
  account: () => '/settings/me',
  login: (search: AddressSearch = {}) => `/login${writeSearch(search)}`,
} as const;
