import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { baseFlowConfig } from '@arbiter/contract';
import type { Actor, Tx } from '../../../db/index.ts';
import { systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { recordCalls } from '../catalogue-records/test-record-calls.ts';
import { inspectDraft } from './flow-check.ts';
import { readFlowDirectory } from './flow-directory.ts';
import { withoutSecrets } from './flow-ports.ts';
import { readVersions } from './flow-versions.service.ts';
import { flowRecordRoutes } from './flows.routes.ts';
import { deleteFlow, ensureBaseFlow, flowsNamingPolicy, publishFlow, showFlow } from './flows.service.ts';

const ports = {
  ...withoutSecrets,
  findingsOfFlow: async () => [],
  failedTestsOfFlow: async () => ({ failed: [], left: 0 }),
};

const {
  create: createFlow,
  update: updateFlow,
  read: readFlow,
  list: listFlows,
} = recordCalls(
  flowRecordRoutes({ ...ports, lockRoutes: async () => async () => 0, appendEvents: async () => undefined }),
);

const editor: Actor = { id: 'apikey:1', name: 'editor', role: 'editor' };

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

async function makeTenant(): Promise<string> {
  const id = newId();
  await db.database.withTenant(id, systemActor('test'), (tx) =>
    tx.query('insert into arbiter.tenants (id, name) values ($1, $2)', [id, 'T']),
  );
  return id;
}
const as = <T>(tenantId: string, work: (tx: Tx) => Promise<T>) => db.database.withTenant(tenantId, editor, work);
type Draft = Record<string, unknown>;
const draft = (extra: readonly object[] = [], method: string | null = 'priority_weighted'): Draft => ({
  version: 2,
  nodes: [
    { id: 'inventory', type: 'inventory', config: {} },
    ...extra,
    ...(method === null ? [] : [{ id: 'score', type: 'score', config: { method } }]),
    { id: 'rank', type: 'rank', config: { method: 'topN', topN: 3 } },
  ],
  flowConfig: {},
});
const create = (tenantId: string, body: Partial<Parameters<typeof createFlow>[1]> = {}) =>
  as(tenantId, (tx) => createFlow(tx, { key: newId(), name: 'Flow', ...body }));
const publish = (tenantId: string, id: string, notes?: string) =>
  as(tenantId, async (tx) => showFlow(tx, await publishFlow(tx, { id, ...(notes === undefined ? {} : { notes }) })));
const defaults = (tenantId: string) =>
  db.ownerQuery<{ id: string }>(
    'select id from arbiter.decision_flows where tenant_id = $1 and is_default and deleted_at is null',
    [tenantId],
  );
const auditOf = (tenantId: string, entityId: string) =>
  db.ownerQuery<{ action: string; before: Draft | null; after: Draft | null }>(
    'select action, before, after from arbiter.audit_logs where tenant_id = $1 and entity_id = $2 order by sequence',
    [tenantId, entityId],
  );

describe('decision flows', () => {
  it('start as drafts; the first one is the default', async () => {
    const tenantId = await makeTenant();
    const flow = await create(tenantId, { key: 'bank', isDefault: false });
    const { id, createdAt, updatedAt, ...rest } = flow;
    assert.deepEqual(rest, {
      tenantId,
      key: 'bank',
      name: 'Flow',
      description: '',
      status: 'draft',
      autoAssembly: true,
      isDefault: true,
      isProtected: false,
      couplingOverride: null,
      draftConfig: { version: 2, nodes: [], flowConfig: {} },
      publishedVersions: [],
      rowVersion: 1,
      deletedAt: null,
    });
    assert.equal(createdAt, updatedAt);
    assert.equal((await create(tenantId)).isDefault, false);
    await assert.rejects(create(tenantId, { key: 'bank' }), { code: 'duplicate_key' });
    assert.deepEqual(await as(tenantId, (tx) => readFlow(tx, id)), flow);
  });

  it('pass the default on, with a version and an audit row on both sides', async () => {
    const tenantId = await makeTenant();
    const first = await create(tenantId);
    const second = await create(tenantId, { isDefault: true });
    assert.deepEqual(await defaults(tenantId), [{ id: second.id }]);
    assert.equal((await as(tenantId, (tx) => readFlow(tx, first.id))).rowVersion, 2);
    assert.deepEqual(
      (await auditOf(tenantId, first.id)).map((row) => row.action),
      ['create', 'update'],
    );
    await as(tenantId, (tx) => updateFlow(tx, { id: first.id, isDefault: true }));
    assert.deepEqual(await defaults(tenantId), [{ id: first.id }]);
    await assert.rejects(
      as(tenantId, (tx) => updateFlow(tx, { id: first.id, isDefault: false })),
      {
        code: 'validation_failed',
      },
    );
    assert.deepEqual(await defaults(tenantId), [{ id: first.id }]);
  });

  it('keep one default under 30 parallel creates, and under parallel changes of it (T9)', async () => {
    const tenantId = await makeTenant();
    const made = await Promise.all(Array.from({ length: 30 }, () => create(tenantId)));
    assert.equal((await defaults(tenantId)).length, 1);
    assert.equal(made.filter((flow) => flow.isDefault).length, 1);
    await Promise.all(
      made.slice(0, 12).map((flow) => as(tenantId, (tx) => updateFlow(tx, { id: flow.id, isDefault: true }))),
    );
    assert.equal((await defaults(tenantId)).length, 1);
    for (const flow of made.slice(0, 12)) {
      const rows = await auditOf(tenantId, flow.id);
      for (const [index, row] of rows.slice(1).entries()) assert.deepEqual(row.before, rows[index]?.after);
      assert.equal((await as(tenantId, (tx) => readFlow(tx, flow.id))).rowVersion, rows.length);
    }
  });

  it('reject a stale rowVersion without any write, and accept changes without one', async () => {
    const tenantId = await makeTenant();
    const flow = await create(tenantId);
    const changed = await as(tenantId, (tx) =>
      updateFlow(tx, { id: flow.id, rowVersion: 1, draftConfig: draft(), couplingOverride: 'atomic', name: 'New' }),
    );
    assert.deepEqual([changed.rowVersion, changed.couplingOverride, changed.name], [2, 'atomic', 'New']);
    assert.deepEqual(changed.draftConfig, draft());
    await assert.rejects(
      as(tenantId, (tx) => updateFlow(tx, { id: flow.id, rowVersion: 1, name: 'x' })),
      {
        code: 'row_version_conflict',
      },
    );
    const cleared = await as(tenantId, (tx) => updateFlow(tx, { id: flow.id, couplingOverride: null }));
    assert.deepEqual([cleared.rowVersion, cleared.couplingOverride, cleared.name], [3, null, 'New']);
  });

  it('return 400 for structural problems, and 422 on PUT but 400 on POST for pipeline problems', async () => {
    const tenantId = await makeTenant();
    const flow = await create(tenantId);
    const update = (draftConfig: Draft) => as(tenantId, (tx) => updateFlow(tx, { id: flow.id, draftConfig }));
    const shapes: Draft[] = [
      { version: 1, nodes: [] },
      { version: 2, nodes: {} },
      { version: 2, nodes: [{ id: 'a' }, { id: 'b' }] },
      {
        ...draft(),
        nodes: [
          { id: 'inventory', type: 'inventory' },
          { id: 'x', type: 'teleport' },
        ],
      },
      { version: 2, nodes: [{ id: 'inventory', type: 'inventory', config: {} }] },
    ];
    for (const shape of shapes) {
      await assert.rejects(update(shape), { code: 'validation_failed' }, JSON.stringify(shape));
      await assert.rejects(create(tenantId, { draftConfig: shape }), { code: 'validation_failed' });
    }
    const offerId = newId();
    const pipelines: [Draft, string][] = [
      [
        {
          version: 2,
          nodes: [
            { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
            { id: 'rank', type: 'rank' },
          ],
        },
        'missing_inventory',
      ],
      [draft([{ id: 'inventory', type: 'enrich', config: {} }]), 'duplicate_id'],
      [draft([{ id: 'again', type: 'inventory', config: {} }]), 'duplicate_node'],
      [
        draft([
          {
            id: 'f',
            type: 'filter',
            config: { conditions: [{ field: 'offer.priority', operator: 'near', value: 1 }] },
          },
        ]),
        'invalid_config',
      ],
      [
        {
          ...draft(),
          nodes: [
            { id: 'inventory', type: 'inventory', config: { scope: 'offers', offerIds: [offerId] } },
            { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
          ],
        },
        'unknown_reference',
      ],
    ];
    for (const [config, code] of pipelines) {
      await assert.rejects(update(config), (error: { code: string; errors: { code?: string; path: string }[] }) => {
        assert.equal(error.code, 'pipeline_invalid', code);
        assert.ok(
          error.errors.some((entry) => entry.code === code && entry.path.startsWith('/draftConfig')),
          `${code}: ${JSON.stringify(error.errors)}`,
        );
        return true;
      });
      await assert.rejects(create(tenantId, { draftConfig: config }), { code: 'validation_failed' }, code);
    }
    assert.equal((await as(tenantId, (tx) => readFlow(tx, flow.id))).rowVersion, 1);
  });

  it('accept references of their tenant only', async () => {
    const [tenantId, stranger] = [await makeTenant(), await makeTenant()];
    const offerId = newId();
    await db.ownerQuery(
      'insert into arbiter.offers (tenant_id, id, name, version, created_at, updated_at) values ($1, $2, $3, 1, now(), now())',
      [tenantId, offerId, 'o'],
    );
    const config = {
      ...draft(),
      nodes: [
        { id: 'inventory', type: 'inventory', config: { scope: 'offers', offerIds: [offerId] } },
        { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
      ],
    };
    await create(tenantId, { draftConfig: config });
    await assert.rejects(create(stranger, { draftConfig: config }), { code: 'validation_failed' });
  });

  it('publish the draft as the next version', async () => {
    const tenantId = await makeTenant();
    const flow = await create(tenantId, { draftConfig: draft() });
    const published = await publish(tenantId, flow.id, 'first');
    assert.deepEqual([published.status, published.isProtected, published.rowVersion], ['active', true, 2]);
    const [version, ...more] = published.publishedVersions;
    assert.equal(more.length, 0);
    assert.deepEqual([version?.version, version?.notes, version?.configSnapshot], [1, 'first', draft()]);
    await as(tenantId, (tx) =>
      updateFlow(tx, { id: flow.id, draftConfig: draft([{ id: 'q', type: 'qualify', config: {} }]) }),
    );
    const again = await publish(tenantId, flow.id);
    assert.deepEqual(
      again.publishedVersions.map((row) => [row.version, row.notes]),
      [
        [1, 'first'],
        [2, null],
      ],
    );
    assert.deepEqual(again.publishedVersions[0]?.configSnapshot, draft());
    const listed = await as(tenantId, (tx) => listFlows(tx, {}));
    assert.deepEqual(
      listed.data[0]?.publishedVersions.map((row) => row.configSnapshot),
      [null, null],
    );
    const versions = await as(tenantId, (tx) => readVersions(tx, flow.id, 2));
    assert.deepEqual(
      versions.versions.map((row) => [row.version, row.summary, row.configSnapshot !== undefined]),
      [
        [2, { nodeCount: 4, scoringMethod: 'priority_weighted' }, true],
        [1, { nodeCount: 3, scoringMethod: 'priority_weighted' }, false],
      ],
    );
    await assert.rejects(
      as(tenantId, (tx) => readVersions(tx, flow.id, 3)),
      { code: 'not_found' },
    );
    assert.deepEqual(
      (await auditOf(tenantId, flow.id)).map((row) => row.action),
      ['create', 'publish', 'update', 'publish'],
    );
  });

  it("can't be published without a scoring method, and don't change then", async () => {
    const tenantId = await makeTenant();
    const empty = await create(tenantId);
    const unscored = await create(tenantId, { draftConfig: draft([], null) });
    for (const flow of [empty, unscored]) {
      await assert.rejects(publish(tenantId, flow.id), (error) => {
        assert.ok(error instanceof AppError);
        assert.equal(error.code, 'scoring_not_configured');
        const { message } = error.errors.find(({ code }) => code === 'scoring_not_configured') ?? {};
        assert.equal(message, 'the flow has no score method; set one of priority_weighted, propensity, formula');
        return true;
      });
      assert.deepEqual(await as(tenantId, (tx) => readFlow(tx, flow.id)), flow);
    }
    await assert.rejects(publish(tenantId, newId()), { code: 'not_found' });
    await assert.rejects(
      as(tenantId, (tx) => publishFlow(tx, { id: empty.id, rowVersion: 7 })),
      {
        code: 'row_version_conflict',
      },
    );
  });

  it('publish versions 1..n without gaps or duplicates under 20 parallel publishes and changes (E11)', async () => {
    const tenantId = await makeTenant();
    const flow = await create(tenantId, { draftConfig: draft() });
    const drafts = Array.from({ length: 10 }, (_, n) => draft([{ id: `q${n}`, type: 'qualify', config: {} }]));
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => publish(tenantId, flow.id)),
      ...drafts.map((draftConfig) => as(tenantId, (tx) => updateFlow(tx, { id: flow.id, draftConfig }))),
    ]);
    const published = outcomes.slice(0, 20).filter((outcome) => outcome.status === 'fulfilled').length;
    for (const outcome of outcomes.slice(0, 20)) {
      if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'concurrent_modification');
    }
    assert.ok(outcomes.slice(20).every((outcome) => outcome.status === 'fulfilled'));
    const end = await as(tenantId, (tx) => readFlow(tx, flow.id));
    assert.ok(published >= 1);
    assert.deepEqual(
      end.publishedVersions.map((row) => row.version),
      Array.from({ length: published }, (_, n) => n + 1),
    );
    assert.equal(end.rowVersion, 1 + published + 10);
    for (const { configSnapshot } of end.publishedVersions) {
      assert.ok([draft(), ...drafts].some((config) => isDeepStrictEqual(config, configSnapshot)));
    }
  });

  it('cannot be deleted while protected', async () => {
    const tenantId = await makeTenant();
    const flow = await create(tenantId, { draftConfig: draft() });
    await publish(tenantId, flow.id);
    const remove = () => as(tenantId, (tx) => deleteFlow(tx, flow.id, 'query', async () => async () => 0));
    await assert.rejects(remove(), { code: 'protected' });
    await as(tenantId, (tx) => updateFlow(tx, { id: flow.id, isProtected: false }));
    assert.deepEqual(await remove(), { success: true, cascaded: 0 });
    await assert.rejects(remove(), { code: 'already_deleted' });
    assert.deepEqual(await defaults(tenantId), []);
    assert.equal((await create(tenantId, { key: flow.key })).isDefault, true);
  });

  it('list by status, then last update, newest first', async () => {
    const tenantId = await makeTenant();
    const [a, b, c, d] = [
      await create(tenantId),
      await create(tenantId),
      await create(tenantId),
      await create(tenantId),
    ];
    await as(tenantId, (tx) => updateFlow(tx, { id: c.id, status: 'active' }));
    await as(tenantId, (tx) => updateFlow(tx, { id: a.id, name: 'later' }));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await as(tenantId, (tx) => listFlows(tx, { limit: 1, ...(cursor === undefined ? {} : { cursor }) }));
      seen.push(...page.data.map((row) => row.id));
      cursor = page.pagination.nextCursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(seen, [c.id, a.id, d.id, b.id]);
  });

  it('have a base flow, created once under parallel calls', async () => {
    const tenantId = await makeTenant();
    const answers = await Promise.all(Array.from({ length: 8 }, () => as(tenantId, (tx) => ensureBaseFlow(tx))));
    assert.equal(answers.filter((answer) => answer.created).length, 1);
    assert.equal(new Set(answers.map((answer) => answer.flowId)).size, 1);
    const flow = await as(tenantId, (tx) => readFlow(tx, answers[0]?.flowId ?? ''));
    assert.deepEqual([flow.key, flow.status, flow.isDefault, flow.isProtected], ['base', 'active', true, true]);
    assert.deepEqual(
      flow.publishedVersions.map((row) => [row.version, row.configSnapshot]),
      [[1, baseFlowConfig]],
    );
    assert.equal((await as(tenantId, (tx) => readFlowDirectory(tx))).fallback()?.key, 'base');
    const check = await as(tenantId, (tx) => inspectDraft(tx, { ...baseFlowConfig }, null, ports));
    assert.deepEqual(check, { valid: true, errors: [], warnings: [], findings: [] });
  });

  it('are checked without being stored', async () => {
    const tenantId = await makeTenant();
    const check = await as(tenantId, (tx) =>
      inspectDraft(tx, draft([{ id: 'q', type: 'qualify', config: { color: 1 } }], null), null, ports),
    );
    assert.equal(check.valid, false);
    assert.deepEqual(
      check.errors.map((error) => error.code),
      ['scoring_not_configured'],
    );
    assert.deepEqual(
      check.warnings.map((warning) => [warning.code, warning.nodeId]),
      [['unknown_key', 'q']],
    );
    await assert.rejects(
      as(tenantId, (tx) => inspectDraft(tx, draft(), newId(), ports)),
      { code: 'not_found' },
    );
  });

  it('list those that name a contact policy', async () => {
    const tenantId = await makeTenant();
    const policyId = newId();
    await db.ownerQuery(
      `insert into arbiter.contact_policies (tenant_id, id, name, rule_type, config, scopes, version, created_at, updated_at)
       values ($1, $2, 'p', 'do_not_contact', '{}', '[]', 1, now(), now())`,
      [tenantId, policyId],
    );
    const nodes = [{ id: 'p', type: 'contact_policy', config: { mode: 'selected', policyIds: [policyId] } }];
    await create(tenantId, { key: 'b', name: 'B', draftConfig: draft(nodes) });
    await create(tenantId, { key: 'a', draftConfig: draft() });
    assert.deepEqual(await as(tenantId, (tx) => flowsNamingPolicy(tx, policyId)), [{ name: 'B', key: 'b' }]);
  });
});
