import type { TableQuery } from '../../../../../db/index.ts';
import { isObject } from '../../../../../platform/json.ts';
import { googleToken } from '../../../../../platform/sources/google-access.ts';
import { requestJson } from '../../../../../platform/sources/http-source.ts';
import { SourceError } from '../../../../../platform/sources/source-error.ts';
import type { SourceRow } from '../../reader.ts';
import { requiredText, type Source, type SourceDeps, type SourceKind, textOf } from '../../source.ts';
import { valueAt } from '../api-pages.rules.ts';
import { withParameters } from '../paged-api.ts';
import { sqlReader } from '../sql-reader.ts';
import { exactNumber, timeOfSeconds } from './statement-rows.rules.ts';
import { assertNoBackslash, tableStatement } from './table-query.store.ts';

// https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query

const api = 'https://bigquery.googleapis.com';
const scope = 'https://www.googleapis.com/auth/bigquery.readonly';
const pageRows = 1000;
const waitMs = 20_000;

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isList: boolean;
  readonly fields: readonly Field[];
}

function fieldsOf(list: unknown): Field[] {
  if (!Array.isArray(list)) throw new SourceError('unexpected_response');
  return list.map((field: unknown) => ({
    name: String(valueAt(field, 'name')),
    type: String(valueAt(field, 'type')),
    isList: valueAt(field, 'mode') === 'REPEATED',
    fields: fieldsOf(valueAt(field, 'fields') ?? []),
  }));
}

function readScalar(value: unknown, { type, fields }: Field): unknown {
  if (type === 'RECORD' || type === 'STRUCT') return rowOf(value, fields);
  if (typeof value !== 'string') return value ?? null;
  if (type === 'BOOLEAN' || type === 'BOOL') return value === 'true';
  if (['INTEGER', 'INT64', 'FLOAT', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'].includes(type)) return exactNumber(value);
  if (type !== 'TIMESTAMP') return value;
  if (!/^-?\d{1,18}$/.test(value)) throw new SourceError('unexpected_response');
  // Microseconds since 1970, because a double doesn't hold them as seconds.
  const [, sign = '', digits = ''] = /^(-?)(\d+)$/.exec(value) ?? [];
  const padded = digits.padStart(7, '0');
  return timeOfSeconds(`${sign}${padded.slice(0, -6)}.${padded.slice(-6)}`, 'Z');
}

/** Returns a row: values are in the order of the fields, a list's in a list of the same form. */
function rowOf(row: unknown, fields: readonly Field[]): SourceRow | null {
  if (row === null) return null;
  const cells = isObject(row) ? row.f : null;
  if (!Array.isArray(cells) || cells.length !== fields.length) throw new SourceError('unexpected_response');
  return Object.fromEntries(
    fields.map((field, at) => {
      const value = valueAt(cells[at], 'v');
      const isList = field.isList && Array.isArray(value);
      return [
        field.name,
        isList ? value.map((each) => readScalar(valueAt(each, 'v'), field)) : readScalar(value, field),
      ];
    }),
  );
}

type Request = (method: 'GET' | 'POST', path: string, body?: object, tries?: number) => Promise<unknown>;

/** Signs in as a service account (RFC 7523) and returns how to request. Throws SourceError. */
async function signIn({ outbound, endpoints }: SourceDeps, source: Source, signal: AbortSignal): Promise<Request> {
  const tokenUrl = endpoints.bigquery === undefined ? undefined : `${endpoints.bigquery}/token`;
  const { serviceAccountJson: serviceAccount } = source.config;
  const token = await googleToken({ outbound, serviceAccount, scope, tokenUrl, signal });
  const base = `${endpoints.bigquery ?? api}/bigquery/v2/projects/${encodeURIComponent(requiredText(source, 'project'))}`;
  const auth = { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': 'application/json' };
  return async (method, path, content, tries) => {
    const request = { url: withParameters(`${base}${path}`, {}), method, headers: auth, signal };
    const options = tries === undefined ? {} : { tries };
    const sent = content === undefined ? request : { ...request, body: JSON.stringify(content) };
    return (await requestJson(outbound, sent, options)).body;
  };
}

/** A parameter has a type, and the watermark's is known to the table only. A dry run costs nothing. */
async function watermarkType(request: Request, body: object, column: string): Promise<string> {
  const schema = valueAt(await request('POST', '/queries', { ...body, dryRun: true }), 'schema.fields');
  const type = fieldsOf(schema).find(({ name }) => name === column)?.type;
  if (type === undefined) throw new SourceError('not_found');
  const names: Readonly<Record<string, string>> = { INTEGER: 'INT64', FLOAT: 'FLOAT64', BOOLEAN: 'BOOL' };
  return names[type] ?? type;
}

async function* tablePages(request: Request, source: Source, query: TableQuery): AsyncGenerator<readonly SourceRow[]> {
  assertNoBackslash(query);
  const common = {
    ...{ useLegacySql: false, location: textOf(source, 'location') },
    defaultDataset: { projectId: requiredText(source, 'project'), datasetId: requiredText(source, 'dataset') },
  };
  const body = { ...common, query: tableStatement({ ...query, after: null }, '@after') };
  const after = {
    query: tableStatement(query, '@after'),
    parameterMode: 'NAMED',
  };
  const parameters =
    query.after === null
      ? {}
      : {
          ...after,
          queryParameters: [
            {
              name: 'after',
              parameterType: { type: await watermarkType(request, body, textOf(source, 'watermarkColumn') ?? '') },
              parameterValue: { value: query.after },
            },
          ],
        };
  let answer = await request('POST', '/queries', {
    ...{ ...body, ...parameters, maxResults: pageRows, timeoutMs: waitMs, formatOptions: { useInt64Timestamp: true } },
  });
  const [id, location] = [valueAt(answer, 'jobReference.jobId'), valueAt(answer, 'jobReference.location')];
  if (typeof id !== 'string') throw new SourceError('unexpected_response');
  const seen = new Set<string>();
  for (;;) {
    const isComplete = valueAt(answer, 'jobComplete') === true;
    const rows = valueAt(answer, 'rows');
    if (isComplete && Array.isArray(rows)) {
      const fields = fieldsOf(valueAt(answer, 'schema.fields'));
      yield rows.map((row: unknown) => rowOf(row, fields) ?? {});
    }
    const token = valueAt(answer, 'pageToken');
    if (isComplete && (typeof token !== 'string' || token === '')) return;
    if (typeof token === 'string' && seen.has(token)) throw new SourceError('unexpected_response');
    if (typeof token === 'string') seen.add(token);
    const search = new URLSearchParams({
      ...{ maxResults: String(pageRows), timeoutMs: String(waitMs), 'formatOptions.useInt64Timestamp': 'true' },
      ...(typeof location === 'string' ? { location } : {}),
      ...(typeof token === 'string' ? { pageToken: token } : {}),
    });
    answer = await request('GET', `/queries/${encodeURIComponent(id)}?${search}`);
  }
}

/** BigQuery through its REST API. */
export const bigquerySource: SourceKind = {
  async probe(deps, source, signal) {
    const request = await signIn(deps, source, signal);
    await request('GET', `/datasets/${encodeURIComponent(requiredText(source, 'dataset'))}`, undefined, 1);
    return { details: {} };
  },
  open: (deps, source) =>
    sqlReader(source, {
      quote: '`',
      async *pages(query, signal) {
        yield* tablePages(await signIn(deps, source, signal), source, query);
      },
      close: async () => undefined,
    }),
};
