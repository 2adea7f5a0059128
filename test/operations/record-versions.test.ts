import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  hasUsualVersions,
  type RecordVersion,
  type Resource,
  resources,
  type VersionDifferences,
} from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { createFixtures, type Fixtures, type Made, type Resource as Path, randomId } from './fixtures.ts';

/** The history of each record over HTTP (docs/design/api-settled.md 50). */

let server: TestServer;
let own: Fixtures;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  own = createFixtures(server, server.tenants[0]);
});
after(() => server?.close());

const get = <Body = Record<string, unknown>>(path: string, key = own.tenant.keys.viewer) =>
  server.call<Body & { code: string }>('GET', `/api/v1/${path}`, { key });
async function must<Body>(path: string): Promise<Body> {
  const answer = await get<Body>(path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}
interface Page {
  readonly data: RecordVersion[];
  readonly pagination: { readonly total: number; readonly hasMore: boolean; readonly nextCursor: string | null };
}
const versionsOf = (path: string, id: string, query = '') => must<Page>(`${path}/${id}/versions${query}`);
const actions = ({ data }: Page) => data.map(({ version, action }) => [version, action]);
const admin = (method: string, path: string) => server.call(method, `/api/v1/${path}`, { key: own.tenant.keys.admin });

for (const { entityType, path, noun, ...resource } of Object.values<Resource>(resources)) {
  if (!hasUsualVersions({ entityType, path, noun, ...resource })) continue;

  test(`${entityType}: creation, change, deletion and restoration are its history, newest first`, async () => {
    const made = await own.make(path as Path);
    const { id } = made;
    const read = (await get(`${path}/${id}`)).body;
    // Flow routes have no name.
    const [property, value] = 'name' in made ? ['name', own.name('Renamed')] : ['priority', 77];
    await own.must('PUT', `${path}/${id}`, { [property]: value }, 200);
    assert.ok((await admin('DELETE', `${path}/${id}`)).status < 300);
    const deleted = await versionsOf(path, id);
    assert.deepEqual(actions(deleted), [
      [3, 'soft_delete'],
      [2, 'update'],
      [1, 'create'],
    ]);
    assert.equal((await admin('POST', `restore?entityType=${entityType}&id=${id}`)).status, 200);
    const page = await versionsOf(path, id);
    assert.deepEqual(actions(page), [[4, 'restore'], ...actions(deleted)]);
    assert.equal(page.pagination.total, 4);
    for (const { changedBy, changedAt, truncated } of page.data) {
      assert.match(changedBy, /^apikey:/);
      assert.match(changedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(truncated, undefined);
    }
    const [back, gone, renamed, first] = page.data;
    assert.deepEqual(
      renamed?.changes.map((change) => [change.path, change.before]),
      [[`/${property}`, made[property]]],
    );
    assert.deepEqual(
      [back, gone].map((version) => version?.changes.map((change) => change.path)),
      [['/deletedAt'], ['/deletedAt']],
    );
    assert.ok(first?.changes.some((change) => change.path === `/${property}` && change.before === null));

    const was = await must<Record<string, unknown>>(`${path}/${id}/versions/1`);
    assert.ok(Object.keys(was).length > 5);
    // Counters next to a record (of its budget) aren't part of its versions.
    for (const [name, value] of Object.entries(was)) assert.partialDeepStrictEqual(read[name], value, name);
    assert.equal((await must<Made>(`${path}/${id}/versions/3`)).deletedAt !== null, true);

    const diff = await must<VersionDifferences>(`${path}/${id}/versions/diff?from=1&to=4`);
    assert.deepEqual(diff, { from: 1, to: 4, changes: renamed?.changes });
    const reversed = await must<VersionDifferences>(`${path}/${id}/versions/diff?from=4&to=1`);
    assert.deepEqual(
      reversed.changes,
      diff.changes.map((change) => ({ path: change.path, before: change.after, after: change.before })),
    );
    assert.deepEqual((await must<VersionDifferences>(`${path}/${id}/versions/diff?from=2&to=2`)).changes, []);
  });

  test(`${entityType}: shows nothing to another tenant, for unknown IDs and unknown versions`, async () => {
    const { id } = await own.make(path as Path);
    const stranger = server.tenants[1]!.keys.admin;
    for (const rest of ['versions', 'versions/1', 'versions/diff?from=1&to=1']) {
      for (const [who, key] of [
        [id, stranger],
        [randomId(), own.tenant.keys.admin],
        ['nonsense', own.tenant.keys.admin],
      ] as const) {
        const answer = await get(`${path}/${who}/${rest}`, key);
        assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], `${who} ${rest}`);
      }
    }
    for (const number of ['0', '2', '-1', '1.0', '01', 'x', '99999999999999999999', 'latest']) {
      const answer = await get(`${path}/${id}/versions/${number}`);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], number);
    }
    for (const query of ['from=1&to=2', 'from=2&to=1']) {
      assert.equal((await get(`${path}/${id}/versions/diff?${query}`)).status, 404, query);
    }
    for (const query of ['', 'from=1', 'to=1', 'from=0&to=1', 'from=1&to=x', 'from=1&to=2147483648']) {
      const answer = await get(`${path}/${id}/versions/diff?${query}`);
      assert.deepEqual([answer.status, answer.body.code], [400, 'validation_failed'], query);
    }
  });
}

test('finds differences inside objects and lists', async () => {
  const { id } = await own.must(
    'POST',
    'offers',
    { name: own.name('Offer'), tags: ['a', 'b'], metadata: { 'x/y': { z: 1 } } },
    201,
  );
  await own.must('PUT', `offers/${id}`, { tags: ['a', 'c', 'd'], metadata: { 'x/y': { z: 2 } }, priority: 7 }, 200);
  const { changes } = await must<VersionDifferences>(`offers/${id}/versions/diff?from=1&to=2`);
  assert.deepEqual(
    changes.sort((a, b) => (a.path < b.path ? -1 : 1)),
    [
      { path: '/metadata/x~1y/z', before: 1, after: 2 },
      { path: '/priority', before: 50, after: 7 },
      { path: '/tags/1', before: 'b', after: 'c' },
      { path: '/tags/2', before: null, after: 'd' },
    ],
  );
});

test('pages join without a gap, and the last change of a page is included', async () => {
  const { id } = await own.make('categories');
  for (let n = 2; n <= 7; n += 1) await own.must('PUT', `categories/${id}`, { description: `text ${n}` }, 200);
  const seen: RecordVersion[] = [];
  for (let query = '?limit=3'; ; ) {
    const { data, pagination } = await versionsOf('categories', id, query);
    assert.equal(pagination.total, 7);
    seen.push(...data);
    if (pagination.nextCursor === null) break;
    query = `?limit=3&cursor=${pagination.nextCursor}`;
  }
  assert.deepEqual(
    seen.map(({ version }) => version),
    [7, 6, 5, 4, 3, 2, 1],
  );
  assert.deepEqual(seen, (await versionsOf('categories', id)).data);
  assert.deepEqual(seen[2]?.changes, [{ path: '/description', before: 'text 4', after: 'text 5' }]);
  const other = await own.make('categories');
  const { pagination } = await versionsOf('categories', id, '?limit=1');
  const foreign = await get(`categories/${other.id}/versions?cursor=${pagination.nextCursor}`);
  assert.deepEqual([foreign.status, foreign.body.code], [400, 'invalid_cursor']);
});

test('the oldest version says if earlier ones are missing; states replace a cut audit log', async () => {
  const { id } = await own.make('categories');
  await own.must('PUT', `categories/${id}`, { description: 'second' }, 200);
  await own.must('PUT', `categories/${id}`, { description: 'third' }, 200);
  assert.equal((await admin('DELETE', `categories/${id}`)).status, 204);
  await admin('POST', `restore?entityType=category&id=${id}`);
  const whole = await versionsOf('categories', id);
  const owner = (text: string) => server.testDatabase.ownerQuery(text, [id]);
  await owner('delete from arbiter.audit_logs where entity_id = $1');
  await owner('delete from arbiter.record_versions where entity_id = $1 and version = 1');
  const cut = await versionsOf('categories', id);
  assert.equal(cut.pagination.total, 4);
  assert.deepEqual(
    cut.data.map(({ version, action, truncated }) => [version, action, truncated]),
    [
      [5, 'restore', undefined],
      [4, 'soft_delete', undefined],
      [3, 'update', undefined],
      [2, 'update', true],
    ],
  );
  assert.deepEqual(cut.data.at(-1)?.changes, []);
  assert.deepEqual(cut.data[2]?.changes, whole.data[2]?.changes);
  assert.match(String(cut.data[0]?.changedBy), /^apikey:/);
  assert.equal((await get(`categories/${id}/versions/1`)).status, 404);
  // Read the same truncated history again in pages of one: only its own oldest version is the oldest.
  const [newest] = (await versionsOf('categories', id, '?limit=1')).data;
  assert.deepEqual([newest?.version, newest?.truncated], [5, undefined]);
});

test('includes a state repaired by hand under the same number, with secrets as bullets', async () => {
  const { id } = await own.must(
    'POST',
    'offers',
    { name: own.name('Offer'), metadata: { apiToken: 'hidden', open: 1 } },
    201,
  );
  await server.testDatabase.ownerQuery('update arbiter.offers set priority = 99 where id = $1', [id]);
  const page = await versionsOf('offers', id);
  assert.deepEqual(actions(page), [[1, 'create']]);
  const was = await must<Made & { metadata: Record<string, unknown> }>(`offers/${id}/versions/1`);
  assert.deepEqual([was.priority, was.metadata], [99, { apiToken: '••••••••', open: 1 }]);
  assert.doesNotMatch(JSON.stringify(page), /hidden/);
});
