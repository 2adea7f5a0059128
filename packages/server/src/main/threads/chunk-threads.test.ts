// Campaigns that threads decide for (docs/adr/0131).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CampaignRun } from '@arbiter/contract';
import { type CampaignServer, startCampaignServer } from '../../features/outreach/campaigns/test-campaigns.ts';
import { AppError } from '../../platform/app-error.ts';
import { receivedError, sentError } from './chunk-messages.ts';

const size = 300;
let world: CampaignServer;
before(async () => {
  world = await startCampaignServer(size, { chunkThreads: 2 });
});
after(() => world?.close());

interface Result {
  readonly customerId: string;
  readonly status: string;
  readonly skipReason: string | null;
}

async function resultsOf(campaignId: string, run: CampaignRun): Promise<Result[]> {
  const path = `/api/v1/runs/${campaignId}/campaign-runs/${run.id}/results?limit=500`;
  return (await world.call<{ data: Result[] }>('GET', path)).body.data;
}

const counterOf = async (name: string): Promise<number> => {
  const metrics = await world.server.metrics();
  return metrics.find((metric) => metric.name === name)?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;
};

describe('threads for campaigns', () => {
  test('decide for each member once, and the process counts their decisions', async () => {
    const { id } = await world.campaign();
    const before = await counterOf('svc_decision_items_total');
    const run = await world.run(id);
    assert.deepEqual([run.status, run.processedCustomers, run.totalRecommendations], ['completed', size, 2 * size]);
    const results = await resultsOf(id, run);
    assert.deepEqual(results.map(({ customerId }) => customerId).sort(), [...world.customers]);
    assert.ok(results.every(({ status }) => status === 'decided'));
    const deadline = performance.now() + 30_000;
    while ((await counterOf('svc_decision_items_total')) < before + 2 * size && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal(await counterOf('svc_decision_items_total'), before + 2 * size);
  });

  test('stop at the limits of a run, whichever thread decides', async () => {
    const { id } = await world.campaign({ frequencyCaps: { maxTotalPerRun: 401, maxPerOffer: 180 } });
    const run = await world.run(id);
    assert.equal(run.totalRecommendations, 401);
    const [counts] = await world.server.testDatabase.ownerQuery<{ most: number; items: number }>(
      `select max(n)::int as most, sum(n)::int as items from (
         select count(*) as n from arbiter.campaign_results r, jsonb_array_elements(r.items) item
          where run_id = $1 group by item ->> 'offerId') offers`,
      [run.id],
    );
    assert.deepEqual(counts, { most: 180, items: 401 });
    const skipped = (await resultsOf(id, run)).filter(({ status }) => status === 'skipped');
    assert.deepEqual(new Set(skipped.map(({ skipReason }) => skipReason)), new Set(['run_cap']));
  });
});

test('errors keep the fields that their process needs', () => {
  const busy = new AppError('overloaded', { detail: 'Too much at once.', retryAfterSeconds: 3 });
  const received = receivedError(sentError(busy));
  assert.ok(received instanceof AppError);
  assert.deepEqual(
    [received.code, received.detail, received.retryAfterSeconds],
    ['overloaded', 'Too much at once.', 3],
  );
  const other = receivedError(sentError(new RangeError('too far')));
  assert.ok(!(other instanceof AppError));
  assert.match(String(other.cause), /RangeError: too far/);
});
