import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

/** Reading a catalogue takes long on a busy machine. Here it's blocked until the test releases it. */

let server: TestServer;
/** The limits of a request, shorter than the reading. */
const limitMs = 2_000;
before(async () => {
  server = await startTestServer({
    patience: { acquireTimeoutMs: 20_000, statementTimeoutMs: limitMs, answerWithinMs: limitMs },
  });
});
after(() => server?.close());

const owner = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  server.testDatabase.ownerQuery<Row & Record<string, unknown>>(text, values);

async function eventually<T>(ask: () => Promise<T | null>): Promise<T> {
  const until = performance.now() + 60_000;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    assert.ok(performance.now() < until, 'timed out');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const recommend = () =>
  server.call<{ code?: string }>('POST', '/api/v1/recommend', { body: { customerId: 'Ada', channel: 'email' } });

test('a read outlives the request that waits for it, delays no writer, and serves the next one', async () => {
  const release = await server.testDatabase.ownerHold('lock table arbiter.creatives in access exclusive mode');
  try {
    const refused = await recommend();
    assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable']);
    assert.equal(refused.headers['retry-after'], '1');
    // Longer than any statement of a request may take, the reading still waits for its rows.
    const longerThan = (seconds: number) =>
      owner<{ pid: number; query: string }>(
        `select pid, query from pg_stat_activity where datname = current_database() and state = 'active'
           and wait_event_type = 'Lock' and now() - query_start > make_interval(secs => $1)`,
        [seconds],
      );
    const reading = await eventually(async () => (await longerThan((1.5 * limitMs) / 1000))[0] ?? null);
    assert.match(reading.query, /creatives/);
    let tries = 0;
    const made = await eventually(async () => {
      tries += 1;
      const answer = await server.call('POST', '/api/v1/categories', { body: { name: `Made meanwhile ${tries}` } });
      return answer.status === 503 ? null : answer;
    });
    assert.equal(made.status, 201, made.text);
    const still = (await longerThan(0)).map(({ pid }) => pid);
    assert.ok(still.includes(reading.pid), 'the change waited for the end of the reading');
  } finally {
    await release();
  }
  const answered = await eventually(async () => {
    const answer = await recommend();
    return answer.status === 503 ? null : answer;
  });
  assert.equal(answered.status, 200, answered.text);
});
