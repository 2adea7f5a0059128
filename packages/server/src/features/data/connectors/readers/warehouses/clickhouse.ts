import type { TableQuery } from '../../../../../db/index.ts';
import { isObject } from '../../../../../platform/json.ts';
import { asSourceError, SourceError, statusReason } from '../../../../../platform/sources/source-error.ts';
import type { SourceRow } from '../../reader.ts';
import { numberOf, requiredText, type Source, type SourceDeps, type SourceKind, textOf } from '../../source.ts';
import { withParameters } from '../paged-api.ts';
import { sqlReader } from '../sql-reader.ts';
import { parseExact } from './exact-json.rules.ts';
import { assertNoBackslash, tableStatement, trivialStatement } from './table-query.store.ts';

// https://clickhouse.com/docs/interfaces/http

const timeoutMs = 30_000;
const pageRows = 500;
const longestRow = 16 * 1024 * 1024;

/** Codes of exceptions: https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp */
const reasons: Readonly<Record<string, SourceError['reason']>> = {
  ...{ 192: 'auth_failed', 193: 'auth_failed', 194: 'auth_failed', 516: 'auth_failed' },
  ...{ 164: 'permission_denied', 497: 'permission_denied', 202: 'rate_limited' },
  ...{ 47: 'not_found', 60: 'not_found', 81: 'not_found' },
};

function addressOf({ endpoints }: SourceDeps, source: Source): string {
  const ssl = textOf(source, 'ssl') ?? 'require';
  if (!['disable', 'require', 'verify_full'].includes(ssl)) throw new SourceError('missing_config');
  const host = requiredText(source, 'host');
  if (/[\s/?#@\\]/.test(host)) throw new SourceError('missing_config');
  const scheme = ssl === 'disable' ? 'http' : 'https';
  return endpoints.clickhouse ?? `${scheme}://${host}:${numberOf(source, 'port', 8443)}`;
}

/** Runs a statement by GET, which can't write. Throws SourceError. */
async function run(
  deps: SourceDeps,
  source: Source,
  { statement, after }: { readonly statement: string; readonly after: string | null },
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const url = withParameters(`${addressOf(deps, source)}/`, {
    ...{ database: requiredText(source, 'database'), query: `${statement} FORMAT JSONEachRow` },
    ...(after === null ? {} : { param_after: after }),
  });
  const headers = {
    'x-clickhouse-user': textOf(source, 'username') ?? 'default',
    'x-clickhouse-key': textOf(source, 'password') ?? '',
  };
  const {
    status,
    headers: answer,
    body,
  } = await deps.outbound.open(url, { headers, timeoutMs, signal }).catch((error: unknown) => {
    throw asSourceError(error);
  });
  if (status === 200) return body;
  for await (const _part of body) break;
  throw new SourceError(
    reasons[answer['x-clickhouse-exception-code'] ?? ''] ?? statusReason(status) ?? 'unexpected_response',
  );
}

/** An exception in the middle of an answer is a line that isn't a row. */
function rowOf(line: string): SourceRow {
  try {
    const row = parseExact(line);
    if (isObject(row) && !Object.hasOwn(row, '__exception__')) return row;
  } catch (cause) {
    throw new SourceError('unexpected_response', { cause });
  }
  throw new SourceError('unexpected_response');
}

async function* rowPages(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly SourceRow[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let page: SourceRow[] = [];
  const parts = body[Symbol.asyncIterator]();
  try {
    for (let isDone = false; !isDone; ) {
      const part = await parts.next();
      isDone = part.done === true;
      const lines = (
        rest + (part.done === true ? decoder.decode() : decoder.decode(part.value, { stream: true }))
      ).split('\n');
      rest = isDone ? '' : (lines.pop() ?? '');
      if (rest.length > longestRow) throw new SourceError('unexpected_response');
      for (const line of lines) {
        if (line === '') continue;
        page.push(rowOf(line));
        if (page.length < pageRows) continue;
        yield page;
        page = [];
      }
    }
    if (page.length > 0) yield page;
  } catch (error) {
    throw error instanceof TypeError ? new SourceError('parse_failed', { cause: error }) : asSourceError(error);
  } finally {
    await parts.return?.();
  }
}

/** ClickHouse over its HTTP interface. */
export const clickhouseSource: SourceKind = {
  async probe(deps, source, signal) {
    const isSignedIn = textOf(source, 'username') !== undefined;
    const body = await run(deps, source, { statement: trivialStatement, after: null }, signal);
    for await (const _page of rowPages(body));
    return { details: { login: isSignedIn ? 'ok' : 'skipped' } };
  },
  open: (deps, source) =>
    sqlReader(source, {
      quote: '`',
      async *pages(query: TableQuery, signal) {
        assertNoBackslash(query);
        const statement = tableStatement(query, '{after:String}');
        yield* rowPages(await run(deps, source, { statement, after: query.after }, signal));
      },
      close: async () => undefined,
    }),
};
