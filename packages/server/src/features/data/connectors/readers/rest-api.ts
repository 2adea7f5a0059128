import type { Json } from '@arbiter/engine';
import { isObject } from '../../../../platform/json.ts';
import { probeHttp, requestJson } from '../../../../platform/sources/http-source.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import type { ReadOptions, SourceBatch } from '../reader.ts';
import { probeMs, requiredText, type Source, type SourceDeps, type SourceKind, textOf } from '../source.ts';
import { authHeaders, ownHeaders } from './api-auth.ts';
import { nextLink, type Pagination, paginationOf, rowsAt, valueAt } from './api-pages.rules.ts';
import { inPieces } from './sql-reader.ts';

/** One page to request: its place in the list. */
type Place = string | number | null;

/** Makes the request of a page. */
interface PagedApi {
  readonly rowsPath: string;
  readonly pagination: Pagination;
  request(place: Place): { readonly url: string; readonly method: 'GET' | 'POST'; readonly body?: string };
}

function firstPlace({ type, startPage }: Pagination): Place {
  if (type === 'page') return startPage;
  return type === 'offset' ? 0 : null;
}

function parameters({ type, sizeParam, pageSize, ...names }: Pagination, place: Place): Record<string, string> {
  const size: Record<string, string> =
    sizeParam === undefined || pageSize === undefined ? {} : { [sizeParam]: String(pageSize) };
  if (type === 'page') return { ...size, [names.pageParam]: String(place) };
  if (type === 'offset') return { ...size, [names.offsetParam]: String(place) };
  if (type === 'cursor' && place !== null) return { ...size, [names.cursorParam]: String(place) };
  return size;
}

function withParameters(url: string, values: Readonly<Record<string, unknown>>): string {
  if (!URL.canParse(url)) throw new SourceError('missing_config');
  const target = new URL(url);
  for (const [name, value] of Object.entries(values)) target.searchParams.set(name, String(value));
  return target.href;
}

function restApi(source: Source): PagedApi {
  const url = requiredText(source, 'url');
  const method = (textOf(source, 'method') ?? 'GET').toUpperCase();
  if (method !== 'GET' && method !== 'POST') throw new SourceError('missing_config');
  const query = isObject(source.config.query) ? source.config.query : {};
  const pagination = paginationOf(source.config.pagination);
  return {
    rowsPath: textOf(source, 'responseRowsPath') ?? '',
    pagination,
    request: (place) => {
      const isLink = pagination.type === 'link' && typeof place === 'string';
      return { method, url: isLink ? place : withParameters(url, { ...query, ...parameters(pagination, place) }) };
    },
  };
}

function graphqlApi(source: Source): PagedApi {
  const url = requiredText(source, 'url');
  const query = textOf(source, 'query') ?? '{ __typename }';
  const variables = isObject(source.config.variables) ? source.config.variables : {};
  const pagination = paginationOf(source.config.pagination);
  return {
    rowsPath: textOf(source, 'responseRowsPath') ?? 'data',
    pagination,
    request(place) {
      const own = parameters(pagination, place);
      const numbers = Object.fromEntries(
        Object.entries(own).map(([name, value]) => [name, typeof place === 'number' ? Number(value) : value]),
      );
      return { url, method: 'POST', body: JSON.stringify({ query, variables: { ...variables, ...numbers } }) };
    },
  };
}

/** The place after a page; null: it was the last. */
function nextPlace(
  { pagination }: PagedApi,
  place: Place,
  rows: number,
  answer: { readonly headers: Readonly<Record<string, string>>; readonly body: unknown; readonly url: string },
): Place {
  if (rows === 0) return null;
  switch (pagination.type) {
    case 'none':
      return null;
    case 'page':
      return Number(place) + 1;
    case 'offset':
      return Number(place) + rows;
    case 'cursor': {
      const next = valueAt(answer.body, pagination.cursorPath);
      return (typeof next === 'string' && next !== '') || typeof next === 'number' ? next : null;
    }
    case 'link':
      return nextLink(answer.headers.link, answer.url);
  }
}

/** Where a read goes on: a page, and how many of its rows came before. */
interface PagePosition {
  readonly place: Place;
  readonly skip: number;
}

function positionIn(cursor: Json | null, first: Place): PagePosition {
  if (!isObject(cursor)) return { place: first, skip: 0 };
  const { place, skip } = cursor;
  return {
    place: typeof place === 'string' || typeof place === 'number' ? place : first,
    skip: typeof skip === 'number' ? skip : 0,
  };
}

/** Reads page by page. A repeated cursor would never end. */
async function* pagesOf(
  { outbound }: SourceDeps,
  source: Source,
  api: PagedApi,
  { cursor, signal, rowLimit }: ReadOptions,
): AsyncGenerator<SourceBatch> {
  const headers = {
    accept: 'application/json',
    ...ownHeaders(source),
    ...(await authHeaders(outbound, source, signal)),
  };
  const seen = new Set<Place>();
  let { place, skip } = positionIn(cursor, firstPlace(api.pagination));
  let left = rowLimit > 0 ? rowLimit : Number.POSITIVE_INFINITY;
  for (;;) {
    if (seen.has(place)) throw new SourceError('unexpected_response');
    seen.add(place);
    const { url, method, body: sent } = api.request(place);
    const sentOptions = sent === undefined ? {} : { body: sent };
    const type: Record<string, string> = sent === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await requestJson(outbound, {
      url,
      method,
      signal,
      headers: { ...headers, ...type },
      ...sentOptions,
    });
    if (isObject(answer.body) && Array.isArray(answer.body.errors) && sent !== undefined) {
      throw new SourceError('unexpected_response');
    }
    const rows = rowsAt(answer.body, api.rowsPath);
    const next = nextPlace(api, place, rows.length, { ...answer, url });
    assertSameHost(url, api.pagination.type === 'link' ? next : null);
    const [here, before] = [place, skip];
    const wanted = rows.slice(before, before + left);
    yield* inPieces(wanted, (count) =>
      before + count < rows.length || next === null ? { place: here, skip: before + count } : { place: next, skip: 0 },
    );
    left -= wanted.length;
    if (next === null || left <= 0) return;
    place = next;
    skip = 0;
  }
}

/** Credentials go to no other server than the one they were entered for. */
function assertSameHost(current: string, next: Place): void {
  if (typeof next === 'string' && new URL(next).origin !== new URL(current).origin) {
    throw new SourceError('unexpected_response');
  }
}

const paged = (deps: SourceDeps, source: Source, api: (source: Source) => PagedApi) => ({
  isResumable: paginationOf(source.config.pagination).type !== 'none',
  read: (options: ReadOptions) => pagesOf(deps, source, api(source), options),
  committed: async () => undefined,
  close: async () => undefined,
});

/** Any API that answers JSON over HTTP. */
export const restApiSource: SourceKind = {
  async probe({ outbound }, source, signal) {
    const headers = { ...ownHeaders(source), ...(await authHeaders(outbound, source, signal)) };
    await probeHttp(outbound, requiredText(source, 'url'), { headers, timeoutMs: probeMs });
    return { details: {} };
  },
  open: (deps, source) => paged(deps, source, restApi),
};

/** GraphQL over HTTP. */
export const graphqlSource: SourceKind = {
  async probe({ outbound }, source, signal) {
    const headers = await authHeaders(outbound, source, signal);
    const { body } = await requestJson(
      outbound,
      {
        ...{ url: requiredText(source, 'url'), method: 'POST', signal },
        headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query: '{ __typename }' }),
      },
      { tries: 1 },
    );
    if (!isObject(body) || !isObject(body.data)) throw new SourceError('unexpected_response');
    return { details: {} };
  },
  open: (deps, source) => paged(deps, source, graphqlApi),
};
