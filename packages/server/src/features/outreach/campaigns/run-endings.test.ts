// Runs that end early or with errors (docs/design/api-decisioning.md 14).
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import type { CampaignResult, CampaignRun } from '@arbiter/contract';
import { type CampaignServer, startCampaignServer } from './test-campaigns.ts';

let world: CampaignServer;
after(() => world?.close());

const owner = <T>(text: string, values: unknown[] = []) =>
  world.server.testDatabase.ownerQuery<T & Record<string, unknown>>(text, values);
const tenantId = () => world.server.tenants[0].id;
const resultsOf = async (run: CampaignRun): Promise<CampaignResult[]> => {
  const path = `/api/v1/runs/${run.campaignId}/campaign-runs/${run.id}/results?limit=500`;
  return (await world.call<{ data: CampaignResult[] }>('GET', path)).body.data;
};
const campaign = () => world.campaign({ channelIds: [world.ids.list] });

/** Makes decisions for these customers impossible: their stored state can't be read. */
async function breakCustomers(customers: readonly string[]): Promise<void> {
  for (const customerId of customers) {
    await world.call('POST', '/api/v1/recommend', { customerId, channel: 'phone', limit: 1 });
  }
  await owner(`update arbiter.customer_states set state = '\\xff', base = null where customer_id = any($1)`, [
    customers,
  ]);
}

describe("a run with customers that can't be decided", () => {
  beforeEach(async () => {
    await world?.close();
    world = await startCampaignServer(40);
  });

  test('decides for all others, and completes with errors', async () => {
    const broken = world.customers.slice(0, 5);
    await breakCustomers(broken);
    const { id } = await campaign();
    const run = await world.run(id);
    assert.deepEqual(
      [run.status, run.failedCustomers, run.processedCustomers, run.customersWithRecommendations, run.error],
      ['completed_with_errors', 5, 40, 35, null],
    );
    const results = await resultsOf(run);
    const failed = results.filter(({ status }) => status === 'failed');
    assert.deepEqual(new Set(failed.map(({ customerId }) => customerId)), new Set(broken));
    assert.deepEqual(new Set(failed.map(({ error }) => error)), new Set(['internal']));
    assert.ok(failed.every(({ decisions, requestId }) => decisions.length === 0 && requestId === null));
  });

  test('fails if they are more than half', async () => {
    await breakCustomers(world.customers.slice(0, 30));
    const { id } = await campaign();
    const run = await world.run(id);
    assert.deepEqual([run.status, run.error?.code], ['failed', 'too_many_failures']);
    assert.ok(run.failedCustomers > 20 && run.failedCustomers <= 30, String(run.failedCustomers));
    const results = await resultsOf(run);
    assert.equal(results.length, 40);
    const skipped = results.filter(({ skipReason }) => skipReason === 'cancelled').length;
    assert.equal(run.skippedCustomers, skipped);
    assert.equal(run.failedCustomers + run.customersWithRecommendations + skipped, 40);
  });
});

describe('a playground', () => {
  beforeEach(async () => {
    await world?.close();
    world = await startCampaignServer(20);
    await owner('update arbiter.tenants set is_playground = true where id = $1', [tenantId()]);
    await owner('insert into arbiter.playground_quotas (tenant_id) values ($1)', [tenantId()]);
  });

  test('ends a run when its decisions are used up, and never exceeds them', async () => {
    await owner('update arbiter.playground_quotas set used = 4985');
    const { id } = await campaign();
    const run = await world.run(id);
    assert.deepEqual(
      [run.status, run.error?.code, run.totalRecommendations, run.processedCustomers, run.skippedCustomers],
      ['completed_with_errors', 'quota_exceeded', 15, 8, 12],
    );
    const [quota] = await owner<{ used: number }>('select used from arbiter.playground_quotas');
    assert.equal(quota?.used, 5000);
    const results = await resultsOf(run);
    assert.equal(results.flatMap(({ decisions }) => decisions).length, 15);
    assert.ok(results.some(({ status, skipReason }) => status === 'skipped' && skipReason === 'quota_exceeded'));
    const again = await world.run(id);
    assert.deepEqual([again.status, again.totalRecommendations], ['completed_with_errors', 0]);
  });

  test('reset in the middle of a run keeps nothing of it', async () => {
    const { id } = await campaign();
    await world.start(id);
    const reset = async () => {
      for (;;) {
        const [row] = await owner<{ place: number }>('select next_place as place from arbiter.campaign_runs');
        if ((row?.place ?? 0) > 0 || row === undefined) break;
      }
      const { status, text } = await world.call('POST', '/api/v1/tenant/reset', { confirm: true });
      assert.equal(status, 200, text);
    };
    await Promise.all([world.runJobs(), reset()]);
    await world.runJobs();
    for (const table of ['campaigns', 'campaign_runs', 'campaign_members', 'campaign_results', 'decisions']) {
      const [row] = await owner<{ n: number }>(`select count(*)::int as n from arbiter.${table} where tenant_id = $1`, [
        tenantId(),
      ]);
      assert.equal(row?.n, 0, table);
    }
  });
});
