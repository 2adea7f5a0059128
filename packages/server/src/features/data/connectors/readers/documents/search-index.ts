import type { Json } from '@arbiter/engine';
import { isObject } from '../../../../../platform/json.ts';
import { type HttpAnswer, requestJson } from '../../../../../platform/sources/http-source.ts';
import { SourceError } from '../../../../../platform/sources/source-error.ts';
import type { ReadOptions, SourceBatch, SourceRow } from '../../reader.ts';
import { requiredText, type Source, type SourceDeps, type SourceKind, textOf } from '../../source.ts';
import { authHeaders } from '../api-auth.ts';
import { flatRow } from '../api-pages.rules.ts';
import { withParameters } from '../paged-api.ts';
import { inPieces } from '../sql-reader.ts';
import { indexQuery } from './index-query.rules.ts';
import { filterOf } from './source-filter.rules.ts';

const pageSize = 1000;
/** How long a server keeps a point in time after each page. */
const keepAlive = '5m';
const closeMs = 2_000;

interface Hit {
  readonly row: SourceRow;
  readonly sort: readonly Json[];
}

/** Sends a request to the server of a search index. */
type Send = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
  options?: { readonly tries?: number; readonly signal?: AbortSignal },
) => Promise<HttpAnswer>;

async function senderOf({ outbound, endpoints }: SourceDeps, source: Source, signal: AbortSignal): Promise<Send> {
  const base = withParameters(endpoints[source.type] ?? requiredText(source, 'url'), {}).replace(/\/$/, '');
  // https://www.elastic.co/docs/api: `Authorization: ApiKey <base64 of id:key>`.
  const isKey = source.method === 'api_key' && textOf(source, 'headerName') === undefined;
  const auth = isKey
    ? { authorization: `ApiKey ${requiredText(source, 'apiKey')}` }
    : await authHeaders(outbound, source, signal);
  const headers = { ...auth, accept: 'application/json', 'content-type': 'application/json' };
  return (method, path, body, { tries, signal: own = signal } = {}) =>
    requestJson(
      outbound,
      { ...{ url: `${base}${path}`, method, headers, signal: own }, ...(body ? { body: JSON.stringify(body) } : {}) },
      tries === undefined ? {} : { tries },
    );
}

function indexPath(source: Source): string {
  const index = requiredText(source, 'index');
  // A name with a comma or a star means several indexes.
  if (/[\s/\\?#"<>|\0]/.test(index) || index === '.' || index === '..' || index.startsWith('_')) {
    throw new SourceError('missing_config');
  }
  return `/${encodeURIComponent(index)}`;
}

function hitsOf(body: unknown): Hit[] {
  const hits = isObject(body) && isObject(body.hits) ? body.hits.hits : null;
  if (!Array.isArray(hits) || (isObject(body) && body.timed_out === true)) throw new SourceError('unexpected_response');
  return hits.map((hit: unknown) => {
    if (!isObject(hit) || typeof hit._id !== 'string' || !Array.isArray(hit.sort)) {
      throw new SourceError('unexpected_response');
    }
    return { row: { _id: hit._id, ...flatRow(hit._source ?? {}) }, sort: hit.sort };
  });
}

/** A list to page through: its path, what each search says besides, and its order. */
interface Search {
  readonly path: string;
  body(): object;
  /** Sees each answer. */
  note(answer: unknown): void;
  readonly sort: readonly object[];
  /** Resumes after these sort values. */
  cursorAfter(sort: readonly Json[]): Json;
}

async function* searchPages(
  send: Send,
  source: Source,
  { path, body, note, sort, cursorAfter }: Search,
  { cursor, rowLimit }: ReadOptions,
): AsyncGenerator<SourceBatch> {
  const query = indexQuery(filterOf(source.config.filter));
  let after: readonly Json[] | null = isObject(cursor) && Array.isArray(cursor.after) ? cursor.after : null;
  let left = rowLimit > 0 ? rowLimit : Number.POSITIVE_INFINITY;
  while (left > 0) {
    const size = Math.min(pageSize, left);
    const search = { ...body(), query, sort, size, track_total_hits: false, ...(after ? { search_after: after } : {}) };
    const answer = (await send('POST', path, search)).body;
    const hits = hitsOf(answer);
    note(answer);
    const last = hits.at(-1)?.sort;
    if (last === undefined) return;
    if (JSON.stringify(last) === JSON.stringify(after)) throw new SourceError('unexpected_response');
    yield* inPieces(
      hits.map(({ row }) => row),
      (count) => cursorAfter(hits[count - 1]?.sort ?? last),
    );
    after = last;
    left -= hits.length;
    if (hits.length < size) return;
  }
}

/** Reads a point in time: Elasticsearch doesn't sort by `_id`, and a point in time ends with its read. */
async function* snapshotPages(send: Send, source: Source, options: ReadOptions): AsyncGenerator<SourceBatch> {
  const { body: answer } = await send('POST', `${indexPath(source)}/_pit?keep_alive=${keepAlive}`);
  if (!isObject(answer) || typeof answer.id !== 'string') throw new SourceError('unexpected_response');
  let { id } = answer;
  const search: Search = {
    path: '/_search',
    body: () => ({ pit: { id, keep_alive: keepAlive } }),
    // A search may answer another ID for the next one.
    note: (page) => {
      if (isObject(page) && typeof page.pit_id === 'string') id = page.pit_id;
    },
    sort: [{ _shard_doc: 'asc' }],
    cursorAfter: () => null,
  };
  try {
    yield* searchPages(send, source, search, { ...options, cursor: null });
  } finally {
    // Also after the caller left. A server that doesn't answer ends it on its own after `keepAlive`.
    const options = { tries: 1, signal: AbortSignal.timeout(closeMs) };
    await send('DELETE', '/_pit', { id }, options).catch(() => undefined);
  }
}

const keyedPages = (send: Send, source: Source, options: ReadOptions): AsyncGenerator<SourceBatch> =>
  searchPages(
    send,
    source,
    {
      path: `${indexPath(source)}/_search`,
      body: () => ({}),
      note: () => undefined,
      sort: [{ _id: 'asc' }],
      cursorAfter: (after) => ({ after: [...after] }),
    },
    options,
  );

const searchIndex = (pages: typeof keyedPages, isResumable: boolean): SourceKind => ({
  async probe(deps, source, signal) {
    const send = await senderOf(deps, source, signal);
    const named = textOf(source, 'index') !== undefined;
    if (named)
      hitsOf((await send('POST', `${indexPath(source)}/_search`, { size: 1, sort: ['_doc'] }, { tries: 1 })).body);
    else await send('GET', '/', undefined, { tries: 1 });
    return { details: {} };
  },
  open: (deps, source) => ({
    isResumable,
    async *read(options) {
      yield* pages(await senderOf(deps, source, options.signal), source, options);
    },
    committed: async () => undefined,
    close: async () => undefined,
  }),
});

/** Elasticsearch from 7.12 on. */
export const elasticsearchSource = searchIndex(snapshotPages, false);

/** OpenSearch, in the order of `_id`. */
export const opensearchSource = searchIndex(keyedPages, true);
