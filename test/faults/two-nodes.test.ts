// T30 and R-rules of two processes on one database: what one changes, the other obeys within a second, told or not told.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { type Answer, type Caller, createCaller, itemsOf, must } from './api.ts';
import { type Catalogue, loadCatalogue } from './catalogue.ts';
import { createInstallation, type Installation, type ServerProcess } from './server-process.ts';

const barMs = 1_000;

let db: TestDatabase;
let installation: Installation;
let second: ServerProcess;
let one: Caller;
let two: Caller;
let catalogue: Catalogue;
/** Backends of the first process, to tell those of the second. */
let backendsOfFirst: number[] = [];
let customers = 0;

before(async () => {
  db = await createTestDatabase();
  installation = await createInstallation({ DATABASE_URL: db.url }, ['Two nodes']);
  const first = await installation.start();
  backendsOfFirst = await listeners();
  second = await installation.start();
  const key = installation.tenants[0]!.key;
  one = createCaller(() => first.url, key);
  two = createCaller(() => second.url, key);
  catalogue = await loadCatalogue(one, { offers: 8, cap: 1_000 });
  for (const call of [one, two]) assert.equal((await decide(call)).body.count, 1, 'both decide');
});
after(async () => {
  await installation?.stopAll();
  await db?.close();
});

const decide = (call: Caller, customerId = `N-${customers++}`): Promise<Answer> =>
  call('POST', '/v1/recommend', { customerId, channel: 'email', limit: 1 });

async function listeners(): Promise<number[]> {
  const rows = await db.ownerQuery<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'arbiter listener'`,
  );
  return rows.map((row) => row.pid);
}

/** Ends the second process's listening connection and says how many there were. */
async function deafen(): Promise<number> {
  const rows = await db.ownerQuery<{ ended: boolean }>(
    `select pg_terminate_backend(pid) as ended from pg_stat_activity where datname = current_database()
     and application_name = 'arbiter listener' and pid <> all($1::int[])`,
    [backendsOfFirst],
  );
  return rows.length;
}

/** Milliseconds until `holds`, which must become true within the bar. */
async function within(what: string, holds: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  for (;;) {
    const asked = performance.now();
    if (await holds()) return Math.round(asked - began);
    assert.ok(performance.now() - began < barMs, `${what}: not within ${barMs} ms`);
  }
}

async function forbidAll(call: Caller, name: string): Promise<string> {
  const made = await must(
    call('POST', '/v1/contact-policies', {
      name,
      ruleType: 'frequency_cap',
      scope: 'global',
      config: { windows: [{ max: 1, days: 7 }] },
    }),
  );
  return String(made.id);
}

test('a contact policy saved through one process is obeyed by the other', async (t) => {
  const took: number[] = [];
  for (let round = 0; round < 5; round++) {
    const customerId = `N-policy-${round}`;
    for (let n = 0; n < 2; n++) assert.equal((await decide(two, customerId)).body.count, 1, 'no cap is reached');
    const id = await forbidAll(one, `One is enough ${round}`);
    took.push(await within('the policy', async () => (await decide(two, customerId)).body.count === 0));
    await must(one('DELETE', `/v1/contact-policies/${id}`));
    took.push(await within('its removal', async () => (await decide(two, customerId)).body.count === 1));
  }
  t.diagnostic(`obeyed after ${took.join(', ')} ms`);
});

test('a published flow and a changed offer reach the other process', async () => {
  const offerId = catalogue.offers[0]!;
  assert.equal(itemsOf((await decide(two)).body)[0]!.offerId, offerId, 'the first offer leads');
  await must(one('PUT', '/v1/offers', { id: offerId, status: 'paused' }));
  await within('the paused offer', async () => itemsOf((await decide(two)).body)[0]!.offerId !== offerId);
  await must(one('PUT', '/v1/offers', { id: offerId, status: 'active' }));
  await within('the active offer', async () => itemsOf((await decide(two)).body)[0]!.offerId === offerId);
  await must(one('POST', '/v1/decision-flows/publish', { id: catalogue.flow }));
  await within('the new version', async () => (await decide(two)).body.decisionFlowVersion === 2);
});

test('a key revoked on one process is refused by the other', async (t) => {
  const took: number[] = [];
  for (let round = 0; round < 5; round++) {
    const made = await must(one('POST', '/v1/api-keys', { name: `Short life ${round}`, scopes: ['read'] }));
    const own = createCaller(() => second.url, String(made.key));
    for (let n = 0; n < 3; n++) assert.equal((await decide(own)).status, 200, 'the key works and is remembered');
    await must(one('DELETE', `/v1/api-keys/${made.id}`));
    took.push(await within('the revocation', async () => (await decide(own)).status === 401));
  }
  t.diagnostic(`refused after ${took.join(', ')} ms`);
});

test('a lost notification costs at most one batch', async () => {
  for (let round = 0; round < 3; round++) {
    const customerId = `N-deaf-${round}`;
    assert.equal((await decide(two, customerId)).body.count, 1);
    // The second process hears nothing from before the change until after the decision.
    const stop = new AbortController();
    const deaf = (async () => {
      let ended = 0;
      while (!stop.signal.aborted) ended += await deafen();
      return ended;
    })();
    await sleep(100);
    const id = await forbidAll(one, `Unheard ${round}`);
    const first = await decide(two, customerId);
    const next = await decide(two, customerId);
    stop.abort();
    assert.ok((await deaf) > 0, 'the listener was cut off');
    assert.equal(first.status, 200, first.text);
    assert.ok([0, 1].includes(Number(first.body.count)));
    assert.equal(next.body.count, 0, 'the second decision at the latest obeys');
    await must(one('DELETE', `/v1/contact-policies/${id}`));
    await within('its removal', async () => (await decide(two, customerId)).body.count === 1);
  }
});

test('a revocation is not missed by a process whose listener was just cut off', async (t) => {
  const took: number[] = [];
  for (let round = 0; round < 3; round++) {
    const made = await must(one('POST', '/v1/api-keys', { name: `Unheard ${round}`, scopes: ['read'] }));
    const own = createCaller(() => second.url, String(made.key));
    for (let n = 0; n < 3; n++) assert.equal((await decide(own)).status, 200);
    // The listener may be on its way back from the round before.
    await within('the listener', async () => (await deafen()) > 0);
    await must(one('DELETE', `/v1/api-keys/${made.id}`));
    took.push(await within('the revocation', async () => (await decide(own)).status === 401));
  }
  t.diagnostic(`refused after ${took.join(', ')} ms`);
});

test('a steady stream of catalogue changes keeps nobody from deciding, and the last one counts', async (t) => {
  const stop = new AbortController();
  let changes = 0;
  const writers = Array.from({ length: 3 }, async (_, w) => {
    for (let n = 0; !stop.signal.aborted; n++) {
      await must(one('PUT', '/v1/offers', { id: catalogue.offers[w + 1]!, priority: n % 50 }));
      changes++;
    }
  });
  const answers: Answer[] = [];
  const deciders = [one, two, one, two, one, two].map(async (call) => {
    while (!stop.signal.aborted) answers.push(await decide(call));
  });
  await sleep(2_500);
  stop.abort();
  await Promise.all([...writers, ...deciders]);
  for (const answer of answers) assert.equal(answer.status, 200, answer.text || String(answer.error));
  const slowest = Math.round(Math.max(...answers.map((answer) => answer.ms)));
  t.diagnostic(`${changes} changes, ${answers.length} decisions, the slowest ${slowest} ms`);
  assert.ok(changes > 20 && answers.length > 20, 'there was a stream');
  assert.ok(slowest < barMs);
  await must(one('PUT', '/v1/offers', { id: catalogue.offers[7]!, priority: 100 }));
  await within('the last change', async () => itemsOf((await decide(two)).body)[0]!.offerId === catalogue.offers[7]);
});
