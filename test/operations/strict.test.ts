import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { type Operation, operations } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { examples } from './examples.ts';
import { createFixtures, type Fixtures, type Made, type Resource } from './fixtures.ts';

/** Strict handling, and warnings without it (docs/design/api-settled.md, "Typos and configs that cannot act"). */

const all: readonly Operation[] = Object.values(operations);
const strict = { prefer: 'handling=strict' };

let server: TestServer;
let fixtures: Fixtures;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  fixtures = createFixtures(server, server.tenants[0]);
});
after(() => server?.close());

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

const remarksOf = (headers: Readonly<Record<string, unknown>>) => headers['x-unknown-properties'];

/** Sends the same call leniently and strictly: what the first warns about, the second refuses, storing nothing. */
async function told(method: string, path: string, body: unknown, refused: Problem['errors']): Promise<string> {
  const key = server.tenants[0].keys.admin;
  const before = await auditRows();
  const answer = await server.call<Problem>(method, path, { body, key, headers: strict });
  assert.equal(answer.status, 400, answer.text);
  assert.equal(answer.body.code, 'validation_failed');
  assert.deepEqual(answer.body.errors, refused);
  assert.equal(answer.headers['preference-applied'], 'handling=strict');
  assert.equal(await auditRows(), before, 'what is refused is not stored');
  const lenient = await server.call(method, path, { body, key });
  assert.ok(lenient.status < 300, lenient.text);
  assert.equal(lenient.headers['preference-applied'], undefined);
  const words = String(remarksOf(lenient.headers));
  assert.ok(answer.body.detail.endsWith(`: ${words}`), `${answer.body.detail} and ${words}`);
  return words;
}

async function auditRows(): Promise<unknown> {
  const { body } = await server.call<{ pagination: { total: number } }>('GET', '/api/v1/audit-logs?limit=1');
  return body.pagination.total;
}

describe('what was read can be sent back under strict handling', () => {
  const records = all.filter(({ id }) => id.endsWith('.updateById'));

  test('every resource has a case', () => {
    const bodies = all.filter(({ method, body }) => method === 'PUT' && body !== undefined);
    const covered = new Set([
      ...records.flatMap(({ id }) => [id, id.replace('ById', '')]),
      // Arbitrary properties, which nothing here reads.
      'campaigns.update',
      'preferences.set',
      'scim.replaceUser',
      'tenant.update',
      'tenantSettings.update',
      'users.update',
      'users.updateMe',
      'schemas.updateField',
    ]);
    assert.deepEqual(
      bodies.filter(({ id }) => !covered.has(id)).map(({ id }) => id),
      [],
    );
  });

  async function passes(method: string, path: string, body: unknown): Promise<void> {
    const answer = await server.call(method, path, { body, headers: strict });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['preference-applied'], 'handling=strict');
    assert.equal(remarksOf(answer.headers), undefined);
  }

  /** Suppressions aren't a resource with a draft, so one is created like the operation's example. */
  async function makeOne(create: string, collection: string): Promise<Made> {
    if (create !== 'suppressions.create') return fixtures.make(collection.slice('/api/v1/'.length) as Resource);
    const { body } = await examples[create]!(fixtures);
    return fixtures.must('POST', 'suppressions', body, 201);
  }

  for (const { id, path } of records) {
    const collection = path.replace('/{id}', '');
    it(id, async () => {
      const made = await makeOne(id.replace('.updateById', '.create'), collection);
      const read = async () => (await server.call<Made>('GET', `${collection}/${made.id}`)).body;
      await passes('PUT', `${collection}/${made.id}`, await read());
      await passes('PUT', collection, await read());
    });
  }

  it('a campaign', async () => {
    const path = `/api/v1/runs/${await fixtures.campaign()}`;
    await passes('PUT', path, (await server.call('GET', path)).body);
  });

  it('a SCIM user', async () => {
    const body = { userName: fixtures.name('user'), title: 'T' };
    const made = await server.call<Made>('POST', '/api/v1/scim/v2/Users', { body });
    await passes('PUT', `/api/v1/scim/v2/Users/${made.body.id}`, made.body);
  });

  it('retention of a data class, with and without a warning', async () => {
    const path = '/api/v1/admin/retention-configs';
    const set = await server.call('POST', path, { body: { dataClass: 'decisions', retentionDays: 7 } });
    await passes('POST', path, set.body);
    for (const config of (await server.call<Made[]>('GET', path)).body) await passes('POST', path, config);
  });

  it('the tenant, its settings, a field of a schema', async () => {
    for (const path of ['/api/v1/tenant', '/api/v1/tenant-settings']) {
      await passes('PUT', path, (await server.call('GET', path)).body);
    }
    const schema = await fixtures.make('schemas');
    const fields = await server.call<Made[]>('GET', `/api/v1/schemas/fields?schemaId=${schema.id}`);
    for (const field of fields.body) await passes('PUT', '/api/v1/schemas/fields', { ...field, fieldId: field.id });
  });
});

test('a user, and the signed-in user', async () => {
  const path = `/api/v1/users/${await fixtures.person('editor')}`;
  const user = await server.call('PUT', path, { body: (await server.call('GET', path)).body, headers: strict });
  assert.deepEqual([user.status, remarksOf(user.headers)], [200, undefined], user.text);
  const { viewer } = await fixtures.credentials(operations['users.readMe']);
  const headers = { cookie: `arbiter_session=${viewer}` };
  const { body } = await server.call('GET', '/api/v1/users/me', { headers, key: null });
  const me = await server.call('PUT', '/api/v1/users/me', { body, headers: { ...headers, ...strict }, key: null });
  assert.deepEqual([me.status, remarksOf(me.headers)], [200, undefined], me.text);
});

test('reports unknown properties at the top of every body, and in every query', async () => {
  for (const operation of all) {
    if (operation.auth !== 'credential' || operation.path.includes('{')) continue;
    // Forms and files have other bodies.
    if ((operation.bodyKind ?? 'json') !== 'json') continue;
    const isOpen = operation.body !== undefined && Reflect.get(operation.body, 'additionalProperties') === true;
    const answer = await server.call<Problem>(operation.method, `${operation.path}?zzyzx=1`, {
      headers: strict,
      ...(operation.body === undefined ? {} : { body: { zzyzx: 1 } }),
    });
    assert.equal(answer.status, 400, `${operation.id}: ${answer.text}`);
    const paths = operation.body === undefined || isOpen ? ['query.zzyzx'] : ['query.zzyzx', '/zzyzx'];
    assert.deepEqual(
      answer.body.errors.map(({ path }) => path),
      paths,
      operation.id,
    );
  }
});

test('a mistyped decision request', async () => {
  const world = await fixtures.decisionWorld();
  const body = { customer: 'x', chanel: 'web', decisionFlowKey: world.flow.key, dryRun: true };
  const words = await told('POST', '/api/v1/recommend', body, [
    { path: '/customer', message: 'is not known; did you mean customerId?' },
    { path: '/chanel', message: 'is not known; did you mean channel?' },
  ]);
  assert.equal(words, 'customer (customerId?), chanel (channel?)');
});

test('an error response also reports unknown properties', async () => {
  const answer = await server.call('POST', '/api/v1/offers', { body: { nme: 'x' } });
  assert.equal(answer.status, 400);
  assert.equal(remarksOf(answer.headers), 'nme (name?)');
});

test('unknown keys of a policy, and a policy that can never act', async () => {
  const policy = (config: unknown, ruleType = 'frequency_cap') => ({
    name: fixtures.name('Policy'),
    ruleType,
    config,
    scope: 'global',
  });
  const body = { ...policy({ perDay: 3 }), priorty: 1 };
  const both = await server.call('POST', '/api/v1/contact-policies', { body });
  assert.equal(
    remarksOf(both.headers),
    'priorty (priority?), config.perDay (maxPerDay?), config (No limit is set, so nothing is capped.)',
  );

  // Unknown properties and warnings of the service come in one response.
  await told('POST', '/api/v1/contact-policies', { ...body, name: fixtures.name('Policy') }, [
    { path: '/priorty', message: 'is not known; did you mean priority?' },
    { path: '/config/perDay', message: 'is not known; did you mean maxPerDay?' },
    { path: '/config', message: 'No limit is set, so nothing is capped.' },
  ]);

  const cap = policy({ perDay: 3, windows: [{ max: 1, days: 2, hour: 3 }] });
  assert.equal(
    await told('POST', '/api/v1/contact-policies', cap, [
      { path: '/config/perDay', message: 'is not known; did you mean maxPerDay?' },
      { path: '/config/windows/0/hour', message: 'is not known; did you mean hours?' },
    ]),
    'config.perDay (maxPerDay?), config.windows[0].hour (hours?)',
  );
  const withoutSegments = policy({ segments: [] }, 'do_not_contact');
  await told('POST', '/api/v1/contact-policies', withoutSegments, [
    { path: '/config/segments', message: 'No segment is set, so the policy blocks nobody.' },
  ]);
  const conditional = policy({ condition: { field: 'age', operator: 'gt', value: 1, vaule: 2 } }, 'do_not_contact');
  await told('POST', '/api/v1/contact-policies', conditional, [
    { path: '/config/condition/vaule', message: 'is not known; did you mean value?' },
  ]);
  // A config without a type is checked by the stored type.
  const made = await fixtures.must('POST', 'contact-policies', policy({ maxPerDay: 1 }), 201);
  await told('PUT', `/api/v1/contact-policies/${made.id}`, { config: { maxTotl: 2, maxPerDay: 1 } }, [
    { path: '/config/maxTotl', message: 'is not known; did you mean maxTotal?' },
  ]);
});

test('unknown keys of rules, flows, conditions and links', async () => {
  const rule = {
    name: fixtures.name('Rule'),
    ruleType: 'attribute_condition',
    config: { attribute: 'age', operator: 'gte', value: 18, onMising: 'pass' },
  };
  await told('POST', '/api/v1/qualification-rules', rule, [
    { path: '/config/onMising', message: 'is not known; did you mean onMissing?' },
  ]);
  const draftConfig = {
    version: 2,
    nodez: [],
    nodes: [
      { id: 'i', type: 'inventory', config: {} },
      {
        id: 'f',
        type: 'filter',
        config: { conditions: [{ field: 'offer.name', operator: 'eq', value: 'x', not: 1 }] },
      },
      { id: 's', type: 'score', config: { method: 'priority_weighted', formula: { impactWeigth: 1 } }, nam: 'x' },
      { id: 'r', type: 'rank', config: { topn: 3 } },
    ],
    flowConfig: { defaultLimits: 3 },
  };
  const flow = { key: fixtures.name('flow'), name: fixtures.name('Flow'), draftConfig };
  assert.equal(
    await told('POST', '/api/v1/decision-flows', flow, [
      { path: '/draftConfig/nodez', message: 'is not known; did you mean nodes?' },
      { path: '/draftConfig/nodes/2/nam', message: 'is not known; did you mean name?' },
      { path: '/draftConfig/nodes/1/config/conditions/0/not', message: 'is not known' },
      { path: '/draftConfig/nodes/2/config/formula/impactWeigth', message: 'is not known; did you mean impactWeight?' },
      { path: '/draftConfig/nodes/3/config/topn', message: 'is not known; did you mean topN?' },
      { path: '/draftConfig/flowConfig/defaultLimits', message: 'is not known; did you mean defaultLimit?' },
    ]),
    'draftConfig.nodez (nodes?), draftConfig.nodes[2].nam (name?), draftConfig.nodes[1].config.conditions[0].not, ' +
      'draftConfig.nodes[2].config.formula.impactWeigth (impactWeight?), draftConfig.nodes[3].config.topn (topN?), ' +
      'draftConfig.flowConfig.defaultLimits (defaultLimit?)',
  );
  const checked = await server.call<{ warnings: { message: string }[] }>('POST', '/api/v1/decision-flows/validate', {
    body: { draftConfig },
    headers: strict,
  });
  assert.equal(checked.status, 200);
  assert.ok(checked.body.warnings.some(({ message }) => message === 'topn has no effect; did you mean topN?'));

  const condition = { field: 'age', operator: 'gt', value: 3, valeu: 4 };
  const offer = { name: fixtures.name('Offer'), eligibility: { conditions: { all: [condition] } } };
  await told('POST', '/api/v1/offers', offer, [
    { path: '/eligibility/conditions/all/0/valeu', message: 'is not known; did you mean value?' },
  ]);
  const channel = await fixtures.make('channels');
  const placement = { name: fixtures.name('Placement'), channelId: channel.id, targeting: condition };
  await told('POST', '/api/v1/placements', placement, [
    { path: '/targeting/valeu', message: 'is not known; did you mean value?' },
  ]);
  const schema = await fixtures.make('schemas');
  await told('PUT', `/api/v1/schemas/${schema.id}`, { joinMapping: { parentFeild: 'x' } }, [
    { path: '/joinMapping/parentFeild', message: 'is not known; did you mean parentField?' },
  ]);
  const inline = {
    name: fixtures.name('Channel'),
    channelType: 'web',
    placements: [{ name: 'Top', maxSlot: 2, deletedAt: '2020-01-01T00:00:00Z' }],
  };
  await told('POST', '/api/v1/channels', inline, [
    { path: '/placements/0/maxSlot', message: 'is not known; did you mean maxSlots?' },
    { path: '/placements/0/deletedAt', message: 'is not known' },
  ]);
});
