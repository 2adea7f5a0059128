import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { ImpactPreview, ReachEstimate } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';

interface Problem {
  readonly code: string;
  readonly errors: readonly { readonly path: string }[];
}

const now = Date.parse('2026-03-10T12:00:00.000Z');
const dayMs = 86_400_000;
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

let server: TestServer;
let tenantId: string;
before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => now } });
  tenantId = server.tenants[0].id;
});
after(() => server?.close());

interface Row {
  readonly customerId: string;
  readonly offerId: string | null;
  readonly channelId?: string;
  readonly at: number;
  readonly outcome?: string;
}

/** Rows of history, by the owner: the API writes them with its own clock only. */
async function plant(rows: readonly Row[]): Promise<void> {
  for (const { customerId, offerId, channelId = null, at, outcome = 'impression' } of rows) {
    await server.testDatabase.ownerQuery(
      `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
         is_conversion, offer_id, channel_id, occurred_at, created_at, resolved_by)
       values ($1, $2, $3, $4, $5, 'neutral', 'outbound', false, $6, $7, $8, $8, 'offer')`,
      [
        tenantId,
        newId(),
        customerId,
        outcome === 'impression' ? 'impression' : 'response',
        outcome,
        offerId,
        channelId,
        new Date(at),
      ],
    );
  }
}

const preview = (body: object) =>
  server.call<ImpactPreview & Problem>('POST', '/api/v1/contact-policies/impact-preview', { body });
const cap = (config: object, more: object = {}) =>
  preview({
    policyType: 'frequency_cap',
    config: { maxFrequency: 1, periodDays: 7, outcomeType: 'impression', ...config },
    ...more,
  });

describe('impact preview (docs/design/api-catalogue.md 8.5)', () => {
  let category: string;
  let gold: string;
  let old: string;
  let other: string;
  let web: string;
  before(async () => {
    category = await server.create('categories', { name: 'Cards' });
    web = await server.create('channels', { name: 'Web', channelType: 'web' });
    gold = await server.create('offers', { name: 'Gold', categoryId: category });
    old = await server.create('offers', { name: 'Old', categoryId: category });
    other = await server.create('offers', { name: 'Other' });
    const at = (days: number) => now - days * dayMs;
    await plant([
      { customerId: 'a', offerId: gold, at: at(1) },
      { customerId: 'a', offerId: old, at: at(2), channelId: web },
      { customerId: 'a', offerId: gold, at: at(3), channelId: web },
      { customerId: 'a', offerId: gold, at: at(6.5), outcome: 'click' },
      { customerId: 'b', offerId: other, at: at(1) },
      { customerId: 'b', offerId: gold, at: at(6.9) },
      // Exactly seven days are outside, a millisecond less inside.
      { customerId: 'c', offerId: gold, at: at(7) },
      { customerId: 'd', offerId: gold, at: at(7) + 1 },
    ]);
    await server.call('DELETE', `/api/v1/offers?id=${old}`);
  });

  it('counts rows beyond the cap per customer, oldest first, by the latest name of the offer', async () => {
    const { status, body, text } = await cap({});
    assert.equal(status, 200, text);
    assert.deepEqual(body, {
      supported: true,
      totalCustomersAnalyzed: 3,
      customersAffected: 2,
      affectedPercent: 66.67,
      offersSuppressed: { Gold: 1, Old: 1, Other: 1 },
      avgOffersBeforePolicy: 2,
      avgOffersAfterPolicy: 1,
      topAffectedSegments: [],
    });
    const two = (await cap({ maxFrequency: 2 })).body;
    assert.deepEqual([two.customersAffected, two.offersSuppressed], [1, { Gold: 1 }]);
    assert.equal((await cap({ maxFrequency: 3 })).body.customersAffected, 0);
    const week = (await cap({ periodDays: 8 })).body;
    assert.deepEqual([week.totalCustomersAnalyzed, week.customersAffected], [4, 2]);
  });

  it('narrows to a scope; the sample is still all customers with traffic', async () => {
    const offer = (await cap({}, { scope: 'offer', scopeId: gold })).body;
    assert.deepEqual(
      [offer.totalCustomersAnalyzed, offer.customersAffected, offer.offersSuppressed, offer.avgOffersBeforePolicy],
      [3, 1, { Gold: 1 }, 1.33],
    );
    const inCategory = (await cap({}, { scope: 'category', scopeId: category })).body;
    assert.deepEqual(inCategory.offersSuppressed, { Gold: 1, Old: 1 });
    const onWeb = (await cap({}, { scope: 'channel', scopeId: web })).body;
    assert.deepEqual([onWeb.offersSuppressed, onWeb.avgOffersAfterPolicy], [{ Old: 1 }, 0.33]);
    const clicks = (await cap({ outcomeType: 'click' })).body;
    assert.deepEqual([clicks.totalCustomersAnalyzed, clicks.avgOffersBeforePolicy], [3, 0.33]);
  });

  it('samples customers by hash, the same each time', async () => {
    const customers = Array.from({ length: 120 }, (_, n) => `many ${n}`);
    await plant(customers.flatMap((id) => [1, 2].map((n) => ({ customerId: id, offerId: other, at: now - n }))));
    const sample = ['a', 'b', 'd', ...customers]
      .sort((x, y) => (md5(`${tenantId} ${x}`) < md5(`${tenantId} ${y}`) ? -1 : 1))
      .slice(0, 100);
    const affected = sample.filter((id) => id !== 'd').length;
    for (let times = 0; times < 2; times++) {
      const { body } = await cap({}, { sampleSize: 100 });
      assert.deepEqual([body.totalCustomersAnalyzed, body.customersAffected], [100, affected]);
    }
  });

  it('supports frequency caps only, but validates other types', async () => {
    const { status, body } = await preview({ policyType: 'cooldown', config: {} });
    assert.deepEqual([status, body.supported, body.totalCustomersAnalyzed], [200, false, 0]);
    const bad: [object, string, string][] = [
      [{ policyType: 'cap', config: {} }, '/policyType', 'validation_failed'],
      [{ policyType: 'cooldown', scope: 'offer', config: {} }, '/scopeId', 'validation_failed'],
      [{ policyType: 'cooldown', scope: 'creative', scopeId: gold, config: {} }, '/scope', 'validation_failed'],
      [{ policyType: 'cooldown', scope: 'subcategory', scopeId: gold, config: {} }, '/scope', 'validation_failed'],
      [{ policyType: 'cooldown', scope: 'offer', scopeId: newId(), config: {} }, '/scopeId', 'reference_not_found'],
    ];
    for (const [sent, path, code] of bad) {
      const answer = await preview(sent);
      assert.deepEqual([answer.status, answer.body.code, answer.body.errors[0]?.path], [400, code, path], answer.text);
    }
    const configs: [object, string][] = [
      [{ maxFrequency: 0 }, 'maxFrequency'],
      [{ maxFrequency: 1.5 }, 'maxFrequency'],
      [{ maxFrequency: undefined }, 'maxFrequency'],
      [{ periodDays: 0 }, 'periodDays'],
      [{ periodDays: 366 }, 'periodDays'],
      [{ outcomeType: 'nothing' }, 'outcomeType'],
      [{ outcomeType: '' }, 'outcomeType'],
    ];
    for (const [config, key] of configs) {
      const answer = await cap(config);
      assert.deepEqual([answer.status, answer.body.errors[0]?.path], [400, `/config/${key}`], answer.text);
    }
    for (const sampleSize of [99, 10_001]) assert.equal((await cap({}, { sampleSize })).status, 400);
    assert.equal((await cap({ periodDays: 365 }, { sampleSize: 10_000 })).status, 200);
  });

  it('sees nothing of other tenants', async () => {
    const body = {
      policyType: 'frequency_cap',
      config: { maxFrequency: 1, periodDays: 365, outcomeType: 'impression' },
    };
    const key = server.tenants[1]!.keys.viewer;
    const answer = await server.call<ImpactPreview>('POST', '/api/v1/contact-policies/impact-preview', { body, key });
    assert.deepEqual([answer.status, answer.body.totalCustomersAnalyzed], [200, 0]);
  });
});

describe('reach estimate (docs/design/api-catalogue.md 9)', () => {
  let people: string;
  const estimate = (body: object) =>
    server.call<ReachEstimate & Problem>('POST', '/api/v1/qualification-rules/reach-estimate', { body });
  before(async () => {
    people = await server.create('schemas', {
      name: 'people',
      displayName: 'People',
      schemaType: 'customer',
      fields: [
        {
          name: 'customer_id',
          displayName: 'Id',
          dataType: 'varchar',
          length: 64,
          isPrimaryKey: true,
          isNullable: false,
        },
        { name: 'age', displayName: 'Age', dataType: 'integer' },
        { name: 'city', displayName: 'City', dataType: 'text' },
        { name: 'seen', displayName: 'Seen', dataType: 'date' },
      ],
    });
    const rows = [
      { customer_id: 'a', age: 10, city: 'Rome', seen: '2026-03-10' },
      { customer_id: 'b', age: 20, city: 'Paris', seen: '2026-03-08' },
      { customer_id: 'c', age: 40, city: null, seen: null },
      { customer_id: 'd', age: null, city: 'Rome', seen: '2026-03-07' },
    ];
    const made = await server.call('POST', `/api/v1/schemas/${people}/data`, { body: { rows } });
    assert.equal(made.status, 201, made.text);
  });

  it('shows who passes, and the distribution of a number column', async () => {
    const rule = { ruleType: 'attribute_condition', field: 'age', operator: '>=', value: 20 };
    const { status, body, text } = await estimate(rule);
    assert.equal(status, 200, text);
    assert.deepEqual(body, {
      totalSampled: 4,
      qualifying: 2,
      excluded: 2,
      qualifyPercent: 50,
      excludedBySegment: [],
      fieldDistribution: { min: 10, max: 40, avg: 23.333333, median: 20, p25: 15, p75: 30 },
    });
    assert.equal((await estimate({ ...rule, onMissing: 'pass', schema: 'people' })).body.qualifying, 3);
    const city = { ruleType: 'attribute_condition', field: 'customer.city', operator: 'exists', schema: people };
    assert.deepEqual((await estimate({ ...city, onMissing: 'pass' })).body.qualifying, 3, 'exists forgives nothing');
    assert.equal((await estimate(city)).body.fieldDistribution, null);
    const recent = { ruleType: 'recency_check', field: 'seen' };
    assert.equal((await estimate({ ...recent, value: 2 })).body.qualifying, 2);
    assert.equal((await estimate({ ...recent, value: 3 })).body.qualifying, 3);
    assert.equal((await estimate({ ...recent, value: 0, onMissing: 'pass' })).body.qualifying, 2);
    assert.equal((await estimate({ ruleType: 'segment_required', value: [] })).body.qualifying, 4);
    assert.equal((await estimate({ ruleType: 'segment_required', value: ['Nobody'] })).body.excluded, 4);
  });

  it('reads the first rows by hash', async () => {
    const ids = Array.from({ length: 150 }, (_, n) => `c${n}`);
    const rows = ids.map((customer_id, age) => ({ customer_id, age }));
    assert.equal((await server.call('POST', `/api/v1/schemas/${people}/data`, { body: { rows } })).status, 201);
    const all = [...ids, 'a', 'b', 'c', 'd'].sort((x, y) => (md5(x) < md5(y) ? -1 : 1));
    const first = all.slice(0, 100).filter((id) => id.length > 1 && Number(id.slice(1)) >= 75);
    const rule = { ruleType: 'attribute_condition', field: 'age', operator: 'gte', value: 75, sampleSize: 100 };
    const { body } = await estimate(rule);
    assert.deepEqual([body.totalSampled, body.qualifying], [100, first.length]);
  });

  it("rejects what it can't query, with its path", async () => {
    const rule = { ruleType: 'attribute_condition', field: 'age', operator: 'gte', value: 20 };
    const bad: [object, string, string][] = [
      [{ ...rule, ruleType: 'offer_attribute' }, '/ruleType', 'validation_failed'],
      [{ ...rule, ruleType: 'metric_condition' }, '/field', 'reference_not_found'],
      [{ ...rule, field: undefined }, '/field', 'validation_failed'],
      [{ ...rule, field: 'height' }, '/field', 'validation_failed'],
      [{ ...rule, field: '__proto__' }, '/field', 'validation_failed'],
      [{ ...rule, operator: undefined }, '/operator', 'validation_failed'],
      [{ ...rule, operator: 'near' }, '/operator', 'validation_failed'],
      [{ ...rule, operator: 'in' }, '/value', 'validation_failed'],
      [{ ...rule, schema: 'nowhere' }, '/schema', 'reference_not_found'],
      [{ ...rule, schema: newId() }, '/schema', 'reference_not_found'],
      [{ ...rule, sampleSize: 99 }, '/sampleSize', 'validation_failed'],
      [{ ruleType: 'recency_check', field: 'seen', value: -1 }, '/value', 'validation_failed'],
      [{ ruleType: 'recency_check', field: 'seen' }, '/value', 'validation_failed'],
      [{ ruleType: 'segment_required', value: [5] }, '/value', 'validation_failed'],
    ];
    for (const [body, path, code] of bad) {
      const answer = await estimate(body);
      assert.deepEqual([answer.status, answer.body.code, answer.body.errors[0]?.path], [400, code, path], answer.text);
    }
    const key = server.tenants[1]!.keys.viewer;
    const path = '/api/v1/qualification-rules/reach-estimate';
    const none = await server.call<Problem>('POST', path, { body: rule, key });
    assert.deepEqual([none.status, none.body.errors[0]?.path], [400, '/schema'], none.text);
  });
});
