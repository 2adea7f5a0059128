import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor, Tx } from '../../../db/index.ts';
import { systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import { softDeleteRecord } from '../catalogue-records/index.ts';
import { recordCalls } from '../catalogue-records/test-record-calls.ts';
import { qualificationRuleRoutes } from './qualification.routes.ts';
import { qualificationRuleSpec, snapshotRules } from './qualification.store.ts';

const {
  create: createQualificationRule,
  update: updateQualificationRule,
  list: listQualificationRules,
} = recordCalls(qualificationRuleRoutes());

const admin: Actor = { id: 'apikey:1', name: 'admin', role: 'admin' };

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
const as = <T>(tenantId: string, work: (tx: Tx) => Promise<T>) => db.database.withTenant(tenantId, admin, work);
type NewRule = Parameters<typeof createQualificationRule>[1];
const age = { attribute: 'age', operator: 'gte', value: 18 } as const;

describe('qualification rules', () => {
  it('have a stage by type, and read the other names of stages', async () => {
    const tenantId = await makeTenant();
    const create = (body: Partial<NewRule>) =>
      as(tenantId, (tx) =>
        createQualificationRule(tx, { name: newId(), ruleType: 'attribute_condition', config: age, ...body }),
      );
    const rule = await create({});
    assert.deepEqual(
      [
        rule.stage,
        rule.decisioningStage,
        rule.scope,
        rule.scopeId,
        rule.status,
        rule.priority,
        rule.version,
        rule.rowVersion,
      ],
      ['eligibility', 'eligibility', 'global', null, 'active', 50, 1, 1],
    );
    assert.deepEqual(
      rule.scopes.map((row) => [row.qualificationRuleId, row.scope, row.scopeId]),
      [[rule.id, 'global', null]],
    );
    const offerRule = await create({
      ruleType: 'offer_attribute',
      config: { attribute: 'margin', operator: 'gte', value: 1 },
    });
    assert.equal(offerRule.stage, 'fit');
    assert.equal((await create({ stage: 'suitability' })).stage, 'match');
    assert.equal((await create({ decisioningStage: 'applicability' })).stage, 'fit');
    await assert.rejects(create({ stage: 'fit', decisioningStage: 'match' }), { code: 'validation_failed' });
    const moved = await as(tenantId, (tx) =>
      updateQualificationRule(tx, { id: rule.id, stage: 'qualification', priority: 9 }),
    );
    assert.deepEqual([moved.stage, moved.priority, moved.version], ['eligibility', 9, 2]);
    const byStage = await as(tenantId, (tx) => listQualificationRules(tx, { stage: 'fit' }));
    assert.equal(byStage.pagination.total, 2);
  });

  it("store operators in canonical spelling, and reject what can't be evaluated", async () => {
    const tenantId = await makeTenant();
    const create = (ruleType: NewRule['ruleType'], config: Record<string, unknown>, more: Partial<NewRule> = {}) =>
      as(tenantId, (tx) => createQualificationRule(tx, { name: newId(), ruleType, config, ...more }));
    const rule = await create('attribute_condition', { ...age, operator: '>=', extra: 1 });
    assert.deepEqual(rule.config, { ...age, operator: 'gte', extra: 1 });
    for (const config of [
      {},
      { attribute: 'age' },
      { attribute: 'age', operator: 'near', value: 1 },
      { attribute: 'age', operator: 'in', value: 1 },
      { ...age, onMissing: 'maybe' },
      { ...age, penalty: 0 },
    ]) {
      await assert.rejects(
        create('attribute_condition', config),
        { code: 'validation_failed' },
        JSON.stringify(config),
      );
    }
    const compared = { attribute: 'margin', operator: 'gte', valueFrom: 'customer.margin' };
    await create('offer_attribute', compared);
    await assert.rejects(create('offer_attribute', { ...compared, value: 1 }), {
      code: 'validation_failed',
      errors: [{ path: '/config/value', message: "can't be combined with valueFrom, which takes precedence" }],
    });
    await assert.rejects(create('metric_condition', { metricId: newId() }), { code: 'reference_not_found' });
    await assert.rejects(create('attribute_condition', age, { scope: 'placement', scopeId: newId() }), {
      code: 'reference_not_found',
    });
    await assert.rejects(create('attribute_condition', age, { scope: 'segment', scopeId: newId() }), {
      code: 'reference_not_found',
    });
    await assert.rejects(
      as(tenantId, (tx) => updateQualificationRule(tx, { id: rule.id, config: { attribute: 'age' } })),
      { code: 'validation_failed' },
    );
  });

  it('apply while active and not deleted', async () => {
    const tenantId = await makeTenant();
    const create = (status: NewRule['status']) =>
      as(tenantId, (tx) =>
        createQualificationRule(tx, {
          name: newId(),
          ruleType: 'attribute_condition',
          config: age,
          ...(status && { status }),
        }),
      );
    const [active, deleted] = [await create('active'), await create('active'), await create('paused')];
    await as(tenantId, (tx) => softDeleteRecord(tx, qualificationRuleSpec, deleted.id));
    const snapshot = await as(tenantId, (tx) => snapshotRules(tx));
    assert.deepEqual(snapshot, [
      {
        id: active.id,
        name: active.name,
        ruleType: 'attribute_condition',
        config: age,
        scopes: [{ scope: 'global', scopeId: null }],
        priority: 50,
        stage: 'eligibility',
        createdAt: Date.parse(active.createdAt),
      },
    ]);
  });
});
