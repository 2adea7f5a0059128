import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database } from '../../../db/index.ts';
import { testLoadPorts } from '../../../main/test-server.ts';
import { createFolderArchive } from '../../../platform/archive/archive-files.ts';
import { createArchive } from '../../deciding/archived-months/index.ts';
import { createSeal } from '../../deciding/sealed-records/index.ts';
import { archiveMonths } from './archive.service.ts';
import { restorePart, startRestore } from './restore.service.ts';
import { type ArchiveWorld, startArchiveWorld } from './test-archive.ts';

let world: ArchiveWorld;
const decisions: string[] = [];
const signal = new AbortController().signal;

before(async () => {
  world = await startArchiveWorld();
  for (const customerId of ['C-1', 'C-2', 'C-1']) {
    const answer = await world.decide(customerId);
    decisions.push(String(answer.recommendationId));
    await world.server.call('POST', '/api/v1/respond', {
      body: { recommendationId: answer.recommendationId, rank: 1, outcome: 'click' },
    });
  }
  await world.publish();
  world.ahead();
});
after(() => world?.close());

class Killed extends Error {}

/** A database that fails at transaction number `at`, or right after it. */
function dyingAt(at: number, when: 'before' | 'after'): Pick<Database, 'withTenant' | 'withSystem'> & Database {
  const { database } = world.server;
  let number = 0;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    number += 1;
    if (number > at || (number === at && when === 'before')) throw new Killed();
    const result = await work();
    if (number === at) throw new Killed();
    return result;
  };
  return {
    ...database,
    withTenant: (tenantId, actor, work, options) => step(() => database.withTenant(tenantId, actor, work, options)),
    // A dead process keeps its lease, and the next one would wait for it. This test doesn't wait.
    withSystem: (reason, work, options) => database.withSystem(reason, work, options),
  };
}

const portsWith = (database: Database) => ({
  database,
  archive: createArchive(createFolderArchive(world.folder)),
  archiveAfterDays: 1,
  customerKeys: testLoadPorts.keys,
  seal: createSeal(),
  onArchived: () => undefined,
});

async function readings() {
  const get = async (path: string) => {
    const { status, body, text } = await world.server.call('GET', path);
    assert.equal(status, 200, text);
    return body;
  };
  const records = await Promise.all(decisions.slice(0, 1).map((id) => get(`/api/v1/decisions/${id}`)));
  const selections = await get('/api/v1/dashboard-data?type=selection_frequency&days=90');
  const summaries = await get('/api/v1/customers/C-1/summaries');
  return { records, selections, summaries };
}

/** Runs `work` until it completes, and kills it at each transaction. Returns how often it died. */
async function dyingEverywhere(
  work: (database: Database) => Promise<unknown>,
  afterDeath: () => Promise<void>,
): Promise<number> {
  let deaths = 0;
  for (let at = 1; ; at += 1) {
    for (const when of ['before', 'after'] as const) {
      try {
        await work(dyingAt(at, when));
        if (when === 'before') return deaths;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        deaths += 1;
      }
      await afterDeath();
    }
  }
}

test('loses and duplicates nothing when archiving dies at any step', async () => {
  const tenantId = world.server.tenants[0].id;
  const before = await readings();
  const undo = async () => {
    for (const { id, state } of await world.archives()) {
      if (state !== 'archived') continue;
      // Not over HTTP, which limits how often.
      await world.within((tx) => startRestore(tx, portsWith(world.server.database).archive, id));
      await world.run('archive.restore', { archiveId: id });
    }
    await world.server.testDatabase.ownerQuery(`update arbiter.archived_parts set state = 'removing'`);
  };
  const deaths = await dyingEverywhere(
    (database) => archiveMonths(portsWith(database), tenantId, signal),
    async () => {
      assert.deepEqual(await readings(), before);
      await archiveMonths(portsWith(world.server.database), tenantId, signal);
      assert.deepEqual(await readings(), before);
      assert.deepEqual(
        await Promise.all(['decisions', 'interactions', 'decision_impressions'].map(world.count)),
        [0, 0, 0],
      );
      assert.equal((await world.files()).size, 3, 'no unfinished file is left');
      await undo();
    },
  );
  assert.ok(deaths > 30, `${deaths}`);
});

test('loses and duplicates nothing when a restore dies at any step', async () => {
  const tenantId = world.server.tenants[0].id;
  const before = await readings();
  for (const { id } of await world.archives()) {
    const started = await world.server.call('POST', `/api/v1/admin/archives/${id}/restore`, { body: {} });
    assert.equal(started.status, 202, started.text);
    const deaths = await dyingEverywhere(
      (database) => restorePart(portsWith(database), tenantId, id, signal),
      async () => assert.deepEqual(await readings(), before),
    );
    assert.ok(deaths > 3);
  }
  assert.equal(await world.count('decisions'), decisions.length);
  assert.equal(await world.count('interaction_summaries'), 0);
});

test('an archiver that stops for longer than its lease loses nothing to the one that took over', async () => {
  await world.server.testDatabase.ownerQuery(`update arbiter.archived_parts set state = 'removing'`);
  const before = await readings();
  const ports = portsWith(world.server.database);
  let takeovers = 0;
  const open: typeof ports.archive.open = async (...part) => {
    const file = await ports.archive.open(...part);
    takeovers += 1;
    await world.server.testDatabase.ownerQuery('delete from arbiter.leases');
    await archiveMonths(ports, world.server.tenants[0].id, signal);
    return file;
  };
  await archiveMonths({ ...ports, archive: { ...ports.archive, open } }, world.server.tenants[0].id, signal);
  assert.equal(takeovers, 1);
  assert.deepEqual(
    (await world.archives()).map(({ kind, state, excluded }) => [kind, state, excluded]),
    ['decisions', 'impressions', 'interactions'].map((kind) => [kind, 'archived', 0]),
  );
  assert.deepEqual(await readings(), before);
});
