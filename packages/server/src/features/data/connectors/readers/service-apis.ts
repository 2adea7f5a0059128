import type { ConnectorType } from '@arbiter/contract';
import { isObject } from '../../../../platform/json.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import { numberOf, requiredText, type Source, textOf } from '../source.ts';
import { nextLink, rowsAt, valueAt } from './api-pages.rules.ts';
import { type PageAnswer, type PageCursor, type PagedApi, withParameters } from './paged-api.ts';

/** A provider's lists, as its documentation describes them. */
export interface ServiceApi {
  /** Its address, unless the operator names another one. */
  base(source: Source): string;
  headers(source: Source): Readonly<Record<string, string>>;
  /** A list below the address. */
  list(source: Source, resource: string, place: PageCursor, size: number): ServiceList;
  /** Rows of a page at most. */
  readonly pageSize: number;
  readonly first: PageCursor;
  next(place: PageCursor, answer: PageAnswer): PageCursor;
}

interface ServiceList {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | number | undefined>>;
  /** Dotted path of the rows. */
  readonly rows: string;
}

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/** A setting that becomes part of a host name. Throws SourceError `missing_config` for anything else. */
function hostPart(source: Pick<Source, 'config'>, key: string, suffix: string): string {
  const text = requiredText(source, key)
    .replace(/^https:\/\//, '')
    .replace(/\/$/, '');
  const part = text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
  if (!label.test(part)) throw new SourceError('missing_config');
  return `https://${part}${suffix}`;
}

const segment = (source: Source, key: string): string => encodeURIComponent(requiredText(source, key));
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const apiKey = (source: Source): string => requiredText(source, 'apiKey');
const token = (source: Source): string => textOf(source, 'accessToken') ?? apiKey(source);
const seconds = (since: string | undefined): number | undefined =>
  since === undefined ? undefined : Math.floor(Date.parse(since) / 1000);
const since = (source: Source): string | undefined => {
  const text = textOf(source, 'since');
  if (text !== undefined && Number.isNaN(Date.parse(text))) throw new SourceError('missing_config');
  return text;
};

const byPage = { first: 1, next: (place: PageCursor) => Number(place) + 1 } as const;
const byOffset = { first: 0, next: (place: PageCursor, { rows }: PageAnswer) => Number(place) + rows.length } as const;
const byCursor = (path: string) => ({
  first: null,
  next: (_place: PageCursor, { body }: PageAnswer): PageCursor => {
    const next = valueAt(body, path);
    return (typeof next === 'string' && next !== '') || typeof next === 'number' ? next : null;
  },
});
const byLink = {
  first: null,
  next: (_place: PageCursor, { headers, url }: PageAnswer) => nextLink(headers.link, url),
} as const;
const place = (value: PageCursor): string | number | undefined => value ?? undefined;

const services: Partial<Record<ConnectorType, ServiceApi>> = {
  // https://docs.stripe.com/api/pagination
  stripe: {
    base: () => 'https://api.stripe.com',
    headers: (source) => bearer(apiKey(source)),
    list: (source, resource, after, limit) => ({
      path: `/v1/${resource}`,
      parameters: { limit, starting_after: place(after), 'created[gte]': seconds(since(source)) },
      rows: 'data',
    }),
    pageSize: 100,
    first: null,
    next: (_place, { body, rows }) => {
      const last = rows.at(-1)?.id;
      return isObject(body) && body.has_more === true && typeof last === 'string' ? last : null;
    },
  },
  // https://shopify.dev/docs/api/admin-rest/usage/pagination
  shopify: {
    base: (source) => hostPart(source, 'shop', '.myshopify.com'),
    headers: (source) => ({ 'x-shopify-access-token': token(source) }),
    list: (source, resource, _after, limit) => ({
      path: `/admin/api/${encodeURIComponent(textOf(source, 'apiVersion') ?? '2025-10')}/${resource}.json`,
      parameters: { limit, updated_at_min: since(source), ...(resource === 'orders' ? { status: 'any' } : {}) },
      rows: resource,
    }),
    pageSize: 250,
    ...byLink,
  },
  // https://developers.hubspot.com/docs/api/crm/contacts
  hubspot: {
    base: (source) => textOf(source, 'instanceUrl') ?? 'https://api.hubapi.com',
    headers: (source) => bearer(token(source)),
    list: (_source, resource, after, limit) => ({
      path: `/crm/v3/objects/${resource}`,
      parameters: { limit, after: place(after) },
      rows: 'results',
    }),
    pageSize: 100,
    ...byCursor('paging.next.after'),
  },
  // https://developers.pipedrive.com/docs/api/v1/Persons
  pipedrive: {
    base: (source) => hostPart(source, 'companyDomain', '.pipedrive.com'),
    headers: (source) => ({ 'x-api-token': apiKey(source) }),
    list: (source, resource, cursor, limit) => ({
      path: `/api/v2/${resource}`,
      parameters: { limit, cursor: place(cursor), updated_since: since(source) },
      rows: 'data',
    }),
    pageSize: 500,
    ...byCursor('additional_data.next_cursor'),
  },
  // https://mailchimp.com/developer/marketing/api/list-members
  mailchimp: {
    // The data center is the end of the key.
    base: (source) => hostPart({ config: { dc: apiKey(source).replace(/^.*-/, '') } }, 'dc', '.api.mailchimp.com'),
    headers: (source) => basic('arbiter', apiKey(source)),
    list: (source, _resource, offset, count) => ({
      path: `/3.0/lists/${segment(source, 'listId')}/members`,
      parameters: { count, offset: place(offset), since_last_changed: since(source) },
      rows: 'members',
    }),
    pageSize: 1000,
    ...byOffset,
  },
  // https://developers.klaviyo.com/en/reference/get_profiles
  klaviyo: {
    base: () => 'https://a.klaviyo.com',
    headers: (source) => ({ authorization: `Klaviyo-API-Key ${apiKey(source)}`, revision: '2025-07-15' }),
    list: (source, _resource, _after, size) => ({
      path:
        textOf(source, 'listId') === undefined ? '/api/profiles' : `/api/lists/${segment(source, 'listId')}/profiles`,
      parameters: { 'page[size]': size },
      rows: 'data',
    }),
    pageSize: 100,
    ...byCursor('links.next'),
  },
  // https://www.twilio.com/docs/sendgrid/api-reference/bounces-api
  sendgrid: {
    base: () => 'https://api.sendgrid.com',
    headers: (source) => bearer(apiKey(source)),
    list: (source, _resource, offset, limit) => ({
      path: '/v3/suppression/bounces',
      parameters: { limit, offset: place(offset), start_time: seconds(since(source)) },
      rows: '',
    }),
    pageSize: 500,
    ...byOffset,
  },
  // https://postmarkapp.com/developer/api/bounce-api
  postmark: {
    base: () => 'https://api.postmarkapp.com',
    headers: (source) => ({ 'x-postmark-server-token': apiKey(source) }),
    list: (source, _resource, offset, count) => ({
      path: '/bounces',
      parameters: { count, offset: place(offset), fromdate: since(source) },
      rows: 'Bounces',
    }),
    pageSize: 500,
    ...byOffset,
  },
  // https://woocommerce.github.io/woocommerce-rest-api-docs
  woocommerce: {
    base: (source) => requiredText(source, 'url').replace(/\/$/, ''),
    headers: (source) => basic(requiredText(source, 'username'), requiredText(source, 'password')),
    list: (source, resource, page, size) => ({
      path: `/wp-json/wc/v3/${resource}`,
      parameters: { page: place(page), per_page: size, modified_after: since(source) },
      rows: '',
    }),
    pageSize: 100,
    ...byPage,
  },
  // https://developer.bigcommerce.com/docs/rest-management
  bigcommerce: {
    base: () => 'https://api.bigcommerce.com',
    headers: (source) => ({ 'x-auth-token': token(source) }),
    list: (source, resource, page, limit) => ({
      path: `/stores/${segment(source, 'storeHash')}/${resource === 'orders' ? 'v2/orders' : 'v3/customers'}`,
      parameters: {
        page: place(page),
        limit,
        [resource === 'orders' ? 'min_date_modified' : 'date_modified:min']: since(source),
      },
      rows: resource === 'orders' ? '' : 'data',
    }),
    pageSize: 250,
    ...byPage,
  },
  // https://developer.zendesk.com/api-reference/introduction/pagination
  zendesk: {
    base: (source) => hostPart(source, 'subdomain', '.zendesk.com'),
    headers: (source) =>
      source.method === 'basic'
        ? basic(requiredText(source, 'username'), requiredText(source, 'password'))
        : bearer(token(source)),
    list: (_source, resource, _after, size) => ({
      path: `/api/v2/${resource}.json`,
      parameters: { 'page[size]': size },
      rows: resource,
    }),
    pageSize: 100,
    first: null,
    next: (_place, { body }) => {
      const next = valueAt(body, 'links.next');
      return valueAt(body, 'meta.has_more') === true && typeof next === 'string' ? next : null;
    },
  },
  // https://developers.intercom.com/docs/build-an-integration/learn-more/rest-apis/pagination
  intercom: {
    base: (source) => {
      const region = textOf(source, 'region') ?? 'us';
      if (!['us', 'eu', 'au'].includes(region)) throw new SourceError('missing_config');
      return region === 'us' ? 'https://api.intercom.io' : `https://api.${region}.intercom.io`;
    },
    headers: (source) => ({ ...bearer(token(source)), 'intercom-version': '2.14' }),
    list: (_source, resource, after, size) => ({
      path: `/${resource}`,
      parameters: { per_page: size, starting_after: place(after) },
      rows: 'data',
    }),
    pageSize: 150,
    ...byCursor('pages.next.starting_after'),
  },
  // https://developers.freshdesk.com/api
  freshdesk: {
    base: (source) => hostPart(source, 'domain', '.freshdesk.com'),
    headers: (source) => basic(apiKey(source), 'X'),
    list: (source, resource, _after, size) => ({
      path: `/api/v2/${resource}`,
      parameters: { per_page: size, [resource === 'contacts' ? '_updated_since' : 'updated_since']: since(source) },
      rows: '',
    }),
    pageSize: 100,
    ...byLink,
  },
  // https://airtable.com/developers/web/api/list-records
  airtable: {
    base: () => 'https://api.airtable.com',
    headers: (source) => bearer(token(source)),
    list: (source, _resource, offset, size) => ({
      path: `/v0/${segment(source, 'baseId')}/${segment(source, 'table')}`,
      parameters: { pageSize: size, offset: place(offset), view: textOf(source, 'view') },
      rows: 'records',
    }),
    pageSize: 100,
    ...byCursor('offset'),
  },
};

/** Types with a provider's API. */
export const serviceTypes: readonly string[] = Object.keys(services);

export const serviceOf = (type: ConnectorType): ServiceApi | undefined => services[type];

/** A provider's list as pages. `base`: its address. */
export function pagesOfService(
  service: ServiceApi,
  source: Source,
  resource: string,
  { base, most = service.pageSize }: { readonly base: string; readonly most?: number },
): PagedApi {
  const size = Math.max(1, Math.min(most, numberOf(source, 'pageSize', service.pageSize)));
  const headers = { accept: 'application/json', ...service.headers(source) };
  const { rows } = service.list(source, resource, service.first, size);
  return {
    first: service.first,
    next: (at, answer) => service.next(at, answer),
    rowsOf: (body) => rowsAt(body ?? [], rows),
    request(at) {
      // Some providers name the whole address of the next page.
      if (typeof at === 'string' && /^https?:\/\//.test(at)) return { method: 'GET', url: at, headers };
      const { path, parameters } = service.list(source, resource, at, size);
      const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
      return { method: 'GET', headers, url: withParameters(`${base}${path}`, Object.fromEntries(given)) };
    },
  };
}
