import type { TableQuery } from '../../../../../db/index.ts';
import { isObject } from '../../../../../platform/json.ts';
import { requestJson } from '../../../../../platform/sources/http-source.ts';
import { SourceError } from '../../../../../platform/sources/source-error.ts';
import { pauseForStatement } from '../../../../../platform/sources/statement-pause.ts';
import type { SourceRow } from '../../reader.ts';
import { requiredText, type Source, type SourceDeps, type SourceKind, textOf } from '../../source.ts';
import { authHeaders } from '../api-auth.ts';
import { valueAt } from '../api-pages.rules.ts';
import { withParameters } from '../paged-api.ts';
import { sqlReader } from '../sql-reader.ts';
import { exactNumber, type ResultColumn, rowsOfValues } from './statement-rows.rules.ts';
import { tableStatement } from './table-query.store.ts';

// https://docs.databricks.com/api/workspace/statementexecution

const statements = '/api/2.0/sql/statements';
const cancelMs = 2_000;
const numberTypes = new Set(['BYTE', 'SHORT', 'INT', 'LONG', 'FLOAT', 'DOUBLE', 'DECIMAL']);

function readValue(text: string, { type }: ResultColumn): unknown {
  if (type === 'BOOLEAN') return text === 'true';
  return numberTypes.has(type) ? exactNumber(text) : text;
}

interface Session {
  request(method: 'GET' | 'POST', path: string, body?: object, tries?: number): Promise<unknown>;
  /** Reads a part of a result, which lies in another server's storage: without credentials. */
  readPart(url: string): Promise<unknown>;
}

async function openSession({ outbound, endpoints }: SourceDeps, source: Source, signal: AbortSignal): Promise<Session> {
  const host = requiredText(source, 'host')
    .replace(/^https:\/\//, '')
    .replace(/\/$/, '');
  if (/[\s/?#@\\]/.test(host)) throw new SourceError('missing_config');
  const base = endpoints.databricks ?? `https://${host}`;
  const login = { tokenUrl: withParameters(`${base}/oidc/v1/token`, {}), scope: 'all-apis' };
  const auth = await authHeaders(outbound, { ...source, config: { ...login, ...source.config } }, signal);
  const headers = { ...auth, accept: 'application/json', 'content-type': 'application/json' };
  return {
    async request(method, path, body, tries) {
      const url = withParameters(`${base}${path}`, {});
      if (new URL(url).origin !== new URL(base).origin) throw new SourceError('unexpected_response');
      const call = { url, method, headers, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      return (await requestJson(outbound, call, tries === undefined ? {} : { tries })).body;
    },
    readPart: async (url) => (await requestJson(outbound, { url, signal })).body,
  };
}

function warehouseOf(source: Source): string {
  const [, id] =
    /^\/?sql\/1\.0\/(?:warehouses|endpoints)\/([0-9a-zA-Z]+)\/?$/.exec(requiredText(source, 'httpPath')) ?? [];
  if (id === undefined) throw new SourceError('missing_config');
  return id;
}

const failures: Readonly<Record<string, SourceError['reason']>> = {
  ...{ NOT_FOUND: 'not_found', UNAUTHENTICATED: 'auth_failed', PERMISSION_DENIED: 'permission_denied' },
  RESOURCE_EXHAUSTED: 'rate_limited',
};

/** Waits for the end of a statement. Throws SourceError. */
async function finished(session: Session, first: unknown, signal: AbortSignal): Promise<unknown> {
  let answer = first;
  for (let times = 0; ; times++) {
    const state = valueAt(answer, 'status.state');
    if (state === 'SUCCEEDED') return answer;
    if (state !== 'PENDING' && state !== 'RUNNING') {
      // A statement on a missing table fails with a SQLSTATE of class 42.
      const isUnknown = /^42(P01|704|703|S02)$/.test(String(valueAt(answer, 'status.sql_state')));
      const code = String(valueAt(answer, 'status.error.error_code'));
      throw new SourceError(isUnknown ? 'not_found' : (failures[code] ?? 'unexpected_response'));
    }
    const id = valueAt(answer, 'statement_id');
    if (typeof id !== 'string') throw new SourceError('unexpected_response');
    await pauseForStatement(times, signal);
    answer = await session.request('GET', `${statements}/${encodeURIComponent(id)}`);
  }
}

function columnsOf(answer: unknown): ResultColumn[] {
  const columns = valueAt(answer, 'manifest.schema.columns');
  if (!Array.isArray(columns)) throw new SourceError('unexpected_response');
  return columns.map((column: unknown) => ({
    name: String(valueAt(column, 'name')),
    type: String(valueAt(column, 'type_name')),
  }));
}

async function* resultPages(session: Session, answer: unknown): AsyncGenerator<readonly SourceRow[]> {
  const columns = columnsOf(answer);
  const seen = new Set<string>();
  for (let links = valueAt(answer, 'result.external_links'); Array.isArray(links) && links.length > 0; ) {
    let next: unknown;
    for (const link of links) {
      const url: unknown = valueAt(link, 'external_link');
      if (typeof url !== 'string' || !URL.canParse(url)) throw new SourceError('unexpected_response');
      yield rowsOfValues(await session.readPart(url), columns, readValue);
      next = valueAt(link, 'next_chunk_internal_link');
    }
    if (typeof next !== 'string') return;
    if (seen.has(next)) throw new SourceError('unexpected_response');
    seen.add(next);
    const chunk = await session.request('GET', next);
    links = isObject(chunk) ? chunk.external_links : undefined;
  }
}

async function* tablePages(
  deps: SourceDeps,
  source: Source,
  query: TableQuery,
  signal: AbortSignal,
): AsyncGenerator<readonly SourceRow[]> {
  const session = await openSession(deps, source, signal);
  const first = await session.request('POST', statements, {
    ...{ warehouse_id: warehouseOf(source), statement: tableStatement(query, ':after') },
    ...{ catalog: textOf(source, 'catalog'), schema: textOf(source, 'schema') },
    ...(query.after === null ? {} : { parameters: [{ name: 'after', value: query.after, type: 'STRING' }] }),
    ...{ wait_timeout: '20s', on_wait_timeout: 'CONTINUE', disposition: 'EXTERNAL_LINKS', format: 'JSON_ARRAY' },
  });
  const id = valueAt(first, 'statement_id');
  let isDone = false;
  try {
    yield* resultPages(session, await finished(session, first, signal));
    isDone = true;
  } finally {
    if (!isDone && typeof id === 'string') {
      const late = AbortSignal.timeout(cancelMs);
      const cancel = `${statements}/${encodeURIComponent(id)}/cancel`;
      void openSession(deps, source, late)
        .then((other) => other.request('POST', cancel, {}, 1))
        .catch(() => undefined);
    }
  }
}

/** Databricks SQL through its statement API. */
export const databricksSource: SourceKind = {
  async probe(deps, source, signal) {
    const id = warehouseOf(source);
    const session = await openSession(deps, source, signal);
    await session.request('GET', `/api/2.0/sql/warehouses/${id}`, undefined, 1);
    return { details: {} };
  },
  open: (deps, source) =>
    sqlReader(source, {
      quote: '`',
      pages: (query, signal) => tablePages(deps, source, query, signal),
      close: async () => undefined,
    }),
};
