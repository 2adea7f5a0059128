import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Operation, operations, type Resource, resources, type SsoConfig } from '@arbiter/contract';
import { shownSettings } from '../../packages/console/src/features/settings/settings-changes.ts';
import { configToSend, formValues } from '../../packages/console/src/features/single-sign-on/sso-values.ts';
import { stepsOf, type Values, valuesOf, withValue } from '../../packages/console/src/forms/editing/changes.ts';
import { type FieldSpec, fieldsOf } from '../../packages/console/src/forms/editing/field-spec.ts';
import { recordKinds } from '../../packages/console/src/records/record-kinds.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { createFixtures, type Fixtures, type Resource as Path } from './fixtures.ts';

/** The forms of the console against the API: what they read they can send back, and errors land at their fields. */

let server: TestServer;
let fixtures: Fixtures;
before(async () => {
  server = await startTestServer({ tenants: 1 });
  fixtures = createFixtures(server, server.tenants[0]);
});
after(() => server?.close());

/** Record types whose name in the contract differs. */
const contractNames: Readonly<Record<string, string>> = { schema: 'dataSchema' };

/** Records with a form on the page of another kind. */
const withoutKind = ['subCategory', 'schemaJoin'];

/** Every resource with a form, and the operations that the form calls. Customers and decisions are no resources. */
const edited = [...Object.keys(recordKinds), ...withoutKind].flatMap((kind) => {
  const resource = Object.values<Resource>(resources).find(
    ({ entityType }) => entityType === (contractNames[kind] ?? kind),
  );
  if (resource === undefined) return [];
  const operation = (name: string): Operation => {
    const found = Object.values<Operation>(operations).find(({ id }) => id === `${resource.name}.${name}`);
    assert.ok(found, `${resource.name}.${name}`);
    return found;
  };
  return [{ kind, resource, create: operation('create'), update: operation('updateById') }];
});

interface Problem {
  readonly errors?: readonly { readonly path: string }[];
}

/** Scopes are answered with ids of their own, which forms leave out. */
function asBody(record: Values): Values {
  if (!Array.isArray(record.scopes)) return record;
  return { ...record, scopes: record.scopes.map(({ scope, scopeId }) => ({ scope, scopeId })) };
}

/** What a save changes at a record even if it changes nothing else. Content items list their versions. */
const moving = new Set(['version', 'rowVersion', 'updatedAt', 'versions', 'lastRefreshedAt']);
const lasting = (record: Values): Values =>
  Object.fromEntries(Object.entries(asBody(record)).filter(([name]) => !moving.has(name)));

async function read(resource: Resource, id: string): Promise<Values> {
  const answer = await server.call<Values>('GET', `/api/v1/${resource.path}/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const send = (resource: Resource, id: string, body: Values) =>
  server.call<Problem>('PUT', `/api/v1/${resource.path}/${id}`, { body, headers: { prefer: 'handling=strict' } });

test('finds the resources with forms', () => assert.ok(edited.length >= 15, String(edited.length)));

for (const { kind, resource, update } of edited) {
  test(`${kind}: sends back what it read, and nothing changes`, async () => {
    const { id } = await fixtures.make(resource.path as Path);
    const before = await read(resource, id);
    const names = fieldsOf(update, resource).map(({ name }) => name);
    const body = valuesOf(asBody(before), names);
    const answer = await send(resource, id, { ...body, rowVersion: before.rowVersion ?? before.version });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(lasting(await read(resource, id)), lasting(before));
  });
}

/** A value that a field refuses; undefined: none is known. */
function badValue({ kind, least, most, longest, options }: FieldSpec): unknown {
  if (kind === 'integer' || kind === 'number') {
    return least !== undefined ? least - 1 : most !== undefined ? most + 1 : 'many';
  }
  if (kind === 'choice' && options !== undefined) return 'no such choice';
  if (kind === 'flag') return 'maybe';
  if ((kind === 'text' || kind === 'longText') && longest !== undefined) return 'x'.repeat(longest + 1);
  return kind === 'texts' ? [{}] : undefined;
}

const flat = (fields: readonly FieldSpec[]): readonly FieldSpec[] =>
  fields.flatMap((field) => (field.kind === 'group' ? flat(field.fields ?? []) : [field]));

for (const { kind, resource, update } of edited) {
  test(`${kind}: finds each bad value at its field`, async () => {
    const { id } = await fixtures.make(resource.path as Path);
    const before = asBody(await read(resource, id));
    let tried = 0;
    for (const field of flat(fieldsOf(update, resource))) {
      const bad = badValue(field);
      if (bad === undefined) continue;
      tried += 1;
      const [top = ''] = stepsOf(field.path);
      const answer = await send(resource, id, { [top]: withValue(before, stepsOf(field.path), bad)[top] });
      assert.equal(answer.status, 400, `${field.path}: ${answer.text}`);
      const paths = (answer.body.errors ?? []).map(({ path }) => path);
      assert.ok(
        paths.some((path) => path === field.path || path.startsWith(`${field.path}/`)),
        `${field.path}: ${paths.join()}`,
      );
    }
    assert.ok(tried > 0, 'the form has a field that can be wrong');
    assert.deepEqual(lasting(await read(resource, id)), lasting(before), 'nothing was stored');
  });
}

test('offer: keeps values of fields that its category no longer has, until they change', async () => {
  const { offer } = resources;
  const definition = {
    customFields: [
      { key: 'fee', type: 'number' },
      { key: 'tier', type: 'text' },
    ],
  };
  const category = await server.createRecord('categories', { name: 'Cards', ...definition });
  const metadata = { customFields: { fee: 5, tier: 'gold' } };
  const { id } = await server.createRecord('offers', { name: 'Gold card', categoryId: category.id, metadata });
  const fewer = { customFields: [{ key: 'tier', type: 'text' }] };
  assert.equal((await server.call('PUT', `/api/v1/categories/${category.id}`, { body: fewer })).status, 200);
  const before = await read(offer, id);
  // The whole form, as it was read, and a change of the field that is left.
  const names = fieldsOf(operations['offers.updateById'], offer).map(({ name }) => name);
  const same = await send(offer, id, valuesOf(before, names));
  assert.equal(same.status, 200, same.text);
  const values = withValue(before, ['metadata', 'customFields', 'tier'], 'black');
  const changed = await send(offer, id, { metadata: values.metadata });
  assert.equal(changed.status, 200, changed.text);
  const { metadata: shown } = await read(offer, id);
  assert.deepEqual(shown, { customFields: { fee: 5, tier: 'black' } });
});

test('every form starts with values that the API accepts', async () => {
  for (const { resource, create } of edited) {
    const draft = await fixtures.draft(resource.path as Path);
    const names = new Set(fieldsOf(create, resource).map(({ name }) => name));
    assert.deepEqual(
      Object.keys(draft).filter((name) => !names.has(name)),
      [],
      `${resource.path}: the form has a field for each property of the body`,
    );
  }
});

/** A form without a resource: how to read what it shows, and how to send it back. */
interface OtherForm {
  readonly operation: Operation;
  readonly read: () => Promise<Values>;
  /** Properties that the form shows; undefined: each property of the body. */
  readonly names?: readonly string[];
  readonly send: (values: Values) => ReturnType<typeof server.call<Problem>>;
}

const strictly = { prefer: 'handling=strict' };
const apiPath = (path: string) => `/api/v1/${path}`;

const otherForms: Readonly<Record<string, () => Promise<OtherForm>>> = {
  settings: async () => ({
    operation: operations['tenantSettings.update'],
    read: async () => (await server.call<Values>('GET', apiPath('tenant-settings'))).body,
    names: shownSettings,
    send: (body) => server.call('PUT', apiPath('tenant-settings'), { body, headers: strictly }),
  }),
  destination: async () => {
    const body = { kind: 'slack', name: 'On call', config: { webhookUrl: 'https://hooks.slack.com/services/T/B/x' } };
    const made = await server.call<{ id: string }>('POST', apiPath('notifications/providers'), { body });
    assert.equal(made.status, 201, made.text);
    const path = apiPath(`notifications/providers/${made.body.id}`);
    return {
      operation: operations['notificationProviders.change'],
      read: async () => (await server.call<Values>('GET', path)).body,
      names: ['name', 'enabled'],
      send: (values) => server.call('PATCH', path, { body: values, headers: strictly }),
    };
  },
  'field of a schema': async () => {
    const { id } = await fixtures.make('schemas');
    const fields = async () =>
      (await server.call<{ fields: readonly Values[] }>('GET', apiPath(`schemas/${id}`))).body.fields;
    const fieldId = (await fields()).find(({ isPrimaryKey }) => isPrimaryKey !== true)?.id;
    return {
      operation: operations['schemas.updateField'],
      read: async () => (await fields()).find((field) => field.id === fieldId) ?? {},
      names: ['displayName', 'description', 'ordinal', 'isPredictor', 'isSensitive', 'neverStore'],
      send: (values) =>
        server.call('PUT', apiPath('schemas/fields'), { body: { ...values, fieldId }, headers: strictly }),
    };
  },
  'single sign-on': async () => {
    const path = apiPath('sso');
    const configure = (config: Values) =>
      server.call<Problem>('POST', path, { body: { action: 'configure', config }, headers: strictly });
    const config = {
      ...{ provider: 'oidc', enabled: true, oidcIssuer: 'https://id.example.com', oidcClientId: 'arbiter' },
      ...{ oidcClientSecret: 'a secret of the provider', allowedDomains: ['example.com'], autoProvision: true },
    };
    assert.equal((await configure(config)).status, 200);
    const readForm = async () => formValues((await server.call<SsoConfig>('GET', path)).body);
    assert.deepEqual(configToSend(await readForm(), await readForm()), {}, 'unchanged values are not sent');
    return {
      operation: operations['sso.act'],
      read: readForm,
      names: ['config'],
      send: ({ config: values }) => configure(Object(values)),
    };
  },
  account: async () => {
    const cookie = await fixtures.signIn(await fixtures.account());
    const path = apiPath('users/me');
    return {
      operation: operations['users.updateMe'],
      read: async () => (await server.call<Values>('GET', path, { key: null, headers: { cookie } })).body,
      names: ['name'],
      send: (body) => server.call('PUT', path, { key: null, body, headers: { ...strictly, cookie } }),
    };
  },
};

for (const [name, open] of Object.entries(otherForms)) {
  test(`${name}: sends back what it read, and finds each bad value at its field`, async () => {
    const { operation, read, send, names } = await open();
    const fields = fieldsOf(operation, undefined).filter((field) => names === undefined || names.includes(field.name));
    assert.deepEqual(fields.map((field) => field.name).toSorted(), [...(names ?? [])].toSorted());
    const before = await read();
    const values = valuesOf(
      before,
      fields.map((field) => field.name),
    );
    const saved = await send(values);
    assert.equal(saved.status, 200, saved.text);
    assert.deepEqual(valuesOf(await read(), Object.keys(values)), values);
    let tried = 0;
    for (const field of flat(fields)) {
      const bad = badValue(field);
      if (bad === undefined) continue;
      tried += 1;
      const [top = ''] = stepsOf(field.path);
      const answer = await send({ [top]: withValue(values, stepsOf(field.path), bad)[top] });
      assert.equal(answer.status, 400, `${field.path}: ${answer.text}`);
      const paths = (answer.body.errors ?? []).map(({ path }) => path);
      assert.ok(
        paths.some((path) => path === field.path || path.startsWith(`${field.path}/`)),
        `${field.path}: ${paths.join()}`,
      );
    }
    assert.ok(tried > 0, 'the form has a field that can be wrong');
    assert.deepEqual(valuesOf(await read(), Object.keys(values)), values, 'nothing was stored');
  });
}

/** What a dialog sends: the body, where to read it again, and a bad value of each field that can have one. */
interface DialogBody {
  readonly operation: Operation;
  readonly path: string;
  readonly status: number;
  readonly body: Values;
  /** Returns what was stored; undefined: what the call answers. */
  readonly read?: (made: Values) => Promise<Values>;
  readonly bad: Readonly<Record<string, unknown>>;
}

const long = (length: number): string => 'x'.repeat(length + 1);

const dialogs: Readonly<Record<string, () => Promise<DialogBody>>> = {
  'create a key': async () => ({
    ...{ operation: operations['apiKeys.create'], path: apiPath('api-keys'), status: 201 },
    body: { name: 'Website', scopes: ['read'], expiresAt: '2099-01-01T00:00:00.000Z' },
    read: async ({ id }) => (await server.call<Values>('GET', apiPath(`api-keys/${id}`))).body,
    bad: { '/name': long(120), '/scopes': ['root'], '/expiresAt': '2020-01-01T00:00:00.000Z' },
  }),
  'create a client': async () => ({
    ...{ operation: operations['oauthClients.create'], path: apiPath('oauth/clients'), status: 201 },
    body: { name: 'Campaign tool', scopes: ['read', 'write'] },
    bad: { '/name': long(120), '/scopes': 'read' },
  }),
  'invite a person': async () => ({
    ...{ operation: operations['users.create'], path: apiPath('users'), status: 201 },
    body: { email: 'ada@example.test', role: 'editor', name: 'Ada' },
    read: async ({ id }) => (await server.call<Values>('GET', apiPath(`users/${id}`))).body,
    bad: { '/email': 'nobody', '/role': 'owner', '/name': long(120) },
  }),
  'suppress a customer': async () => ({
    ...{ operation: operations['suppressions.create'], path: apiPath('suppressions'), status: 201 },
    body: { customerId: 'C-1', scope: 'global', reason: 'complained' },
    read: async ({ id }) => (await server.call<Values>('GET', apiPath(`suppressions/${id}`))).body,
    bad: { '/customerId': '', '/scope': 'world', '/reason': '', '/days': 0 },
  }),
  'set a route': async () => {
    const flow = await fixtures.make('decision-flows');
    const channel = await fixtures.make('channels');
    return {
      ...{ operation: operations['flowRoutes.create'], path: apiPath('flow-routes'), status: 201 },
      body: { channelId: channel.id, decisionFlowId: flow.id, priority: 7 },
      bad: { '/priority': 'first', '/decisionFlowId': 'no id' },
    };
  },
};

for (const [name, open] of Object.entries(dialogs)) {
  test(`the dialog to ${name}: stores what it sends, and finds each bad value at its field`, async () => {
    const { operation, path, status, body, read: readAgain, bad } = await open();
    const known = new Set(fieldsOf(operation, undefined).map((field) => field.path));
    for (const [field, value] of Object.entries(bad)) {
      assert.ok(known.has(field), `${field} is a property of the body`);
      const values = withValue(body, stepsOf(field), value);
      const answer = await server.call<Problem>(operation.method, path, { body: values, headers: strictly });
      assert.equal(answer.status, 400, `${field}: ${answer.text}`);
      const paths = (answer.body.errors ?? []).map((each) => each.path);
      assert.ok(
        paths.some((each) => each === field || each.startsWith(`${field}/`)),
        `${field}: ${paths.join()}`,
      );
    }
    const made = await server.call<Values>(operation.method, path, { body, headers: strictly });
    assert.equal(made.status, status, made.text);
    const stored = readAgain === undefined ? made.body : await readAgain(made.body);
    assert.deepEqual(valuesOf(stored, Object.keys(body)), body);
  });
}
