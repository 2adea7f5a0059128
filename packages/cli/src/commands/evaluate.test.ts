import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { run } from '../run.ts';

// The server has its own tests. A fake one records its requests here.

const id = '01a2029b-ab27-746e-9a7a-e14694d7b707';
const bounds = (value: number) => ({ value, se: 0.01, ciLower: value - 0.02, ciUpper: value + 0.02 });
const result = {
  ...{ verdict: 'ok', reasons: [], needed: null, reward: 'convert', decisions: 1000, customers: 80, headline: 'dr' },
  ...{ excluded: { controlGroup: 0, notEvaluable: { erased: 2 } }, logged: bounds(0.1) },
  ...{ estimates: { dr: bounds(0.15) }, delta: bounds(0.05) },
};
const refused = {
  ...result,
  ...{
    verdict: 'refused',
    reasons: ['few_effective'],
    estimates: null,
    delta: null,
    needed: { explore: 0.1, days: 40, from: null },
  },
};
const completed = (own: object) => ({
  ...{ id, kind: 'evaluate', status: 'completed', error: null, progress: { decisions: 5, total: 5 }, result: own },
});

async function evaluate(study: object, ...args: readonly string[]) {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const isStart = request.method === 'POST';
      if (isStart) bodies.push({ line: request.url, ...(JSON.parse(text) as object) });
      response.writeHead(isStart ? 202 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isStart ? { studyId: id, jobId: id } : study));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(['evaluate', ...args], {
    environment: {
      ARBITER_URL: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
      ARBITER_API_KEY: 'krn_test',
      XDG_CONFIG_HOME: '/nowhere',
    },
    print: (line) => out.push(line),
    warn: (line) => err.push(line),
  });
  await new Promise((resolve) => server.close(resolve));
  return { code, out, err, bodies };
}

test('starts an evaluation of the last 28 days by conversions', async () => {
  const { code, out, bodies } = await evaluate({}, 'main');
  assert.deepEqual([code, out], [0, [`Evaluation of main is queued: ${id}`]]);
  const [body = {}] = bodies;
  assert.deepEqual(
    [body.line, body.version, body.reward],
    ['/api/v1/decision-flows/main/evaluate', 'draft', 'convert'],
  );
  assert.equal(Date.parse(String(body.to)) - Date.parse(String(body.from)), 28 * 86_400_000);
});

test('passes its flags on', async () => {
  const flags = ['--reward', 'value', '--reward-days', '3', '--confidence', '0.9', '--clip', '20', '--max', '5000'];
  const { bodies } = await evaluate(
    {},
    'main',
    ...flags,
    '--version',
    '4',
    '--from',
    '2026-11-01',
    '--to',
    '2026-11-08',
  );
  assert.deepEqual(bodies, [
    {
      ...{ line: '/api/v1/decision-flows/main/evaluate', version: 4, from: '2026-11-01', to: '2026-11-08' },
      ...{ reward: 'value', rewardDays: 3, confidence: 0.9, clip: 20, maxDecisions: 5000 },
    },
  ]);
});

test('shows the difference with its interval', async () => {
  const { code, out } = await evaluate(completed(result), 'main', '--wait');
  assert.equal(code, 0);
  assert.equal(out[0], 'Reward per decision (convert), from 1,000 decisions of 80 customers.');
  assert.equal(out[1], 'Left out: 2 erased');
  assert.ok(
    out.some((line) => /^difference\s+0\.05000\s+0\.03000 to 0\.07000$/.test(line)),
    out.join('\n'),
  );
  assert.equal(out.at(-1), 'Verdict: ok');
});

test('exits 4 when the verdict is refused, and says what would help', async () => {
  const { code, out } = await evaluate(completed(refused), 'main', '--wait');
  assert.equal(code, 4);
  assert.equal(out.at(-2), 'Verdict: refused (few effective)');
  assert.equal(out.at(-1), 'To get an estimate, explore at a rate of 0.1000 or use 40 days of decisions.');
});

test('rejects a confidence that isn’t a number', async () => {
  const { code, err } = await evaluate({}, 'main', '--confidence', 'high');
  assert.equal(code, 2);
  assert.ok(err.join('\n').includes('--confidence must be a number'), err.join('\n'));
});
