// Files of campaigns in a bucket.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readBucketUrl } from '../../../config/bucket-settings.ts';
import { startTestObjectStore, type TestObjectStore } from '../../../platform/object-store/test-object-store.ts';
import { type CampaignServer, startCampaignServer } from './test-campaigns.ts';

let bucket: TestObjectStore;
let world: CampaignServer;
before(async () => {
  bucket = await startTestObjectStore();
  world = await startCampaignServer(4, { config: { EXPORT_S3_URL: readBucketUrl(bucket.url) } });
});
after(async () => {
  await world?.close();
  await bucket?.close();
});

const run = async (fileConfig: object) => {
  const campaign = await world.campaign({
    channelIds: [world.ids.email],
    fileConfig: { columns: ['customerId'], destination: 's3', ...fileConfig },
  });
  return { campaign, run: await world.run(campaign.id) };
};
const tenantId = () => world.server.tenants[0].id;
const keyOf = ({ id, runNumber }: { id: string; runNumber: number }, path: string, format = 'csv') =>
  `${tenantId()}/${path}run-${runNumber}-${id}.${format}`;

describe('a bucket', () => {
  test('gets the file of a run, below the folder of its tenant', async () => {
    const done = await run({ s3Path: '/spring/new  customers/' });
    assert.equal(done.run.status, 'completed', JSON.stringify(done.run));
    const object = bucket.objects.get(keyOf(done.run, 'spring/new  customers/'));
    assert.equal(object?.type, 'text/csv; charset=utf-8');
    assert.deepEqual(new Set(object.body.trim().split('\r\n').slice(1)), new Set(world.customers));
    assert.equal((await world.server.call('GET', done.run.fileUrl ?? '')).text, object.body);
    const other = await run({ format: 'jsonl' });
    assert.ok(bucket.objects.has(keyOf(other.run, '', 'ndjson')));
  });

  test('forgets erased customers and deleted campaigns', async () => {
    const done = await run({ s3Path: 'a' });
    const key = keyOf(done.run, 'a/');
    const [victim] = world.customers;
    await world.server.call('DELETE', `/api/v1/customers/${victim}/data?scope=everything`, {
      headers: { 'x-confirm-delete': victim! },
    });
    assert.ok(bucket.objects.get(key)?.body.includes(victim!));
    // The object stays where it is, even if the campaign has another path by now.
    await world.call('PUT', `/api/v1/runs/${done.campaign.id}`, { fileConfig: { destination: 's3', s3Path: 'b' } });
    await world.runJobs('campaign.file');
    assert.ok(bucket.objects.get(key)?.body.length);
    assert.ok(!bucket.objects.get(key)?.body.includes(victim!));
    assert.equal((await world.call('DELETE', `/api/v1/runs/${done.campaign.id}`)).status, 204);
    await world.runJobs('campaign.file');
    assert.equal(bucket.objects.has(key), false);
  });

  test('forgets erased customers even if the channel writes no objects by now', async () => {
    const setChannel = (fileConfig: object) =>
      world.call('PUT', `/api/v1/channels/${world.ids.email}`, {
        fileConfig: { columns: ['customerId'], ...fileConfig },
      });
    await setChannel({ destination: 's3' });
    const campaign = await world.campaign({ channelIds: [world.ids.email] });
    const done = await world.run(campaign.id);
    const [, victim = ''] = world.customers;
    assert.ok(bucket.objects.get(keyOf(done, ''))?.body.includes(victim));
    await setChannel({ destination: 'download' });
    await world.server.call('DELETE', `/api/v1/customers/${victim}/data?scope=everything`, {
      headers: { 'x-confirm-delete': victim },
    });
    await world.runJobs('campaign.file');
    assert.equal(bucket.objects.get(keyOf(done, ''))?.body.includes(victim), false);
  });

  test('that refuses fails the run and says why', async () => {
    bucket.next.push(403);
    const { run: failed } = await run({});
    assert.equal(failed.status, 'failed');
    assert.deepEqual(failed.error, {
      code: 'file_not_writable',
      message: "The file couldn't be written: the bucket answered 403 (AccessDenied).",
    });
    assert.equal(failed.fileUrl, null);
  });

  test('rejects paths that leave the folder', async () => {
    const body = { decisionFlowId: world.ids.flow, segmentId: world.ids.segment };
    for (const s3Path of ['../other', 'a/./b', 'a/..', 'line\nbreak']) {
      const fileConfig = { destination: 's3', s3Path };
      const campaign = await world.call('POST', '/api/v1/runs', { ...body, fileConfig });
      assert.deepEqual([campaign.status, campaign.body.errors?.[0]?.path], [400, '/fileConfig/s3Path'], s3Path);
      const channel = await world.call('PUT', `/api/v1/channels/${world.ids.email}`, { fileConfig });
      assert.deepEqual([channel.status, channel.body.errors?.[0]?.path], [400, '/fileConfig/s3Path'], s3Path);
    }
    const fileConfig = { destination: 's3', s3Path: 'from the channel' };
    assert.equal((await world.call('PUT', `/api/v1/channels/${world.ids.email}`, { fileConfig })).status, 200);
  });
});
