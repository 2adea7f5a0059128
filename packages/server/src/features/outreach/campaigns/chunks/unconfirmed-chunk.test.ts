import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CampaignRun } from '@arbiter/contract';
import { AppError } from '../../../../platform/app-error.ts';
import { createPrivateFolder } from '../../../../platform/private-folder.ts';
import { executeRun } from '../execute.service.ts';
import { type CampaignServer, startCampaignServer } from '../test-campaigns.ts';
import { createRunChunks, type RunChunks } from './run-chunk.ts';

let world: CampaignServer;
before(async () => {
  world = await startCampaignServer(150);
});
after(() => world?.close());

test('a run continues after a chunk whose commit was not confirmed', async () => {
  const { database } = world.server;
  const runChunk = createRunChunks({ database, decideChunk: world.server.decisions.decideChunk });
  let isFirst = true;
  const unconfirmed: RunChunks = async (order, neighbors) => {
    const end = await runChunk(order, neighbors);
    if (!isFirst) return end;
    isFirst = false;
    throw new AppError('unavailable');
  };
  const { id } = await world.campaign();
  const { id: runId } = await world.start(id);
  // Its job is not needed.
  await world.server.testDatabase.ownerQuery('delete from graphile_worker._private_jobs');
  const ports = {
    database,
    exportFolder: createPrivateFolder('/nowhere'),
    exportBucket: null,
    chunkDesk: { runChunk: unconfirmed, maxOpen: 2, hasCalls: () => false },
  };
  const signal = new AbortController().signal;
  await executeRun(ports, world.server.tenants[0].id, runId, { signal, isRetry: false });
  const read = async () => (await world.call<CampaignRun>('GET', `/api/v1/runs/${id}/campaign-runs/${runId}`)).body;
  const stopped = await read();
  assert.deepEqual([stopped.status, stopped.processedCustomers], ['running', 64]);
  assert.equal(await world.runJobs(), 1);
  const ended = await read();
  assert.deepEqual([ended.status, ended.processedCustomers], ['completed', 150]);
  const [row] = await world.server.testDatabase.ownerQuery<{ n: number; customers: number }>(
    'select count(*)::int as n, count(distinct customer_id)::int as customers from arbiter.campaign_results where run_id = $1',
    [runId],
  );
  assert.deepEqual(row, { n: 150, customers: 150 });
});
