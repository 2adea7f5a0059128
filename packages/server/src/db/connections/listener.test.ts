import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../test-database.ts';
import { createListener, type Listener } from './listener.ts';

let db: TestDatabase;
let listener: Listener;
const heard: string[] = [];
const failures: unknown[] = [];
let reconnected = 0;

before(async () => {
  db = await createTestDatabase();
  listener = createListener(db.url, (error) => failures.push(error));
  assert.equal(listener.hears(), false, 'nothing is connected yet');
  listener.listen('test_news', (payload) => heard.push(payload), { onReconnect: () => reconnected++ });
  await listener.ready();
  assert.equal(listener.hears(), true);
});
after(async () => {
  await listener.close();
  await db.close();
});

/** The backend process behind the listener. When stopped, it's as silent as a network that drops everything. */
async function backend(): Promise<number> {
  const [row] = await db.ownerQuery<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'arbiter listener'`,
  );
  return row!.pid;
}

async function within(ms: number, holds: () => boolean): Promise<number> {
  const started = performance.now();
  while (!holds()) {
    assert.ok(performance.now() - started < ms, `not within ${ms} ms`);
    await sleep(5);
  }
  return performance.now() - started;
}

test('P1 4.2: notices a silently dead connection within a second, and loses no late notification', async () => {
  const pid = await backend();
  process.kill(pid, 'SIGSTOP');
  try {
    await within(1_000, () => !listener.hears());
    await db.ownerQuery(`select pg_notify('test_news', 'meanwhile')`);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await within(1_000, () => listener.hears());
  assert.deepEqual(heard, ['meanwhile'], 'what the server had to say comes before it counts as heard again');
  assert.equal(reconnected, 0);
  assert.deepEqual(failures, []);
});

test('replaces a connection that stays silent', async () => {
  const pid = await backend();
  process.kill(pid, 'SIGSTOP');
  try {
    await within(6_000, () => reconnected === 1);
    assert.equal(listener.hears(), true);
    assert.match(String(failures), /hasn't responded/);
    await db.ownerQuery(`select pg_notify('test_news', 'again')`);
    await within(1_000, () => heard.includes('again'));
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

test('serves a waiting caller after failed attempts, with the subscriptions made in between', async () => {
  // A proxy to the database that refuses everyone, and later lets them through.
  let isOpen = false;
  const way = createServer((incoming) => {
    incoming.on('error', () => undefined);
    if (!isOpen) return void incoming.destroy();
    const outgoing = connect(`${new URL(db.url).searchParams.get('host')}/.s.PGSQL.5432`);
    outgoing.on('error', () => incoming.destroy());
    incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
  const url = new URL(db.url);
  url.searchParams.delete('host');
  url.host = `127.0.0.1:${(way.address() as AddressInfo).port}`;
  const refused: unknown[] = [];
  const late = createListener(url.href, (error) => refused.push(error));
  const news: string[] = [];
  try {
    late.listen('early', (payload) => news.push(payload));
    const ready = late.ready();
    await within(10_000, () => refused.length >= 2);
    late.listen('meanwhile', (payload) => news.push(payload));
    isOpen = true;
    await ready;
    assert.equal(late.hears(), true);
    await db.ownerQuery(`select pg_notify('early', 'one'), pg_notify('meanwhile', 'two')`);
    await within(5_000, () => news.length === 2);
    assert.deepEqual(news, ['one', 'two']);
  } finally {
    await late.close();
    way.close();
  }
});

test('hears subscriptions made while it connects', async () => {
  const own = createListener(db.url, (error) => failures.push(error));
  const told: number[] = [];
  try {
    own.listen('n0', () => told.push(0));
    const ready = own.ready();
    let subscribed = 1;
    // One subscription per turn of the event loop, for many turns, while the connection is being made.
    while (subscribed < 300) {
      const number = subscribed++;
      own.listen(`n${number}`, () => told.push(number));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ready;
    const numbers = Array.from({ length: subscribed }, (_, number) => number);
    for (const number of numbers) await db.ownerQuery(`select pg_notify($1, '')`, [`n${number}`]);
    await within(5_000, () => told.length === subscribed);
    assert.deepEqual(told, numbers);
  } finally {
    await own.close();
  }
});

test("doesn't mistake a blocked event loop for silence", async () => {
  const until = performance.now() + 4_000;
  while (performance.now() < until) {
    const blockedUntil = performance.now() + 900;
    while (performance.now() < blockedUntil);
    await sleep(20);
    assert.equal(listener.hears(), true);
  }
  assert.equal(reconnected, 1, 'no more than by the test before');
});
