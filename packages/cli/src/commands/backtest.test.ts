import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { run } from '../run.ts';

// The server has its own tests. A fake one records its requests here.

const id = '01a2029b-ab27-746e-9a7a-e14694d7b707';
const result = {
  ...{
    decisions: 1000,
    customers: 80,
    changed: 42,
    changedShare: 0.042,
    notReplayable: 2,
    notEvaluable: { erased: 2 },
  },
  ...{ byKind: { same: 958, gained: 0, replaced: 42 }, verdict: 'failed', reasons: ['limit_failed'] },
  samples: [{ kind: 'replaced', decisionId: id, requestId: id, before: [], after: [] }],
  limits: [{ name: 'maxChangedShare', offerId: null, value: 0.042, bound: 0.01, passed: false }],
};
const study = (status: string, more: object = {}) => ({
  ...{ id, kind: 'backtest', status, error: null, progress: { decisions: 5, total: 1000 }, result: null },
  ...more,
});

async function backtest(studies: readonly object[], ...args: readonly string[]) {
  const requests: { readonly line: string; readonly body: Record<string, unknown> }[] = [];
  const answers = [...studies];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      requests.push({ line: `${request.method} ${request.url}`, body: text === '' ? {} : JSON.parse(text) });
      const answer = request.method === 'POST' ? { studyId: id, jobId: id } : (answers.shift() ?? {});
      response.writeHead(request.method === 'POST' ? 202 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(['backtest', ...args], {
    environment: { ARBITER_URL: url, ARBITER_API_KEY: 'krn_test', XDG_CONFIG_HOME: '/nowhere' },
    print: (line) => out.push(line),
    warn: (line) => err.push(line),
  });
  await new Promise((resolve) => server.close(resolve));
  return { code, out, err, requests };
}

test('starts a backtest of the last seven days', async () => {
  const { code, out, requests } = await backtest([], 'main');
  assert.deepEqual([code, out], [0, [`Backtest of main is queued: ${id}`]]);
  const [{ line, body } = { line: '', body: {} }] = requests;
  assert.equal(line, 'POST /api/v1/decision-flows/main/backtest');
  assert.deepEqual([body.version, body.mode], ['draft', 'independent']);
  assert.equal(Date.parse(String(body.to)) - Date.parse(String(body.from)), 7 * 86_400_000);
});

test('waits for the result, and exits with 4 when a limit is exceeded', async () => {
  const { code, out, err } = await backtest([study('running'), study('completed', { result })], 'main', '--wait');
  assert.equal(code, 4);
  assert.deepEqual(err, ['5 of 1000 decisions judged']);
  assert.equal(out[0], 'The draft changes 42 of 1,000 decisions (4.2%), made for 80 customers.');
  assert.equal(out[1], "2 records can't be judged: erased");
  assert.ok(out.includes('failed: maxChangedShare is 0.042 (limit 0.01)'));
  assert.equal(out.at(-2), 'Verdict: failed (limit failed)');
  assert.equal(out.at(-1), `To see one, run: arbiter trace ${id}`);
});

test('exits 0 if the verdict is ok, and 1 if the study itself failed', async () => {
  const ok = { ...result, verdict: 'ok', reasons: [] };
  assert.equal((await backtest([study('completed', { result: ok })], 'main', '--wait')).code, 0);
  const failed = await backtest([study('failed', { error: 'internal' })], 'main', '--wait', '--json');
  assert.equal(failed.code, 1);
  const { out } = await backtest([study('failed', { error: 'internal' })], 'main', '--wait');
  assert.deepEqual(out, ['The backtest failed. Try again.']);
  assert.match(failed.out.join('\n'), /"status": ?"failed"/);
});

test('sends the flags and the overlay', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-backtest-'));
  try {
    const file = join(folder, 'overlay.json');
    writeFileSync(file, '[{ "kind": "offers", "key": "A", "patch": null }]');
    const flags = ['--version', '3', '--from', '2026-11-01', '--to', '2026-11-08', '--chained', '--compare-to', '2'];
    const { requests } = await backtest([], 'main', ...flags, '--max', '50', '--max-empty', '0.01', '--overlay', file);
    assert.deepEqual(requests[0]?.body, {
      ...{ version: 3, from: '2026-11-01', to: '2026-11-08', mode: 'chained', compareTo: 2, maxDecisions: 50 },
      ...{ overlay: [{ kind: 'offers', key: 'A', patch: null }], limits: { maxNewlyEmptyShare: 0.01 } },
    });
    writeFileSync(file, '{}');
    assert.equal((await backtest([], 'main', '--overlay', file)).code, 2);
    assert.equal((await backtest([], 'main', '--overlay', join(folder, 'missing'))).code, 2);
    assert.equal((await backtest([], 'main', '--max-empty', '2')).code, 2);
    assert.equal((await backtest([])).code, 2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('sends the files of a folder as whole objects', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-backtest-'));
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  try {
    assert.match((await backtest([], 'main', '--overlay', folder)).err.join(), /has no files of policy as code/);
    write('offers/card.yaml', 'name: card\nstatus: active\npriority: 70\n');
    write('settings.yaml', 'timezone: Europe/Berlin\n');
    const { requests } = await backtest([], 'main', '--overlay', folder);
    assert.deepEqual(requests[0]?.body.overlay, [
      { kind: 'offers', key: 'card', patch: { name: 'card', priority: 70, status: 'active' }, replace: true },
      { kind: 'settings', key: 'settings', patch: { timezone: 'Europe/Berlin' }, replace: true },
    ]);
    write('categories/loans.yaml', 'name: loans\n');
    const other = await backtest([], 'main', '--overlay', folder);
    assert.equal(other.code, 2);
    assert.match(other.err.join(), /categories\/loans\.yaml# can't be tried/);
    rmSync(join(folder, 'categories'), { recursive: true });
    write('offers/card.yaml', 'name: card\npriority: high\n');
    assert.match((await backtest([], 'main', '--overlay', folder)).err.join(), /card\.yaml#\/priority/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
