// Runs in one of 3 turns: what it calls has tests of its own.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { run } from '../../packages/cli/src/run.ts';
import { largestCsv, type Warning } from '../../packages/contract/src/index.ts';
import { ApiError, type Client, createClient } from '../../packages/sdk/src/index.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';

let server: TestServer;
let address: string;
let client: Client;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  address = await server.app.listen({ port: 0, host: '127.0.0.1' });
  client = createClient({ baseUrl: address, apiKey: server.tenants[0].keys.admin });
});
after(() => server?.close());

const file = (text: string, type = 'text/csv') => new File([text], 'rows.csv', { type });
let number = 0;
/** A schema of customers with the columns that the analysis finds. */
async function schemaFor(text: string, more: object = {}) {
  const analysis = await client.schemas.upload({ body: { file: file(text) } });
  const name = `people_${++number}`;
  const body = { name, displayName: name, schemaType: 'customer', fields: analysis.columns, ...more };
  return { analysis, schema: await client.schemas.create({ body }) };
}
const rowsOf = async (id: string) => (await client.schemas.listRows({ params: { id }, query: { limit: 500 } })).rows;
const refused = async (work: Promise<unknown>): Promise<ApiError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
};

const people = 'customer_id,Default,Age\nA-1,no,58\nA-2,yes,\nA-3,no,33\n';
const renamed: Warning = {
  path: '/columns/1',
  code: 'column_renamed',
  message: 'The header "Default" becomes the column default_col.',
  suggestion: null,
};

test('a CSV file becomes rows, with renamed columns and unread rows named', async () => {
  const { analysis, schema } = await schemaFor(people);
  assert.deepEqual([analysis.estimatedRows, analysis.warnings], [3, [renamed]]);
  assert.deepEqual(analysis.sample, [
    ['A-1', 'no', '58'],
    ['A-2', 'yes', ''],
    ['A-3', 'no', '33'],
  ]);
  assert.equal('warnings' in schema, false, 'a schema without rows has nothing to warn about');
  const stored = await client.schemas.insertRows({ params: { id: schema.id }, body: file(people) });
  assert.deepEqual([stored.inserted, stored.updated, stored.skipped], [3, 0, 0]);
  assert.deepEqual(
    stored.warnings?.map(({ code }) => code),
    ['rows_not_read', 'column_renamed'],
  );
  assert.deepEqual((await rowsOf(schema.id))[1], { customer_id: 'A-2', default_col: 'yes', age: null });
  const read = await client.schemas.get({ params: { id: schema.id } });
  assert.deepEqual(
    read.warnings?.map(({ code, path }) => [code, path]),
    [['rows_not_read', '/autoEnrich']],
  );
  // The same with JSON rows.
  const one = await client.schemas.insertRows({ params: { id: schema.id }, body: { rows: [{ customer_id: 'A-9' }] } });
  assert.deepEqual(
    one.warnings?.map(({ code }) => code),
    ['rows_not_read'],
  );
  const audit = await client.auditLogs.list({ query: { entityType: 'dataSchema', entityId: schema.id } });
  assert.ok(audit.data.some(({ action }) => action === 'upload'));
});

test('recommend with debug names the unread schema, until decisions read it', async () => {
  const { schema } = await schemaFor(people);
  await client.schemas.insertRows({ params: { id: schema.id }, body: file(people) });
  const ask = async () => {
    const { known, meta } = await client.decisions.recommend({ body: { customerId: 'A-1', debug: true } });
    const warnings: Warning[] = Array.isArray(meta?.schemaWarnings) ? meta.schemaWarnings : [];
    return { known, told: warnings.some(({ message }) => message.includes(schema.name)) };
  };
  assert.deepEqual(await ask(), { known: false, told: true });
  const quiet = await client.decisions.recommend({ body: { customerId: 'A-1' } });
  assert.equal('meta' in quiet, false);
  const changed = await client.schemas.updateById({ params: { id: schema.id }, body: { autoEnrich: true } });
  assert.equal('warnings' in changed, false);
  assert.deepEqual(await ask(), { known: true, told: false });
});

test('skips or overwrites rows of a file, and changes nothing for an invalid one', async () => {
  const { schema } = await schemaFor(people, { autoEnrich: true });
  const send = (text: string, query = {}) =>
    client.schemas.insertRows({ params: { id: schema.id }, query, body: file(text) });
  await send(people);
  const skipped = await send('customer_id;age\nA-1;99\nA-4;20\n');
  assert.deepEqual([skipped.inserted, skipped.skipped, skipped.warnings], [1, 1, undefined]);
  const updated = await send('CUSTOMER_ID,age,city\nA-1,99,Rome\nA-1,98,Rome\n', { onDuplicate: 'update' });
  assert.deepEqual([updated.inserted, updated.updated, updated.skipped], [0, 1, 1]);
  assert.deepEqual(
    updated.warnings?.map(({ code, path }) => [code, path]),
    [['unknown_property', '/columns/2']],
  );
  const before = await rowsOf(schema.id);
  assert.deepEqual(before[0], { customer_id: 'A-1', default_col: 'no', age: 98 });
  const wrong = await refused(send('customer_id,age\nB-1,1\nB-2,old\nB-3,2\n,5\n'));
  assert.deepEqual([wrong.status, wrong.code], [400, 'csv_invalid']);
  assert.deepEqual(
    wrong.errors.map(({ path, message }) => [path, message.slice(0, 7)]),
    [
      ['/file', 'line 3:'],
      ['/file', 'line 5:'],
    ],
  );
  for (const text of ['', 'customer_id,age\n', 'age\n5\n', 'customer_id,age\n"B-1,1\n', 'customer_id,age\nB-1,1,2\n']) {
    assert.equal((await refused(send(text))).code, 'csv_invalid', text);
  }
  assert.deepEqual(await rowsOf(schema.id), before);
});

test('NDJSON has one row on each line', async () => {
  const { schema } = await schemaFor(people, { autoEnrich: true });
  const lines = (text: string) =>
    client.schemas.insertRows({ params: { id: schema.id }, body: file(text, 'application/x-ndjson') });
  const stored = await lines('{"customer_id":"J-1","age":5}\n\n{"customer_id":"J-2"}\n');
  assert.deepEqual([stored.inserted, (await rowsOf(schema.id)).length], [2, 2]);
  for (const [text, message] of [
    ['{"customer_id":"J-3"}\n{"customer_id":', /^line 2: must be a JSON object/],
    ['[1]', /^line 1: must be a JSON object/],
    ['{"customer_id":"J-3","shoe":44}', /^line 1: shoe must be a column/],
  ] as const) {
    const error = await refused(lines(text));
    assert.equal(error.code, 'csv_invalid');
    assert.match(error.errors[0]?.message ?? '', message);
  }
  assert.equal((await rowsOf(schema.id)).length, 2);
});

test('progress arrives as events, and an error as the last one', async () => {
  const rows = Array.from({ length: 2_500 }, (_, at) => `P-${at},no,${at % 90}`);
  const text = ['customer_id,Default,Age', ...rows].join('\n');
  const { analysis, schema } = await schemaFor(text, { autoEnrich: true });
  assert.deepEqual([analysis.estimatedRows, analysis.truncated], [2_500, true]);
  const seen: unknown[] = [];
  const onProgress = (data: unknown) => seen.push(data);
  const params = { id: schema.id };
  const stored = await client.schemas.insertRows({ params, body: file(text), onProgress });
  assert.equal(stored.inserted, 2_500);
  assert.deepEqual(seen.at(-1), { phase: 'storing', bytes: Buffer.byteLength(text), rows: 2_500 });
  const error = await refused(client.schemas.insertRows({ params, body: file('nothing\n1\n'), onProgress }));
  assert.deepEqual([error.status, error.code], [400, 'csv_invalid']);
});

test('an import stores nothing when the client disconnects', async () => {
  const rows = Array.from({ length: 60_000 }, (_, at) => `S-${at},no,${at % 90}`);
  const text = ['customer_id,Default,Age', ...rows].join('\n');
  const { schema } = await schemaFor(text, { autoEnrich: true });
  const stop = new AbortController();
  const params = { id: schema.id };
  const onProgress = (data: unknown) => {
    if (Reflect.get(Object(data), 'phase') === 'storing') stop.abort();
  };
  await assert.rejects(client.schemas.insertRows({ params, body: file(text), onProgress, signal: stop.signal }));
  // A second import waits for the first one's transaction.
  const stored = await client.schemas.insertRows({ params, body: file('customer_id\nS-0\n') });
  assert.deepEqual([stored.inserted, stored.skipped], [1, 0]);
  assert.equal((await rowsOf(schema.id)).length, 1);
});

test('a sample truncates long cells without splitting characters', async () => {
  const { sample } = await client.schemas.upload({ body: { file: file(`customer_id,note\n1,${'🌱'.repeat(300)}\n`) } });
  assert.deepEqual(sample, [['1', '🌱'.repeat(100)]]);
});

test("rejects a file for its type, its size, and its sender's role and tenant", async () => {
  const { schema } = await schemaFor(people, { autoEnrich: true });
  const post = (headers: Record<string, string>, key: string, body: string | Blob = people) =>
    fetch(`${address}/api/v1/schemas/${schema.id}/data`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${key}`, 'x-requested-with': 'test', ...headers },
    });
  const [own, other] = server.tenants;
  const csv = { 'content-type': 'text/csv' };
  assert.equal((await post({ 'content-type': 'text/html' }, own.keys.admin)).status, 415);
  assert.equal((await post(csv, own.keys.admin, 'PK\u0003\u0004zip')).status, 415);
  assert.equal((await post(csv, own.keys.viewer)).status, 403);
  assert.equal((await post(csv, other?.keys.admin ?? '')).status, 404);
  const tooLong = await post(csv, own.keys.admin, new Blob([new Uint8Array(largestCsv + 1)])).catch(() => null);
  assert.ok(tooLong === null || tooLong.status === 413);
  assert.equal((await rowsOf(schema.id)).length, 0);
});

test('the SDK lists rows, traces and records in one shape', async () => {
  const { schema } = await schemaFor(people, { autoEnrich: true });
  await client.schemas.insertRows({ params: { id: schema.id }, body: file(people) });
  const first = await client.list('schemas.listRows', { params: { id: schema.id }, query: { limit: 2 } });
  assert.deepEqual([first.data.length, first.total, first.next], [2, 3, { offset: 2 }]);
  const second = await client.list('schemas.listRows', { params: { id: schema.id }, query: { limit: 2, offset: 2 } });
  assert.deepEqual([second.data.length, second.next], [1, null]);
  const traces = await client.list('decisionTraces.list');
  assert.deepEqual([traces.data, traces.total, traces.next], [[], 0, null]);
  const schemas = await client.list('schemas.list', { query: { limit: 1 } });
  assert.ok(schemas.next !== null && 'cursor' in schemas.next);
  await assert.rejects(client.list('offers.get' as 'offers.list'), TypeError);
});

test('columns with headers that differ only in case or punctuation get the analyzed names', async () => {
  const text = 'customer_id,name,Name,id,ID_COL,default_col,default\n1,a,b,c,d,e,f\n';
  const { schema } = await schemaFor(text);
  await client.schemas.insertRows({ params: { id: schema.id }, body: file(text) });
  assert.deepEqual(await rowsOf(schema.id), [
    { customer_id: 1, name: 'a', name_2: 'b', id_col_2: 'c', id_col: 'd', default_col: 'e', default_col_2: 'f' },
  ]);
});

test('an error about the whole file is a sentence', async () => {
  const error = await refused(client.schemas.upload({ body: { file: file('') } }));
  assert.equal(error.problem?.error, 'The file has no header.');
});

test('a rejected first import leaves no schema, so that a second one can use its name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-import-'));
  const path = join(folder, 'late.csv');
  let err = '';
  const shell = (answers: string[], asked: string[] = []) => ({
    environment: { ARBITER_URL: address, ARBITER_API_KEY: server.tenants[0].keys.admin },
    print: () => undefined,
    warn: (line: string) => {
      err += `${line}\n`;
    },
    ask: async (question: string) => {
      asked.push(question);
      return answers.shift() ?? assert.fail('asks too often');
    },
  });
  const load = ['schema', 'import', path, '--create', 'late'];
  const exists = async () => (await client.schemas.list({ query: { search: 'late' } })).data.length > 0;
  try {
    const rows = Array.from({ length: 200 }, (_, at) => `L-${at},${at}`);
    await writeFile(path, ['customer_id,age', ...rows, 'L-200,old'].join('\n'));
    assert.equal(await run(load, shell(['y'])), 1);
    assert.match(err, /line 202: age/);
    assert.match(err, /deleted the schema late/);
    assert.equal(await exists(), false);
    await writeFile(path, 'customer_id,age\n');
    assert.equal(await run(load, shell([])), 2);
    assert.match(err, /a header but no rows/);
    await writeFile(path, ['customer_id,age', ...rows].join('\n'));
    const asked: string[] = [];
    assert.equal(await run(load, shell(['what?', 'no'], asked)), 0);
    assert.equal(asked.length, 2, 'an answer that is neither yes nor no is asked for again');
    assert.equal((await client.schemas.list({ query: { search: 'late' } })).data[0]?.autoEnrich, false);
  } finally {
    await rm(folder, { recursive: true });
  }
});
