import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { createCaller, must } from '../faults/api.ts';
import { createInstallation, type Installation, type ServerProcess } from '../faults/server-process.ts';
import { sized } from '../form.ts';

// A bank's desk that knows only the contract, against a server that decides on the workers, and replays of what it decided.

const client = join(import.meta.dirname, '../../../shared/acceptance/bank.mjs');
const customers = sized('CITUS_BANK_CUSTOMERS', { short: 5_000, long: 45_211 });
const decisions = sized('CITUS_BANK_DECISIONS', { short: 500, long: 3_000 });
/** The client replays some itself, and the API allows 300 a minute. distribute.citus.ts replays more. */
const replays = 100;
const skip = existsSync(client) ? false : `there is no ${client}`;

let database: TestDatabase;
let installation: Installation;
let server: ServerProcess;
before(async () => {
  if (skip !== false) return;
  database = await createTestDatabase();
  const nodes = await database.ownerQuery<{ node: string }>(
    `select nodename || ':' || nodeport as node from pg_dist_node where groupid > 0`,
  );
  const environment = { DATABASE_URL: database.url, DATABASE_WORKERS: nodes.map(({ node }) => node).join(',') };
  installation = await createInstallation(environment, ['Bank']);
  server = await installation.start();
});
after(async () => {
  await installation?.stopAll();
  await database?.close();
});

/** Runs the client. Resolves with its exit code and output. */
function runClient(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [client, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

test("a bank's client accepts a server on a cluster", { skip }, async (t) => {
  const { key } = installation.tenants[0]!;
  const { code, output } = await runClient(server.url, key, '-', String(decisions), String(customers));
  t.diagnostic(output.trim());
  assert.equal(code, 0, output);
});

test('a first start on a cluster loads the demo, which decides and answers', async (t) => {
  const empty = await createTestDatabase();
  const demo = await createInstallation({ DATABASE_URL: empty.url }, []);
  t.after(async () => {
    await demo.stopAll();
    await empty.close();
  });
  const { url } = await demo.start();
  const { apiKey } = JSON.parse(await readFile(join(demo.folder, 'data', 'first-run.json'), 'utf8'));
  const call = createCaller(() => url, apiKey);
  const decided = await must(call('POST', '/v1/recommend', { customerId: 'CM-000001', channel: 'email' }));
  assert.ok(Array.isArray(decided.decisions) && decided.decisions.length > 0);
  const response = { recommendationId: decided.recommendationId, rank: 1, outcome: 'redeem', conversionValue: 4.2 };
  await must(call('POST', '/v1/respond', response));
  const { identical } = await must(call('POST', `/v1/decisions/${String(decided.recommendationId)}/replay`, {}));
  assert.equal(identical, true);
});

test('decisions on a cluster replay', { skip }, async () => {
  const rows = await database.ownerQuery<{ id: string }>(
    'select id from arbiter.decisions order by md5(id::text) limit $1',
    [replays],
  );
  assert.equal(rows.length, replays);
  const call = createCaller(() => server.url, installation.tenants[0]!.key);
  for (const { id } of rows) {
    const { identical } = await must(call('POST', `/v1/decisions/${id}/replay`, {}));
    assert.equal(identical, true, id);
  }
});
