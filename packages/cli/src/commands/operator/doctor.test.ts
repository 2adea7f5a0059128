import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { run } from '../../run.ts';

// A fake server returns prepared responses; the server's own tests cover what the checks find.

const ready = {
  status: 'ready',
  checks: { database: 'ok', migrations: 'ok', role: 'ok', queueConsumer: 'ok', scheduler: 'off' },
};
const rls = {
  summary: { totalTables: 3, rlsEnabled: 3, rlsForced: 3, withPolicy: 3, missingRLS: [] as string[] },
  tables: [],
};
const letters = { totalEvents: 0, byTopic: {}, events: [], alert: 'OK' };
const chain = {
  intact: true,
  verified: 7,
  total: 7,
  scanned: 7,
  fromSequence: 1,
  nextSequence: null,
  checkpoint: null,
};

async function doctor(answers: Readonly<Record<string, unknown>> = {}, args: readonly string[] = []) {
  const all: Readonly<Record<string, unknown>> = {
    '/api/v1/health': { status: 'ok', version: '1.2.3', uptimeSeconds: 5 },
    '/api/v1/ready': ready,
    '/api/v1/admin/rls': { ...rls, timestamp: new Date().toISOString() },
    '/api/v1/admin/dlq': letters,
    '/api/v1/audit-logs/verify': chain,
    ...answers,
  };
  const server = createServer((request, response) => {
    const answer = all[String(request.url).split('?')[0]!];
    response.writeHead(answer === ready || Object(answer).status !== 'not_ready' ? 200 : 503, {
      'content-type': 'application/json',
    });
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const out: string[] = [];
  const code = await run(['doctor', ...args], {
    environment: { ARBITER_URL: url, ARBITER_API_KEY: 'krn_test', XDG_CONFIG_HOME: '/nowhere' },
    print: (line) => out.push(line),
    warn: (line) => out.push(line),
  });
  await new Promise((resolve) => server.close(resolve));
  return { code, out: out.join('\n') };
}

test('exits 0 and lists every check when all pass', async () => {
  const { code, out } = await doctor();
  assert.equal(code, 0, out);
  for (const name of [
    'start',
    'database',
    'role',
    'scheduler',
    'rls',
    'clock',
    'dead letters',
    'audit chain',
    'All checks passed',
  ]) {
    assert.ok(out.includes(name), `${name} in\n${out}`);
  }
  assert.ok(!out.includes('FAILED'), 'what is switched off is no fault');
});

test('exits 4 and names each failed check', async () => {
  const cases: readonly (readonly [string, unknown, RegExp])[] = [
    ['/api/v1/ready', { status: 'not_ready', checks: {} }, /FAILED +ready/],
    [
      '/api/v1/admin/rls',
      { ...rls, summary: { ...rls.summary, missingRLS: ['offers'] }, timestamp: new Date().toISOString() },
      /FAILED +rls +missing on offers/,
    ],
    [
      '/api/v1/admin/rls',
      { ...rls, timestamp: new Date(Date.now() - 60_000).toISOString() },
      /FAILED +clock +6\d\.\d s difference|FAILED +clock +5\d\.\d s difference/,
    ],
    ['/api/v1/admin/dlq', { ...letters, totalEvents: 11, alert: 'WARNING' }, /FAILED +dead letters +11 \(WARNING\)/],
    [
      '/api/v1/audit-logs/verify',
      { ...chain, intact: false, brokenReason: 'anchor_mismatch' },
      /FAILED +audit chain +anchor_mismatch at a missing row/,
    ],
  ];
  for (const [path, answer, line] of cases) {
    const { code, out } = await doctor({ [path]: answer });
    assert.equal(code, 4, out);
    assert.match(out, line);
    assert.match(out, /1 of \d+ checks failed/);
  }
});

test('--json prints the checks; a wrong command line is 2', async () => {
  const { code, out } = await doctor({}, ['--json']);
  assert.equal(code, 0);
  const checks: { name: string; ok: boolean }[] = JSON.parse(out);
  assert.ok(checks.length >= 9 && checks.every(({ ok }) => ok));
  assert.equal((await doctor({}, ['now'])).code, 2);
});
