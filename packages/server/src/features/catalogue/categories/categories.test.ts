import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { categoryOperations, subCategoryOperations } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { createTestApp, keys, tenantA, tenantB } from '../../../http/test-app.ts';
import { type Call, callsOf } from '../../../http/test-calls.ts';
import { newId } from '../../../platform/ids.ts';
import { categoryRoutes, subCategoryRoutes } from './categories.routes.ts';
import { snapshotCategories } from './index.ts';

let db: TestDatabase;
let call: Call;
before(async () => {
  db = await createTestDatabase();
  await db.ownerQuery('insert into arbiter.tenants (id, name) values ($1, $3), ($2, $4)', [tenantA, tenantB, 'A', 'B']);
  const { app } = createTestApp({
    operations: { ...prefix('c', categoryOperations), ...prefix('s', subCategoryOperations) },
    handlers: new Map([
      ...handlerEntries(categoryOperations, categoryRoutes()),
      ...handlerEntries(subCategoryOperations, subCategoryRoutes()),
    ]),
    database: db.database,
  });
  call = callsOf(app);
});
after(() => db.close());

function prefix<T>(word: string, values: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${word}${key}`, value]));
}

const url = '/api/v1/categories';
let counter = 0;
const uniqueName = () => `Category ${++counter}`;
const create = async (body: Record<string, unknown> = {}) => {
  const made = await call('POST', url, { name: uniqueName(), ...body });
  assert.equal(made.status, 201, made.text);
  return made.json;
};
const plantOffer = async (categoryId: string | null, subCategoryId: string | null, metadata: unknown = {}) => {
  const id = newId();
  await db.ownerQuery(
    `insert into arbiter.offers (tenant_id, id, name, category_id, sub_category_id, metadata, version, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, 1, now(), now())`,
    [tenantA, id, `Offer ${id}`, categoryId, subCategoryId, JSON.stringify(metadata)],
  );
  return id;
};
const catalogueVersion = async () => {
  const [row] = await db.ownerQuery<{ version: string }>(
    'select version from arbiter.catalogue_versions where tenant_id = $1',
    [tenantA],
  );
  return Number(row?.version ?? 0);
};

describe('a governed record', () => {
  test('is created with version 1, defaults, an audit row and a new catalogue version', async () => {
    const before = await catalogueVersion();
    const made = await create({ name: 'Sparen 💰', id: newId(), version: 99, isSystem: true });
    assert.equal(made.version, 1);
    assert.equal(made.name, 'Sparen 💰');
    assert.deepEqual(
      [made.color, made.status, made.ordinal, made.description, made.deletedAt, made._count.offers],
      ['blue', 'active', 0, '', null, 0],
    );
    assert.match(made.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(await catalogueVersion(), before + 1);
    const audit = await db.ownerQuery(
      'select action, entity_type, entity_name, entity_version, before, after from arbiter.audit_logs where entity_id = $1',
      [made.id],
    );
    assert.equal(audit.length, 1);
    assert.deepEqual(
      [audit[0]?.action, audit[0]?.entity_type, audit[0]?.entity_name, audit[0]?.entity_version],
      ['create', 'category', 'Sparen 💰', 1],
    );
    assert.equal(audit[0]?.before, null);
  });

  test('has a unique name among live rows', async () => {
    const made = await create();
    const twin = await call('POST', url, { name: made.name });
    assert.deepEqual([twin.status, twin.json.code, twin.json.errors[0].path], [409, 'duplicate_name', '/name']);
    assert.equal((await call('POST', url, { name: made.name.toUpperCase() })).status, 201);
    assert.equal((await call('DELETE', `${url}/${made.id}`)).status, 204);
    const again = await create({ name: made.name });
    assert.notEqual(again.id, made.id);
    const other = await create();
    assert.equal((await call('PUT', url, { id: other.id, name: made.name })).json.code, 'duplicate_name');
    assert.equal((await call('POST', url, { name: made.name }, keys.otherTenant)).status, 201);
  });

  test('keeps omitted properties, counts every change, and rejects a stale one', async () => {
    const made = await create({ description: 'x', ordinal: 3 });
    const same = await call('PUT', url, { id: made.id });
    assert.deepEqual([same.status, same.json.version, same.json.description], [200, 2, 'x']);
    const changed = await call('PUT', `${url}/${made.id}`, { description: '', rowVersion: 2 });
    assert.deepEqual([changed.json.version, changed.json.description, changed.json.ordinal], [3, '', 3]);
    const stale = await call('PUT', url, { id: made.id, rowVersion: 2, description: 'y' });
    assert.deepEqual([stale.status, stale.json.code], [409, 'row_version_conflict']);
    assert.equal((await call('PUT', url, { id: made.id, description: null })).status, 400);
    assert.equal((await call('PUT', `${url}/${made.id}`, { id: newId() })).status, 400);
    assert.equal((await call('GET', `${url}/${made.id}`)).json.version, 3);
  });

  test("isn't found if it's missing, deleted, foreign or misnamed", async () => {
    const gone = await create();
    await call('DELETE', `${url}/${gone.id}`);
    const foreign = (await call('POST', url, { name: uniqueName() }, keys.otherTenant)).json;
    for (const id of [newId(), gone.id, foreign.id, 'no-id', '00000000-0000-0000-0000-00000000000g']) {
      for (const [method, path, body, status, code] of [
        ['GET', `${url}/${id}`, undefined, 404, 'not_found'],
        ['PUT', `${url}/${id}`, { description: 'x' }, 404, 'not_found'],
        ['DELETE', `${url}/${id}`, undefined, 404, 'not_found'],
        ['DELETE', `${url}?id=${id}`, undefined, 400, 'already_deleted'],
      ] as const) {
        const answer = await call(method, path, body);
        assert.deepEqual([answer.status, answer.json.code], [status, code], `${method} ${path}`);
        assert.ok(!answer.text.includes(foreign.name));
      }
    }
    assert.equal((await call('PUT', url, { id: foreign.id, name: 'mine' })).status, 404);
    assert.equal((await call('GET', `${url}/${foreign.id}`, undefined, keys.otherTenant)).json.version, 1);
  });

  test('deletion is a change like any other, once', async () => {
    const made = await create();
    assert.equal((await call('DELETE', `${url}?id=${made.id}`)).status, 204);
    assert.equal((await call('DELETE', `${url}?id=${made.id}`)).json.code, 'already_deleted');
    const listed = await call('GET', `${url}?includeDeleted=true&search=${encodeURIComponent(made.name)}`);
    const row = listed.json.data.find((each: { id: string }) => each.id === made.id);
    assert.equal(row.version, 2);
    assert.notEqual(row.deletedAt, null);
    const audit = await db.ownerQuery<{ action: string; entity_version: number }>(
      'select action, entity_version from arbiter.audit_logs where entity_id = $1 order by sequence',
      [made.id],
    );
    assert.deepEqual(
      audit.map((each) => [each.action, each.entity_version]),
      [
        ['create', 1],
        ['soft_delete', 2],
      ],
    );
  });

  test('adds 50 versions and one unbroken audit chain under fifty parallel changes', async () => {
    const made = await create();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => call('PUT', url, { id: made.id, description: `d${index}` })),
    );
    assert.ok(answers.every((answer) => answer.status === 200));
    assert.deepEqual(
      answers.map((answer) => answer.json.version).sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, index) => index + 2),
    );
    const rows = await db.ownerQuery<{ before: { description: string } | null; after: { description: string } }>(
      'select before, after from arbiter.audit_logs where entity_id = $1 order by sequence',
      [made.id],
    );
    assert.equal(rows.length, 51);
    for (const [index, row] of rows.slice(1).entries()) assert.deepEqual(row.before, rows[index]?.after);
  });

  test('one of several parallel creations with one name succeeds', async () => {
    const name = uniqueName();
    const answers = await Promise.all(Array.from({ length: 12 }, () => call('POST', url, { name })));
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, ...Array.from({ length: 11 }, () => 409)]);
  });
});

describe('a list', () => {
  const ids = (answer: { json: { data: { id: string }[] } }) => answer.json.data.map((row) => row.id);

  test('pages by ordinal and name while rows come and go', async () => {
    const mark = `walk${Date.now()}`;
    const rows = [];
    for (let index = 0; index < 23; index += 1) {
      rows.push(await create({ name: `${mark} ${String((index * 7) % 23).padStart(2, '0')}`, ordinal: index % 3 }));
    }
    const wanted = [...rows].sort((a, b) => a.ordinal - b.ordinal || (a.name < b.name ? -1 : 1)).map((row) => row.id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await call('GET', `${url}?limit=4&q=${mark.toUpperCase()}${cursor ? `&cursor=${cursor}` : ''}`);
      assert.equal(page.status, 200, page.text);
      seen.push(...ids(page));
      const { pagination } = page.json;
      assert.equal(pagination.hasMore, pagination.nextCursor !== null);
      assert.equal(pagination.cursor, pagination.nextCursor);
      cursor = pagination.nextCursor;
      await create({ name: `${mark} new ${seen.length}`, ordinal: seen.length % 3 });
    } while (cursor !== null);
    assert.deepEqual(
      seen.filter((id) => wanted.includes(id)),
      wanted,
    );
    assert.equal(new Set(seen).size, seen.length);
  });

  test('continues after a deleted row, but not after a vanished or foreign one', async () => {
    const mark = `cut${Date.now()}`;
    for (let index = 0; index < 3; index += 1) await create({ name: `${mark} ${index}` });
    const first = await call('GET', `${url}?limit=1&search=${mark}`);
    const cursor = first.json.pagination.nextCursor;
    await call('DELETE', `${url}/${ids(first)[0]}`);
    const second = await call('GET', `${url}?limit=1&search=${mark}&cursor=${cursor}`);
    assert.equal(second.json.data[0].name, `${mark} 1`);
    assert.equal(second.json.pagination.total, 2);
    await db.ownerQuery('delete from arbiter.categories where id = $1', [ids(first)[0]]);
    for (const bad of [cursor, 'garbage', newId(), encodeURIComponent("x' or 1=1 --")]) {
      const answer = await call('GET', `${url}?cursor=${bad}`);
      assert.deepEqual([answer.status, answer.json.code], [400, 'invalid_cursor'], bad);
    }
    const own = (await call('GET', `${url}?limit=1&search=${mark}`)).json.pagination.nextCursor;
    assert.equal((await call('GET', `${url}?cursor=${own}`, undefined, keys.otherTenant)).json.code, 'invalid_cursor');
  });

  test('has limits, filters and search', async () => {
    const mark = `50%_${Date.now()}\\`;
    await create({ name: `${mark}a`, status: 'inactive' });
    await create({ name: `${mark}b` });
    const search = encodeURIComponent(mark);
    assert.equal((await call('GET', `${url}?search=${search}`)).json.pagination.total, 2);
    assert.equal((await call('GET', `${url}?search=${search}&status=inactive`)).json.pagination.total, 1);
    assert.equal((await call('GET', `${url}?limit=100000`)).json.pagination.limit, 200);
    assert.equal((await call('GET', url)).json.pagination.limit, 25);
    for (const bad of ['0', '-1', '1.5', 'x', '1e2', '+3']) {
      assert.equal((await call('GET', `${url}?limit=${encodeURIComponent(bad)}`)).status, 400, bad);
    }
    assert.equal((await call('GET', `${url}?status=gone`)).status, 400);
    assert.deepEqual((await call('GET', '/api/v1/sub-categories?categoryId=no-id')).json.data, []);
  });
});

describe('categories', () => {
  test('are in use while sub-categories or offers refer to them', async () => {
    const category = await create();
    const child = await call('POST', '/api/v1/sub-categories', { name: 'Child', categoryId: category.id });
    assert.equal(child.status, 201, child.text);
    assert.deepEqual(child.json.category, { id: category.id, name: category.name });
    const offer = await plantOffer(category.id, child.json.id);
    const refused = await call('DELETE', `${url}?id=${category.id}`);
    assert.deepEqual([refused.status, refused.json.code], [409, 'in_use']);
    assert.equal(refused.json.errors.length, 2);
    assert.ok(refused.json.errors.every((entry: { path: string }) => entry.path === 'query.id'));
    assert.ok(refused.text.includes(offer) && refused.text.includes(child.json.id));
    assert.equal((await call('DELETE', `/api/v1/sub-categories/${child.json.id}`)).json.code, 'in_use');
    const shown = await call('GET', `${url}/${category.id}`);
    assert.equal(shown.json._count.offers, 1);
    assert.deepEqual(
      shown.json.subCategories.map((row: { id: string }) => row.id),
      [child.json.id],
    );
    await db.ownerQuery('update arbiter.offers set deleted_at = now() where id = $1', [offer]);
    assert.equal((await call('DELETE', `/api/v1/sub-categories/${child.json.id}`)).status, 204);
    assert.equal((await call('DELETE', `${url}/${category.id}`)).status, 204);
  });

  test('sub-categories need a live category of the tenant', async () => {
    const gone = await create();
    await call('DELETE', `${url}/${gone.id}`);
    const foreign = (await call('POST', url, { name: uniqueName() }, keys.otherTenant)).json;
    const answers = [];
    for (const categoryId of [newId(), gone.id, foreign.id]) {
      const { status, json } = await call('POST', '/api/v1/sub-categories', { name: 'x', categoryId });
      answers.push([status, { ...json, requestId: '' }]);
    }
    assert.deepEqual(answers[0], answers[1]);
    assert.deepEqual(answers[0], answers[2]);
    assert.equal(answers[0]?.[1].code, 'reference_not_found');
    assert.equal((await call('POST', '/api/v1/sub-categories', { name: 'x', categoryId: 'no-id' })).status, 400);
  });

  test('deleting a category while a sub-category is created never leaves an orphan', async () => {
    for (let round = 0; round < 8; round += 1) {
      const category = await create();
      const [made, deleted] = await Promise.all([
        call('POST', '/api/v1/sub-categories', { name: 'x', categoryId: category.id }),
        call('DELETE', `${url}/${category.id}`),
      ]);
      assert.ok(
        (made.status === 201 && deleted.status === 409) || (made.status === 400 && deleted.status === 204),
        `${made.status} ${deleted.status}`,
      );
    }
  });

  test('custom fields are checked, and keep their type while offers hold values', async () => {
    const category = await create({ customFields: [{ key: 'rate', type: 'text', outputType: null }] });
    await plantOffer(category.id, null, { customFields: { rate: 'high' } });
    const retyped = await call('PUT', url, { id: category.id, customFields: [{ key: 'rate', type: 'number' }] });
    assert.deepEqual([retyped.status, retyped.json.code], [409, 'in_use']);
    const bad = await call('POST', url, { name: uniqueName(), customFields: [{ key: 'a', type: 'select' }] });
    assert.deepEqual([bad.status, bad.json.errors[0].path], [400, '/customFields/0/options']);
    assert.equal(
      (await call('POST', url, { name: uniqueName(), customFields: [{ key: 'A!', type: 'text' }] })).status,
      400,
    );
  });

  test('custom fields are part of what decisions read', async () => {
    const category = await create({
      customFields: [
        { key: 'rate', type: 'number', label: 'Rate', defaultValue: 2 },
        { key: 'double', type: 'computed', formula: 'rate * 2', outputType: 'decimal' },
      ],
    });
    const rows = await db.database.withTenant(tenantA, systemActor('test'), snapshotCategories);
    assert.deepEqual(rows.find((row) => row.id === category.id)?.customFields, [
      { key: 'rate', type: 'number', defaultValue: 2 },
      { key: 'double', type: 'computed', formula: 'rate * 2', outputType: 'number' },
    ]);
    const child = await call('POST', '/api/v1/sub-categories', {
      name: 'Child',
      categoryId: category.id,
      customFields: [{ key: 'triple', type: 'computed', formula: 'rate * 3' }],
    });
    assert.equal(child.status, 201, child.text);
    const circle = await call('PUT', '/api/v1/sub-categories', {
      id: child.json.id,
      customFields: [{ key: 'rate', type: 'computed', formula: 'double' }],
    });
    assert.deepEqual([circle.status, circle.json.errors[0].path], [400, '/customFields/0/formula']);
  });

  test('editors write, viewers read', async () => {
    assert.equal((await call('POST', url, { name: uniqueName() }, keys.viewer)).status, 403);
    assert.equal((await call('GET', url, undefined, keys.viewer)).status, 200);
  });

  test('a hostile name is stored byte for byte', async () => {
    for (const name of [
      "'; drop table arbiter.categories; --",
      'a\u202eb\u200d',
      '{{x}} %s $1 \\',
      'e\u0301',
      '\u{1F469}\u200D\u{1F4BB}',
    ]) {
      const made = await create({ name });
      assert.equal((await call('GET', `${url}/${made.id}`)).json.name, name);
    }
    assert.equal((await call('POST', url, { name: '   ' })).status, 400);
    assert.equal((await call('POST', url, { name: 'a\u0000b' })).status, 400);
    assert.equal((await call('POST', url, { name: '😀'.repeat(255) })).status, 201);
    assert.equal((await call('POST', url, { name: '😀'.repeat(256) })).status, 400);
  });
});
