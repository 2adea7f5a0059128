import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Campaign, CampaignResult, CampaignRun } from '@arbiter/contract';
import { requestIdOf } from './chunks/run-chunk.ts';
import { type CampaignServer, startCampaignServer } from './test-campaigns.ts';

/** Campaigns over HTTP (docs/design/api-decisioning.md 14). */

let world: CampaignServer;
before(async () => {
  world = await startCampaignServer(40);
});
after(() => world?.close());

const runPath = (run: CampaignRun) => `/api/v1/runs/${run.campaignId}/campaign-runs/${run.id}`;
const resultsOf = async (run: CampaignRun, query = ''): Promise<CampaignResult[]> =>
  (await world.call<{ data: CampaignResult[] }>('GET', `${runPath(run)}/results?limit=500${query}`)).body.data;
const owner = <T>(text: string, values: unknown[] = []) =>
  world.server.testDatabase.ownerQuery<T & Record<string, unknown>>(text, values);
/** Only this test's contacts count. */
const forget = () =>
  owner(`update arbiter.customer_states set state = '', base = null where tenant_id = $1`, [
    world.server.tenants[0].id,
  ]);

describe('a campaign', () => {
  test('has defaults, and runs only when started', async () => {
    const made = await world.campaign();
    assert.equal(made.name, 'Main to Everyone');
    assert.deepEqual(
      [made.status, made.scheduleType, made.scheduleTime, made.scheduleTimezone, made.deliveryGuarantee],
      ['draft', 'manual', '09:00', 'UTC', 'at_most_once'],
    );
    assert.deepEqual([made.nextRunAt, made.latestRun, made.runCount, made.lastSkip], [null, null, 0, null]);
    const { body } = await world.call<{ runs: Campaign[]; total: number }>('GET', '/api/v1/runs?limit=1');
    assert.equal(body.runs[0]?.id, made.id);
    assert.ok(body.total >= 1);
  });

  for (const [words, body, code, path] of [
    ['an unknown flow', { decisionFlowId: crypto.randomUUID() }, 'reference_not_found', '/decisionFlowId'],
    ['an unknown segment', { segmentId: crypto.randomUUID() }, 'reference_not_found', '/segmentId'],
    ['an unknown channel', { channelIds: [crypto.randomUUID()] }, 'reference_not_found', '/channelIds/0'],
    ['day 0', { scheduleDayOfMonth: '0' }, 'validation_failed', '/scheduleDayOfMonth'],
    ['day 01', { scheduleDayOfMonth: '01' }, 'validation_failed', '/scheduleDayOfMonth'],
    ['day 29', { scheduleDayOfMonth: 29 }, 'validation_failed', '/scheduleDayOfMonth'],
    ['day -1', { scheduleDayOfMonth: -1 }, 'validation_failed', '/scheduleDayOfMonth'],
    ['24:00', { scheduleTime: '24:00' }, 'validation_failed', '/scheduleTime'],
    ['9:00', { scheduleTime: '9:00' }, 'validation_failed', '/scheduleTime'],
    ['09:60', { scheduleTime: '09:60' }, 'validation_failed', '/scheduleTime'],
    ['an unknown zone', { scheduleTimezone: 'Europe/Pariss' }, 'validation_failed', '/scheduleTimezone'],
    ['a wrong expression', { scheduleCron: '61 * * * *' }, 'invalid_cron', '/scheduleCron'],
    ['an unknown column', { fileConfig: { columns: ['rank', 'ofer'] } }, 'validation_failed', '/fileConfig/columns/1'],
    ['a bucket', { fileConfig: { destination: 's3' } }, 'not_configured', undefined],
  ] as const) {
    test(`rejects ${words}`, async () => {
      const all = { decisionFlowId: world.ids.flow, segmentId: world.ids.segment, ...body };
      const { body: problem, text } = await world.call<object>('POST', '/api/v1/runs', all);
      assert.equal(problem.code, code, text);
      if (path !== undefined) assert.equal(problem.errors?.[0]?.path, path, text);
    });
  }

  test('keeps days as text, and derives its next run from schedule, zone and status', async () => {
    const monthly = { scheduleType: 'monthly', scheduleDayOfMonth: 28, scheduleTimezone: 'Europe/Paris' };
    const made = await world.campaign({ ...monthly, status: 'active' });
    assert.equal(made.scheduleDayOfMonth, '28');
    assert.match(made.nextRunAt ?? '', /-28T0[78]:00:00/);
    const change = async (body: object) =>
      (await world.call<Campaign>('PUT', `/api/v1/runs/${made.id}`, body)).body.nextRunAt;
    assert.match((await change({ scheduleTimezone: 'Asia/Kathmandu' })) ?? '', /-28T03:15:00/);
    assert.equal(await change({ status: 'paused' }), null);
    assert.match((await change({ status: 'active', scheduleCron: '0 12 * * *' })) ?? '', /T06:15:00/);
    await world.call('DELETE', `/api/v1/runs/${made.id}`);
  });

  test('keeps its segment from being deleted, unless it is archived', async () => {
    const segment = await world.server.create('segments', { name: 'Used', baseSchemaId: world.ids.schema });
    const { id } = await world.campaign({ segmentId: segment });
    assert.equal((await world.call('DELETE', `/api/v1/segments/${segment}`)).body.code, 'in_use');
    await world.call('PUT', `/api/v1/runs/${id}`, { status: 'archived' });
    assert.equal((await world.call('DELETE', `/api/v1/segments/${segment}`)).status, 204);
  });

  test("hides from other tenants, and can't use their records", async () => {
    const made = await world.campaign();
    const key = world.server.tenants[1]!.keys.admin;
    for (const [method, path, body] of [
      ['GET', ''],
      ['PUT', '', {}],
      ['DELETE', ''],
      ['POST', '/campaign-runs'],
      ['GET', '/campaign-runs'],
    ] as const) {
      assert.equal((await world.call(method, `/api/v1/runs/${made.id}${path}`, body, key)).status, 404, method + path);
    }
    const body = { decisionFlowId: world.ids.flow, segmentId: world.ids.segment };
    assert.equal((await world.call('POST', '/api/v1/runs', body, key)).body.code, 'reference_not_found');
  });
});

describe('a run', () => {
  test('decides once for each member, and every decision replays', async () => {
    await forget();
    const { id } = await world.campaign({ channelIds: [world.ids.email] });
    const run = await world.run(id);
    assert.equal(run.status, 'completed', JSON.stringify(run));
    assert.deepEqual(
      [run.totalCustomers, run.processedCustomers, run.customersWithRecommendations, run.totalRecommendations],
      [40, 40, 40, 80],
    );
    assert.deepEqual([run.avgOffersPerCustomer, run.progressPercent, run.etaSeconds], [2, 100, null]);
    assert.deepEqual(run.channelBreakdown, [
      { channelId: world.ids.email, channelName: 'Email', count: 80, percent: 100 },
    ]);
    const results = await resultsOf(run);
    assert.deepEqual(results.map(({ customerId }) => customerId).sort(), world.customers);
    for (const { requestId, customerId, decisions } of results.slice(0, 3)) {
      assert.equal(requestId, requestIdOf(run.id, customerId));
      const { body: record } = await world.call<{ source: string; recommendationId: string }>(
        ...(['GET', `/api/v1/decisions/${requestId}`] as const),
      );
      assert.equal(record.source, 'campaign');
      const replay = await world.call<{ identical: boolean }>('POST', `/api/v1/decisions/${requestId}/replay`, {});
      assert.equal(replay.body.identical, true, replay.text);
      const history = await world.call<{ data: { campaignId: string; offerId: string }[] }>(
        ...(['GET', `/api/v1/interaction-history?customerId=${customerId}&limit=2`] as const),
      );
      assert.deepEqual(new Set(history.body.data.map((row) => row.campaignId)), new Set([id]));
      assert.deepEqual(
        decisions.map(({ offerId }) => offerId),
        world.ids.offers.slice(0, 2),
      );
    }
    const [stored] = await owner<{ n: number }>(
      `select count(*)::int as n from arbiter.decisions where source = 'campaign' and source_id = $1`,
      [run.id],
    );
    assert.equal(stored?.n, 40);
    const repeated = await world.call('POST', '/api/v1/recommend', {
      ...{ customerId: results[0]!.customerId, requestId: results[0]!.requestId },
    });
    assert.equal(repeated.body.code, 'idempotency_key_reused');
  });

  test('never exceeds its limits, and meets the total exactly', async () => {
    await forget();
    const { id } = await world.campaign({
      ...{ channelIds: [world.ids.email], frequencyCaps: { maxTotalPerRun: 15, maxPerOffer: 8 } },
    });
    const run = await world.run(id);
    assert.equal(run.totalRecommendations, 15);
    assert.equal(run.volumeCapReached, 'total');
    assert.equal(run.status, 'completed');
    for (const { count } of run.offerBreakdown) assert.ok(count <= 8, JSON.stringify(run.offerBreakdown));
    assert.equal(run.skippedByCaps, run.skippedCustomers);
    assert.equal(run.processedCustomers + run.skippedCustomers, 40);
    const skipped = await resultsOf(run, '&status=skipped');
    assert.equal(skipped.length, run.skippedByCaps);
    assert.ok(skipped.every(({ skipReason }) => skipReason === 'run_cap'));
    for (const { requestId } of (await resultsOf(run, '&status=decided')).slice(-2)) {
      const replay = await world.call<{ identical: boolean }>('POST', `/api/v1/decisions/${requestId}/replay`, {});
      assert.equal(replay.body.identical, true, replay.text);
    }
  });

  test('leaves a channel out once it has its share', async () => {
    await forget();
    const { id } = await world.campaign({ frequencyCaps: { maxPerChannel: 5 } });
    const run = await world.run(id);
    assert.equal(run.totalRecommendations, 10);
    assert.deepEqual(
      run.channelBreakdown.map(({ count }) => count),
      [5, 5],
    );
  });

  test('writes a file in each format, without formulas', async () => {
    await forget();
    const columns = ['customerId', 'rank', 'offerName', 'channelName', 'decidedAt'];
    const file = async (fileConfig: object) => {
      const { id } = await world.campaign({
        ...{ channelIds: [world.ids.email], fileConfig, frequencyCaps: { maxTotalPerRun: 2 } },
      });
      const run = await world.run(id);
      assert.equal(run.fileUrl, `${runPath(run)}/file`);
      const { text, headers } = await world.server.call('GET', run.fileUrl ?? '');
      return { text, type: headers['content-type'] };
    };
    const csv = await file({ columns });
    assert.equal(csv.type, 'text/csv; charset=utf-8');
    const lines = csv.text.split('\r\n');
    assert.equal(lines[0], columns.join(','));
    assert.match(lines[1] ?? '', /^C-\d{4},1,'=Offer 0,Email,2\d{3}-/);
    assert.equal(lines.length, 4);
    const json = JSON.parse((await file({ format: 'json' })).text);
    assert.equal(json.length, 2);
    assert.equal(Object.keys(json[0]).length, 8);
    assert.equal(json[0].offerName, '=Offer 0');
    const rows = (await file({ format: 'jsonl', includePersonalization: true })).text.trim().split('\n');
    assert.deepEqual(JSON.parse(rows[1] ?? '').personalization, {});
  });

  test('queues one message per customer, offer and channel that sends', async () => {
    await forget();
    const channelId = await world.server.create('channels', {
      ...{ name: 'Mail', channelType: 'email', deliveryMode: 'integration', providerConfig: { provider: 'smtp' } },
    });
    for (const offerId of world.ids.offers) {
      const content = { subject: 'Hello', body: 'Hello' };
      await world.server.create('creatives', {
        ...{ name: `Mail ${offerId}`, offerId, channelId, status: 'active', content },
      });
    }
    const { id } = await world.campaign({ channelIds: [channelId] });
    const run = await world.run(id);
    assert.deepEqual(run.deliveries, { queued: 80, sent: 0, failed: 0, doubtful: 0 });
    const decisions = (await resultsOf(run)).flatMap((result) => result.decisions);
    assert.equal(new Set(decisions.map(({ deliveryId }) => deliveryId)).size, 80);
    assert.ok(decisions.every(({ deliveryStatus }) => deliveryStatus === 'queued'));
    await world.call('DELETE', `/api/v1/channels/${channelId}`);
  });

  test('fails without deciding if its flow has no published version', async () => {
    const draftConfig = { version: 2, nodes: [], flowConfig: {} };
    const flow = await world.server.create('decision-flows', { key: 'never', name: 'Never', draftConfig });
    const { id } = await world.campaign({ decisionFlowId: flow });
    const run = await world.run(id);
    assert.deepEqual([run.status, run.error?.code, run.totalCustomers], ['failed', 'flow_not_published', 0]);
  });

  test('keeps the version of its flow and its members', async () => {
    await forget();
    const { id } = await world.campaign({ channelIds: [world.ids.email] });
    const run = await world.run(id);
    await world.server.publishFlow(world.ids.flow);
    const next = await world.run(id);
    assert.equal(Number(next.decisionFlowVersion), Number(run.decisionFlowVersion) + 1);
    assert.equal(next.runNumber, run.runNumber + 1);
  });

  test('waits for earlier runs, and ends when cancelled', async () => {
    const { id } = await world.campaign();
    const runs = await Promise.all(Array.from({ length: 8 }, () => world.start(id)));
    assert.deepEqual(runs.map(({ runNumber }) => runNumber).sort(), [1, 2, 3, 4, 5, 6, 7, 8]);
    const [first, ...others] = runs.toSorted((a, b) => a.runNumber - b.runNumber);
    const cancelled = await world.call<CampaignRun>('POST', `${runPath(first!)}/cancel`);
    assert.deepEqual([cancelled.status, cancelled.body.error?.code], [200, 'cancelled']);
    assert.equal((await world.call('POST', `${runPath(first!)}/cancel`)).body.code, 'invalid_transition');
    for (const run of others.slice(1)) await world.call('POST', `${runPath(run)}/cancel`);
    await world.runJobs();
    const { runs: shown } = await world.read(id);
    assert.deepEqual(
      shown.map(({ status }) => status),
      ['failed', 'failed', 'failed', 'failed', 'failed', 'failed', 'completed', 'failed'],
    );
  });

  test("can't be started for an archived campaign", async () => {
    const { id } = await world.campaign({ status: 'archived' });
    const { status, body } = await world.call('POST', `/api/v1/runs/${id}/campaign-runs`);
    assert.deepEqual([status, body.code], [409, 'invalid_transition']);
  });

  test('runs with another flow and segment inline', async () => {
    const { id } = await world.campaign();
    const inline = { runId: id, decisionFlowId: world.ids.flow, segmentViewName: world.ids.viewName };
    const { status, body } = await world.call<{ campaignRunId: string }>('POST', '/api/v1/runs/execute-inline', inline);
    assert.equal(status, 200);
    await world.runJobs();
    const { runs } = await world.read(id);
    assert.deepEqual([runs[0]?.id, runs[0]?.triggeredBy, runs[0]?.status], [body.campaignRunId, 'inline', 'completed']);
    for (const wrong of [{ segmentViewName: 'nothing' }, { decisionFlowId: crypto.randomUUID() }]) {
      assert.equal((await world.call('POST', '/api/v1/runs/execute-inline', { ...inline, ...wrong })).status, 404);
    }
    const { segmentViewName: _, ...missing } = inline;
    assert.equal((await world.call('POST', '/api/v1/runs/execute-inline', missing)).status, 400);
  });

  test('skips customers erased after its start, who do not come back', async () => {
    await forget();
    const { id } = await world.campaign({ channelIds: [world.ids.email], fileConfig: { columns: ['customerId'] } });
    const erase = (customerId: string) =>
      world.server.call('DELETE', `/api/v1/customers/${customerId}/data?scope=everything`, {
        headers: { 'x-confirm-delete': customerId },
      });
    const done = await world.run(id);
    const [victim] = (await resultsOf(done)).map(({ customerId }) => customerId);
    const erased = await erase(victim!);
    assert.equal(erased.status, 200, erased.text);
    assert.ok(!(await resultsOf(done)).some(({ customerId }) => customerId === victim));
    await world.runJobs('campaign.file');
    assert.ok(!(await world.server.call('GET', done.fileUrl ?? '')).text.includes(victim!));
    const [left] = await owner<{ n: number }>(
      'select count(*)::int as n from arbiter.customer_states where customer_id = $1',
      [victim],
    );
    assert.equal(left?.n, 0);
  });
});

describe('a schedule', () => {
  const makeDue = (id: string) =>
    owner(`update arbiter.campaigns set next_run_at = next_run_at - interval '30 days' where id = $1`, [id]);

  test('starts one run for several missed instants, and leaves one out while a run is in progress', async () => {
    const { id } = await world.campaign({ status: 'active', scheduleType: 'daily', channelIds: [world.ids.email] });
    await makeDue(id);
    await world.tick();
    await world.tick();
    const { runs, nextRunAt } = await world.read(id);
    assert.deepEqual(
      runs.map(({ triggeredBy, status }) => [triggeredBy, status]),
      [['schedule', 'pending']],
    );
    assert.ok(new Date(nextRunAt ?? 0).getTime() > Date.now());
    await makeDue(id);
    await world.tick();
    const skipped = await world.read(id);
    assert.equal(skipped.runs.length, 1);
    assert.equal(skipped.lastSkip?.reason, 'run_in_progress');
    await world.call('DELETE', `/api/v1/runs/${id}`);
    assert.equal(await world.runJobs(), 1, 'the job of a deleted run does nothing');
  });
});
