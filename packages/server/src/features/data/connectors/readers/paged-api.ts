import type { Json } from '@arbiter/engine';
import { isObject } from '../../../../platform/json.ts';
import type { Outbound } from '../../../../platform/outbound/outbound.ts';
import { type HttpAnswer, requestJson } from '../../../../platform/sources/http-source.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import type { ReadOptions, SourceBatch, SourceRow } from '../reader.ts';
import { inPieces } from './sql-reader.ts';

/** A page's place in a list. Null: the first. */
export type PageCursor = string | number | null;

export interface PageRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer with a page. */
export interface PageAnswer extends HttpAnswer {
  readonly url: string;
  readonly rows: readonly SourceRow[];
}

/** A list that an API answers in pages. */
export interface PagedApi {
  readonly first: PageCursor;
  request(place: PageCursor): PageRequest;
  /** Throws SourceError for an answer without rows. */
  rowsOf(body: unknown): SourceRow[];
  /** Where the next page is. Null: this was the last. */
  next(place: PageCursor, answer: PageAnswer): PageCursor;
}

/** Where to resume: a page, and how many of its rows were read. */
interface PagePosition {
  readonly place: PageCursor;
  readonly skip: number;
}

function positionIn(cursor: Json | null, first: PageCursor): PagePosition {
  if (!isObject(cursor)) return { place: first, skip: 0 };
  const { place, skip } = cursor;
  return {
    place: typeof place === 'string' || typeof place === 'number' ? place : first,
    skip: typeof skip === 'number' ? skip : 0,
  };
}

/** Credentials go to no other server than the one they were entered for. */
function assertSameServer(url: string, first: string): void {
  if (new URL(url).origin !== new URL(first).origin) throw new SourceError('unexpected_response');
}

/** Requests one page. Throws SourceError. */
export async function readPage(
  outbound: Outbound,
  api: PagedApi,
  place: PageCursor,
  signal: AbortSignal,
  options: { readonly tries?: number } = {},
): Promise<PageAnswer> {
  const request = api.request(place);
  assertSameServer(request.url, api.request(api.first).url);
  const answer = await requestJson(outbound, { ...request, signal }, options);
  return { ...answer, url: request.url, rows: api.rowsOf(answer.body) };
}

/** Reads page by page. A repeated place would never end. */
export async function* readPages(
  outbound: Outbound,
  api: PagedApi,
  { cursor, signal, rowLimit }: ReadOptions,
): AsyncGenerator<SourceBatch> {
  const seen = new Set<PageCursor>();
  let { place, skip } = positionIn(cursor, api.first);
  let left = rowLimit > 0 ? rowLimit : Number.POSITIVE_INFINITY;
  for (;;) {
    if (seen.has(place)) throw new SourceError('unexpected_response');
    seen.add(place);
    const answer = await readPage(outbound, api, place, signal);
    const { rows } = answer;
    const next = rows.length === 0 ? null : api.next(place, answer);
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

/** An address with parameters. Throws SourceError `missing_config` for an address that isn't one. */
export function withParameters(url: string, values: Readonly<Record<string, unknown>>): string {
  if (!URL.canParse(url)) throw new SourceError('missing_config');
  const target = new URL(url);
  for (const [name, value] of Object.entries(values)) target.searchParams.set(name, String(value));
  return target.href;
}
