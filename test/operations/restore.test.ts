import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type EntityType, type Resource, resources } from '@arbiter/contract';
import { bySpelling } from '../../packages/server/src/features/catalogue/restore/spellings.rules.ts';
import { features } from '../../packages/server/src/main/features.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { createFixtures, type Fixtures, type Made, type Resource as Path, randomId } from './fixtures.ts';

/** Soft-deletable resources that can't be restored, with the reason. */
const notRestored: Readonly<Record<string, string>> = {};

let server: TestServer;
let own: Fixtures;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  own = createFixtures(server, server.tenants[0]);
});
after(() => server?.close());

const call = (method: string, path: string, key = own.tenant.keys.admin) =>
  server.call<Made & { code: string; version: number; errors?: { path: string; message: string }[] }>(
    method,
    `/api/v1/${path}`,
    { key },
  );
const restore = (entityType: string, id: string, key?: string) =>
  call('POST', `restore?entityType=${entityType}&id=${id}`, key);
const remove = async (path: string, id: string) => {
  const answer = await call('DELETE', `${path}/${id}`);
  assert.ok(answer.status < 300, answer.text);
};
const read = (path: string, id: string) => call('GET', `${path}/${id}`);
const change = (path: string, id: string, body: object) => own.must('PUT', `${path}/${id}`, body, 200);
const counterOf = (record: Record<string, unknown>) => Number(record.rowVersion ?? record.version);
const auditOf = (id: string) =>
  server.testDatabase.ownerQuery<{ action: string; version: number }>(
    'select action, entity_version as version from arbiter.audit_logs where entity_id = $1 order by sequence',
    [id],
  );

const restored = features.flatMap(({ restores }) => restores.map(({ entityType }) => entityType));
const soft = Object.values<Resource>(resources).filter(({ softDelete }) => softDelete);

test('every soft-deletable resource is restored by its feature, or the list above says why not', () => {
  assert.deepEqual(
    [...restored, ...Object.keys(notRestored)].sort(),
    soft.map(({ entityType }) => entityType).sort(),
    'a soft-deletable resource needs `restores: [restorable(<its spec>)]` in the index.ts of its feature',
  );
});

test('accepts an entity type in camelCase, snake_case and kebab-case, and in no other spelling', () => {
  const known = bySpelling([{ entityType: 'subCategory' }]);
  assert.deepEqual([...known.keys()], ['subCategory', 'sub_category', 'sub-category']);
});

for (const { entityType, path } of soft) {
  test(`${entityType}: returns unchanged, one version later, with its own audit row`, async () => {
    const { id } = await own.make(path as Path);
    const made = (await read(path, id)).body;
    const live = await restore(entityType, id);
    assert.deepEqual([live.status, live.body.code], [400, 'not_deleted']);
    await remove(path, id);
    for (const key of [own.tenant.keys.editor, own.tenant.keys.viewer]) {
      const refused = await restore(entityType, id, key);
      assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden']);
    }
    const foreign = await restore(entityType, id, server.tenants[1]!.keys.admin);
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'not_found']);
    const back = await restore(entityType, id);
    assert.equal(back.status, 200, back.text);
    const version = counterOf(made) + 2;
    assert.deepEqual(back.body, { restored: true, entityType, id, version });
    assert.match(String(back.headers['x-config-version']), /^[1-9][0-9]*$/);
    const now = (await read(path, id)).body;
    assert.equal(counterOf(now), version);
    const { version: _v, rowVersion: _r, updatedAt: _u, isDefault: _d, creatives: _c, ...rest } = made;
    assert.partialDeepStrictEqual(now, rest);
    assert.deepEqual((await auditOf(id)).at(-1), { action: 'restore', version });
    const again = await restore(entityType, id);
    assert.deepEqual([again.status, again.body.code], [400, 'not_deleted']);
  });

  test(`${entityType}: accepts its other spellings; unknown and malformed IDs are 404 alike`, async () => {
    for (const spelling of bySpelling([{ entityType }]).keys()) {
      for (const id of [randomId(), 'nonsense', 'x'.repeat(300)]) {
        const answer = await restore(spelling, id);
        assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], `${spelling} ${id}`);
      }
    }
  });

  const uniques = Object.entries<string>(resources[entityType as EntityType].unique);
  for (const [property, code] of uniques) {
    // The key of a deleted outcome type stays reserved, so it can't be taken.
    if (entityType === 'outcomeType' && property === 'key') continue;
    test(`${entityType}: 409 ${code} if its ${property} was taken in the meantime, and it stays deleted`, async () => {
      const body = await own.draft(path as Path);
      const { id } = await own.must('POST', path, body, 201);
      const { [property]: value } = (await read(path, id)).body;
      await remove(path, id);
      // Under the same parents, so that a name unique within its parent collides.
      const others = Object.fromEntries(
        uniques.filter(([other]) => other !== property).map(([other]) => [other, `${String(body[other] ?? 'x')}_2`]),
      );
      await own.must('POST', path, { ...body, ...others, [property]: value }, 201);
      const rows = (await auditOf(id)).length;
      const answer = await restore(entityType, id);
      assert.deepEqual([answer.status, answer.body.code], [409, code], answer.text);
      assert.equal((await read(path, id)).status, 404);
      assert.equal((await auditOf(id)).length, rows);
    });
  }
}

describe('required parameters', () => {
  test('both queries, and a restorable type', async () => {
    for (const query of ['', '?entityType=offer', `?id=${randomId()}`, '?entityType=&id=', '?entityType=offer&id=']) {
      const answer = await call('POST', `restore${query}`);
      assert.deepEqual([answer.status, answer.body.code], [400, 'validation_failed'], query);
    }
    const kinds = ['contentItem', 'content-item', 'guardrail', 'dataSchema', 'Offer', 'offers', '__proto__'];
    for (const kind of kinds) {
      const answer = await restore(kind, randomId());
      assert.deepEqual([answer.status, answer.body.code], [400, 'unknown_entity_type'], kind);
      assert.equal(answer.body.errors?.[0]?.path, 'query.entityType');
    }
  });
});

describe('related records', () => {
  test('an offer returns without its creatives; a creative only after its offer', async () => {
    const creative = await own.make('creatives');
    const offer = String(creative.offerId);
    await remove('offers', offer);
    const early = await restore('creative', creative.id);
    assert.deepEqual([early.status, early.body.code], [409, 'in_use'], early.text);
    assert.match(String(early.body.errors?.[0]?.message), new RegExp(offer));
    assert.equal((await restore('offer', offer)).status, 200);
    assert.equal((await read('creatives', creative.id)).status, 404);
    assert.equal((await restore('creative', creative.id)).status, 200);
    assert.deepEqual((await read('offers', offer)).body.creatives, [
      (({ id, name, status, channelId, placementId, templateType, weight }) => ({
        id,
        name,
        status,
        channelId,
        placementId,
        templateType,
        weight,
        version: 3,
      }))(creative),
    ]);
  });

  test('an offer loses a category and a sub-category that were deleted in the meantime', async () => {
    const { id, categoryId, subCategoryId } = await own.make('offers');
    await remove('offers', id);
    await remove('sub-categories', String(subCategoryId));
    await remove('categories', String(categoryId));
    assert.equal((await restore('offer', id)).status, 200);
    const { body } = await read('offers', id);
    assert.deepEqual([body.categoryId, body.subCategoryId], [null, null]);
  });

  test('a channel returns with the placements deleted with it, but not those deleted before', async () => {
    const channel = await own.must(
      'POST',
      'channels',
      {
        name: own.name('Channel'),
        channelType: 'email',
        placements: [{ name: 'Earlier' }, { name: 'Hero' }, { name: 'Footer' }],
      },
      201,
    );
    const placements = channel.placements as Made[];
    const idOf = (name: string) => placements.find((placement) => placement.name === name)!.id;
    await remove('placements', idOf('Earlier'));
    await remove('channels', channel.id);
    const early = await restore('placement', idOf('Hero'));
    assert.deepEqual([early.status, early.body.code], [409, 'in_use']);
    assert.equal((await restore('channel', channel.id)).status, 200);
    const names = ((await read('channels', channel.id)).body.placements as Made[]).map(({ name }) => name);
    assert.deepEqual(names, ['Footer', 'Hero']);
    assert.deepEqual((await auditOf(idOf('Hero'))).at(-1), { action: 'restore', version: 3 });
    assert.equal((await restore('placement', idOf('Earlier'))).status, 200);
  });

  test('a sub-category returns only while its category is live', async () => {
    const { id, categoryId } = await own.make('sub-categories');
    await remove('sub-categories', id);
    await remove('categories', String(categoryId));
    const early = await restore('sub-category', id);
    assert.deepEqual([early.status, early.body.code], [409, 'in_use']);
    assert.equal((await restore('category', String(categoryId))).status, 200);
    assert.equal((await restore('sub-category', id)).status, 200);
  });

  test('a former default flow returns without being the default', async () => {
    const tenant = createFixtures(server, server.tenants[1]!);
    const { id, isDefault } = await tenant.make('decision-flows');
    assert.equal(isDefault, true);
    const key = tenant.tenant.keys.admin;
    assert.equal((await call('DELETE', `decision-flows/${id}`, key)).status, 200);
    assert.equal((await restore('decision_flow', id, key)).status, 200);
    assert.equal((await call('GET', `decision-flows/${id}`, key)).body.isDefault, false);
  });

  test('a policy with a deleted target returns with its assignment', async () => {
    const policy = await own.make('contact-policies');
    await remove('contact-policies', policy.id);
    await remove('offers', String(policy.scopeId));
    assert.equal((await restore('contact_policy', policy.id)).status, 200);
    assert.deepEqual((await read('contact-policies', policy.id)).body.scopes, policy.scopes);
  });
});

test('one of many parallel restores succeeds; the others find it live', async () => {
  const { id } = await own.make('offers');
  await change('offers', id, { shortDesc: 'changed' });
  await remove('offers', id);
  const answers = await Promise.all(Array.from({ length: 8 }, () => restore('offer', id)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400, 400, 400, 400]);
  assert.equal((await read('offers', id)).body.version, 4);
});

test('restoring a record while deleting what it needs never leaves a live creative of a deleted offer', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id, offerId } = await own.make('creatives');
    await remove('creatives', id);
    const [back, gone] = await Promise.all([restore('creative', id), call('DELETE', `offers/${String(offerId)}`)]);
    assert.equal(gone.status, 200, gone.text);
    assert.ok([200, 409].includes(back.status), back.text);
    assert.equal((await read('creatives', id)).status, 404);
  }
});
