import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AssemblyRun, DecisionFlow, Pagination } from '@arbiter/contract';
import { baseFlowConfig } from '@arbiter/contract';
import { startTestServer, type TestServer, type TestTenant } from '../../../main/test-server.ts';

type Body = Record<string, unknown>;
interface Made {
  readonly id: string;
}

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 9 });
});
after(() => server?.close());

let used = 0;
/** A separate tenant, because auto-assembly looks at all flows of one. */
function freshTenant(): TestTenant {
  const tenant = server.tenants[used];
  used += 1;
  assert.ok(tenant);
  return tenant;
}

let names = 0;
const name = (word: string) => `${word} ${++names}`;

function callsOf(tenant: TestTenant) {
  async function must<B = Made>(method: string, path: string, body: unknown, status: number): Promise<B> {
    const answer = await server.call<B>(method, `/api/v1/${path}`, { body, key: tenant.keys.admin });
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
    return answer.body;
  }
  const offer = (body: Body = {}) =>
    must<Made>('POST', 'offers', { name: name('Offer'), status: 'active', ...body }, 201);
  const flowOf = (id: string) => must<DecisionFlow>('GET', `decision-flows/${id}`, undefined, 200);
  return {
    tenant,
    must,
    offer,
    flowOf,
    change: (id: string, body: Body) => must('PUT', `offers/${id}`, body, 200),
    category: () => must<Made>('POST', 'categories', { name: name('Category') }, 201),
    flow: (inventory: Body | null, body: Body = {}) =>
      must<DecisionFlow>(
        'POST',
        'decision-flows',
        {
          key: `flow-${++names}`,
          name: name('Flow'),
          status: 'active',
          draftConfig: {
            version: 2,
            nodes: inventory === null ? [] : [{ id: 'i', type: 'inventory', config: inventory }, score],
            flowConfig: {},
          },
          ...body,
        },
        201,
      ),
    inventoryOf: async (id: string): Promise<Body> => {
      const nodes = (await flowOf(id)).draftConfig.nodes as readonly { readonly config: Body }[];
      return nodes[0]!.config;
    },
    log: async (id: string, query = '') =>
      must<{ data: AssemblyRun[]; pagination: Pagination }>(
        'GET',
        `decision-flows/${id}/assembly-log${query}`,
        undefined,
        200,
      ),
    auditOf: (id: string) =>
      server.testDatabase.ownerQuery<{ action: string; user: string; version: number; changes: Body }>(
        `select action, user_id as user, entity_version as version, changes
           from arbiter.audit_logs where tenant_id = $1 and entity_id = $2 order by sequence`,
        [tenant.id, id],
      ),
  };
}

const score = { id: 's', type: 'score', config: { method: 'priority_weighted' } };

const triggersOf = ({ data }: { readonly data: readonly AssemblyRun[] }) =>
  data.map(({ trigger, applied }) => `${trigger}${applied ? ' applied' : ''}`);

describe('auto-assembly', () => {
  it('follows every trigger, edits the draft only, and logs each run', async () => {
    const { offer, change, category, flow, flowOf, inventoryOf, log, must, auditOf } = callsOf(freshTenant());
    const [first, second] = [await category(), await category()];
    const made = await flow({ scope: 'category', categoryIds: [first.id], autoInclude: true });
    const published = await must<DecisionFlow>('POST', 'decision-flows/publish', { id: made.id }, 200);
    assert.deepEqual((await log(made.id)).data, []);

    const a = await offer({ categoryId: second.id });
    const after = await flowOf(made.id);
    assert.deepEqual((await inventoryOf(made.id)).categoryIds, [first.id, second.id]);
    assert.equal(after.rowVersion, published.rowVersion + 1);
    assert.equal(after.updatedAt, published.updatedAt, 'which flow was changed last says which one runs');
    assert.deepEqual(after.publishedVersions, published.publishedVersions, 'what is published stays');
    const [run] = (await log(made.id)).data;
    assert.ok(run);
    assert.deepEqual(
      { ...run, id: '', createdAt: '' },
      {
        id: '',
        flowId: made.id,
        trigger: 'offer.created',
        entityType: 'offer',
        entityId: a.id,
        changes: [{ rule: 'auto_include', path: '/nodes/0/config/categoryIds/1', before: null, after: second.id }],
        applied: true,
        createdAt: '',
      },
    );
    const audit = (await auditOf(made.id)).at(-1);
    assert.deepEqual(
      [audit?.action, audit?.user, audit?.version],
      ['update', 'system:auto-assembly', after.rowVersion],
    );
    assert.deepEqual(audit?.changes, {
      rowVersion: { before: published.rowVersion, after: after.rowVersion },
      'draftConfig.nodes.0.config.categoryIds.1': { before: null, after: second.id },
    });

    await change(a.id, { description: 'no trigger' });
    await change(a.id, { status: 'paused' });
    await change(a.id, { categoryId: null });
    await must('DELETE', `offers/${a.id}`, undefined, 200);
    await must('POST', `restore?entityType=offer&id=${a.id}`, undefined, 200);
    const channel = await must('POST', 'channels', { name: name('Channel'), channelType: 'web' }, 201);
    const b = await offer();
    const creative = await must(
      'POST',
      'creatives',
      { name: name('Creative'), offerId: b.id, channelId: channel.id },
      201,
    );
    await must('PUT', `creatives/${creative.id}`, { weight: 3 }, 200);
    await must('PUT', `creatives/${creative.id}`, { status: 'active' }, 200);
    await must('DELETE', `creatives/${creative.id}`, undefined, 200);
    assert.deepEqual(triggersOf(await log(made.id)), [
      'creative.status_changed',
      'creative.created',
      'offer.created',
      'offer.restored',
      'offer.deleted',
      'offer.updated',
      'offer.status_changed',
      'offer.created applied',
    ]);
    assert.equal((await flowOf(made.id)).rowVersion, after.rowVersion, 'it rises with a change only');
  });

  it('fills empty drafts, removes dead offers, and includes restored or activated ones', async () => {
    const { offer, change, flow, flowOf, inventoryOf, log, must } = callsOf(freshTenant());
    const empty = await flow(null);
    const listed = await flow({ scope: 'offers', autoInclude: true });
    const kept = await flow({ scope: 'offers', offerIds: [] }, { autoAssembly: true });
    const a = await offer({ status: 'draft' });
    assert.deepEqual((await flowOf(empty.id)).draftConfig.nodes, baseFlowConfig.nodes);
    assert.deepEqual((await inventoryOf(listed.id)).offerIds ?? [], []);
    await change(a.id, { status: 'active' });
    const b = await offer();
    assert.deepEqual((await inventoryOf(listed.id)).offerIds, [a.id, b.id]);
    await must(
      'PUT',
      'decision-flows',
      {
        id: kept.id,
        draftConfig: {
          version: 2,
          nodes: [
            { id: 'i', type: 'inventory', config: { scope: 'offers', offerIds: [a.id.toUpperCase(), b.id] } },
            score,
          ],
          flowConfig: {},
        },
      },
      200,
    );
    await change(a.id, { status: 'archived' });
    assert.deepEqual((await inventoryOf(kept.id)).offerIds, [b.id]);
    assert.deepEqual((await inventoryOf(listed.id)).offerIds, [b.id]);
    await must('DELETE', `offers/${b.id}`, undefined, 200);
    assert.deepEqual((await inventoryOf(listed.id)).offerIds, []);
    await must('POST', `restore?entityType=offer&id=${b.id}`, undefined, 200);
    assert.deepEqual((await inventoryOf(listed.id)).offerIds, [b.id]);
    assert.deepEqual((await inventoryOf(kept.id)).offerIds, [], 'without autoInclude nothing is put in');
    assert.deepEqual(triggersOf(await log(listed.id)), [
      'offer.restored applied',
      'offer.deleted applied',
      'offer.status_changed applied',
      'offer.created applied',
      'offer.status_changed applied',
      'offer.created',
    ]);
  });

  it('leaves flows unchanged that are inactive, deleted, or without autoAssembly, and ignores rejected calls', async () => {
    const { offer, flow, log, must, tenant } = callsOf(freshTenant());
    const inventory = { scope: 'offers', autoInclude: true };
    const idle = [
      await flow(inventory, { status: 'draft' }),
      await flow(inventory, { status: 'paused' }),
      await flow(inventory, { status: 'archived' }),
      await flow(inventory, { autoAssembly: false }),
    ];
    const gone = await flow(inventory);
    await must('DELETE', `decision-flows/${gone.id}`, undefined, 200);
    const { id } = await offer({ name: 'Taken' });
    for (const one of idle) assert.deepEqual((await log(one.id)).data, []);
    const rows = await server.testDatabase.ownerQuery('select 1 from arbiter.flow_assembly_runs where tenant_id = $1', [
      tenant.id,
    ]);
    assert.deepEqual(rows, []);

    const active = await flow(inventory);
    const before = await must('GET', `decision-flows/${active.id}`, undefined, 200);
    await must('POST', 'offers', { name: 'Taken', status: 'active' }, 409);
    await must('PUT', `offers/${id}`, { status: 'paused', rowVersion: 99 }, 409);
    assert.deepEqual(await must('GET', `decision-flows/${active.id}`, undefined, 200), before);
    assert.deepEqual((await log(active.id)).data, []);
  });

  it('loses nothing when offers are created and deleted and flows changed at once', async () => {
    const { offer, flow, flowOf, inventoryOf, log, must } = callsOf(freshTenant());
    const flows = [
      await flow({ scope: 'offers', autoInclude: true }),
      await flow({ scope: 'offers', autoInclude: true }),
    ];
    const old = await Promise.all(Array.from({ length: 4 }, () => offer()));
    const [made] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, () => offer())),
      ...old.map(({ id }) => must('DELETE', `offers/${id}`, undefined, 200)),
      ...flows.map(({ id }) => must('PUT', 'decision-flows', { id, description: 'changed meanwhile' }, 200)),
    ]);
    for (const { id } of flows) {
      const { offerIds } = await inventoryOf(id);
      assert.deepEqual([...(offerIds as string[])].sort(), made.map((one) => one.id).sort());
      assert.equal((await flowOf(id)).description, 'changed meanwhile');
      assert.equal((await log(id)).pagination.total, 16);
    }
  });

  it('runs once for applied files, and not for a plan', async () => {
    const { flow, flowOf, inventoryOf, log, must } = callsOf(freshTenant());
    const made = await flow({ scope: 'category', autoInclude: true });
    const before = await flowOf(made.id);
    const files = [
      { path: 'categories/goods.yaml', content: 'name: goods\n' },
      ...['one', 'two', 'three'].map((word) => ({
        path: `offers/${word}.yaml`,
        content: `name: ${word}\ncategoryId: goods\nstatus: ${word === 'three' ? 'draft' : 'active'}\n`,
      })),
    ];
    await must('POST', 'gitops/diff', { files }, 200);
    assert.deepEqual([(await log(made.id)).data, await flowOf(made.id)], [[], before]);
    await must('POST', 'gitops/apply', { files }, 200);
    const { data } = await log(made.id);
    assert.deepEqual(triggersOf({ data }), ['bulk applied']);
    assert.deepEqual([data[0]?.entityType, data[0]?.entityId, data[0]?.changes.length], [null, null, 1]);
    assert.equal(((await inventoryOf(made.id)).categoryIds as string[]).length, 1);
    // Nothing has changed: an attempt that was rolled back triggers nothing.
    await must('POST', 'gitops/apply', { files }, 200);
    assert.equal((await log(made.id)).pagination.total, 1);
    const [first, ...others] = files;
    const change = others.map((file) => ({ ...file, content: file.content.replace('draft', 'active') }));
    await must('POST', 'gitops/apply', { files: [first, ...change] }, 200);
    const [latest] = (await log(made.id)).data;
    assert.deepEqual([latest?.trigger, latest?.applied], ['offer.status_changed', false]);
  });

  it("says what it couldn't do when a list is full", async () => {
    const { offer, flow, inventoryOf, log, must } = callsOf(freshTenant());
    const made = await flow({ scope: 'offers', autoInclude: true });
    const ids = Array.from({ length: 5000 }, (_, at) => `0199a0a0-0000-7000-8000-${String(at).padStart(12, '0')}`);
    // The API rejects unknown ids. Here they stand for offers that existed once.
    await server.testDatabase.ownerQuery(
      `update arbiter.decision_flows set draft_config = jsonb_set(draft_config, '{nodes,0,config,offerIds}', $2::jsonb) where id = $1`,
      [made.id, JSON.stringify(ids)],
    );
    const { id } = await offer();
    assert.deepEqual((await inventoryOf(made.id)).offerIds, ids);
    const [run] = (await log(made.id)).data;
    assert.deepEqual(
      [run?.applied, run?.changes],
      [false, [{ rule: 'auto_include', path: '/nodes/0/config/offerIds/5000', before: null, after: id }]],
    );
    assert.equal((await must<DecisionFlow>('GET', `decision-flows/${made.id}`, undefined, 200)).rowVersion, 1);
  });
});

describe('the log', () => {
  it('keeps the last 500 runs of a flow, in pages, newest first', async () => {
    const { offer, flow, log, tenant } = callsOf(freshTenant());
    const made = await flow({ scope: 'all' });
    const other = await flow({ scope: 'all' });
    await server.testDatabase.ownerQuery(
      `insert into arbiter.flow_assembly_runs
         (tenant_id, id, flow_id, trigger, entity_type, entity_id, changes, applied, created_at)
       select $1, ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $2, 'offer.created', 'offer', $1, '[]', false, now()
       from generate_series(1, 499) n`,
      [tenant.id, made.id],
    );
    await offer();
    assert.equal((await log(made.id)).pagination.total, 500, 'all of 500');
    const newest = await offer();
    const page = await log(made.id, '?limit=200');
    assert.deepEqual([page.pagination.total, page.data.length, page.pagination.hasMore], [500, 200, true]);
    assert.equal(page.data[0]?.entityId, newest.id);
    const second = await log(made.id, `?limit=200&cursor=${page.pagination.nextCursor}`);
    const third = await log(made.id, `?limit=200&cursor=${second.pagination.nextCursor}`);
    const ids = [...page.data, ...second.data, ...third.data].map(({ id }) => id);
    assert.deepEqual([new Set(ids).size, third.pagination.hasMore], [500, false]);
    assert.deepEqual(ids, ids.toSorted().reverse());
    assert.equal(ids.at(-1), '01900000-0000-7000-8000-000000000002', 'the oldest went');
    assert.equal((await log(other.id)).pagination.total, 2, 'others have their own');
  });

  it('belongs to the tenant and to existing flows', async () => {
    const { flow, must, tenant } = callsOf(freshTenant());
    const made = await flow({ scope: 'all' });
    const path = `/api/v1/decision-flows/${made.id}/assembly-log`;
    const other = server.tenants.find(({ id }) => id !== tenant.id);
    assert.equal((await server.call('GET', path, { key: tenant.keys.viewer })).status, 200);
    assert.equal((await server.call('GET', path, { key: other!.keys.admin })).status, 404);
    for (const cursor of ['x', '0199a0a0-0000-7000-8000-0000000000ff']) {
      const refused = await server.call<{ error: { code: string } }>('GET', `${path}?cursor=${cursor}`, {
        key: tenant.keys.viewer,
      });
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, /invalid_cursor/);
    }
    await must('DELETE', `decision-flows/${made.id}`, undefined, 200);
    assert.equal((await server.call('GET', path, { key: tenant.keys.viewer })).status, 404);
  });
});
