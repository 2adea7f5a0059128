import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { PeerAnswer, PeerRequest } from '../test-http-peer.ts';
import type { SuiteRow } from '../test-reader-suite.ts';

// Peers that answer in the published form of each warehouse.

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

export { privateKey };

/** What a test's table holds, and what the next request gets instead. */
export const table: { rows: SuiteRow[]; fault: PeerAnswer | null } = { rows: [], fault: null };

const part = 700;

/** Answers the one statement that readers send. `name`: the quoted table. `parameter`: the value behind its name. */
function selected(statement: string, name: string, parameter: { name: string; value: unknown }): SuiteRow[] {
  const quote = name[0] ?? '';
  const [, from, condition, limit] =
    /^SELECT \* FROM (\S+)(?: WHERE .seq. (IS NOT NULL|> \S+) ORDER BY .seq.)?(?: LIMIT (\d+))?$/.exec(statement) ?? [];
  assert.equal(from, name, statement);
  if (condition !== undefined) assert.ok(statement.includes(`ORDER BY ${quote}seq${quote}`));
  if (condition?.startsWith('>')) assert.equal(condition, `> ${parameter.name}`);
  const after = condition?.startsWith('>') ? Number(parameter.value) : 0;
  return table.rows.filter(({ seq }) => seq > after).slice(0, limit === undefined ? undefined : Number(limit));
}

const claimsOf = (token: string): Record<string, unknown> => {
  const [head = '', body = '', signature = ''] = token.split('.');
  assert.ok(verify('RSA-SHA256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url')));
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  assert.ok(claims.exp - claims.iat <= 3600);
  return claims;
};

/** https://clickhouse.com/docs/interfaces/http */
export function clickhouse({ method, url, headers }: PeerRequest): PeerAnswer {
  if (headers['x-clickhouse-user'] !== 'u' || headers['x-clickhouse-key'] !== 'p') {
    return { status: 403, headers: { 'x-clickhouse-exception-code': '516' }, body: 'Code: 516. DB::Exception' };
  }
  assert.equal(method, 'GET');
  const [, statement = ''] = /^(.*) FORMAT JSONEachRow$/s.exec(url.searchParams.get('query') ?? '') ?? [];
  if (statement === 'SELECT 1') return { body: '{"1":1}\n' };
  if (url.searchParams.get('database') !== 'db') {
    return { status: 404, headers: { 'x-clickhouse-exception-code': '81' }, body: 'Code: 81. DB::Exception' };
  }
  const parameter = { name: '{after:String}', value: url.searchParams.get('param_after') };
  return {
    body: selected(statement, '`people`', parameter)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  };
}

let statementCount = 0;
const results = new Map<string, readonly SuiteRow[]>();

/** https://docs.databricks.com/api/workspace/statementexecution */
export function databricks({ method, url, headers, text }: PeerRequest, base: string): PeerAnswer {
  const path = url.pathname.slice('/databricks'.length);
  if (path.startsWith('/storage/')) {
    assert.equal(headers.authorization, undefined);
    const [, id = '', at = ''] = /^\/storage\/(\w+)\/(\d+)$/.exec(path) ?? [];
    const rows = (results.get(id) ?? []).slice(Number(at) * part, (Number(at) + 1) * part);
    return { body: rows.map(({ seq, name }) => [String(seq), name]) };
  }
  if (path === '/oidc/v1/token') {
    const form = new URLSearchParams(text);
    const isKnown = form.get('client_secret') === 's' && form.get('scope') === 'all-apis';
    return isKnown ? { body: { access_token: 't' } } : { status: 400, body: { error: 'invalid_client' } };
  }
  if (headers.authorization !== 'Bearer t') return { status: 401 };
  if (path === '/api/2.0/sql/warehouses/abc') return { body: { id: 'abc', state: 'STOPPED' } };
  const links = (id: string, at: number) => {
    const hasNext = (at + 1) * part < (results.get(id) ?? []).length;
    const next = hasNext ? { next_chunk_internal_link: `/api/2.0/sql/statements/${id}/result/chunks/${at + 1}` } : {};
    return [{ chunk_index: at, external_link: `${base}/databricks/storage/${id}/${at}`, ...next }];
  };
  const done = (id: string) => ({
    ...{ statement_id: id, status: { state: 'SUCCEEDED' } },
    manifest: {
      format: 'JSON_ARRAY',
      schema: {
        columns: [
          { name: 'seq', type_name: 'LONG' },
          { name: 'name', type_name: 'STRING' },
        ],
      },
    },
    result: (results.get(id) ?? []).length === 0 ? {} : { external_links: links(id, 0) },
  });
  if (method === 'POST' && path === '/api/2.0/sql/statements') {
    const { statement, warehouse_id: warehouse, disposition, ...body } = JSON.parse(text);
    assert.deepEqual([warehouse, disposition, body.catalog], ['abc', 'EXTERNAL_LINKS', 'main']);
    const id = `s${++statementCount}`;
    results.set(id, selected(statement, '`people`', { name: ':after', value: body.parameters?.[0]?.value }));
    return { body: { statement_id: id, status: { state: 'PENDING' } } };
  }
  const [, id = '', chunk] = /^\/api\/2\.0\/sql\/statements\/(\w+)(?:\/result\/chunks\/(\d+))?$/.exec(path) ?? [];
  if (!results.has(id)) return { status: 404 };
  return { body: chunk === undefined ? done(id) : { external_links: links(id, Number(chunk)) } };
}

/** https://docs.snowflake.com/en/developer-guide/sql-api/reference */
export function snowflake({ method, url, headers, text }: PeerRequest): PeerAnswer {
  const path = url.pathname.slice('/snowflake/api/v2/statements'.length);
  const token = (headers.authorization ?? '').replace('Bearer ', '');
  if (headers['x-snowflake-authorization-token-type'] === 'KEYPAIR_JWT') {
    const spki = createPublicKey(publicKey).export({ type: 'spki', format: 'der' });
    const { iss, sub } = claimsOf(token);
    const fingerprint = createHash('sha256').update(spki).digest('base64');
    assert.deepEqual([iss, sub], [`ACME-MAIN.LOADER.SHA256:${fingerprint}`, 'ACME-MAIN.LOADER']);
  } else if (token !== 't') return { status: 401, body: { code: '390303' } };
  const page = (id: string, at: number) =>
    (results.get(id) ?? []).slice(at * part, (at + 1) * part).map(({ seq, name }) => [String(seq), name]);
  if (method === 'POST' && path === '') {
    const { statement, warehouse, bindings, schema } = JSON.parse(text);
    if (statement === 'SELECT 1') return { body: { code: '090001', statementHandle: 'x', data: [['1']] } };
    if (schema === 'missing') return { status: 422, body: { code: '002003' } };
    assert.equal(warehouse, 'wh');
    const id = `q${++statementCount}`;
    results.set(id, selected(statement, '"PUBLIC"."people"', { name: '?', value: bindings?.[1]?.value }));
    return { status: 202, body: { code: '333334', statementHandle: id } };
  }
  const id = path.slice(1);
  const at = url.searchParams.get('partition');
  if (!results.has(id)) return { status: 404 };
  if (at !== null) {
    const body = gzipSync(JSON.stringify({ data: page(id, Number(at)) }));
    return { headers: { 'content-encoding': 'gzip' }, body };
  }
  const partitionInfo = Array.from(
    { length: Math.max(1, Math.ceil((results.get(id) ?? []).length / part)) },
    () => ({}),
  );
  const rowType = [
    { name: 'seq', type: 'fixed', scale: 0 },
    { name: 'name', type: 'text' },
  ];
  return { body: { statementHandle: id, resultSetMetaData: { partitionInfo, rowType }, data: page(id, 0) } };
}

/** https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query */
export function bigquery({ method, url, headers, text }: PeerRequest): PeerAnswer {
  const path = url.pathname.slice('/bigquery'.length);
  if (path === '/token') {
    const { iss, aud, scope } = claimsOf(new URLSearchParams(text).get('assertion') ?? '');
    assert.deepEqual(
      [aud, scope],
      ['https://oauth2.example/token', 'https://www.googleapis.com/auth/bigquery.readonly'],
    );
    return iss === 'loader@p.example'
      ? { body: { access_token: 't' } }
      : { status: 400, body: { error: 'invalid_grant' } };
  }
  if (headers.authorization !== 'Bearer t') return { status: 401 };
  const project = '/bigquery/v2/projects/p1';
  if (path === `${project}/datasets/d1`) return { body: { id: 'p1:d1' } };
  const schema = {
    fields: [
      { name: 'seq', type: 'INTEGER', mode: 'NULLABLE' },
      { name: 'name', type: 'STRING', mode: 'NULLABLE' },
    ],
  };
  const page = (id: string, at: number): PeerAnswer => {
    const all = results.get(id) ?? [];
    const rows = all.slice(at, at + part).map(({ seq, name }) => ({ f: [{ v: String(seq) }, { v: name }] }));
    const next = at + part < all.length ? { pageToken: String(at + part) } : {};
    const jobReference = { projectId: 'p1', jobId: id, location: 'EU' };
    return { body: { jobComplete: true, jobReference, schema, ...next, ...(rows.length === 0 ? {} : { rows }) } };
  };
  if (method === 'POST' && path === `${project}/queries`) {
    const { query, dryRun, useLegacySql, defaultDataset, queryParameters } = JSON.parse(text);
    assert.deepEqual([useLegacySql, defaultDataset.datasetId], [false, 'd1']);
    const given = queryParameters?.[0];
    const found = selected(query, '`people`', { name: '@after', value: given?.parameterValue.value });
    if (dryRun === true) return { body: { jobComplete: true, schema } };
    if (given !== undefined) assert.equal(given.parameterType.type, 'INT64');
    const id = `j${++statementCount}`;
    results.set(id, found);
    return { body: { jobComplete: false, jobReference: { projectId: 'p1', jobId: id, location: 'EU' } } };
  }
  const [, id = ''] = /\/queries\/(\w+)$/.exec(path) ?? [];
  if (!results.has(id) || url.searchParams.get('location') !== 'EU') return { status: 404 };
  return page(id, Number(url.searchParams.get('pageToken') ?? 0));
}
