import { isObject } from '../../../../platform/json.ts';
import { probeHttp, requestJson } from '../../../../platform/sources/http-source.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import type { SourceReader } from '../reader.ts';
import { probeMs, requiredText, type Source, type SourceDeps, type SourceKind, textOf } from '../source.ts';
import { authHeaders, ownHeaders } from './api-auth.ts';
import { nextLink, type Pagination, paginationOf, rowsAt, valueAt } from './api-pages.rules.ts';
import { type PageAnswer, type PageCursor, type PagedApi, readPages, withParameters } from './paged-api.ts';

function firstPlace({ type, startPage }: Pagination): PageCursor {
  if (type === 'page') return startPage;
  return type === 'offset' ? 0 : null;
}

function parameters({ type, sizeParam, pageSize, ...names }: Pagination, place: PageCursor): Record<string, string> {
  const size: Record<string, string> =
    sizeParam === undefined || pageSize === undefined ? {} : { [sizeParam]: String(pageSize) };
  if (type === 'page') return { ...size, [names.pageParam]: String(place) };
  if (type === 'offset') return { ...size, [names.offsetParam]: String(place) };
  if (type === 'cursor' && place !== null) return { ...size, [names.cursorParam]: String(place) };
  return size;
}

function nextBy(
  { type, cursorPath }: Pagination,
  place: PageCursor,
  { body, headers, rows, url }: PageAnswer,
): PageCursor {
  switch (type) {
    case 'none':
      return null;
    case 'page':
      return Number(place) + 1;
    case 'offset':
      return Number(place) + rows.length;
    case 'cursor': {
      const next = valueAt(body, cursorPath);
      return (typeof next === 'string' && next !== '') || typeof next === 'number' ? next : null;
    }
    case 'link':
      return nextLink(headers.link, url);
  }
}

type Headers = Readonly<Record<string, string>>;

function restApi(source: Source, headers: Headers): PagedApi {
  const url = requiredText(source, 'url');
  const method = (textOf(source, 'method') ?? 'GET').toUpperCase();
  if (method !== 'GET' && method !== 'POST') throw new SourceError('missing_config');
  const query = isObject(source.config.query) ? source.config.query : {};
  const pagination = paginationOf(source.config.pagination);
  return {
    first: firstPlace(pagination),
    rowsOf: (body) => rowsAt(body, textOf(source, 'responseRowsPath') ?? ''),
    next: (place, answer) => nextBy(pagination, place, answer),
    request: (place) => {
      const isLink = pagination.type === 'link' && typeof place === 'string';
      const target = isLink ? place : withParameters(url, { ...query, ...parameters(pagination, place) });
      return { method, headers, url: target };
    },
  };
}

function graphqlApi(source: Source, headers: Headers): PagedApi {
  const url = withParameters(requiredText(source, 'url'), {});
  const query = textOf(source, 'query') ?? '{ __typename }';
  const variables = isObject(source.config.variables) ? source.config.variables : {};
  const pagination = paginationOf(source.config.pagination);
  return {
    first: firstPlace(pagination),
    next: (place, answer) => nextBy(pagination, place, answer),
    rowsOf(body) {
      if (isObject(body) && Array.isArray(body.errors)) throw new SourceError('unexpected_response');
      return rowsAt(body, textOf(source, 'responseRowsPath') ?? 'data');
    },
    request(place) {
      const own = Object.entries(parameters(pagination, place)).map(([name, value]) => [
        name,
        typeof place === 'number' ? Number(value) : value,
      ]);
      const body = JSON.stringify({ query, variables: { ...variables, ...Object.fromEntries(own) } });
      return { url, method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
    },
  };
}

type ApiOf = (source: Source, headers: Headers) => PagedApi;

const paged = ({ outbound }: SourceDeps, source: Source, apiOf: ApiOf): SourceReader => ({
  isResumable: paginationOf(source.config.pagination).type !== 'none',
  async *read(options) {
    const auth = await authHeaders(outbound, source, options.signal);
    const headers = { accept: 'application/json', ...ownHeaders(source), ...auth };
    yield* readPages(outbound, apiOf(source, headers), options);
  },
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
