import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';

interface Answer extends Record<string, unknown> {
  readonly id: string;
  readonly code: string;
  readonly version: number;
  readonly rowVersion: number;
}

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 });
});
after(() => server.close());

const call = (
  method: string,
  path: string,
  body?: unknown,
  key?: string | null,
  headers: Record<string, string> = {},
) => server.call<Answer>(method, `/api/v1/${path}`, { body, headers, ...(key === undefined ? {} : { key }) });
const keyOf = (tenant: number, role: 'viewer' | 'editor' | 'admin') => server.tenants[tenant]?.keys[role] ?? '';
async function must(method: string, path: string, body: unknown, status: number): Promise<Answer> {
  const answer = await call(method, path, body);
  assert.equal(answer.status, status, answer.text);
  return answer.body;
}
const name = (() => {
  let n = 0;
  return (word: string) => `${word} ${++n}`;
})();

/** Creates one live record of each resource through the API, as in the acceptance of the bank. */
async function makeAll() {
  const category = await must('POST', 'categories', { name: name('Savings') }, 201);
  const channel = await must(
    'POST',
    'channels',
    { name: name('Email'), channelType: 'email', placements: [{ name: 'Hero', key: 'hero', maxSlots: 3 }] },
    201,
  );
  const offer = await must(
    'POST',
    'offers',
    {
      name: name('Offer'),
      status: 'active',
      categoryId: category.id,
      priority: 90,
      businessValue: 90,
      margin: 9,
      revenueValue: 270,
      shortDesc: 'Offer',
    },
    201,
  );
  const creative = await must(
    'POST',
    'creatives',
    {
      name: name('Creative'),
      offerId: offer.id,
      channelId: channel.id,
      status: 'active',
      templateType: 'call_script',
      content: { subject: 'x for {job}' },
      personalization: [{ variable: 'job', source: 'customer.job', fallback: 'you' }],
    },
    201,
  );
  const rule = await must(
    'POST',
    'qualification-rules',
    {
      name: name('Rule'),
      ruleType: 'attribute_condition',
      scope: 'offer',
      scopeId: offer.id,
      stage: 'eligibility',
      status: 'active',
      config: { attribute: 'balance', operator: 'gte', value: 500 },
    },
    201,
  );
  const policy = await must(
    'POST',
    'contact-policies',
    { name: name('Cap'), ruleType: 'frequency_cap', scope: 'global', config: { maxPerDay: 3 }, priority: 80 },
    201,
  );
  const flow = await must(
    'POST',
    'decision-flows',
    {
      key: name('flow'),
      name: 'Bank',
      draftConfig: {
        version: 2,
        nodes: [
          { id: 'inventory', type: 'inventory', config: { scope: 'category', categoryIds: [category.id] } },
          { id: 'creatives', type: 'match_creatives', config: {} },
          { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
          { id: 'response', type: 'response', config: {} },
        ],
        flowConfig: {},
      },
    },
    201,
  );
  return { category, channel, offer, creative, rule, policy, flow };
}

const resources = [
  { path: 'offers', record: 'offer', change: { shortDesc: 'New' }, gone: 200 },
  { path: 'creatives', record: 'creative', change: { weight: 7 }, gone: 200 },
  { path: 'qualification-rules', record: 'rule', change: { priority: 7 }, gone: 204 },
  { path: 'contact-policies', record: 'policy', change: { priority: 7 }, gone: 200 },
  { path: 'decision-flows', record: 'flow', change: { description: 'New' }, gone: 200 },
] as const;
const random = '0199aaaa-0000-7000-8000-00000000ffff';

for (const { path, record, change, gone } of resources) {
  describe(path, () => {
    it('respond alike in the collection style and on /{id}', async () => {
      const all = await makeAll();
      const { id } = all[record];
      const read = await must('GET', `${path}/${id}`, undefined, 200);
      if (record !== 'offer' && record !== 'flow') assert.deepEqual(read, all[record]);
      const versionOf = (answer: Answer) => answer.version ?? answer.rowVersion;
      const byCollection = await must('PUT', path, { id, ...change }, 200);
      const byId = await must('PUT', `${path}/${id}`, change, 200);
      assert.equal(versionOf(byId), versionOf(byCollection) + 1);
      assert.partialDeepStrictEqual(byId, change);
      for (const answer of [
        await call('PUT', path, { id, ...change, rowVersion: 1 }),
        await call('PUT', `${path}/${id}`, { ...change, rowVersion: 1 }),
      ]) {
        assert.deepEqual([answer.status, answer.body.code], [409, 'row_version_conflict']);
      }
      assert.equal((await call('PUT', `${path}/${id}`, { id: random, ...change })).status, 400);
      assert.equal((await call('DELETE', path)).status, 400);
      assert.equal((await call('DELETE', `${path}?id=${id}`)).status, gone);
      const again = await call('DELETE', `${path}?id=${id}`);
      assert.deepEqual([again.status, again.body.code], [400, 'already_deleted']);
      for (const answer of [
        await call('DELETE', `${path}/${id}`),
        await call('GET', `${path}/${id}`),
        await call('PUT', path, { id, ...change }),
      ]) {
        assert.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
      }
    });

    it('respond to a foreign ID like to a random one, and to a malformed one like to an unknown one', async () => {
      const { id } = (await makeAll())[record];
      const stranger = keyOf(1, 'admin');
      const same = async (method: string, make: (id: string) => { path: string; body?: unknown }) => {
        const answers = await Promise.all(
          [id, random].map(async (each) => {
            const { path: where, body } = make(each);
            const answer = await call(method, where, body, stranger, { 'x-request-id': 'same' });
            return { status: answer.status, text: answer.text.replaceAll(each, 'ID') };
          }),
        );
        assert.deepEqual(answers[0], answers[1]);
        return answers[0]?.status;
      };
      assert.equal(await same('GET', (each) => ({ path: `${path}/${each}` })), 404);
      assert.equal(await same('PUT', (each) => ({ path, body: { id: each, ...change } })), 404);
      assert.equal(await same('PUT', (each) => ({ path: `${path}/${each}`, body: change })), 404);
      assert.equal(await same('DELETE', (each) => ({ path: `${path}?id=${each}` })), 400);
      assert.equal(await same('DELETE', (each) => ({ path: `${path}/${each}` })), 404);
      assert.equal(await same('GET', (each) => ({ path: `${path}?cursor=${each}` })), 400);
      assert.equal((await call('GET', `${path}/${id}`)).status, 200);
      for (const odd of ['nonsense', 'x'.repeat(300), 'x'.repeat(5_000)]) {
        assert.equal((await call('GET', `${path}/${odd}`)).status, 404);
        assert.equal((await call('PUT', `${path}/${odd}`, change)).status, 404);
        assert.equal((await call('DELETE', `${path}/${odd}`)).status, 404);
        assert.equal((await call('DELETE', `${path}?id=${odd}`)).status, 400);
      }
      assert.equal((await call('PUT', path, { id: 'nonsense', ...change })).status, 400);
    });

    it('return a deleted record with includeDeleted, where the contract says so', async () => {
      const { id } = (await makeAll())[record];
      const viewer = keyOf(0, 'viewer');
      const before = await must('GET', `${path}/${id}`, undefined, 200);
      const read = (query: string, key = viewer) => call('GET', `${path}/${id}${query}`, undefined, key);
      if (record !== 'rule') {
        assert.deepEqual((await read('?includeDeleted=true')).body, before, 'a live record is answered as ever');
        assert.equal((await read('?includeDeleted=yes')).status, 400);
      }
      await must('DELETE', `${path}/${id}`, undefined, gone);
      const deleted = await read('?includeDeleted=true');
      if (record === 'rule') assert.equal(deleted.status, 404);
      else {
        assert.equal(deleted.status, 200);
        assert.deepEqual([deleted.body.id, deleted.body.name], [id, before.name]);
        assert.equal(typeof deleted.body.deletedAt, 'string');
      }
      assert.equal((await read('')).status, 404);
      assert.equal((await read('?includeDeleted=false')).status, 404);
      assert.equal((await read('?includeDeleted=true', keyOf(1, 'admin'))).status, 404, 'nor to a stranger');
    });

    it('list with limit, search and filters', async () => {
      const made = (await makeAll())[record];
      const listed = await server.call<{ data: Answer[]; pagination: Record<string, unknown> }>(
        'GET',
        `/api/v1/${path}?limit=1&search=${encodeURIComponent(String(made.name))}`,
      );
      assert.equal(listed.status, 200, listed.text);
      assert.equal(listed.body.pagination.limit, 1);
      assert.equal((await call('GET', `${path}?limit=0`)).status, 400);
      assert.equal((await call('GET', `${path}?limit=abc`)).status, 400);
      assert.equal((await call('GET', `${path}?includeDeleted=yes`)).status, 400);
      assert.equal((await call('GET', `${path}?status=nonsense`)).status, 400);
      const capped = await server.call<{ pagination: Record<string, unknown> }>('GET', `/api/v1/${path}?limit=9999`);
      assert.equal(capped.body.pagination.limit, 200);
    });
  });
}

describe('reject input, and change nothing', () => {
  const bad: [string, string, unknown, number, string][] = [
    ['offer without a name', 'offers', { priority: 5 }, 400, 'validation_failed'],
    ['blank name', 'offers', { name: ' ' }, 400, 'validation_failed'],
    ['name of 256', 'offers', { name: 'x'.repeat(256) }, 400, 'validation_failed'],
    ['priority null', 'offers', { name: 'x', priority: null }, 400, 'validation_failed'],
    ['priority 101', 'offers', { name: 'x', priority: 101 }, 400, 'validation_failed'],
    ['priority as text', 'offers', { name: 'x', priority: '5' }, 400, 'validation_failed'],
    ['priority 1.5', 'offers', { name: 'x', priority: 1.5 }, 400, 'validation_failed'],
    ['business value -1', 'offers', { name: 'x', businessValue: -1 }, 400, 'validation_failed'],
    ['revenue -1', 'offers', { name: 'x', revenueValue: -1 }, 400, 'validation_failed'],
    ['51 tags', 'offers', { name: 'x', tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, 400, 'validation_failed'],
    ['category malformed', 'offers', { name: 'x', categoryId: 'x' }, 400, 'validation_failed'],
    ['category unknown', 'offers', { name: 'x', categoryId: random }, 400, 'reference_not_found'],
    [
      'schedule that begins never',
      'offers',
      { name: 'x', schedule: { startDate: '2026-02-30' } },
      400,
      'validation_failed',
    ],
    ['hour 25', 'offers', { name: 'x', schedule: { startHour: 25 } }, 400, 'validation_failed'],
    [
      'mandatory without zone',
      'offers',
      {
        name: 'x',
        mandatory: true,
        mandatoryReason: 'r',
        mandatoryExpiresAt: '2099-01-01T00:00:00',
        mandatoryApprovedBy: random,
      },
      400,
      'validation_failed',
    ],
    ['creative without offer', 'creatives', { name: 'x', channelId: random }, 400, 'validation_failed'],
    ['creative of nothing', 'creatives', { name: 'x', offerId: random, channelId: random }, 400, 'reference_not_found'],
    [
      'weight 101',
      'creatives',
      { name: 'x', offerId: random, channelId: random, weight: 101 },
      400,
      'validation_failed',
    ],
    [
      '501 variables',
      'creatives',
      {
        name: 'x',
        offerId: random,
        channelId: random,
        personalization: Array.from({ length: 501 }, (_, n) => ({ variable: `v${n}` })),
      },
      400,
      'validation_failed',
    ],
    [
      'negative cooldown',
      'creatives',
      { name: 'x', offerId: random, channelId: random, constraints: { cooldownHours: -1 } },
      400,
      'validation_failed',
    ],
    [
      'rule type unknown',
      'qualification-rules',
      { name: 'x', ruleType: 'astrology', config: {} },
      400,
      'validation_failed',
    ],
    [
      'rule of an unknown metric',
      'qualification-rules',
      { name: 'x', ruleType: 'metric_condition', config: { metricId: random, threshold: 1 } },
      400,
      'reference_not_found',
    ],
    [
      'rule of a foreign target',
      'qualification-rules',
      {
        name: 'x',
        ruleType: 'attribute_condition',
        scope: 'offer',
        scopeId: random,
        config: { attribute: 'a', operator: 'eq', value: 1 },
      },
      400,
      'reference_not_found',
    ],
    [
      'policy type unknown',
      'contact-policies',
      { name: 'x', ruleType: 'astrology', scope: 'global' },
      400,
      'validation_failed',
    ],
    [
      'policy without target',
      'contact-policies',
      { name: 'x', ruleType: 'cooldown', config: { cooldownHours: 1 } },
      400,
      'validation_failed',
    ],
    [
      '201 assignments',
      'contact-policies',
      {
        name: 'x',
        ruleType: 'frequency_cap',
        scopes: Array.from({ length: 201 }, () => ({ scope: 'offer', scopeId: randomUUID() })),
      },
      400,
      'validation_failed',
    ],
    ['flow without key', 'decision-flows', { name: 'x' }, 400, 'validation_failed'],
    [
      'flow version 1',
      'decision-flows',
      { key: 'x', name: 'x', draftConfig: { version: 1, nodes: [] } },
      400,
      'validation_failed',
    ],
    ['flow as list', 'decision-flows', { key: 'x', name: 'x', draftConfig: [] }, 400, 'validation_failed'],
    ['publish of nothing', 'decision-flows/publish', { id: random }, 404, 'not_found'],
    ['publish without id', 'decision-flows/publish', {}, 400, 'validation_failed'],
  ];
  for (const [label, path, body, status, code] of bad) {
    it(label, async () => {
      const state = () =>
        server.testDatabase.ownerQuery(
          'select (select count(*) from arbiter.audit_logs) as audits, (select sum(version) from arbiter.catalogue_versions) as versions',
        );
      const untouched = await state();
      const answer = await call('POST', path, body);
      assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
      assert.deepEqual(await state(), untouched);
    });
  }

  it('a taken name or key is 409', async () => {
    const { offer, rule, flow } = await makeAll();
    for (const [path, body, code] of [
      ['offers', { name: offer.name }, 'duplicate_name'],
      [
        'qualification-rules',
        { name: rule.name, ruleType: 'attribute_condition', config: { attribute: 'a', operator: 'exists' } },
        'duplicate_name',
      ],
      ['decision-flows', { key: flow.key, name: 'y' }, 'duplicate_key'],
    ] as const) {
      const answer = await call('POST', path, body);
      assert.deepEqual([answer.status, answer.body.code], [409, code], answer.text);
    }
  });

  it('roles: rules and policies are written by admins, offers by editors, mandatory by admins', async () => {
    const editor = keyOf(0, 'editor');
    const viewer = keyOf(0, 'viewer');
    assert.equal((await call('POST', 'offers', { name: name('O') }, viewer)).status, 403);
    assert.equal((await call('POST', 'offers', { name: name('O') }, editor)).status, 201);
    const mandatory = await call('POST', 'offers', { name: name('O'), mandatory: true }, editor);
    assert.deepEqual([mandatory.status, mandatory.body.code], [403, 'forbidden']);
    const lowered = await call('POST', 'offers', { name: name('O'), mandatory: true }, undefined, {
      'x-user-role': 'editor',
    });
    assert.deepEqual([lowered.status, lowered.body.code], [403, 'forbidden']);
    for (const path of ['contact-policies', 'qualification-rules']) {
      assert.equal((await call('POST', path, {}, editor)).status, 403);
      assert.equal((await call('GET', path, undefined, viewer)).status, 200);
    }
  });
});

describe('publishing over HTTP', () => {
  it('publishes, protects, warns about policies, and validates', async () => {
    const { flow, policy } = await makeAll();
    const published = await must('POST', 'decision-flows/publish', { id: flow.id, notes: 'acceptance' }, 200);
    assert.equal((published.publishedVersions as unknown[]).length, 1);
    assert.deepEqual([published.isProtected, published.status, published.rowVersion], [true, 'active', 2]);
    const refused = await call('DELETE', `decision-flows?id=${flow.id}`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'protected']);
    const draftConfig = {
      version: 2,
      nodes: [
        { id: 'inventory', type: 'inventory', config: {} },
        { id: 'p', type: 'contact_policy', config: { mode: 'selected', policyIds: [policy.id] } },
      ],
    };
    await must('PUT', 'decision-flows', { id: flow.id, draftConfig }, 200);
    const unscored = await call('POST', 'decision-flows/publish', { id: flow.id });
    assert.deepEqual([unscored.status, unscored.body.code], [422, 'scoring_not_configured']);
    const pipeline = await call('PUT', 'decision-flows', {
      id: flow.id,
      draftConfig: { ...draftConfig, nodes: draftConfig.nodes.toReversed() },
    });
    assert.deepEqual([pipeline.status, pipeline.body.code], [422, 'pipeline_invalid']);
    const checked = await must('POST', 'decision-flows/validate', { id: flow.id, draftConfig }, 200);
    assert.equal(checked.valid, false);
    const deleted = await must('DELETE', `contact-policies?id=${policy.id}`, undefined, 200);
    assert.deepEqual(deleted, { deleted: true, warnings: [`Used by decision flow "Bank" (${flow.key})`] });
    const versions = await must('GET', `decision-flows/versions?id=${flow.id}&version=1`, undefined, 200);
    assert.partialDeepStrictEqual(versions, {
      flowId: flow.id,
      versions: [{ version: 1, notes: 'acceptance', configSnapshot: flow.draftConfig }],
    });
    const base = await must('POST', 'decision-flows/ensure-base', undefined, 201);
    assert.deepEqual(await must('POST', 'decision-flows/ensure-base', undefined, 200), {
      flowId: base.flowId,
      created: false,
    });
  });
});
