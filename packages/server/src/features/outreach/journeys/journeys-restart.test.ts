import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JourneyDefinition } from '@arbiter/contract';
import { sized } from '../../../../../../test/form.ts';
import { startServerOn, type TestNode } from '../../../main/test-server.ts';
import { enroll } from './index.ts';
import { type JourneyServer, startJourneyServer } from './test-journeys.ts';

/** Waits over a restart and both changes of daylight saving: every step happens once. */

let world: JourneyServer;
let node: TestNode | undefined;
before(async () => {
  world = await startJourneyServer();
});
after(async () => {
  await node?.close();
  await world?.server.close();
});

const size = sized('JOURNEY_ENROLLMENTS', { short: 60, long: 5_000 });

const definition: JourneyDefinition = {
  nodes: [
    { id: 'start', type: 'entry_trigger', config: {} },
    { id: 'day', type: 'wait', config: { delayMinutes: 1_440 } },
    { id: 'night', type: 'wait', config: { delayMinutes: 720 } },
    { id: 'end', type: 'exit', config: { reason: 'through' } },
  ],
  edges: [
    { from: 'start', to: 'day' },
    { from: 'day', to: 'night' },
    { from: 'night', to: 'end' },
  ],
};

/** In the gap and in the overlap of Europe/Berlin, and at neither. */
const instants = ['2026-03-29T01:00:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-06-01T12:00:00Z'];

test(`${size} enrollments with two waits take each step once`, async () => {
  const { server } = world;
  const settings = { timezone: 'Europe/Berlin' };
  assert.equal((await server.call('PUT', '/api/v1/tenant-settings', { body: settings })).status, 200);
  const journeyId = await world.journey(definition);
  await world.inTransaction(async (tx) => {
    for (let number = 0; number < size; number += 1) {
      await enroll(tx, { journeyId, customerId: `C-${number}`, context: {} });
    }
  });
  await world.runJobs();
  const [waits] = await server.testDatabase.ownerQuery(
    `select count(*)::int as count, min(e.resume_at - s.at) as shortest, max(e.resume_at - s.at) as longest
       from arbiter.journey_enrollments e join arbiter.journey_steps s on s.enrollment_id = e.id
      where e.journey_id = $1 and e.status = 'waiting' and e.current_node_id = 'day'`,
    [journeyId],
  );
  assert.equal(waits?.count, size);

  // Due at instants that a wall clock skips or shows twice.
  await server.testDatabase.ownerQuery(
    `update arbiter.journey_enrollments e set resume_at = w.at, due_at = w.at
       from (select id, ($2::timestamptz[])[1 + row_number() over (order by id) % cardinality($2)] as at
               from arbiter.journey_enrollments where journey_id = $1) w where w.id = e.id`,
    [journeyId, instants],
  );
  // Another process starts while the first one still runs, as during a deployment.
  node = startServerOn(
    { ...server.testDatabase, close: async () => undefined },
    { config: { CRON_TOKEN: 'the token of the tick' } },
  );
  const headers = { 'x-cron-token': 'the token of the tick' };
  const ticks = await Promise.all(
    [server, node, server, node].map((each) => each.call('POST', '/api/cron/tick', { key: null, headers })),
  );
  assert.deepEqual(
    ticks.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  assert.equal(await world.runJobs(node), size);
  await world.pass(720);
  assert.equal(await world.tick(), size);
  const steps = await server.testDatabase.ownerQuery(
    `select node_id as node, count(*)::int as steps, count(distinct enrollment_id)::int as enrollments
       from arbiter.journey_steps where journey_id = $1 group by node_id order by min(visit)`,
    [journeyId],
  );
  assert.deepEqual(
    steps,
    ['start', 'day', 'night', 'end'].map((id) => ({ node: id, steps: size, enrollments: size })),
  );
  const { body } = await server.call('GET', `/api/v1/journeys/${journeyId}/stats`);
  assert.deepEqual([body.completed, body.active], [size, 0]);
});
