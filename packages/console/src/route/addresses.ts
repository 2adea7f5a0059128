import { writeSearch } from './search.ts';

/**
 * Every address of the console, so that features can link to each other. A test compares them with the manifest: don't link to
 * screens that don't exist.
 */

const part = (id: string): string => encodeURIComponent(id);
type Search = Readonly<Record<string, unknown>>;

export const addresses = {
  home: () => '/',
  decisions: (search: Search = {}) => `/decisions${writeSearch(search)}`,
  decision: (id: string, search: Search = {}) => `/decisions/${part(id)}${writeSearch(search)}`,
  compare: (a: string, b: string) => `/decisions/compare${writeSearch({ a, b })}`,
  simulate: (search: Search = {}) => `/simulate${writeSearch(search)}`,
  customers: () => '/customers',
  customer: (id: string, search: Search = {}) => `/customers/${part(id)}${writeSearch(search)}`,
  flows: () => '/flows',
  flow: (id: string, search: Search = {}) => `/flows/${part(id)}${writeSearch(search)}`,
  offers: (search: Search = {}) => `/offers${writeSearch(search)}`,
  offer: (id: string) => `/offers/${part(id)}`,
  creatives: (search: Search = {}) => `/creatives${writeSearch(search)}`,
  creative: (id: string) => `/creatives/${part(id)}`,
  categories: (search: Search = {}) => `/categories${writeSearch(search)}`,
  /** The category tree with a node of either level selected. */
  category: (id: string) => `/categories${writeSearch({ node: id })}`,
  channels: (search: Search = {}) => `/channels${writeSearch(search)}`,
  channel: (id: string) => `/channels/${part(id)}`,
  placements: (search: Search = {}) => `/channels/placements${writeSearch(search)}`,
  placement: (id: string) => `/channels/placements/${part(id)}`,
  policies: (search: Search = {}) => `/policies${writeSearch(search)}`,
  policy: (id: string) => `/policies/${part(id)}`,
  rules: (search: Search = {}) => `/rules${writeSearch(search)}`,
  rule: (id: string) => `/rules/${part(id)}`,
  segments: () => '/segments',
  segment: (id: string) => `/segments/${part(id)}`,
  schemas: () => '/data/schemas',
  schema: (id: string) => `/data/schemas/${part(id)}`,
  audit: (search: Search = {}) => `/audit${writeSearch(search)}`,
  health: () => '/health',
  settings: () => '/settings',
  apiKeys: () => '/settings/api-keys',
  people: () => '/settings/people',
  account: () => '/settings/me',
  login: (search: Search = {}) => `/login${writeSearch(search)}`,
} as const;
