import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ContentItem } from '@arbiter/contract';
import { newId } from '../../../platform/ids.ts';
import { type ContentServer, startContentServer } from './test-content.ts';

let contents: ContentServer;
before(async () => {
  contents = await startContentServer({ tenants: 2 });
});
after(() => contents.server.close());

const stateOf = ({ status, version }: ContentItem) => [status, version];
const auditOf = (id: string) =>
  contents.server.testDatabase.ownerQuery<{ action: string; version: number }>(
    'select action, entity_version as version from arbiter.audit_logs where entity_id = $1 order by sequence',
    [id],
  );
/** Expects this status and code, and an unchanged item. */
async function refused(id: string, method: string, path: string, body: unknown, code: string, key?: string) {
  const before = await contents.call('GET', `/${id}`);
  const answer = await contents.call(method, `/${id}${path}`, body, key);
  assert.equal(answer.body.code, code, `${method} ${path}: ${answer.text}`);
  assert.deepEqual((await contents.call('GET', `/${id}`)).body, before.body);
  return answer;
}

test('an item starts as a draft with its first version, has defaults, and keeps omitted fields', async () => {
  const made = await contents.make({ content: { subject: 'Hi' } });
  assert.partialDeepStrictEqual(made, {
    status: 'draft',
    version: 1,
    description: '',
    blocks: [],
    personalization: {},
    isTemplate: false,
    sourceType: 'native',
    source: null,
    parentTemplateId: null,
    parentTemplate: null,
    parentOutdated: false,
    submittedBy: null,
    approvedBy: null,
    rejectionReason: null,
    publishedAt: null,
    publishedVersion: null,
  });
  const changed = await contents.change(made.id, {
    blocks: [{ type: 'text', props: { text: 'x' } }],
    changeNote: 'why',
  });
  assert.deepEqual(changed.content, { subject: 'Hi' });
  assert.match(String(changed.blocks[0]?.id), /^[0-9a-f-]{36}$/);
  assert.deepEqual(stateOf(changed), ['draft', 2]);
  const versions = await contents.versions(made.id);
  assert.deepEqual(
    versions.map(({ version, kind, changeNote, merged }) => [version, kind, changeNote, merged]),
    [
      [2, 'update', 'why', null],
      [1, 'create', null, null],
    ],
  );
  assert.deepEqual((await contents.call('GET', `/${made.id}`)).body.versions, versions);
  // Sending back what was read creates a new version.
  assert.deepEqual(stateOf(await contents.change(made.id, changed)), ['draft', 3]);
  assert.equal((await contents.call('PUT', `/${made.id}`, { rowVersion: 2 })).body.code, 'row_version_conflict');
  assert.deepEqual(await auditOf(made.id), [
    { action: 'create', version: 1 },
    { action: 'update', version: 2 },
    { action: 'update', version: 3 },
  ]);
});

test('the workflow by two persons: each step with its status, person, instant, audit row and version', async () => {
  const other = await contents.person();
  const { id } = await contents.make();
  const act = async (action: string, key?: string, body?: unknown) => {
    const answer = await contents.call('POST', `/${id}/${action}`, body, key);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const submitted = await act('submit');
  assert.deepEqual([...stateOf(submitted), submitted.submittedBy], ['in_review', 1, 'system']);
  assert.ok(submitted.submittedAt !== null);
  const rejected = await act('reject', other, { reason: 'no link' });
  assert.deepEqual(
    [...stateOf(rejected), rejected.rejectionReason, rejected.submittedBy],
    ['draft', 1, 'no link', null],
  );
  assert.equal((await act('submit', other)).rejectionReason, null);
  // B submitted this time, so A may approve (E3).
  const approved = await act('approve');
  assert.deepEqual([...stateOf(approved), approved.approvedBy], ['approved', 1, 'system']);
  const published = await act('publish', other);
  assert.deepEqual([...stateOf(published), published.publishedVersion], ['published', 2, 2]);
  assert.ok(published.publishedAt !== null);
  const changed = await contents.change(id, { description: 'new' });
  assert.deepEqual(
    [...stateOf(changed), changed.publishedVersion, changed.publishedAt, changed.submittedBy, changed.approvedBy],
    ['draft', 3, 2, published.publishedAt, null, null],
  );
  assert.deepEqual(
    (await auditOf(id)).map(({ action }) => action),
    ['create', 'submit', 'reject', 'submit', 'approve', 'publish', 'update'],
  );
  assert.deepEqual(
    (await contents.versions(id)).map(({ version, kind }) => [version, kind]),
    [
      [3, 'update'],
      [2, 'publish'],
      [1, 'create'],
    ],
  );
});

test("E3: the submitter can't approve, with any key; the creator or last editor can", async () => {
  const [a, b] = [
    await contents.person('admin'),
    await contents.person('editor', '0b0b0b0b-0000-4000-8000-00000000000b'),
  ];
  const otherKeyOfB = await contents.person('admin', '0b0b0b0b-0000-4000-8000-00000000000b');
  const { id } = (await contents.call('POST', '', { name: 'E3', channelType: 'sms' }, a)).body;
  assert.equal((await contents.call('POST', `/${id}/submit`, undefined, b)).status, 200);
  for (const key of [b, otherKeyOfB]) {
    const answer = await refused(id, 'POST', '/approve', undefined, 'self_approval_forbidden', key);
    assert.equal(answer.status, 403);
  }
  assert.equal((await contents.call('POST', `/${id}/approve`, undefined, a)).status, 200);
  // A key created with a key belongs to the same person.
  const made = await contents.server.call<{ key: string }>('POST', '/api/v1/api-keys', {
    key: a,
    body: { name: 'a2' },
  });
  await contents.call('PUT', `/${id}`, {}, b);
  await contents.call('POST', `/${id}/submit`, undefined, a);
  await refused(id, 'POST', '/approve', undefined, 'self_approval_forbidden', made.body.key);
});

test('an action in the wrong status responds 409 and changes nothing', async () => {
  const other = await contents.person();
  const steps = { submit: 'draft', approve: 'in_review', reject: 'in_review', publish: 'approved' };
  const { id } = await contents.make();
  for (const [status, next, key] of [
    ['draft', 'submit', undefined],
    ['in_review', 'approve', other],
    ['approved', 'publish', undefined],
    ['published', null, undefined],
  ] as const) {
    for (const [action, from] of Object.entries(steps)) {
      if (from === status) continue;
      const { status: answered } = await refused(id, 'POST', `/${action}`, undefined, 'invalid_transition', other);
      assert.equal(answered, 409);
    }
    if (next !== null) assert.equal((await contents.call('POST', `/${id}/${next}`, undefined, key)).status, 200);
  }
});

test('archiving adds no version, keeps the name taken, allows only revert, and responds 204 again', async () => {
  const made = await contents.make();
  await contents.publish(made.id);
  assert.equal((await contents.call('DELETE', `/${made.id}`)).status, 204);
  const archived = (await contents.call('GET', `/${made.id}`)).body;
  assert.deepEqual([...stateOf(archived), archived.publishedVersion], ['archived', 2, 2]);
  assert.equal((await contents.call('DELETE', `/${made.id}`)).status, 204);
  assert.equal((await contents.call('DELETE', `?id=${made.id}`)).status, 204);
  for (const [method, path] of [
    ['PUT', ''],
    ['POST', '/submit'],
    ['POST', '/approve'],
    ['POST', '/reject'],
    ['POST', '/publish'],
  ] as const) {
    await refused(made.id, method, path, method === 'PUT' ? {} : undefined, 'invalid_transition');
  }
  const listed = await contents.call<{ data: ContentItem[] }>('GET', `?status=archived&search=${made.name}`);
  assert.deepEqual(
    listed.body.data.map(({ id }) => id),
    [made.id],
  );
  assert.equal((await contents.call('POST', '', { name: made.name, channelType: 'sms' })).body.code, 'duplicate_name');
  const back = await contents.call('POST', `/${made.id}/revert/1`);
  assert.deepEqual([back.status, ...stateOf(back.body)], [200, 'draft', 3]);
  assert.deepEqual(
    (await auditOf(made.id)).map(({ action }) => action),
    ['create', 'submit', 'approve', 'publish', 'soft_delete', 'revert'],
  );
  assert.equal((await contents.call('DELETE', `/${newId()}`)).status, 404);
});

test("revert restores the item's own parts of an older version, never the template's", async () => {
  const template = await contents.make({ isTemplate: true, content: { subject: 'T', footer: 'F' } });
  const item = await contents.make({
    parentTemplateId: template.id,
    content: { subject: 'one' },
    blocks: [{ id: 'a', type: 'text', props: { text: 'one' } }],
    personalization: { who: 'customer.name' },
  });
  await contents.publish(item.id);
  await contents.change(item.id, { content: {}, blocks: [], personalization: {} });
  const back = await contents.call('POST', `/${item.id}/revert/2`);
  assert.deepEqual([back.status, ...stateOf(back.body)], [200, 'draft', 4]);
  const { content, blocks, personalization } = item;
  assert.partialDeepStrictEqual(back.body, {
    content,
    blocks,
    personalization,
    publishedVersion: 2,
    submittedBy: null,
  });
  assert.equal(back.body.versions?.[0]?.kind, 'revert');
  assert.deepEqual(back.body.versions?.find(({ kind }) => kind === 'publish')?.merged?.content, {
    subject: 'one',
    footer: 'F',
  });
  for (const [version, code] of [
    ['4', 'invalid_transition'],
    ['5', 'invalid_transition'],
    ['999999999', 'invalid_transition'],
    ['0', 'not_found'],
    ['-1', 'not_found'],
    ['01', 'not_found'],
    ['1e0', 'not_found'],
    ['last', 'not_found'],
  ] as const) {
    await refused(item.id, 'POST', `/revert/${version}`, undefined, code);
  }
});

test('at most 100 versions are listed and 20 shown, newest first', async () => {
  const { id } = await contents.make();
  await contents.server.testDatabase.ownerQuery(
    `insert into arbiter.content_versions (tenant_id, id, content_item_id, version, kind, content, blocks, personalization,
       changed_by, created_at)
     select tenant_id, gen_random_uuid(), id, n, 'update', '{}', '[]', '{}', 'test', now()
       from arbiter.content, generate_series(2, 101) n where id = $1`,
    [id],
  );
  const numbers = (await contents.versions(id)).map(({ version }) => version);
  assert.deepEqual([numbers.length, numbers[0], numbers.at(-1)], [100, 101, 2]);
  const shown = (await contents.call('GET', `/${id}`)).body.versions?.map(({ version }) => version) ?? [];
  assert.deepEqual([shown.length, shown[0], shown.at(-1)], [20, 101, 82]);
});

test('channelType and isTemplate are fixed; a list filters by all four, and shows no versions', async () => {
  const item = await contents.make({ channelType: 'push', isTemplate: true });
  for (const body of [{ channelType: 'sms' }, { isTemplate: false }]) {
    const answer = await refused(item.id, 'PUT', '', body, 'validation_failed');
    assert.equal(answer.body.errors?.[0]?.path, `/${Object.keys(body)[0]}`);
  }
  await contents.change(item.id, { channelType: 'push', isTemplate: true });
  const list = async (query: string) =>
    (await contents.call<{ data: ContentItem[] }>('GET', `?${query}&search=${item.name}`)).body.data;
  const [found] = await list('status=draft&channelType=push&isTemplate=true&sourceType=native');
  assert.deepEqual([found?.id, found?.versions], [item.id, undefined]);
  for (const query of ['status=published', 'channelType=sms', 'isTemplate=false', 'sourceType=contentful']) {
    assert.deepEqual(await list(query), [], query);
  }
});

test('rejects bad content, personalization and blocks with their paths, and changes nothing', async () => {
  const { id } = await contents.make();
  const text = (value: string) => ({ type: 'text', props: { text: value } });
  const deep = { type: 'columns', children: [{ type: 'column', children: [text('a')] }, { type: 'column' }] };
  for (const [path, body] of [
    ['/content', { content: { a: 'x'.repeat(100 * 1024) } }],
    ['/content', { content: null }],
    ['/content/html', { content: { html: 'x'.repeat(64 * 1024 + 1) } }],
    ['/blocks/0/props/html', { blocks: [{ type: 'html', props: { html: 'x'.repeat(64 * 1024 + 1) } }] }],
    ['/personalization/a-b', { personalization: { 'a-b': 'customer.x' } }],
    ['/personalization/a', { personalization: { a: 'request.x' } }],
    ['/personalization/a/source', { personalization: { a: { source: 'x' } } }],
    ['/personalization/a/fallback', { personalization: { a: { fallback: [] } } }],
    ['/personalization/a/default', { personalization: { a: { default: 'x' } } }],
    ['/personalization/a', { personalization: { a: null } }],
    [
      '/personalization',
      { personalization: Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`v${n}`, 'customer.x'])) },
    ],
    ['/blocks/0/type', { blocks: [{ type: 'video' }] }],
    ['/blocks/0/props/text', { blocks: [{ type: 'text', props: { text: 1 } }] }],
    ['/blocks/0/props/level', { blocks: [{ type: 'heading', props: { level: 7 } }] }],
    ['/blocks/0/props/level', { blocks: [{ type: 'heading', props: { level: 1.5 } }] }],
    ['/blocks/0/props/align', { blocks: [{ type: 'text', props: { align: 'justify' } }] }],
    ['/blocks/0/props/style', { blocks: [{ type: 'button', props: { style: 'red' } }] }],
    ['/blocks/0/props/fields', { blocks: [{ type: 'offer', props: { fields: ['margin'] } }] }],
    ['/blocks/0/props/items', { blocks: [{ type: 'list', props: { items: 'a' } }] }],
    ['/blocks/0/props', { blocks: [{ id: 'a', type: 'text', props: null }] }],
    [
      '/blocks/1/id',
      {
        blocks: [
          { id: 'a', ...text('') },
          { id: 'a', ...text('') },
        ],
      },
    ],
    ['/blocks/0/id', { blocks: [{ id: 'x'.repeat(65), ...text('') }] }],
    ['/blocks/0/children', { blocks: [{ type: 'text', children: [text('a')] }] }],
    ['/blocks/0/children', { blocks: [{ type: 'columns', children: [{ type: 'column' }] }] }],
    [
      '/blocks/0/children',
      { blocks: [{ type: 'columns', children: Array.from({ length: 5 }, () => ({ type: 'column' })) }] },
    ],
    ['/blocks/0/children/0/type', { blocks: [{ type: 'columns', children: [text('a'), { type: 'column' }] }] }],
    ['/blocks/0/props/widths', { blocks: [{ ...deep, props: { widths: [20, 30, 50] } }] }],
    ['/blocks/0/type', { blocks: [{ type: 'column' }] }],
    [
      '/blocks/0/children/0/children/0',
      { blocks: [{ ...deep, children: [{ type: 'column', children: [deep] }, { type: 'column' }] }] },
    ],
    ['/blocks', { blocks: Array.from({ length: 201 }, () => text('a')) }],
    ['/blocks', { blocks: [text('x'.repeat(200 * 1024))] }],
    ['/changeNote', { changeNote: 'x'.repeat(501) }],
  ] as const) {
    const answer = await refused(id, 'PUT', '', body, 'validation_failed');
    const paths = answer.body.errors?.map((entry) => entry.path) ?? [];
    assert.ok(
      paths.some((found) => found.startsWith(path)),
      `${path}: ${paths.join()}`,
    );
  }
  assert.equal((await contents.change(id, { content: { html: 'x'.repeat(64 * 1024) } })).version, 2);
  const fine = {
    content: { a: 'x'.repeat(100 * 1024 - 8) },
    blocks: [...Array.from({ length: 196 }, () => text('a')), deep],
    personalization: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`v${n}`, 'customer.x'])),
    changeNote: '😀'.repeat(500),
  };
  assert.equal((await contents.change(id, fine)).version, 3);
  assert.equal((await contents.call('POST', `/${id}/submit`)).status, 200);
  assert.equal((await contents.call('POST', `/${id}/reject`, { reason: 'x'.repeat(1001) })).status, 400);
  assert.equal((await contents.call('POST', `/${id}/reject`, { reason: 'x'.repeat(1000) })).status, 200);
});

test('remarks on an unknown prop, and rejects it under strict handling', async () => {
  const body = { name: 'Props', channelType: 'email', blocks: [{ type: 'text', props: { txet: 'a' } }] };
  const strict = await contents.server.call<{ code: string }>('POST', '/api/v1/content', {
    body,
    headers: { prefer: 'handling=strict' },
  });
  assert.deepEqual([strict.status, strict.body.code], [400, 'validation_failed'], strict.text);
  const made = await contents.server.call('POST', '/api/v1/content', { body });
  assert.equal(made.status, 201);
  assert.match(String(made.headers['x-unknown-properties']), /txet.*\(text\?\)/);
});

test('two decisions at once: one 200, one 409', async () => {
  const persons = await Promise.all([contents.person(), contents.person(), contents.person()]);
  for (let round = 0; round < 5; round++) {
    const { id } = await contents.make();
    await contents.call('POST', `/${id}/submit`);
    const decided = await Promise.all(
      ['approve', 'reject', 'approve'].map((action, n) =>
        contents.call('POST', `/${id}/${action}`, undefined, persons[n]),
      ),
    );
    assert.deepEqual(decided.map(({ status }) => status).sort(), [200, 409, 409]);
    if ((await contents.call('GET', `/${id}`)).body.status !== 'approved') continue;
    const published = await Promise.all(persons.map((key) => contents.call('POST', `/${id}/publish`, undefined, key)));
    assert.deepEqual(published.map(({ status }) => status).sort(), [200, 409, 409]);
  }
});

test('publishing beside a PUT publishes what was approved', async () => {
  for (let round = 0; round < 8; round++) {
    const { id } = await contents.make({ content: { body: 'approved' } });
    await contents.call('POST', `/${id}/submit`);
    await contents.call('POST', `/${id}/approve`, undefined, await contents.person());
    const [published, changed] = await Promise.all([
      contents.call('POST', `/${id}/publish`),
      contents.call('PUT', `/${id}`, { content: { body: 'other' } }),
    ]);
    assert.equal(changed.status, 200);
    const item = (await contents.call('GET', `/${id}`)).body;
    assert.equal(item.status, 'draft');
    const publication = item.versions?.find(({ kind }) => kind === 'publish');
    if (published.status === 200) assert.deepEqual(publication?.merged?.content, { body: 'approved' });
    else assert.deepEqual([published.status, publication], [409, undefined]);
    const numbers = item.versions?.map(({ version }) => version) ?? [];
    assert.deepEqual(
      numbers,
      Array.from({ length: item.version }, (_, n) => item.version - n),
    );
  }
});

test('50 changes at once: version + 50, without gap, and an unbroken chain', async () => {
  const { id } = await contents.make();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => contents.call('PUT', `/${id}`, { content: { n } })),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  const versions = await contents.versions(id);
  assert.deepEqual(
    versions.map(({ version }) => version),
    Array.from({ length: 51 }, (_, n) => 51 - n),
  );
  const verified = await contents.server.call<{ intact: boolean }>('GET', '/api/v1/audit-logs/verify');
  assert.equal(verified.body.intact, true);
});

test('with content management off, rejects writes and allows reads', async () => {
  const { id } = await contents.make();
  const set = (enableContentManagement: boolean | null) =>
    contents.server.call('PUT', '/api/v1/tenant-settings', { body: { enableContentManagement } });
  await set(false);
  try {
    for (const [method, path, body] of [
      ['PUT', '', {}],
      ['DELETE', '', undefined],
      ['POST', '/submit', undefined],
      ['POST', '/approve', undefined],
      ['POST', '/reject', undefined],
      ['POST', '/publish', undefined],
      ['POST', '/revert/1', undefined],
    ] as const) {
      const answer = await refused(id, method, path, body, 'feature_disabled');
      assert.equal(answer.status, 403);
    }
    const made = await contents.call('POST', '', { name: 'Off', channelType: 'sms' });
    assert.equal(made.body.code, 'feature_disabled');
    assert.equal((await contents.call('GET', `/${id}/versions`)).status, 200);
    assert.equal((await contents.call('POST', `/${id}/render`, {})).status, 200);
  } finally {
    await set(null);
  }
});

test("another tenant's item isn't found", async () => {
  const stranger = contents.server.tenants[1]!.keys.admin;
  const template = await contents.make({ isTemplate: true });
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PUT', '', {}],
    ['DELETE', '', undefined],
    ['POST', '/submit', undefined],
    ['POST', '/approve', undefined],
    ['POST', '/reject', {}],
    ['POST', '/publish', undefined],
    ['GET', '/versions', undefined],
    ['POST', '/revert/1', undefined],
    ['POST', '/render', {}],
  ] as const) {
    const answer = await contents.call(method, `/${template.id}${path}`, body, stranger);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], `${method} ${path}`);
  }
  const child = await contents.call(
    'POST',
    '',
    { name: 'x', channelType: 'sms', parentTemplateId: template.id },
    stranger,
  );
  assert.deepEqual([child.status, child.body.code], [400, 'reference_not_found']);
  assert.equal((await contents.call('POST', '', { name: template.name, channelType: 'sms' }, stranger)).status, 201);
});
