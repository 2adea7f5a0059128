// Runs in one of 2 turns: each kills one kind of long work, and kill, cap-kill and keyed-work-kill run in each.

// R2 for the import of history: the server is killed in the middle of a file, and the file is sent to another server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportAnswer } from '../../packages/contract/src/index.ts';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { assertInTime } from '../deadline.ts';
import { createPatientCaller } from './api.ts';
import { loadCatalogue } from './catalogue.ts';
import { createInstallation, type Installation, type ServerProcess } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

const lines = Number(process.env.IMPORT_LINES ?? 20_000);
const customers = 500;
const patienceMs = 120_000;

let db: TestDatabase;
let installation: Installation;
let servers: readonly [ServerProcess, ServerProcess];
let file: string;

before(async () => {
  db = await createTestDatabase();
  installation = await createInstallation({ DATABASE_URL: db.url }, ['Imported']);
  servers = [await installation.start(), await installation.start()];
  const call = createPatientCaller(() => servers[0].url, installation.tenants[0]!.key);
  const { offers: offerIds } = await loadCatalogue(call, { offers: 12, cap: 10 });
  const outcomes = ['impression', 'click', 'convert', 'dismiss'];
  file = Array.from({ length: lines }, (_, i) =>
    JSON.stringify({
      key: `line-${i}`,
      customerId: `I-${i % customers}`,
      outcome: outcomes[i % 4],
      offerId: offerIds[i % offerIds.length],
      timestamp: new Date(Date.UTC(2020, 0, 1) + i * 60_000).toISOString(),
      conversionValue: i % 4 === 2 ? 10 : undefined,
    }),
  ).join('\n');
});
after(async () => {
  await installation?.stopAll();
  await db?.close();
});

async function send(server: ServerProcess) {
  const answer = await fetch(`${server.url}/api/v1/interactions/import`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${installation.tenants[0]!.key}`,
      'content-type': 'application/x-ndjson',
      'x-requested-with': 'test',
    },
    body: file,
  });
  const body = (await answer.json()) as ImportAnswer;
  assert.equal(answer.status, 200, JSON.stringify(body));
  return body;
}

const imported = async (): Promise<number> => {
  const [row] = await db.ownerQuery<{ n: number }>('select count(*)::int as n from arbiter.import_keys');
  return row!.n;
};

test('another server finishes a file interrupted with its server, and counts no line twice', async (t) => {
  const broken = send(servers[0]).then(
    () => 'answered',
    () => 'broken',
  );
  const elapsed = stopwatch();
  while ((await imported()) === 0) {
    assertInTime(elapsed() < patienceMs, 'nothing was imported');
    await sleep(5);
  }
  servers[0].kill('SIGKILL');
  await servers[0].ended;
  assert.equal(await broken, 'broken');
  const before = await imported();
  assert.ok(before > 0 && before < lines && before % 1_000 === 0, `${before} of ${lines} lines, in whole batches`);
  // Wait until the lease of the killed server expires.
  const again = await send(servers[1]);
  assert.deepEqual([again.imported + again.duplicates, again.rejected], [lines, 0], JSON.stringify(again.errors));
  assert.ok(again.imported <= lines - before, 'what was committed is not imported again');
  const took = stopwatch();
  const third = await send(servers[1]);
  t.diagnostic(`${Math.round((lines * 1_000) / took())} lines/s of a repeat`);
  assert.deepEqual([third.imported, third.duplicates], [0, lines]);
  const [history] = await db.ownerQuery<Record<string, number>>(
    `select count(*)::int as rows, count(distinct (customer_id, customer_seq))::int as numbers,
       count(distinct occurred_at)::int as events, count(*) filter (where interaction_type = 'impression')::int as impressions
     from arbiter.interactions`,
  );
  assert.deepEqual(history, { rows: lines, numbers: lines, events: lines, impressions: lines / 4 });
  const [evidence] = await db.ownerQuery<Record<string, number>>(
    'select sum(positives)::int as positives, sum(negatives)::int as negatives from arbiter.evidence_changes',
  );
  assert.deepEqual(evidence, { positives: lines / 2, negatives: lines / 4 });
  const [states] = await db.ownerQuery<{ sum: number }>(
    'select sum(customer_seq)::int as sum from arbiter.customer_states',
  );
  assert.equal(states?.sum, lines);
  const [audit] = await db.ownerQuery<{ told: number }>(
    `select sum((after ->> 'imported')::int)::int as told from arbiter.audit_logs where action = 'import'`,
  );
  assert.equal(audit?.told, lines, 'the audit log tells of each line once');
});
