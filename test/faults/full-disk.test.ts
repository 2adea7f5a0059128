// Runs in one of 2 turns: caps, acknowledged writes and keys are tested in each (cap-*, kill, database, keyed-work-kill).

// R8: exports, mail files and spooled files on a full disk. Nothing is lost or duplicated, no partial file counts as
// complete, the error is reported, and work continues once there is space. Runs in a process of its own: spooled files
// go where TMPDIR says.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ExportAnswer, InteractionRow } from '../../packages/contract/src/index.ts';
import { findPack } from '../../packages/packs/src/index.ts';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { loadPack } from '../../packages/server/src/features/operations/seed-packs/index.ts';
import { startTestServer, type TestServer, testLoadPorts } from '../../packages/server/src/main/test-server.ts';
import { idAt } from '../../packages/server/src/platform/ids.ts';

const secret = 'a secret of the scheduler';
const diskKib = 1_024;

const disk = mkdtempSync(join(tmpdir(), 'arbiter-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskKib}k`, 'tmpfs', disk], { encoding: 'utf8' });
const skip = mounted.status === 0 ? false : `no small disk could be mounted: ${mounted.stderr || mounted.error}`;

let server: TestServer;
let tenantId: string;
before(async () => {
  if (skip !== false) return;
  server = await startTestServer({
    tenants: 2,
    config: { CRON_SECRET: secret, EXPORT_DIR: join(disk, 'exports'), MAIL_OUTBOX_DIR: join(disk, 'outbox') },
  });
  tenantId = server.tenants[0].id;
});
after(async () => {
  await server?.close();
  if (skip === false) spawnSync('umount', [disk]);
  rmSync(disk, { recursive: true, force: true });
});

const filler = join(disk, 'filler');
/** Fills the disk except for this many bytes. */
function fill(leftBytes: number): void {
  const left = Number(spawnSync('df', ['--output=avail', '-B1', disk], { encoding: 'utf8' }).stdout.split('\n')[1]);
  writeFileSync(filler, Buffer.alloc(Math.max(0, left - leftBytes)));
}
const makeRoom = (): void => rmSync(filler, { force: true });

const filesBelow = (folder: string): string[] =>
  readdirSync(disk, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && join(entry.parentPath, entry.name).startsWith(join(disk, folder)))
    .map((entry) => join(entry.parentPath, entry.name));

/** Adds history rows by responses. */
async function respond(count: number, tenant: string): Promise<string[]> {
  const now = Date.now();
  const ids = Array.from({ length: count }, () => idAt(now));
  await server.testDatabase.ownerQuery(
    `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
       is_conversion, occurred_at, created_at)
     select $1, u.id, 'C-1', 'response', 'click', 'positive', 'inbound', false, $3, $3 from unnest($2::uuid[]) as u(id)`,
    [tenant, ids, new Date(now)],
  );
  return ids;
}

async function exportAll(): Promise<ExportAnswer> {
  const answer = await server.call<ExportAnswer>('GET', '/api/v1/cron/export-interactions', {
    key: null,
    headers: { 'x-cron-secret': secret },
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** Returns the ids of all lines in a tenant's files. Each line is complete. */
const exportedIds = (tenant: string): string[] =>
  filesBelow(join('exports', tenant)).flatMap((path) => {
    assert.match(path, /batch-\d+\.json$/, 'no part of a file lies about');
    const text = readFileSync(path, 'utf8');
    assert.ok(text.endsWith('\n'));
    return text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as InteractionRow).id);
  });

test('an export: reports its code, leaves no final file, continues with other tenants, and completes once there is room', {
  skip,
}, async () => {
  const other = server.tenants[1]!.id;
  const [ids, others] = [await respond(1_000, tenantId), await respond(20, other)];
  fill(64 * 1024);
  for (let tries = 0; tries < 2; tries += 1) {
    const { ok, tenants } = await exportAll();
    const mine = tenants.find((each) => each.tenantId === tenantId)!;
    assert.deepEqual([ok, mine.exported, mine.filePath, mine.error], [false, 0, null, 'ENOSPC']);
    assert.deepEqual(exportedIds(tenantId), []);
  }
  assert.deepEqual(exportedIds(other).sort(), others.sort());
  const job = server.jobs.get('export.write')!;
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  await assert.rejects(job.run({}, facts, tenantId), { code: 'ENOSPC' }, 'the job fails: log, metric, dead letter');
  const later = await respond(10, tenantId);
  makeRoom();
  await job.run({}, facts, tenantId);
  await job.run({}, facts, tenantId);
  assert.deepEqual(exportedIds(tenantId).sort(), [...ids, ...later].sort());
  assert.equal((await exportAll()).totalExported, 0);
});

test('an email to a file: the destination fails, leaves no partial email, and writes the next one completely', {
  skip,
}, async () => {
  rmSync(join(disk, 'exports'), { recursive: true, force: true });
  const { body: provider, text } = await server.call<{ id: string }>('POST', '/api/v1/notifications/providers', {
    body: { kind: 'ops_email', name: 'Ops', config: { toEmails: ['ops@example.com'] } },
  });
  const send = () =>
    server.call<{ results: { ok: boolean; error?: string }[] }>('POST', '/api/v1/notifications/send', {
      body: { providerIds: [provider.id], notification: { title: 'Hello', message: 'World '.repeat(600) } },
    });
  assert.equal((await send()).status, 200, text);
  const [whole] = filesBelow('outbox');
  fill(0);
  const failed = await send();
  assert.equal(failed.status, 502, failed.text);
  assert.match(failed.body.results[0]!.error!, /1 of 1 addresses was rejected/);
  assert.deepEqual(filesBelow('outbox'), [whole]);
  makeRoom();
  assert.equal((await send()).status, 200);
  const mails = filesBelow('outbox');
  assert.equal(mails.length, 2);
  assert.ok(mails.every((path) => statSync(path).size > 600));
});

test('an uploaded file: 503 that says why and when, keeps the rows, and is accepted afterwards', {
  skip,
}, async (t) => {
  const pack = findPack('coffee_rewards');
  assert.ok(pack);
  await server.database.withTenant(tenantId, systemActor('test'), (tx) => loadPack(tx, pack, testLoadPorts), {
    statementTimeoutMs: 60_000,
  });
  const address = await server.app.listen({ port: 0, host: '127.0.0.1' });
  const own = process.env.TMPDIR;
  t.after(() => {
    if (own === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = own;
  });
  process.env.TMPDIR = disk;
  const rows = Array.from({ length: 4_000 }, (_, at) => `CM-${String(at).padStart(6, '0')},Name ${at},40`);
  const upload = async () => {
    const form = new FormData();
    form.append('schema', 'coffee_members');
    form.append('file', new Blob([['member_id,first_name,age', ...rows].join('\n')], { type: 'text/csv' }), 'm.csv');
    const answer = await fetch(`${address}/api/v1/seed-dataset/coffee_rewards/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.tenants[0].keys.admin}`, 'x-requested-with': 'test' },
      body: form,
    });
    return { answer, body: (await answer.json()) as { code?: string; detail?: string; rowsInserted?: number } };
  };
  const members = async () => {
    const [row] = await server.testDatabase.ownerQuery<{ n: number }>(
      `select count(*)::int as n from t_${tenantId.replaceAll('-', '')}.ds_coffee_members`,
    );
    return row!.n;
  };
  fill(16 * 1024);
  const { answer, body } = await upload();
  assert.deepEqual([answer.status, body.code], [503, 'unavailable'], JSON.stringify(body));
  assert.match(body.detail!, /no disk space/);
  assert.equal(answer.headers.get('retry-after'), '60');
  assert.equal(await members(), 1_000);
  assert.deepEqual(
    readdirSync(disk).filter((name) => name.endsWith('.spool')),
    [],
  );
  makeRoom();
  assert.equal((await upload()).body.rowsInserted, 4_000);
  assert.equal(await members(), 4_000);
});
