import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Operation, operations } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { type CatalogueIds, creates, makeCatalogue } from './test-catalogue.ts';

/**
 * T1 (quality.md): the id of another tenant is answered like an id that exists nowhere, byte for byte, wherever an
 * operation takes one: in the path, in the query, in the body. And nothing of the other tenant changes.
 */

const all: readonly Operation[] = Object.values(operations);
const randomId = '0199aaaa-0000-7000-8000-00000000ffff';

let server: TestServer;
let theirs: CatalogueIds;
let ours: CatalogueIds;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  ours = await makeCatalogue(server, server.tenants[0].keys.admin, 'ours');
  theirs = await makeCatalogue(server, server.tenants[1]!.keys.admin, 'theirs');
});
after(() => server.close());

/** Hash of every row of the other tenant, past row-level security. Uses of keys are bookkeeping, not data. */
async function theirData(): Promise<string> {
  const { ownerQuery } = server.testDatabase;
  const tables = await ownerQuery<{ name: string }>(
    `select distinct c.table_name as name from information_schema.columns c
       join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'arbiter' and c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE'
        and c.table_name not in ('api_key_uses', 'rate_limit_windows') order by 1`,
  );
  const hash = createHash('sha256');
  for (const { name } of tables) {
    const rows = await ownerQuery(
      `select coalesce(string_agg(r::text, chr(10) order by r::text), '') as rows
         from arbiter."${name}" r where tenant_id = $1`,
      [server.tenants[1]!.id],
    );
    hash.update(`${name} ${JSON.stringify(rows)}`);
  }
  return hash.digest('hex');
}

async function answer(operation: Operation, path: string, body: unknown): Promise<string> {
  const { status, text } = await server.call(operation.method, path, body === undefined ? {} : { body });
  assert.ok(status < 500, `${operation.id}: ${text}`);
  return `${status} ${text}`;
}

/** The same answer to the same question: only the request id and the id that was asked about may differ. */
function comparable(text: string, id: string): string {
  return text.replace(/"requestId":"[^"]+"/, '').replaceAll(id, 'ID');
}

/** The id of the resource that an operation is about: fields and rows belong to schemas. */
function idFor(ids: CatalogueIds, operation: Operation): string {
  return ids[operation.id.split('.')[0] ?? ''] ?? ids.offers!;
}

/** Bodies that pass the schema where the id in it is the question. */
const bodies: Readonly<Record<string, (id: string) => unknown>> = {
  'schemas.createField': (id) => ({ schemaId: id, name: 'x', dataType: 'integer' }),
  'schemas.updateField': (id) => ({ fieldId: id }),
  'schemas.insertRows': () => ({ rows: [{ customer_id: 'c' }] }),
};

for (const operation of all) {
  const inPath = operation.path.includes('{');
  const queryNames = Object.keys(Reflect.get(operation.query ?? {}, 'properties') ?? {});
  const inQuery = queryNames.filter((name) => name === 'id' || /Id$/.test(name));
  const bodyNames: string[] = Reflect.get(operation.body ?? {}, 'required') ?? [];
  const inBody = ['schemas.createField', 'schemas.updateField'].includes(operation.id) || bodyNames.join() === 'id';
  if (operation.auth !== 'credential') continue;
  if (inPath) {
    test(`${operation.id}: path`, async () => {
      const ask = (id: string) =>
        answer(
          operation,
          operation.path.replace(/\{[^}]+\}/, id),
          operation.body === undefined ? undefined : (bodies[operation.id]?.(id) ?? {}),
        );
      const id = idFor(theirs, operation);
      const before = await theirData();
      const foreign = await ask(id);
      assert.equal(comparable(foreign, id), comparable(await ask(randomId), randomId));
      assert.match(foreign, /^404 /);
      assert.equal(await theirData(), before);
    });
  }
  for (const name of inQuery) {
    test(`${operation.id}: query.${name}`, async () => {
      const ask = (id: string) => answer(operation, `${operation.path}?${name}=${id}`, undefined);
      const id =
        name === 'id' ? idFor(theirs, operation) : (theirs[`${name.slice(0, -2)}s`] ?? idFor(theirs, operation));
      const before = await theirData();
      assert.equal(comparable(await ask(id), id), comparable(await ask(randomId), randomId));
      assert.equal(await theirData(), before);
    });
  }
  if (inBody) {
    test(`${operation.id}: body`, async () => {
      const path = operation.path.replace(/\{[^}]+\}/, idFor(ours, operation));
      const ask = (id: string) => answer(operation, path, bodies[operation.id]?.(id) ?? { id });
      const id = idFor(theirs, operation);
      const before = await theirData();
      const foreign = await ask(id);
      assert.equal(comparable(foreign, id), comparable(await ask(randomId), randomId));
      assert.match(foreign, /^40[04] /);
      assert.equal(await theirData(), before);
    });
  }
}

/** References inside the bodies of creates: every id of another resource that a create takes. */
for (const { resource, path, body } of creates) {
  const sample = JSON.stringify(body(new Proxy({}, { get: (_, key) => `<${String(key)}>` }), 's'));
  for (const [, reference = ''] of sample.matchAll(/"<(\w+)>"/g)) {
    test(`${resource}.create: reference to ${reference}`, async () => {
      const operation = operations[`${resource}.create` as 'offers.create'];
      const ask = (id: string, suffix: string) =>
        answer(operation, `/api/v1/${path}`, body({ ...ours, [reference]: id }, suffix));
      const before = await theirData();
      const foreign = await ask(theirs[reference]!, 'ref');
      const random = await ask(randomId, 'ref');
      assert.equal(comparable(foreign, theirs[reference]!), comparable(random, randomId));
      // A draft flow may name what does not exist yet; publishing asks.
      if (resource !== 'decisionFlows') assert.match(foreign, /^400 .*reference_not_found/);
      assert.equal(await theirData(), before);
    });
  }
}

test('no list of ours shows anything of theirs', async () => {
  const markers = [...Object.values(theirs), 'theirs', server.tenants[1]!.id];
  for (const operation of all) {
    if (operation.method !== 'GET' || operation.path.includes('{') || operation.auth !== 'credential') continue;
    const { text } = await server.call('GET', operation.path);
    for (const marker of markers) assert.ok(!text.includes(marker), `${operation.id} shows ${marker}`);
  }
});
