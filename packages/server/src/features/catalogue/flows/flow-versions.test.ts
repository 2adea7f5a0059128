import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer, type TestTenant } from '../../../main/test-server.ts';
import { createEnvelope } from '../../../platform/crypto/crypto.ts';
import { secretPlace } from './flow-secrets.service.ts';

type Body = Record<string, unknown>;
interface Flow extends Body {
  readonly id: string;
  readonly key: string;
  readonly rowVersion: number;
  readonly draftConfig: { readonly nodes: readonly Body[] };
  readonly publishedVersions: readonly { readonly version: number; readonly configSnapshot: Body }[];
}

const bullets = '••••••••';
const masterKey = Buffer.alloc(32, 7).toString('base64');

let server: TestServer;
let home: TestTenant;
let away: TestTenant;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  [home, away] = server.tenants as [TestTenant, TestTenant];
});
after(() => server.close());

let counter = 0;
const word = (text: string) => `${text}-${++counter}`;

async function must<B = Body>(method: string, path: string, body: unknown, status: number, key = home.keys.editor) {
  const answer = await server.call<B>(method, `/api/v1/${path}`, { body, key });
  assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
  return answer.body;
}
const errorsIn = ({ errors = [] }: { errors?: { path: string; code?: string }[] }) =>
  errors.map(({ path, code }) => `${code ?? ''} ${path}`.trim());

const config = (extra: readonly Body[] = [], flowConfig: Body = {}): Body => ({
  version: 2,
  nodes: [
    { id: 'inventory', type: 'inventory', config: {} },
    ...extra,
    { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
    { id: 'rank', type: 'rank', config: { method: 'topN', topN: 3 } },
  ],
  flowConfig,
});
/** Disabled, because no server listens at its address. A flow still hides the values. */
const hook = (more: Body, id = 'hook'): Body => ({
  id,
  type: 'extension_point',
  enabled: false,
  config: { hook: 'post_rank', kind: 'webhook', url: 'https://hooks.example.com/a', ...more },
});
const make = (draftConfig: Body, more: Body = {}) =>
  must<Flow>('POST', 'decision-flows', { key: word('flow'), name: 'Flow', draftConfig, ...more }, 201);
const put = (id: string, body: Body, status = 200) => must<Flow>('PUT', `decision-flows/${id}`, body, status);
const publish = (id: string, status = 200) => must<Flow>('POST', 'decision-flows/publish', { id }, status);
const headersOf = ({ draftConfig }: Flow) =>
  (draftConfig.nodes.find(({ type }) => type === 'extension_point')?.config as Body | undefined)?.headers;
const urlOf = ({ draftConfig }: Flow) =>
  (draftConfig.nodes.find(({ type }) => type === 'extension_point')?.config as Body | undefined)?.url;

/** The hidden values of a version (0: the draft) by path, opened. */
async function secretsOf(flowId: string, version: number): Promise<Record<string, string>> {
  const rows = await server.testDatabase.ownerQuery<{ node_id: string; path: string; origin: string; sealed: Buffer }>(
    'select node_id, path, origin, sealed from arbiter.flow_secrets where flow_id = $1 and version = $2 order by path',
    [flowId, version],
  );
  const envelope = createEnvelope(masterKey);
  return Object.fromEntries(
    rows.map(({ node_id: nodeId, path, origin, sealed }) => [
      path,
      envelope.open(secretPlace(home.id, flowId, { nodeId, path, origin }), sealed).toString('utf8'),
    ]),
  );
}

describe('versions of a decision flow', () => {
  it('are compared node by node', async () => {
    const first = config([
      { id: 'a', type: 'qualify', config: {} },
      { id: 'b', type: 'enrich', name: 'Old', config: { sources: [] } },
      { id: 'c', type: 'filter', config: { combinator: 'OR', conditions: [] } },
      { id: 'd', type: 'contact_policy', config: {} },
    ]);
    const second = config(
      [
        {
          id: 'c',
          type: 'filter',
          config: { combinator: 'AND', conditions: [{ field: 'offer.priority', operator: 'gt', value: 1 }] },
        },
        // Written out or left out: the same.
        { id: 'a', type: 'qualify', enabled: true },
        { id: 'b', type: 'enrich', name: 'New', config: { sources: [] } },
        { id: 'e', type: 'match_creatives' },
      ],
      { defaultLimit: 3 },
    );
    const { id } = await make(first);
    await publish(id);
    await put(id, { draftConfig: second });
    await publish(id);
    await put(id, { draftConfig: first });
    const diff = (from: string, to: string) =>
      must('GET', `decision-flows/${id}/versions/diff?from=${from}&to=${to}`, undefined, 200, home.keys.viewer);
    assert.deepEqual(await diff('1', '2'), {
      flowId: id,
      from: 1,
      to: 2,
      added: ['e'],
      removed: ['d'],
      changed: [
        {
          nodeId: 'c',
          changes: [
            { path: '/config/combinator', before: 'OR', after: 'AND' },
            {
              path: '/config/conditions/0',
              before: null,
              after: { field: 'offer.priority', operator: 'gt', value: 1 },
            },
          ],
        },
        { nodeId: 'b', changes: [{ path: '/name', before: 'Old', after: 'New' }] },
      ],
      moved: ['c'],
      flowConfig: [{ path: '/defaultLimit', before: null, after: 3 }],
    });
    const nothing = { flowId: id, added: [], removed: [], changed: [], moved: [], flowConfig: [] };
    assert.deepEqual(await diff('1', 'draft'), { ...nothing, from: 1, to: null });
    for (const [query, status] of [
      ['from=1&to=3', 404],
      ['from=3&to=draft', 404],
      ['from=0&to=1', 400],
      ['from=1', 400],
      ['from=one&to=1', 400],
    ] as const) {
      await must('GET', `decision-flows/${id}/versions/diff?${query}`, undefined, status);
    }
    await must('GET', `decision-flows/${id}/versions/diff?from=1&to=2`, undefined, 404, away.keys.admin);
  });

  it('become the draft again', async () => {
    const { id } = await make(config());
    const published = await publish(id);
    const changed = await put(id, { draftConfig: config([{ id: 'q', type: 'qualify', config: {} }]) });
    const restore = (body: Body, status: number, key = home.keys.editor) =>
      must<Flow>('POST', 'decision-flows/restore-version', { id, version: 1, ...body }, status, key);
    await restore({ rowVersion: changed.rowVersion - 1 }, 409);
    await restore({ version: 2 }, 404);
    await restore({}, 404, away.keys.editor);
    await restore({}, 403, home.keys.viewer);
    assert.deepEqual(
      (await must<Flow>('GET', `decision-flows/${id}`, undefined, 200)).draftConfig,
      changed.draftConfig,
    );
    const restored = await restore({ rowVersion: changed.rowVersion }, 200);
    assert.deepEqual(restored.draftConfig, published.draftConfig);
    assert.equal(restored.rowVersion, changed.rowVersion + 1);
    assert.deepEqual(restored.publishedVersions, published.publishedVersions);
    const audit = await server.testDatabase.ownerQuery<{ action: string }>(
      'select action from arbiter.audit_logs where entity_id = $1 order by sequence',
      [id],
    );
    assert.deepEqual(
      audit.map(({ action }) => action),
      ['create', 'publish', 'update', 'revert'],
    );
  });
});

describe('hidden values of extension points', () => {
  it('are shown as bullets and stored sealed', async () => {
    const secret = 'Bearer very-secret-token';
    const flow = await make(
      config([
        hook({
          url: 'https://user:pa55word@hooks.example.com/a?b=c',
          headers: { Authorization: secret, 'X-Key': 'k' },
        }),
      ]),
    );
    assert.equal(urlOf(flow), `https://${bullets}@hooks.example.com/a?b=c`);
    assert.deepEqual(headersOf(flow), { Authorization: bullets, 'X-Key': bullets });
    const sealed = { '/headers/authorization': secret, '/headers/x-key': 'k', '/url': 'user:pa55word' };
    assert.deepEqual(await secretsOf(flow.id, 0), sealed);
    await publish(flow.id);
    assert.deepEqual(await secretsOf(flow.id, 1), sealed);
    // Nothing in the database has them in plain text.
    const tables = await server.testDatabase.ownerQuery<{ name: string }>(
      `select c.relname as name from pg_class c where c.relnamespace = 'arbiter'::regnamespace and c.relkind in ('r', 'p')`,
    );
    for (const { name } of tables) {
      const [found] = await server.testDatabase.ownerQuery<{ n: number }>(
        `select count(*)::int as n from arbiter.${name} t where t::text ~ 'very-secret-token|pa55word'`,
      );
      assert.equal(found?.n, 0, name);
    }
    const logged = JSON.stringify(server.log);
    assert.doesNotMatch(logged, /very-secret-token|pa55word/);
  });

  it('stay when bullets are sent back, for the same node, header and address only', async () => {
    const flow = await make(config([hook({ headers: { 'X-Key': 'one', 'X-Other': 'two' } })]));
    const sent = (more: Body, id?: string) => put(flow.id, { draftConfig: config([hook(more, id)]) });
    await put(flow.id, { draftConfig: flow.draftConfig, name: 'Renamed' });
    assert.deepEqual(await secretsOf(flow.id, 0), { '/headers/x-key': 'one', '/headers/x-other': 'two' });
    await sent({ headers: { 'x-key': bullets, 'X-Other': 'three' }, url: 'https://hooks.example.com/other' });
    assert.deepEqual(await secretsOf(flow.id, 0), { '/headers/x-key': 'one', '/headers/x-other': 'three' });
    await sent({ headers: { 'X-Key': bullets } });
    assert.deepEqual(await secretsOf(flow.id, 0), { '/headers/x-key': 'one' });
    await publish(flow.id);
    for (const [more, id] of [
      [{ headers: { 'X-Key': bullets }, url: 'https://evil.example.com/' }],
      [{ headers: { 'X-Key': bullets }, url: 'https://hooks.example.com:8443/a' }],
      [{ headers: { 'X-Key': bullets } }, 'hook2'],
      [{ headers: { 'X-Unknown': bullets } }],
      [{ url: `https://${bullets}@hooks.example.com/a` }],
    ] as const) {
      await sent(more, id);
      assert.deepEqual(await secretsOf(flow.id, 0), {});
      const refused = await publish(flow.id, 422);
      assert.match(JSON.stringify(refused), /"code":"secret_missing"/);
      await must('POST', 'decision-flows/restore-version', { id: flow.id, version: 1 }, 200);
      assert.deepEqual(await secretsOf(flow.id, 0), { '/headers/x-key': 'one' });
    }
    assert.equal((await publish(flow.id)).publishedVersions.length, 2);
    assert.deepEqual(await secretsOf(flow.id, 1), { '/headers/x-key': 'one' });
  });

  it('are reported as missing by validate, and never part of its response', async () => {
    const flow = await make(config([hook({ headers: { 'X-Key': 'one' } })]));
    const check = (body: Body) =>
      must<{ valid: boolean; errors: { code: string; path: string }[] }>('POST', 'decision-flows/validate', body, 200);
    assert.equal((await check({ id: flow.id, draftConfig: flow.draftConfig })).valid, true);
    assert.deepEqual(errorsIn(await check({ draftConfig: flow.draftConfig })), [
      'secret_missing /nodes/1/config/headers/X-Key',
    ]);
    const given = await check({ draftConfig: config([hook({ headers: { 'X-Key': 'a secret' } })]) });
    assert.equal(given.valid, true);
    const wrong = await check({
      draftConfig: config([hook({ headers: { Host: 'a secret' }, url: 'https://u:secret@169.254.169.254/' })]),
    });
    assert.deepEqual(errorsIn(wrong), [
      'invalid_config /nodes/1/config/url',
      'invalid_config /nodes/1/config/headers/Host',
    ]);
    assert.doesNotMatch(JSON.stringify(wrong), /secret/);
  });

  it('require an encryption key', async () => {
    const bare = await startTestServer({ config: { DATA_ENCRYPTION_KEY: null } });
    try {
      const body = (draftConfig: Body) => ({ body: { key: word('flow'), name: 'F', draftConfig } });
      const refused = await bare.call('POST', '/api/v1/decision-flows', body(config([hook({ headers: { a: 'b' } })])));
      assert.deepEqual([refused.status, refused.body.code], [503, 'not_configured']);
      const [rows] = await bare.testDatabase.ownerQuery<{ n: number }>(
        'select count(*)::int as n from arbiter.decision_flows',
      );
      assert.equal(rows?.n, 0);
      assert.equal((await bare.call('POST', '/api/v1/decision-flows', body(config([hook({})])))).status, 201);
    } finally {
      await bare.close();
    }
  });

  it("can't name an address that calls must not reach", async () => {
    for (const url of [
      'http://x.example.com',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://x.example.com:22/',
      'ftp://x',
      'x',
      'https://0x7f.1/',
    ]) {
      const refused = await must<{ errors: { path: string; code: string }[] }>(
        'POST',
        'decision-flows',
        { key: word('flow'), name: 'F', draftConfig: config([hook({ url })]) },
        400,
      );
      assert.deepEqual(errorsIn(refused), ['invalid_config /draftConfig/nodes/1/config/url'], url);
    }
    await make(config([hook({ url: 'https://x.example.com:8443/' })]));
  });
});

describe('one flow as a file', () => {
  /** Records that flows name, under the same names in both tenants. */
  async function world(key: string) {
    const post = (path: string, body: Body) => must<{ id: string }>('POST', path, body, 201, key);
    const category = await post('categories', { name: 'Cards' });
    const sub = await post('sub-categories', { name: 'Gold', categoryId: category.id });
    const channel = await post('channels', { name: 'Web', key: 'web', channelType: 'web' });
    const placement = await post('placements', { name: 'Hero', key: 'hero', channelId: channel.id });
    const policy = await post('contact-policies', {
      name: 'Stop',
      ruleType: 'do_not_contact',
      scope: 'global',
    });
    return { category, sub, channel, placement, policy };
  }

  it('finds its records by key and name in another tenant', async () => {
    const mine = await world(home.keys.admin);
    const draft = config(
      [
        { id: 'sub', type: 'filter', config: { contactPolicyIds: [mine.policy.id.toUpperCase()] } },
        { id: 'match', type: 'match_creatives', config: { channelIds: [mine.channel.id] } },
        // Disabled nodes name records as well.
        { id: 'group', type: 'group', enabled: false, config: { placementWeights: { [mine.placement.id]: 2 } } },
        hook({ headers: { 'X-Key': 'secret' } }),
      ],
      { explore: { channels: [mine.channel.id] } },
    );
    const nodes = draft.nodes as Body[];
    nodes[0] = { id: 'inventory', type: 'inventory', config: { scope: 'subcategory', subCategoryIds: [mine.sub.id] } };
    const flow = await make(draft, { description: 'Of home', autoAssembly: false, couplingOverride: 'atomic' });
    const file = await must<Body & { references: Body; config: { nodes: Body[] } }>(
      'GET',
      `decision-flows/${flow.id}/export`,
      undefined,
      200,
      home.keys.viewer,
    );
    assert.deepEqual(file, {
      format: 'arbiter.flow.1',
      key: flow.key,
      name: 'Flow',
      description: 'Of home',
      autoAssembly: false,
      couplingOverride: 'atomic',
      config: flow.draftConfig,
      references: {
        [mine.sub.id]: { type: 'sub-categories', ref: ['Cards', 'Gold'] },
        [mine.policy.id.toUpperCase()]: { type: 'contact-policies', ref: 'Stop' },
        [mine.channel.id]: { type: 'channels', ref: 'web' },
        [mine.placement.id]: { type: 'placements', ref: ['web', 'hero'] },
      },
    });
    const take = (body: Body, status: number) =>
      must<Flow & { errors: { path: string }[] }>('POST', 'decision-flows/import', body, status, away.keys.editor);
    const refused = await take({ flow: file }, 400);
    assert.equal(refused.code, 'reference_not_found');
    assert.deepEqual(
      refused.errors.map(({ path }) => path).sort(),
      Object.keys(file.references)
        .map((id) => `/flow/references/${id}`)
        .sort(),
    );
    const theirs = await world(away.keys.admin);
    const taken = await take({ flow: file, name: 'Taken' }, 201);
    assert.deepEqual(
      [
        taken.key,
        taken.name,
        taken.status,
        taken.description,
        taken.couplingOverride,
        taken.publishedVersions,
        taken.tenantId,
      ],
      [flow.key, 'Taken', 'draft', 'Of home', 'atomic', [], away.id],
    );
    const text = JSON.stringify(taken.draftConfig);
    for (const { id } of Object.values(mine)) assert.ok(!text.toLowerCase().includes(id), id);
    for (const [name, { id }] of Object.entries(theirs)) if (name !== 'category') assert.ok(text.includes(id), name);
    assert.equal((await take({ flow: file }, 409)).code, 'duplicate_key');
    // The bullets hide nothing here.
    const unpublished = await must('POST', 'decision-flows/publish', { id: taken.id }, 422, away.keys.editor);
    assert.match(JSON.stringify(unpublished), /secret_missing/);
    // The export equals its source, except for the ids.
    const back = await must<typeof file>('GET', `decision-flows/${taken.id}/export`, undefined, 200, away.keys.viewer);
    assert.deepEqual(
      Object.values(back.references)
        .map((each) => JSON.stringify(each))
        .sort(),
      Object.values(file.references)
        .map((each) => JSON.stringify(each))
        .sort(),
    );
  });

  it('exports the draft, the last version or any other', async () => {
    const { id } = await make(config());
    const nodesOf = async (version: string, status = 200) =>
      (
        await must<{ config?: { nodes: Body[] } }>(
          'GET',
          `decision-flows/${id}/export?version=${version}`,
          undefined,
          status,
        )
      ).config?.nodes.length;
    await nodesOf('published', 404);
    await publish(id);
    await put(id, { draftConfig: config([{ id: 'q', type: 'qualify', config: {} }]) });
    await publish(id);
    await put(id, {
      draftConfig: config([
        { id: 'q', type: 'qualify', config: {} },
        { id: 'p', type: 'contact_policy', config: {} },
      ]),
    });
    assert.deepEqual(
      [await nodesOf('1'), await nodesOf('2'), await nodesOf('published'), await nodesOf('draft')],
      [3, 4, 4, 5],
    );
    await nodesOf('3', 404);
    await nodesOf('newest', 400);
    await must('GET', `decision-flows/${id}/export`, undefined, 404, away.keys.viewer);
  });

  it("is rejected if it's invalid or doesn't match", async () => {
    const flow = await make(config());
    const file = await must('GET', `decision-flows/${flow.id}/export`, undefined, 200);
    const take = async (more: Body, status: number) => {
      const body = { flow: { ...file, ...more }, key: word('copy') };
      return errorsIn(
        await must<{ errors: { path: string; code?: string }[] }>('POST', 'decision-flows/import', body, status),
      );
    };
    await take({ format: 'arbiter.flow.2' }, 400);
    assert.deepEqual(await take({ references: { inventory: { type: 'offers', ref: 'x' } } }, 400), [
      '/flow/references/inventory',
    ]);
    const id = '0199aaaa-0000-7000-8000-000000000001';
    assert.deepEqual(await take({ references: { [id]: { type: 'users', ref: 'x' } } }, 400), [
      `/flow/references/${id}/type`,
    ]);
    assert.deepEqual(await take({ references: { [id]: { type: 'placements', ref: 'hero' } } }, 400), [
      `/flow/references/${id}`,
    ]);
    // An id that the file does not explain must be one of the tenant's.
    const stray = config([{ id: 'm', type: 'match_creatives', config: { channelIds: [id] } }]);
    assert.deepEqual(await take({ config: stray }, 400), [
      'unknown_reference /flow/config/nodes/1/config/channelIds/0',
    ]);
    assert.deepEqual(await take({ config: config([{ id: 'm', type: 'qualify', config: { mode: 'x' } }]) }, 400), [
      'invalid_config /flow/config/nodes/1/config/mode',
    ]);
    const [{ n } = { n: -1 }] = await server.testDatabase.ownerQuery<{ n: number }>(
      `select count(*)::int as n from arbiter.decision_flows where key like 'copy-%'`,
    );
    assert.equal(n, 0);
    await must('POST', 'decision-flows/import', { flow: file, key: 'copy-viewer' }, 403, home.keys.viewer);
    await take({}, 201);
  });
});

describe('what a draft names', () => {
  it('exists, and has the right type', async () => {
    const category = await must<{ id: string }>('POST', 'categories', { name: word('Loans') }, 201);
    const scoped = await must<{ id: string }>(
      'POST',
      'contact-policies',
      { name: word('Cards only'), ruleType: 'do_not_contact', scope: 'category', scopeId: category.id },
      201,
      home.keys.admin,
    );
    const profile = await must<{ id: string }>(
      'POST',
      'ranking-profiles',
      { name: word('Margin'), weights: { margin: 1 } },
      201,
    );
    const refused = async (draftConfig: Body, key = home.keys.editor) =>
      errorsIn(
        await must<{ errors: { path: string; code: string }[] }>(
          'POST',
          'decision-flows',
          { key: word('flow'), name: 'F', draftConfig },
          400,
          key,
        ),
      );
    const filter = (id: string) => config([{ id: 'f', type: 'filter', config: { contactPolicyIds: [id] } }]);
    assert.deepEqual(await refused(filter(scoped.id)), [
      'unknown_reference /draftConfig/nodes/1/config/contactPolicyIds/0',
    ]);
    const stage = config([{ id: 'p', type: 'contact_policy', config: { mode: 'selected', policyIds: [scoped.id] } }]);
    await make(stage);
    const optimize = (profileId: string) => {
      const draft = config();
      (draft.nodes as Body[]).splice(2, 0, { id: 'o', type: 'optimize', config: { profileId } });
      return draft;
    };
    assert.deepEqual(await refused(optimize(profile.id), away.keys.editor), [
      'unknown_reference /draftConfig/nodes/2/config/profileId',
    ]);
    await must('DELETE', `ranking-profiles/${profile.id}`, undefined, 204);
    assert.deepEqual(await refused(optimize(profile.id)), ['unknown_reference /draftConfig/nodes/2/config/profileId']);
  });

  it('can be another flow, but not in a cycle', async () => {
    const other = await make(config());
    const calls = (flowKey: string) => config([{ id: 'k', type: 'call_flow', config: { flowKey } }]);
    const refused = async (id: string, flowKey: string) =>
      errorsIn(
        await must<{ errors: { path: string; code: string }[] }>(
          'PUT',
          `decision-flows/${id}`,
          { draftConfig: calls(flowKey) },
          422,
        ),
      );
    const own = await make(config());
    assert.deepEqual(await refused(own.id, own.key), ['cycle_in_call_flow /draftConfig/nodes/1/config/flowKey']);
    assert.deepEqual(await refused(own.id, own.id), ['cycle_in_call_flow /draftConfig/nodes/1/config/flowKey']);
    assert.deepEqual(await refused(own.id, 'nowhere'), ['unknown_reference /draftConfig/nodes/1/config/flowKey']);
    assert.equal((await must<Flow>('GET', `decision-flows/${own.id}`, undefined, 200)).rowVersion, 1);
    await must('PUT', `decision-flows/${own.id}`, { draftConfig: calls(other.key) }, 200);
  });
});

describe('deleting what a flow names', () => {
  it('is rejected for profiles, in drafts and in the last version, and warns of policies', async () => {
    const profile = await must<{ id: string }>(
      'POST',
      'ranking-profiles',
      { name: word('Margin'), weights: { margin: 1 } },
      201,
    );
    const named = { id: 'o', type: 'optimize', enabled: false, config: { profileId: profile.id.toUpperCase() } };
    const { id } = await make(config([named]));
    const remove = (status: number) =>
      must<{ errors: Body[] }>('DELETE', `ranking-profiles/${profile.id}`, undefined, status);
    assert.match(JSON.stringify((await remove(409)).errors), new RegExp(id));
    await publish(id);
    await put(id, { draftConfig: config() });
    await remove(409);
    await publish(id);
    await remove(204);
    const policy = await must<{ id: string }>(
      'POST',
      'contact-policies',
      { name: word('Stop'), ruleType: 'do_not_contact', scope: 'global' },
      201,
      home.keys.admin,
    );
    const flow = await make(
      config([{ id: 'f', type: 'filter', config: { contactPolicyIds: [policy.id.toUpperCase()] } }]),
      {
        name: 'Asks',
      },
    );
    const gone = await must('DELETE', `contact-policies?id=${policy.id}`, undefined, 200, home.keys.admin);
    assert.deepEqual(gone, { deleted: true, warnings: [`Used by decision flow "Asks" (${flow.key})`] });
  });
});
