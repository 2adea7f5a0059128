// Runs in one of 2 turns: resources.test.ts writes and reads files of every resource in each.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PolicyFile } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { callsOf, contentOf, edited, type Made, secretsOf } from './catalogue.ts';

/**
 * Values that the API never shows are exported as references, and stored values stay (docs/design/api-settled.md 28).
 */

let server: TestServer;
let used = 0;
before(async () => {
  server = await startTestServer({ tenants: 10 });
});
after(() => server?.close());

function freshTenant() {
  const tenant = server.tenants[used]!;
  used += 1;
  return { tenant, ...callsOf(server, tenant) };
}

const bullets = '••••••••';
const channel = {
  name: 'Hook',
  key: 'hook',
  channelType: 'webhook',
  providerConfig: {
    provider: 'webhook',
    url: 'https://bank.example/in',
    secret: 'signs',
    headers: { Authorization: 'Bearer x' },
  },
};
/** Stored values, encrypted. Equal rows mean equal values. */
const stored = (tenantId: string, table: string) =>
  server.testDatabase.ownerQuery(
    `select to_jsonb(t) - 'channel_id' - 'flow_id' as row from arbiter.${table} t where tenant_id = $1 order by to_jsonb(t)::text`,
    [tenantId],
  );

test('secrets of a channel: names in the file, reports all missing ones, and keeps stored ones', async () => {
  const [from, to] = [freshTenant(), freshTenant()];
  await from.make('channels', channel);
  const { files } = await from.export();
  const text = contentOf(files, 'channels/hook.yaml');
  assert.doesNotMatch(text, /signs|Bearer|•/);
  const names = ['channels/hook/providerConfig/headers/Authorization', 'channels/hook/providerConfig/secret'];
  assert.deepEqual(Object.keys(secretsOf(files)).sort(), names);
  assert.deepEqual(
    (await to.refused('apply', { files })).map(({ message }) => message).sort(),
    names.map((name) => `requires the secret ${name}`),
  );
  assert.deepEqual((await to.refused('apply', { files, secrets: { [names[0]!]: 'x' } })).length, 1);
  assert.deepEqual((await to.export()).files, []);
  await to.apply({ files, secrets: secretsOf(files) });
  assert.deepEqual((await to.export()).files, files);

  const before = await stored(to.tenant.id, 'channel_secrets');
  assert.equal(before.length, 2);
  const renamed = edited(files, 'channels/hook.yaml', 'name: Hook', 'name: Hooks');
  const plan = await to.apply({ files: renamed });
  assert.deepEqual(
    plan.changes.map(({ fields }) => fields),
    [[{ path: 'name', before: 'Hook', after: 'Hooks' }]],
  );
  // Something else in the same object changes, and the address stays.
  await to.apply({ files: edited(renamed, 'channels/hook.yaml', /headers:/, 'from: me\n  headers:') });
  assert.deepEqual(await stored(to.tenant.id, 'channel_secrets'), before);
  // A different value alone is no difference: plans never compare secrets.
  const other = { [names[1]!]: 'another' };
  assert.deepEqual((await from.diff({ files, secrets: other })).changes, []);
  // For another address, the secret must be given again. The stored one stays with the old address.
  const moved = edited(files, 'channels/hook.yaml', 'bank.example', 'other.example');
  const errors = await from.refused('apply', { files: moved });
  assert.deepEqual(errors.map(({ path }) => path).sort(), [
    'channels/hook.yaml#/providerConfig/headers/Authorization',
    'channels/hook.yaml#/providerConfig/secret',
  ]);
  assert.equal((await from.apply({ files: moved, secrets: secretsOf(files) })).summary.update, 1);
});

test('credentials of a connector: named in the file, and its pipeline is included', async () => {
  const [from, to] = [freshTenant(), freshTenant()];
  const connector = await from.make('connectors', {
    ...{
      name: 'Billing',
      type: 'postgresql',
      authMethod: 'basic',
      config: { host: 'db.example', database: 'billing' },
    },
    authConfig: { username: 'reader', password: 'only for me' },
  });
  const fields = [{ name: 'id', dataType: 'varchar', length: 64, isPrimaryKey: true }];
  const schema = await from.make('schemas', { name: 'people', displayName: 'People', schemaType: 'customer', fields });
  await from.make('pipelines', { name: 'People', connectorId: connector.id, schemaId: schema.id, loadMode: 'upsert' });
  const { files } = await from.export();
  const [path = ''] = files.map((file) => file.path).filter((each) => each.startsWith('connectors/'));
  assert.doesNotMatch(JSON.stringify(files), /only for me|•/);
  const names = ['connectors/Billing/authConfig/password', 'connectors/Billing/authConfig/username'];
  assert.deepEqual(Object.keys(secretsOf(files)).sort(), names);
  assert.deepEqual(
    (await to.refused('apply', { files })).map(({ message }) => message).sort(),
    names.map((name) => `requires the secret ${name}`),
  );
  await to.apply({ files, secrets: secretsOf(files) });
  assert.deepEqual((await to.export()).files, files);
  assert.deepEqual((await to.diff({ files })).changes, []);

  const sealed = () =>
    server.testDatabase.ownerQuery('select sealed from arbiter.connector_secrets where tenant_id = $1', [to.tenant.id]);
  const before = await sealed();
  assert.equal(before.length, 1);
  await to.apply({ files: edited(files, path, 'database: billing', 'database: invoices') });
  assert.deepEqual(await sealed(), before, 'what is stored stays');
  const moved = edited(files, path, 'db.example', 'evil.example');
  const errors = await to.refused('apply', { files: moved });
  assert.deepEqual([...new Set(errors.map((error) => error.path.split('#')[0]))], [path], 'never to another server');
  await to.apply({ files: moved, secrets: secretsOf(files) });

  const withoutAuth = files.map((file) =>
    file.path === path ? { ...file, content: file.content.replace(/authConfig:\n( +.*\n)+/, '') } : file,
  );
  assert.deepEqual((await from.diff({ files: withoutAuth })).changes, [], 'a file may say nothing about them');
});

test("secret of a model's endpoint: named in the file, kept if stored, and never sent to another server", async () => {
  const [from, to] = [freshTenant(), freshTenant()];
  const config = { url: 'https://models.example/score', authSecret: 'only for models' };
  await from.make('algorithm-models', { key: 'outside', name: 'Outside', modelType: 'external_endpoint', config });
  const { files } = await from.export();
  const [path = ''] = files.map((file) => file.path).filter((each) => each.includes('outside'));
  assert.doesNotMatch(JSON.stringify(files), /only for models|•/);
  const [name = '', ...more] = Object.keys(secretsOf(files));
  assert.deepEqual([name.endsWith('/config/authSecret'), more], [true, []], name);
  assert.deepEqual(
    (await to.refused('apply', { files })).map(({ message }) => message),
    [`requires the secret ${name}`],
  );
  await to.apply({ files, secrets: secretsOf(files) });
  assert.deepEqual((await to.export()).files, files);
  assert.deepEqual((await to.diff({ files })).changes, []);
  const sealed = () =>
    server.testDatabase.ownerQuery('select sealed from arbiter.model_secrets where tenant_id = $1', [to.tenant.id]);
  const before = await sealed();
  assert.equal(before.length, 1);
  await to.apply({ files: edited(files, path, 'name: Outside', 'name: Elsewhere') });
  assert.deepEqual(await sealed(), before, 'what is stored stays');
  const moved = edited(files, path, 'models.example', 'evil.example');
  assert.ok((await to.refused('apply', { files: moved })).length > 0);
  await to.apply({ files: moved, secrets: secretsOf(files) });
});

const draft = (...before: object[]) => ({
  version: 2,
  nodes: [
    { id: 'inventory', type: 'inventory', config: { scope: 'all' } },
    { id: 'match_creatives', type: 'match_creatives', config: {} },
    { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
    { id: 'rank', type: 'rank', config: { method: 'topN', topN: 3 } },
    ...before,
    {
      id: 'ask',
      type: 'extension_point',
      enabled: false,
      config: {
        hook: 'post_rank',
        kind: 'webhook',
        url: 'https://me:secret@bank.example/hook',
        headers: { Authorization: 'Bearer flow' },
      },
    },
  ],
  flowConfig: {},
});

test('hidden values of a flow belong to their node, wherever it is', async () => {
  const [from, to] = [freshTenant(), freshTenant()];
  const flow = await from.make('decision-flows', { key: 'main', name: 'Main', draftConfig: draft() });
  await from.must('POST', 'decision-flows/publish', { id: flow.id }, 200);
  const { files } = await from.export();
  assert.doesNotMatch(contentOf(files, 'decision-flows/main.yaml'), /secret@|Bearer|•/);
  const names = Object.keys(secretsOf(files)).sort();
  assert.deepEqual(
    (await to.refused('diff', { files })).map(({ message }) => message).sort(),
    names.map((name) => `requires the secret ${name}`),
  );
  await to.apply({ files, secrets: secretsOf(files) });
  assert.deepEqual((await to.export()).files, files);

  // A note inserted before it moves the node. Its values stay, and it can be published.
  const before = await stored(from.tenant.id, 'flow_secrets');
  assert.ok(before.length > 0);
  const moved: PolicyFile[] = edited(
    files,
    'decision-flows/main.yaml',
    /^( *)- config:\n( *)headers:/m,
    '$1- config: {values: {a: 1}}\n$1  id: note\n$1  type: set_properties\n$1- config:\n$2headers:',
  );
  const plan = await from.apply({ files: moved });
  assert.equal(plan.summary.update, 1);
  const now = await from.must<Made & { draftConfig: { nodes: { id: string; config: { headers?: object } }[] } }>(
    'GET',
    `decision-flows/${flow.id}`,
    undefined,
    200,
  );
  assert.deepEqual(now.draftConfig.nodes.at(-1)?.config.headers, { Authorization: bullets });
  const sealed = (rows: { row?: unknown }[]) =>
    new Set(rows.map(({ row }) => JSON.stringify(Reflect.get(Object(row), 'sealed'))));
  assert.deepEqual(sealed(await stored(from.tenant.id, 'flow_secrets')), sealed(before));
  // And back, which publishes the older text again.
  await from.apply({ files });
  assert.deepEqual((await from.export()).files, files);
});

test('reports only a missing secret, even where creatives refer to the channel', async () => {
  const [from, to] = [freshTenant(), freshTenant()];
  const hook = await from.make('channels', channel);
  const mail = await from.make('channels', {
    name: 'Mail',
    key: 'mail',
    channelType: 'email',
    providerConfig: { provider: 'sendgrid', apiKey: 'sends' },
  });
  const offer = await from.make('offers', { name: 'Loan', key: 'loan' });
  for (const { id } of [hook, mail]) {
    await from.make('creatives', { name: `Banner ${id}`, offerId: offer.id, channelId: id });
  }
  const { files } = await from.export();
  const names = Object.keys(secretsOf(files)).sort();
  assert.equal(names.length, 3);
  for (const step of ['diff', 'apply'] as const) {
    for (const prune of [false, true]) {
      const errors = await to.refused(step, { files, prune });
      assert.deepEqual(
        errors.map(({ message }) => message).sort(),
        names.map((name) => `requires the secret ${name}`),
      );
    }
  }
  await to.apply({ files, secrets: secretsOf(files) });
  assert.deepEqual((await to.export()).files, files);
});
