// Archives ARCHIVE_DECISIONS decisions (default 1,000,000) of one month, a quarter of them with what they showed and a
// twentieth with a response, and proves what docs/guides/archive.md says: the same records, replays and figures, nothing of an erased customer
// in any file. Prints seconds, bytes and memory. Run by hand: `node test/load/archive-million.ts`.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecommendAnswer } from '@arbiter/contract';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { createArchive } from '../../packages/server/src/features/deciding/archived-months/index.ts';
import { decisionNamed } from '../../packages/server/src/features/deciding/decisions/index.ts';
import { replayRecord } from '../../packages/server/src/features/deciding/sealed-records/index.ts';
import { startTestServer, testLoadPorts } from '../../packages/server/src/main/test-server.ts';
import { createFolderArchive } from '../../packages/server/src/platform/archive/archive-files.ts';
import { openParquet } from '../../packages/server/src/platform/archive/parquet-file.ts';
import { idAt } from '../../packages/server/src/platform/ids.ts';
import { closedMonth, copyIntoMonth } from './old-month.ts';

const wanted = Number(process.env.ARCHIVE_DECISIONS ?? 1_000_000);
const customers = Math.max(50, wanted / 200);
const originals = 500;
const sample = Math.min(1_000, wanted);
const dayMs = 86_400_000;
const started = performance.now();
const say = (text: string) =>
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(7)} s  ${text}`);
const mb = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MB`;

const folder = await mkdtemp(join(tmpdir(), 'arbiter-archive-'));
const server = await startTestServer({ config: { ARCHIVE_URL: { folder } }, checkResponses: false });
const tenantId = server.tenants[0].id;
const sql = server.testDatabase.ownerQuery;
const signal = new AbortController().signal;
const get = async <T = Record<string, unknown>>(path: string): Promise<T> => {
  const { status, body, text } = await server.call<T>('GET', path);
  assert.equal(status, 200, text);
  return body;
};

const month = closedMonth();

try {
  const email = await server.create('channels', { name: 'Email', channelType: 'email' });
  for (let number = 1; number <= 20; number += 1) {
    const offerId = await server.create('offers', { name: `Offer ${number}`, status: 'active', priority: number });
    await server.create('creatives', { name: `C ${number}`, offerId, channelId: email, status: 'active' });
  }
  for (let number = 0; number < originals; number += 1) {
    const customerId = `customer-${number % customers}`;
    const about = { attributes: { plan: 'gold', tenure: number }, context: { page: `page of ${customerId}` } };
    const { status, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
      body: { customerId, channel: 'email', limit: 3, ...about },
    });
    assert.equal(status, 200, text);
  }
  say(`${originals} decisions made`);
  await copyIntoMonth(server, month, wanted);
  say(`copied into ${wanted} decisions of ${month.toISOString().slice(0, 7)}`);
  await sql('analyze');

  const ids = (
    await sql<{ id: string }>(
      'select id from arbiter.decisions where tenant_id = $1 and id < $2 order by random() limit $3',
      [tenantId, idAt(month.getTime() + 31 * dayMs), sample],
    )
  ).map(({ id }) => id);
  const reports = async () => [
    (await get<{ rows: unknown }>('/api/v1/dashboard-data?type=selection_frequency&days=200&limit=50')).rows,
    (await get('/api/v1/customers/customer-1/summaries')).data,
  ];
  const before = await reports();
  const shown = await Promise.all(ids.slice(0, 50).map((id) => get(`/api/v1/decisions/${id}`)));
  say('read before archiving');
  const restBytes = process.memoryUsage().rss;
  let peak = restBytes;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 50);
  const cpu = process.cpuUsage();
  const archiving = performance.now();
  await server.jobs.get('history.archive')?.run({}, { jobId: '1', attempt: 1, dueAt: null, signal }, tenantId);
  clearInterval(watch);
  const seconds = (performance.now() - archiving) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  say(
    `archived in ${seconds.toFixed(0)} s, ${((user + system) / 1e6).toFixed(0)} s of processor time here; memory ${mb(restBytes)} before, ${mb(peak)} at most`,
  );
  const left = await sql<{ n: number }>('select count(*)::int as n from arbiter.decisions where id < $1', [
    idAt(month.getTime() + 31 * dayMs),
  ]);
  assert.equal(left[0]?.n, 0);
  const { data } = await get<{ data: { kind: string; rows: number; bytes: number }[] }>('/api/v1/admin/archives');
  for (const [kind, files = []] of Object.entries(Object.groupBy(data, (file) => file.kind))) {
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    say(`${kind}: ${files.length} files, ${rows} rows, ${mb(files.reduce((sum, file) => sum + file.bytes, 0))}`);
  }
  assert.deepEqual(await reports(), before);
  say('report and summaries equal');
  for (const [index, id] of ids.slice(0, 50).entries()) {
    assert.deepEqual(await get(`/api/v1/decisions/${id}`), shown[index]);
  }
  const archive = createArchive(createFolderArchive(folder));
  const ports = { keys: testLoadPorts.keys, archive, decisionNamed };
  const replaying = performance.now();
  for (const id of ids) {
    const { identical } = await server.database.withTenant(tenantId, systemActor('bench'), (tx) =>
      replayRecord(tx, ports, id),
    );
    assert.ok(identical, id);
  }
  say(`${ids.length} replays identical, ${((performance.now() - replaying) / ids.length).toFixed(1)} ms each`);
  const erased = 'customer-7';
  const erasing = await server.call('DELETE', `/api/v1/customers/${erased}/data?scope=everything`, {
    headers: { 'x-confirm-delete': erased },
  });
  assert.equal(erasing.status, 200, erasing.text);
  say(`searched ${await search([erased, `page of ${erased}`, 'page of', 'tenure'])} rows: no name and no plain value`);
} finally {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}

/** Searches the bytes of all files and all values in them. Returns the number of rows. */
async function search(texts: readonly string[]): Promise<number> {
  let rows = 0;
  const found = await readdir(folder, { recursive: true });
  for (const name of found) {
    const path = join(folder, name);
    if (!(await stat(path)).isFile()) continue;
    const bytes = await readFile(path);
    for (const text of texts) assert.ok(!bytes.includes(text), `${name} holds ${text}`);
    const file = await openParquet({ byteLength: bytes.length, read: async (a, b) => bytes.subarray(a, b) });
    rows += file.rows;
    for (let group = 0; group < file.groups; group += 1) {
      const values = (await file.group(group)).flatMap((row) => Object.values(row));
      const buffers = values.filter((value) => value instanceof Uint8Array);
      const others = JSON.stringify(values, (_key, value: unknown) =>
        value instanceof Uint8Array || typeof value === 'bigint' ? null : value,
      );
      for (const text of texts) {
        assert.ok(!others.includes(text), `${name} holds ${text}`);
        assert.ok(!Buffer.concat(buffers).includes(text), `${name} holds ${text}`);
      }
    }
  }
  return rows;
}
