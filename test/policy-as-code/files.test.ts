// Runs in one of 2 turns: resources.test.ts writes and reads files of every resource in each.

// Runs in a process of its own: it takes as long as many others together.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PolicyFile, PolicyPlan } from '@arbiter/contract';
import { packs } from '@arbiter/packs';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { headerLine } from '../../packages/server/src/features/operations/gitops/layout.ts';
import { loadPack } from '../../packages/server/src/features/operations/seed-packs/index.ts';
import {
  startTestServer,
  type TestServer,
  type TestTenant,
  testLoadPorts,
} from '../../packages/server/src/main/test-server.ts';
import { fingerprint } from '../operations/fingerprint.ts';
import { type Calls, callsOf, contentOf, edited, makeCatalogue, secondPerson, secretsOf } from './catalogue.ts';

let server: TestServer;
let used = 0;
before(async () => {
  server = await startTestServer({ tenants: 36 });
});
after(() => server?.close());

/** A tenant that no other test uses. */
function freshTenant() {
  const tenant = server.tenants[used]!;
  used += 1;
  return { tenant, ...callsOf(server, tenant) };
}

/** Returns the calls of another person of the tenant. */
const secondOf = async ({ tenant }: { readonly tenant: TestTenant }): Promise<Calls> =>
  callsOf(server, tenant, await secondPerson(server, tenant));

const count = (plan: PolicyPlan) => plan.summary;
const file = (path: string, content: string): PolicyFile => ({ path, content });

/** Exports, applies to an empty tenant by two people, and applies back to the source. */
async function assertComesBack(from: Calls, to: Calls, second: Calls): Promise<void> {
  const first = await from.export();
  const paths = first.files.map(({ path }) => path);
  assert.deepEqual(paths, [...paths].sort());
  const none = await from.diff({ files: first.files, prune: true });
  assert.deepEqual(none.changes, []);
  assert.equal(none.summary.unchanged, first.files.length);
  const secrets = secretsOf(first.files);
  const foreseen = await to.diff({ files: first.files, secrets });
  const applied = await to.apply({ files: first.files, secrets, expectedConfigVersion: foreseen.configVersion });
  assert.deepEqual(applied.changes, foreseen.changes);
  assert.equal(applied.summary.create, first.files.filter(({ path }) => path !== 'settings.yaml').length);
  await second.apply({ files: first.files });
  const again = await to.export();
  for (const { path, content } of again.files) assert.equal(content, contentOf(first.files, path), path);
  assert.deepEqual(again.files, first.files);
  assert.equal(again.hash, first.hash);
  assert.equal(applied.hash, first.hash);
  for (const calls of [to, second]) {
    assert.deepEqual((await calls.diff({ files: first.files, prune: true })).changes, []);
  }
}

describe('export, a new tenant, apply, export: the same bytes', () => {
  for (const pack of packs) {
    test(`the pack ${pack.key}`, async () => {
      const [from, to] = [freshTenant(), freshTenant()];
      await server.database.withTenant(from.tenant.id, systemActor('test'), (tx) => loadPack(tx, pack, testLoadPorts));
      await assertComesBack(from, to, await secondOf(to));
    });
  }

  test('a catalogue that uses every property, without touching another tenant', async () => {
    const [from, to, bystander] = [freshTenant(), freshTenant(), freshTenant()];
    await makeCatalogue(from, await secondOf(from));
    await bystander.make('offers', { name: 'Mine' });
    const untouched = await fingerprint(server, [bystander.tenant.id]);
    await assertComesBack(from, to, await secondOf(to));
    assert.deepEqual(await fingerprint(server, [bystander.tenant.id]), untouched);
    const { files } = await to.export();
    for (const one of files) assert.ok(one.content.startsWith(`${headerLine}\n`));
    assert.equal(
      contentOf(
        files,
        'placements/web-low-2-4b9d3c4c.yaml'.replace(/-[0-9a-f]{8}\.yaml/, suffixOf(files, 'placements/web-low-2-')),
      ),
      `${headerLine}\nchannelId: web\nkey: low_2\nname: Low\n`,
    );
  });
});

function suffixOf(files: readonly PolicyFile[], start: string): string {
  return files.find(({ path }) => path.startsWith(start))!.path.slice(start.length - 1);
}

describe('a plan', () => {
  test('lists creations, changes and records without a file; apply does the same and writes audit rows', async () => {
    const it = freshTenant();
    await it.make('categories', { name: 'Cards' });
    const offer = await it.make('offers', { name: 'gold', priority: 10 });
    await it.make('offers', { name: 'extra' });
    const { files } = await it.export();
    const kept = files.filter(({ path }) => path !== 'offers/extra.yaml');
    const wanted = [
      ...edited(kept, 'offers/gold.yaml', 'priority: 10', 'categoryId: Cards\ntags: [a, b]'),
      file('offers/silver.yaml', 'name: silver\npriority: 80\n'),
    ];
    const plan = await it.diff({ files: wanted });
    assert.deepEqual(count(plan), { create: 1, update: 1, delete: 0, replace: 0, await: 0, unchanged: 1 });
    assert.deepEqual(plan.notInFiles, [{ type: 'offers', ref: 'extra', path: 'offers/extra.yaml' }]);
    assert.deepEqual(plan.changes, [
      {
        action: 'update',
        type: 'offers',
        ref: 'gold',
        path: 'offers/gold.yaml',
        fields: [
          { path: 'categoryId', after: 'Cards' },
          { path: 'priority', before: 10 },
          { path: 'tags.0', after: 'a' },
          { path: 'tags.1', after: 'b' },
        ],
      },
      {
        action: 'create',
        type: 'offers',
        ref: 'silver',
        path: 'offers/silver.yaml',
        fields: [
          { path: 'name', after: 'silver' },
          { path: 'priority', after: 80 },
        ],
      },
    ]);
    assert.equal((await it.must('GET', `offers/${offer.id}`, undefined, 200)).priority, 10, 'a plan changes nothing');
    const applied = await it.apply({ files: wanted, prune: true, expectedConfigVersion: plan.configVersion });
    assert.deepEqual(applied.changes.slice(0, 2), plan.changes);
    assert.deepEqual(applied.changes[2], {
      action: 'delete',
      type: 'offers',
      ref: 'extra',
      path: 'offers/extra.yaml',
      fields: [],
    });
    assert.equal(applied.configVersion, plan.configVersion + 1, 'one transaction is one version');
    const changed = await it.must('GET', `offers/${offer.id}`, undefined, 200);
    assert.equal(changed.priority, 50, 'the default');
    assert.equal(changed.version, 2);
    const audit = await it.must<{ data: { action: string; entityType: string; requestId: string }[] }>(
      'GET',
      'audit-logs?limit=4',
      undefined,
      200,
    );
    assert.deepEqual(
      audit.data.map(({ action, entityType }) => `${action} ${entityType}`),
      ['apply gitops', 'soft_delete offer', 'create offer', 'update offer'],
    );
    assert.equal(new Set(audit.data.map(({ requestId }) => requestId)).size, 1);
    assert.equal((await it.must<{ intact: boolean }>('GET', 'audit-logs/verify', undefined, 200)).intact, true);
  });

  test('another spelling written by a person is no difference', async () => {
    const it = freshTenant();
    const rule = (operator: string) =>
      file(
        'qualification-rules/rich-a0cfd94c.yaml'.replace(/rich-.*/, 'rich.yaml'),
        `# by hand\nname: rich\nruleType: attribute_condition\nstatus: active\npriority: 50\nconfig: {attribute: balance, operator: "${operator}", value: 500}\n`,
      );
    await it.apply({ files: [rule('>=')] });
    const { files } = await it.export();
    assert.match(contentOf(files, 'qualification-rules/rich.yaml'), /operator: gte/);
    const before = await it.must<{ data: unknown[] }>('GET', 'audit-logs?limit=200', undefined, 200);
    const plan = await it.diff({ files: [rule('>=')] });
    assert.deepEqual(plan.changes, []);
    assert.equal(plan.summary.unchanged, 1);
    await it.apply({ files: [rule('>=')] });
    const rows = await it.must<{ data: unknown[] }>('GET', 'audit-logs?limit=200', undefined, 200);
    assert.equal(rows.data.length, before.data.length + 1, 'the row of the apply, and none of an update');
    assert.equal((await it.drift()).changes.length, 0);
  });

  test('names that move between records, and circular references', async () => {
    const it = freshTenant();
    await it.make('channels', { name: 'One', key: 'a', channelType: 'web' });
    await it.make('channels', { name: 'Two', key: 'b', channelType: 'web' });
    const { files } = await it.export();
    const moved = edited(edited(files, 'channels/a.yaml', 'name: One', 'name: Two'), 'channels/b.yaml', 'Two', 'Three');
    const done = await it.apply({ files: moved });
    assert.equal(done.summary.update, 2);
    assert.deepEqual((await it.export()).files, moved);
    // The new owner of a name comes before the old one is deleted.
    const replaced = [
      ...moved.filter(({ path }) => path !== 'channels/b.yaml'),
      file('channels/c.yaml', 'channelType: web\nkey: c\nname: Three\n'),
    ];
    const last = await it.apply({ files: replaced, prune: true });
    assert.deepEqual([last.summary.create, last.summary.delete], [1, 1]);
  });

  test('deletes in the order that references allow, and unprotects a protected flow first', async () => {
    const it = freshTenant();
    await makeCatalogue(it, await secondOf(it));
    assert.match((await it.refused('apply', { files: [], prune: true }))[0]?.message ?? '', /--allow-data-loss/);
    const gone = await it.apply({ files: [], prune: true, allowDataLoss: true });
    const flow = gone.changes.find(({ ref }) => ref === 'Next Best');
    assert.deepEqual(flow?.fields, [{ path: 'isProtected', before: true, after: false }]);
    assert.deepEqual((await it.export()).files, []);
    assert.equal((await it.must('GET', 'tenant-settings', undefined, 200)).timezone, 'UTC');
  });
});

describe('flows', () => {
  test('that call each other are applied in the required order', async () => {
    const [from, to] = [freshTenant(), freshTenant()];
    const nodes = (...more: object[]) => ({
      version: 2,
      nodes: [
        { id: 'i', type: 'inventory', config: {} },
        ...more,
        { id: 's', type: 'score', config: { method: 'priority_weighted' } },
      ],
      flowConfig: {},
    });
    const make = async (key: string, draftConfig: object) => {
      const { id } = await from.must<{ id: string }>('POST', 'decision-flows', { key, name: key, draftConfig }, 201);
      await from.must('POST', 'decision-flows/publish', { id }, 200);
    };
    await make('z-last', nodes());
    await make('y-middle', nodes({ id: 'k', type: 'call_flow', config: { flowKey: 'z-last', mode: 'merge' } }));
    const onTrue = { action: 'call_flow', flowKey: 'y-middle' };
    await make('a-first', nodes({ id: 'c', type: 'conditional', config: { conditions: [], onTrue } }));
    await assertComesBack(from, to, await secondOf(to));
    const { files } = await to.export();
    assert.match(contentOf(files, 'decision-flows/a-first.yaml'), /flowKey: y-middle/);
  });

  test('show the draft, the published version and their difference', async () => {
    const it = freshTenant();
    const { flow } = await makeCatalogue(it, await secondOf(it));
    const { files } = await it.export();
    const path = files.find(({ path: one }) => one.startsWith('decision-flows/next-best'))!.path;
    assert.match(contentOf(files, path), /^published:$/m);
    assert.match(contentOf(files, 'decision-flows/draft.yaml'), /^published: null$/m);
    assert.doesNotMatch(contentOf(files, 'decision-flows/done.yaml'), /published/);
    const versions = async () =>
      (await it.must<{ versions: unknown[] }>('GET', `decision-flows/versions?id=${flow!.id}`, undefined, 200))
        .versions;
    assert.equal((await versions()).length, 1);
    // Removing `published` means: publish the draft.
    const text = contentOf(files, path);
    const without = text.replace(/^published:\n(?: .*\n)+/m, '');
    const plan = await it.apply({ files: files.map((one) => (one.path === path ? { path, content: without } : one)) });
    assert.deepEqual([plan.summary.update, plan.changes.length], [1, 1]);
    assert.equal((await versions()).length, 2);
    const now = await it.must('GET', `decision-flows/${flow!.id}`, undefined, 200);
    assert.equal(now.status, 'paused', 'the file says so, publishing or not');
    // And back: the old text is published again, the draft stays.
    await it.apply({ files });
    assert.equal((await versions()).length, 3);
    assert.deepEqual((await it.export()).files, files);
  });

  test("can't be unpublished by a file", async () => {
    const it = freshTenant();
    await makeCatalogue(it, await secondOf(it));
    const { files } = await it.export();
    const errors = await it.refused('diff', {
      files: edited(files, 'decision-flows/done.yaml', /$/, 'published: null\n'),
    });
    assert.equal(errors[0]?.path, 'decision-flows/done.yaml#/published');
  });
});

describe('schemas', () => {
  const schema = (...fields: string[]) =>
    file(
      'schemas/people.yaml',
      `name: people\ndisplayName: People\nfields:\n  - {name: id, dataType: varchar, length: 20, isPrimaryKey: true}\n${fields.map((field) => `  - {${field}}\n`).join('')}`,
    );

  test('columns are added, described and moved; losing data requires confirmation', async () => {
    const it = freshTenant();
    await it.apply({ files: [schema('name: age, dataType: integer', 'name: city, dataType: text')] });
    const { data } = await it.must<{ data: { id: string }[] }>('GET', 'schemas', undefined, 200);
    const id = data[0]!.id;
    await it.make(`schemas/${id}/data`, { rows: [{ id: '1', age: 30, city: 'Rome' }] });
    const rows = async () =>
      (await it.must<{ rows: Record<string, unknown>[] }>('GET', `schemas/${id}/data`, undefined, 200)).rows;

    const harmless = [
      schema(
        'name: city, dataType: text, displayName: Town',
        'name: vip, dataType: BOOLEAN',
        'name: age, dataType: int',
      ),
    ];
    const foreseen = await it.diff({ files: harmless });
    assert.equal(foreseen.summary.update, 1);
    assert.match(foreseen.warnings[0]?.message ?? '', /reported by apply/);
    await it.apply({ files: harmless });
    assert.deepEqual(await rows(), [{ id: '1', age: 30, city: 'Rome', vip: null }]);
    assert.deepEqual((await it.diff({ files: harmless })).changes, []);

    const retyped = [
      schema(
        'name: city, dataType: text, displayName: Town',
        'name: vip, dataType: boolean',
        'name: age, dataType: text',
      ),
    ];
    const plan = await it.diff({ files: retyped, allowDataLoss: true });
    assert.equal(plan.summary.replace, 1);
    assert.match(plan.warnings[0]?.message ?? '', /would lose the data of column age/);
    assert.deepEqual(plan.changes[0]?.fields, [{ path: 'fields.3.dataType', before: 'integer', after: 'text' }]);
    const errors = await it.refused('apply', { files: retyped });
    assert.deepEqual(errors, [
      {
        path: 'schemas/people.yaml#/fields',
        message: 'would lose the data of column age; to allow it, set allowDataLoss (--allow-data-loss)',
      },
    ]);
    assert.deepEqual(await it.refused('diff', { files: retyped }), errors, 'a plan refuses what apply refuses');
    const pruned = await it.refused('apply', { files: [], prune: true });
    assert.match(pruned[0]?.message ?? '', /would be deleted with all rows/);
    assert.deepEqual(await it.refused('diff', { files: [], prune: true }), pruned);
    assert.equal((await it.diff({ files: [], prune: true, allowDataLoss: true })).summary.delete, 1);
    assert.deepEqual(await rows(), [{ id: '1', age: 30, city: 'Rome', vip: null }]);
    assert.equal((await it.apply({ files: retyped, allowDataLoss: true })).changes[0]?.action, 'replace');
    assert.deepEqual(await rows(), [{ id: '1', age: null, city: 'Rome', vip: null }]);
    assert.deepEqual((await it.export()).files.length, 1);
    assert.deepEqual((await it.diff({ files: retyped })).changes, []);
  });

  test('keeps the primary key', async () => {
    const it = freshTenant();
    await it.apply({ files: [schema()] });
    const other = file(
      'schemas/people.yaml',
      'name: people\ndisplayName: People\nfields:\n  - {name: id, dataType: text}\n',
    );
    assert.equal((await it.refused('apply', { files: [other], allowDataLoss: true })).length > 0, true);
  });
});

describe('mandatory offers', () => {
  test('names the approver by email; an expired mandate has none', async () => {
    const [it, elsewhere] = [freshTenant(), freshTenant()];
    const insert = (tenantId: string, id: string, email: string) =>
      server.testDatabase.ownerQuery(
        `insert into arbiter.users (tenant_id, id, email, email_key, name, role, source, email_verified_at, created_at, updated_at)
         values ('${tenantId}', '${id}', '${email}', lower('${email}'), 'Ada', 'admin', 'bootstrap', now(), now(), now())`,
      );
    const [here, there] = ['0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a01', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a02'];
    await insert(it.tenant.id, here, 'Ada@bank.example');
    await insert(elsewhere.tenant.id, there, 'ada@bank.example');
    const mandate = { mandatory: true, mandatoryReason: 'Law', mandatoryApprovedBy: here };
    const offer = await it.make('offers', { name: 'law', ...mandate, mandatoryExpiresAt: '2199-01-01T00:00:00.000Z' });
    const { files } = await it.export();
    assert.match(contentOf(files, 'offers/law.yaml'), /mandatoryApprovedBy: Ada@bank.example/);
    await elsewhere.apply({ files });
    const { data } = await elsewhere.must<{ data: Record<string, unknown>[] }>('GET', 'offers', undefined, 200);
    assert.equal(data[0]?.mandatoryApprovedBy, there);
    const stranger = edited(files, 'offers/law.yaml', 'Ada@bank.example', 'eve@bank.example');
    assert.deepEqual(await elsewhere.refused('diff', { files: stranger }), [
      { path: 'offers/law.yaml#/mandatoryApprovedBy', message: 'must be the email address of a user' },
    ]);
    await server.testDatabase.ownerQuery(
      `update arbiter.offers set mandatory_expires_at = now() - interval '1 day' where id = '${offer.id}'`,
    );
    const over = (await it.export()).files;
    assert.equal(contentOf(over, 'offers/law.yaml'), `${headerLine}\nname: law\n`);
    assert.deepEqual((await it.diff({ files: over })).changes, []);
    assert.deepEqual((await freshTenant().apply({ files: over })).summary.create, 1);
  });
});

describe('drift', () => {
  test('names who changed what since the last apply', async () => {
    const it = freshTenant();
    assert.equal((await it.drift()).applied, null);
    const old = await it.make('offers', { name: 'older' });
    const files = [
      file('offers/a.yaml', 'name: a\n'),
      file('offers/b.yaml', 'name: b\n'),
      file('offers/c.yaml', 'name: c\n'),
    ];
    const applied = await it.apply({ files });
    const still = await it.drift();
    assert.deepEqual(still.changes, []);
    assert.equal(still.applied?.hash, applied.hash);
    assert.equal(still.applied?.configVersion, applied.configVersion);
    const { data } = await it.must<{ data: { id: string; name: string }[] }>('GET', 'offers', undefined, 200);
    const idOf = (name: string) => data.find((offer) => offer.name === name)!.id;
    const by = { key: it.tenant.keys.editor };
    const put = await server.call('PUT', `/api/v1/offers/${idOf('a')}`, { body: { priority: 99 }, ...by });
    assert.equal(put.status, 200);
    assert.equal((await server.call('DELETE', `/api/v1/offers/${idOf('b')}`, by)).status, 200);
    await it.make('offers', { name: 'new' });
    // A change of what the files don't contain isn't drift.
    await it.change('offers', old.id, { priority: 1 });
    await it.must('PUT', 'tenant-settings', { timezone: 'Europe/Rome' }, 200);
    const { changes } = await it.drift();
    const session = await server.call<{ principal: { id: string; name: string } }>('GET', '/api/v1/auth/session', by);
    assert.deepEqual(
      changes.map(({ action, ref, fields, by: people }) => ({
        action,
        ref,
        fields,
        who: people.map(({ action: did }) => did),
      })),
      [
        { action: 'update', ref: 'a', fields: [{ path: 'priority', after: 99 }], who: ['update'] },
        { action: 'delete', ref: 'b', fields: [{ path: 'name', before: 'b' }], who: ['soft_delete'] },
        { action: 'create', ref: 'new', fields: [{ path: 'name', after: 'new' }], who: ['create'] },
      ],
    );
    assert.match(changes[0]!.by[0]!.userId, /^apikey:/);
    assert.equal(changes[0]!.by[0]!.userId, changes[1]!.by[0]!.userId);
    assert.notEqual(changes[0]!.by[0]!.userId, changes[2]!.by[0]!.userId);
    assert.equal(session.status, 200);
    await it.apply({ files, prune: true });
    assert.deepEqual((await it.drift()).changes, []);
  });
});

describe('races', () => {
  test('a write between plan and apply is 409, and nothing is applied', async () => {
    const it = freshTenant();
    const files = [file('offers/a.yaml', 'name: a\n')];
    const plan = await it.diff({ files });
    await it.make('categories', { name: 'Between' });
    const answer = await it.must<{ code: string }>(
      'POST',
      'gitops/apply',
      { files, expectedConfigVersion: plan.configVersion },
      409,
    );
    assert.equal(answer.code, 'concurrent_modification');
    assert.deepEqual(
      (await it.export()).files.map(({ path }) => path).filter((path) => path.startsWith('offers')),
      [],
    );
  });

  test('of parallel applies with one plan, one succeeds; without a plan all do, one after the other', async () => {
    const it = freshTenant();
    const planned = await it.diff({ files: [file('offers/a.yaml', 'name: a\n')] });
    const tries = Array.from({ length: 6 }, (_, at) =>
      server.call('POST', '/api/v1/gitops/apply', {
        key: it.tenant.keys.admin,
        body: {
          files: [file('offers/a.yaml', `name: a\npriority: ${at}\n`)],
          expectedConfigVersion: planned.configVersion,
        },
      }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 409, 409, 409, 409, 409]);
    const free = Array.from({ length: 5 }, (_, at) =>
      it.apply({
        files: [file(`offers/free-${at}.yaml`, `name: free-${at}\n`), file('offers/a.yaml', 'name: a\npriority: 7\n')],
      }),
    );
    await Promise.all(free);
    assert.equal((await it.export()).files.length, 6);
  });

  test('parallel API writes and an apply lose nothing and never see half of it', async () => {
    const it = freshTenant();
    const files = Array.from({ length: 20 }, (_, at) => file(`offers/o-${at}.yaml`, `name: o-${at}\npriority: 9\n`));
    const writes = Array.from({ length: 10 }, (_, at) => it.make('offers', { name: `by hand ${at}` }));
    const apply = server.call('POST', '/api/v1/gitops/apply', { key: it.tenant.keys.admin, body: { files } });
    await Promise.all(writes);
    const { status } = await apply;
    assert.ok(status === 200 || status === 409, String(status));
    if (status === 409) await it.apply({ files });
    assert.equal((await it.export()).files.length, 30);
    assert.equal((await it.must<{ intact: boolean }>('GET', 'audit-logs/verify', undefined, 200)).intact, true);
  });
});

describe('rejected files', () => {
  test('are reported with each place, all at once, and nothing is changed', async () => {
    const it = freshTenant();
    await it.make('categories', { name: 'Cards' });
    const untouched = await fingerprint(server, [it.tenant.id]);
    const files = [
      file('offers/a.yaml', 'name: a\npriority: 101\nschedule: {startDay: 1}\n'),
      file('offers/b.yaml', 'name: b\ncategoryId: Cords\n'),
      file('offers/c.yaml', 'name: c\nprority: 1\n'),
      file('offers/d.yaml', 'name: e\n'),
      file('offers/f.yml', 'name: f\n'),
      file('offer/g.yaml', 'name: g\n'),
      file('README.md', ''),
      file('offers/deep/h.yaml', 'name: h\n'),
      file('offers/i.yaml', 'name: &a i\n'),
      file('offers/j.yaml', 'name: j\nname: k\n'),
      file('offers/k.yaml', 'priority: 1\n'),
      file('offers/l.yaml', '- 1\n'),
      file('offers/m.yaml', 'name: m\nmetadata:\n  __proto__: {a: 1}\n'),
      file('offers/n.yaml', 'name: n\nmetadata:\n  text: "a\\0b"\n'),
      file('.git/config', 'anything'),
      file('offers/.hidden.yaml', 'anything: ['),
    ];
    const errors = await it.refused('diff', { files });
    const places = errors.map(({ path, message }) => `${path} ${message}`);
    for (const expected of [
      /^offers\/a.yaml#\/priority must be at most 100/,
      /^offers\/a.yaml#\/schedule\/startDay is not a known property/,
      /^offers\/c.yaml#\/prority is not a property of offer files; did you mean priority\?/,
      /^offers\/d.yaml# must be at offers\/e.yaml/,
      /^offers\/f.yml# is not a resource file/,
      /^offer\/g.yaml# is not a known folder; .*did you mean offers\?/,
      /^README.md# is not a known file/,
      /^offers\/deep\/h.yaml# /,
      /^offers\/i.yaml#\/name has an anchor.*line 1/,
      /^offers\/j.yaml#\/name is listed more than once/,
      /^offers\/k.yaml#\/name is required/,
      /^offers\/l.yaml# must be an object/,
      /^offers\/m.yaml#\/metadata\/__proto__ is a reserved key/,
      /^offers\/n.yaml#\/metadata\/text .*NUL/i,
    ]) {
      assert.ok(
        places.some((place) => expected.test(place)),
        `${expected}\n${places.join('\n')}`,
      );
    }
    assert.ok(!places.some((place) => place.includes('hidden') || place.includes('.git')));
    assert.deepEqual(await it.refused('diff', { files: [files[1]!] }), [
      {
        path: 'offers/b.yaml#/categoryId',
        message: 'refers to the category "Cords", which does not exist',
        code: 'reference_not_found',
      },
    ]);
    assert.deepEqual(await it.refused('apply', { files }), errors);
    assert.deepEqual(await fingerprint(server, [it.tenant.id]), untouched);
  });

  test('include what services reject, and all files are checked', async () => {
    const it = freshTenant();
    const files = [
      file(
        'contact-policies/a.yaml',
        'name: a\nruleType: frequency_cap\nconfig: {maxPerDay: lots}\nscopes: [{scope: global}]\n',
      ),
      file('offers/b.yaml', 'name: b\nschedule: {timezone: Mars/Olympus}\n'),
      file(
        'decision-flows/c.yaml',
        'key: c\nname: c\ndraft: {version: 2, nodes: [{id: x, type: nowhere}, {id: y, type: score}]}\n',
      ),
      file('offers/ok.yaml', 'name: ok\n'),
      file('settings.yaml', 'timezone: Mars/Olympus\n'),
    ];
    const errors = await it.refused('apply', { files });
    const paths = errors.map(({ path }) => path);
    assert.ok(paths.includes('contact-policies/a.yaml#/config/maxPerDay'), paths.join());
    assert.ok(paths.includes('offers/b.yaml#/schedule/timezone'), paths.join());
    assert.ok(paths.includes('decision-flows/c.yaml#/draft/nodes/0/type'), paths.join());
    assert.ok(paths.includes('settings.yaml#/timezone'), paths.join());
    assert.deepEqual((await it.export()).files, []);
  });

  test('reports at most fifty errors', async () => {
    const it = freshTenant();
    const many = Array.from({ length: 70 }, (_, at) => file(`offers/o-${at}.yaml`, `name: o-${at}\npriority: 999\n`));
    assert.equal((await it.refused('diff', { files: many })).length, 50);
    assert.equal((await it.refused('diff', { files: many.slice(0, 49) })).length, 49);
  });

  test("what prune would delete can't be referenced", async () => {
    const it = freshTenant();
    await it.make('categories', { name: 'Cards' });
    const files = [file('offers/a.yaml', 'name: a\ncategoryId: Cards\n')];
    assert.deepEqual((await it.diff({ files })).summary.create, 1);
    assert.match(
      (await it.refused('diff', { files, prune: true }))[0]!.message,
      /refers to the category .*, which does not exist/,
    );
  });

  test('secrets: reports exactly those that an object needs', async () => {
    const it = freshTenant();
    const files = [
      file(
        'channels/web.yaml',
        'key: web\nname: Web\nchannelType: web\nproviderConfig: {provider: webhook, url: "https://bank.example/", secret: {$secret: my/token}}\n',
      ),
    ];
    assert.deepEqual(await it.refused('diff', { files }), [
      { path: 'channels/web.yaml#/providerConfig/secret', message: 'requires the secret my/token' },
    ]);
    await it.apply({ files, secrets: { 'my/token': 'xyz' } });
    const { data } = await it.must<{ data: { providerConfig: { secret: string } }[] }>(
      'GET',
      'channels',
      undefined,
      200,
    );
    assert.equal(data[0]?.providerConfig.secret, '••••••••');
    assert.match(
      (await it.refused('diff', { files: [file('offers/a.yaml', 'name: a\nmetadata: {x: {$secret: 1}}\n')] }))[0]!
        .message,
      /must be/,
    );
  });

  test('missing permissions', async () => {
    const { tenant } = freshTenant();
    for (const role of ['viewer', 'editor'] as const) {
      for (const [method, verb] of [
        ['POST', 'export'],
        ['POST', 'diff'],
        ['POST', 'apply'],
        ['GET', 'drift'],
      ] as const) {
        const body = method === 'GET' ? undefined : verb === 'export' ? {} : { files: [] };
        const answer = await server.call(method, `/api/v1/gitops/${verb}`, { body, key: tenant.keys[role] });
        assert.equal(answer.status, 403, `${role} ${verb}`);
      }
    }
  });

  test('more than 50 MB', async () => {
    const { tenant, diff } = freshTenant();
    const limit = 50 * 1024 * 1024;
    const rest = JSON.stringify({ files: [{ path: '.x', content: '' }] }).length;
    const sized = (bytes: number) => ({ files: [{ path: '.x', content: 'x'.repeat(bytes - rest) }] });
    assert.deepEqual((await diff(sized(limit))).changes, []);
    const answer = await server.call('POST', '/api/v1/gitops/diff', { body: sized(limit + 1), key: tenant.keys.admin });
    assert.equal(answer.status, 413);
  });
});
