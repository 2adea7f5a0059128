import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DecisionRecord, RecommendAnswer } from '@arbiter/contract';
import type { Actor, TransactionOptions, Tx } from '../../../db/index.ts';
import { isAnyoneWaiting } from '../../../db/test-database.ts';
import { testLoadPorts } from '../../../main/test-server.ts';
import { createFolderArchive } from '../../../platform/archive/archive-files.ts';
import { openParquet } from '../../../platform/archive/parquet-file.ts';
import { archivedMonthsFeature, createArchive } from '../../deciding/archived-months/index.ts';
import { createSeal } from '../../deciding/sealed-records/index.ts';
import { archiveMonths } from './archive.service.ts';
import { restorePart, startRestore } from './restore.service.ts';
import { type ArchiveWorld, startArchiveWorld } from './test-archive.ts';

let world: ArchiveWorld;
const person = 'canary-Zoë "7"-xkcd';
const other = 'somebody else';
const plain = ['canary', 'xkcd', 'Attribute of', 'Context of', 'Answer of', 'Told of', '4711.25'];

async function plant(customerId: string): Promise<RecommendAnswer> {
  const about = { attributes: { note: `Attribute of ${customerId}` }, context: { page: `Context of ${customerId}` } };
  const answer = await world.decide(customerId, about);
  const response = { recommendationId: answer.recommendationId, rank: 1, outcome: 'convert', conversionValue: 4711.25 };
  const { status, text } = await world.server.call('POST', '/api/v1/respond', {
    body: {
      ...response,
      context: { page: `Answer of ${customerId}` },
      attributes: { note: `Told of ${customerId}` },
    },
  });
  assert.equal(status, 200, text);
  return answer;
}

const erase = async (customerId: string, scope: string) => {
  const { status, text } = await world.server.call(
    'DELETE',
    `/api/v1/customers/${encodeURIComponent(customerId)}/data?scope=${scope}`,
    { headers: { 'x-confirm-delete': Buffer.from(customerId).toString('latin1') } },
  );
  assert.equal(status, 200, text);
};

/** All values of all files as text, and their bytes. */
async function contents(): Promise<string> {
  const texts: string[] = [];
  for (const bytes of (await world.files()).values()) {
    texts.push(bytes.toString('latin1'), bytes.toString('utf8'));
    const file = await openParquet({ byteLength: bytes.length, read: async (a, b) => bytes.subarray(a, b) });
    for (let group = 0; group < file.groups; group += 1) {
      const rows = await file.group(group);
      texts.push(
        JSON.stringify(rows, (_key, value: unknown) => {
          if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
          return typeof value === 'bigint' ? String(value) : value;
        }),
      );
    }
  }
  return texts.join('\n');
}

const read = async (id: string | null) => {
  const { status, body, text } = await world.server.call<DecisionRecord>('GET', `/api/v1/decisions/${id}`);
  assert.equal(status, 200, text);
  return body;
};

async function restoreAll(): Promise<void> {
  for (const { id, state } of await world.archives()) {
    if (state !== 'archived') continue;
    const { status, text } = await world.server.call('POST', `/api/v1/admin/archives/${id}/restore`, { body: {} });
    assert.equal(status, 202, text);
    await world.run('archive.restore', { archiveId: id });
  }
}

const historyOf = async (customerId: string): Promise<number> => {
  const [row] = await world.server.testDatabase.ownerQuery<{ n: number }>(
    'select count(*)::int as n from arbiter.interaction_history where customer_id = $1',
    [customerId],
  );
  return row?.n ?? 0;
};

/** Resolves once the work is done, or has to wait for another transaction. */
async function stopped(work: Promise<void>): Promise<void> {
  let isDone = false;
  const end = work.finally(() => {
    isDone = true;
  });
  const waiting = async (): Promise<void> => {
    while (!isDone) {
      if (await isAnyoneWaiting(world.server.testDatabase)) return;
    }
  };
  await Promise.race([end, waiting()]);
}

let mine: RecommendAnswer;
let others: RecommendAnswer;

before(async () => {
  world = await startArchiveWorld();
  mine = await plant(person);
  others = await plant(other);
  await plant('keeps records');
  await world.publish();
  world.ahead();
  await world.run('history.archive');
});
after(() => world?.close());

test('files identify no customer and hold no plain value of one', async () => {
  const text = await contents();
  for (const value of [...plain, other, 'keeps records']) assert.ok(!text.includes(value), value);
  assert.ok(text.includes('convert'), 'files are searched');
  assert.equal((await read(mine.recommendationId)).customerId, person);
});

test('erasing a customer leaves none of their data readable', async () => {
  await erase(person, 'everything');
  const record = await read(mine.recommendationId);
  assert.deepEqual(
    [record.customerId, record.inputsState, record.result, record.resultHash],
    [null, 'erased', null, null],
  );
  const replay = await world.server.call('POST', `/api/v1/decisions/${mine.recommendationId}/replay`, { body: {} });
  assert.equal(replay.body.code, 'inputs_unavailable');
  assert.equal((await read(others.recommendationId)).customerId, other);
});

test('erasing only history leaves the decision and its replay', async () => {
  await erase('keeps records', 'interactions');
  const { data } = (await world.server.call<{ data: unknown[] }>('GET', '/api/v1/decisions')).body;
  assert.equal(data.length, 0);
  await restoreAll();
  assert.deepEqual(await Promise.all([person, other, 'keeps records'].map(historyOf)), [0, 3, 0]);
  const list = await world.server.call<{ data: { customerId: string | null }[] }>('GET', '/api/v1/decisions');
  assert.deepEqual(
    list.body.data.map(({ customerId }) => customerId),
    ['keeps records', other, null],
  );
  const [{ hash } = { hash: null }] = await world.server.testDatabase.ownerQuery<{ hash: Buffer }>(
    'select result_hash as hash from arbiter.decisions where id = $1',
    [mine.recommendationId],
  );
  assert.equal(hash?.length, 0, 'a restored decision of an erased customer has no hash of its result');
});

test('an erasure while a file is written leaves none of its rows in it', async () => {
  await world.server.testDatabase.ownerQuery(`update arbiter.archived_parts set state = 'removing'`);
  let erasures = 0;
  const { database } = world.server;
  const files = createFolderArchive(world.folder);
  const archive = createArchive({
    ...files,
    async write(path, bytes) {
      await files.write(path, bytes);
      // The file of history is on the disk, and its part isn't sealed yet.
      if (erasures > 0 || !path.includes('/interactions/')) return;
      erasures += 1;
      await erase(other, 'interactions');
    },
  });
  const ports = {
    database,
    archive,
    customerKeys: testLoadPorts.keys,
    seal: createSeal(),
    onArchived: () => undefined,
  };
  const tenantId = world.server.tenants[0].id;
  await archiveMonths({ ...ports, archiveAfterDays: 1 }, tenantId, new AbortController().signal);
  assert.equal(erasures, 1);
  const archives = await world.archives();
  assert.ok(archives.every(({ kind, rows }) => kind !== 'interactions' || rows === 0));
  assert.equal((await world.files()).size, archives.length);
  await restoreAll();
  assert.equal(await historyOf(other), 0);
});

test('an erasure during a restore leaves none of its rows in the database', async () => {
  const customerId = 'comes back';
  world.ahead(0);
  await plant(customerId);
  await world.publish();
  world.ahead();
  await world.run('history.archive');
  assert.equal(await historyOf(customerId), 0);
  let erasure: Promise<void> | null = null;
  const { database } = world.server;
  /** Erases the customer once the restore has read whose rows they are, and before it puts them back. */
  const erasing = (tx: Tx): Tx => ({
    ...tx,
    async query<Row>(text: string, values?: readonly unknown[]) {
      if (text.startsWith('insert into interactions')) {
        erasure ??= erase(customerId, 'everything');
        await stopped(erasure);
      }
      return tx.query<Row>(text, values);
    },
  });
  const ports = {
    archive: createArchive(createFolderArchive(world.folder)),
    ...{ archiveAfterDays: 1, customerKeys: testLoadPorts.keys, seal: createSeal(), onArchived: () => undefined },
    database: {
      ...database,
      withTenant: <T>(tenantId: string, actor: Actor, work: (tx: Tx) => Promise<T>, options?: TransactionOptions) =>
        database.withTenant(tenantId, actor, (tx) => work(erasing(tx)), options),
    },
  };
  for (const { id } of await world.archives('?kind=interactions')) {
    await world.within((tx) => startRestore(tx, ports.archive, id));
    await restorePart(ports, world.server.tenants[0].id, id, new AbortController().signal);
  }
  assert.ok(erasure, 'rows were put back');
  await erasure;
  assert.equal(await historyOf(customerId), 0);
});

test('files of a tenant that is reset while they are written are deleted', async () => {
  await world.server.testDatabase.ownerQuery(`update arbiter.archived_parts set state = 'removing'`);
  const archive = createArchive(createFolderArchive(world.folder));
  const ports = {
    database: world.server.database,
    archive: {
      ...archive,
      async open(...part: Parameters<typeof archive.open>) {
        await world.within(async (tx) => archivedMonthsFeature.resets.clear?.(tx));
        return archive.open(...part);
      },
    },
    ...{ archiveAfterDays: 1, customerKeys: testLoadPorts.keys, seal: createSeal(), onArchived: () => undefined },
  };
  await archiveMonths(ports, world.server.tenants[0].id, new AbortController().signal);
  assert.deepEqual([await world.archives(), (await world.files()).size], [[], 0]);
});
