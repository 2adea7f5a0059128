import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiKeyCreated } from '@arbiter/contract';
import { type Actor, createDatabase, type Database, systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import type { Principal } from '../../../http/principal.ts';
import { AppError } from '../../../platform/app-error.ts';
import { keyOf } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import { revokeApiKey } from './api-keys.service.ts';
import { type Authenticator, createApiKey, createAuthenticator, type NewApiKey } from './index.ts';

const pepper = keyOf('a pepper for tests');
/** Before something counts as never coming. That it comes within a second is measured in test/faults/two-nodes.test.ts. */
const patienceMs = 20_000;
/** The operator: its keys have no owner among the users. */
const admin: Actor = systemActor('test');

let db: TestDatabase;
let otherNode: Database;
let nowMs = Date.parse('2026-11-20T09:00:00Z');
const clock = { now: () => nowMs };
const opened: Authenticator[] = [];
/** Messages that both nodes have heard, by tenant. */
const heard = [new Map<string, number>(), new Map<string, number>()];

before(async () => {
  db = await createTestDatabase({ clock });
  otherNode = createDatabase({ url: db.url, clock });
  for (const [index, node] of [db.database, otherNode].entries()) {
    const counts = heard[index]!;
    node.listen('arbiter_credentials', (tenantId) => counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1));
    await node.listening();
  }
});
after(async () => {
  for (const authenticator of opened) authenticator.close();
  await otherNode.close();
  await db.close();
});

async function open(database: Database = db.database): Promise<Authenticator> {
  const authenticator = createAuthenticator({ database, pepper, clock });
  opened.push(authenticator);
  await database.listening();
  // The authenticator itself waits for the same promise, one turn later.
  await sleep(1);
  return authenticator;
}

async function makeTenant(): Promise<string> {
  const id = newId();
  await db.database.withTenant(id, systemActor('test'), async (tx) => {
    await tx.query('insert into arbiter.tenants (id, name) values ($1, $2)', [id, 'T']);
  });
  return id;
}

/** Creates a key and waits until both nodes know it: what's cached then stays cached. */
async function make(tenantId: string, wanted: NewApiKey = {}): Promise<ApiKeyCreated> {
  const before = heard.map((counts) => counts.get(tenantId) ?? 0);
  const created = await db.database.withTenant(tenantId, admin, (tx) => createApiKey(tx, pepper, wanted));
  const isHeard = async () => heard.every((counts, index) => (counts.get(tenantId) ?? 0) > before[index]!);
  assert.ok(await within(patienceMs, isHeard));
  return created;
}
const prove = async (authenticator: Authenticator, key: string): Promise<Principal | null> =>
  authenticator.authenticate({ kind: 'apiKey', value: key });
const isRemembered = (authenticator: Authenticator, key: string): boolean =>
  !(authenticator.authenticate({ kind: 'apiKey', value: key }) instanceof Promise);

async function within(milliseconds: number, holds: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    if (await holds()) return true;
    await sleep(10);
  }
  return false;
}

test("a key opens its tenant with the role of its highest scope, at once when it's cached", async () => {
  const tenantId = await makeTenant();
  const authenticator = await open();
  const { key, id } = await make(tenantId, { name: 'web', scopes: ['write', 'read'] });
  assert.equal(isRemembered(authenticator, key), false);
  const principal = await prove(authenticator, key);
  assert.deepEqual(principal, {
    kind: 'apiKey',
    tenantId,
    actor: { id: `apikey:${id}`, name: 'web', role: 'editor' },
    role: 'editor',
    scopes: ['read', 'write'],
    credentialId: `apikey:${id}`,
  });
  assert.equal(isRemembered(authenticator, key), true);
});

test('unknown and malformed keys belong to no caller', async () => {
  const authenticator = await open();
  for (const key of ['', 'krn_', `krn_${'0'.repeat(64)}`, `krn_${'é'.repeat(30)}`, 'x'.repeat(10_000)]) {
    assert.equal(await prove(authenticator, key), null, key.slice(0, 20));
  }
});

test('only the HMAC of a key is stored', async () => {
  const { key } = await make(await makeTenant());
  const rows = await db.ownerQuery<{ text: string }>(
    `select k::text as text from arbiter.api_keys k union all select a::text from arbiter.audit_logs a`,
  );
  assert.ok(rows.length > 0);
  for (const { text } of rows) assert.ok(!text.includes(key.slice(12)), 'the key is in the database');
});

test('T5: without a pepper every key is 401, and the detail says so', async () => {
  const { key } = await make(await makeTenant());
  for (const secret of [null, '', ' ']) {
    const authenticator = createAuthenticator({ database: db.database, pepper: keyOf(secret), clock });
    opened.push(authenticator);
    await assert.rejects(
      async () => prove(authenticator, key),
      (error) => error instanceof AppError && error.status === 401 && /API_KEY_PEPPER/.test(error.detail ?? ''),
    );
  }
  await assert.rejects(
    db.database.withTenant(await makeTenant(), admin, (tx) => createApiKey(tx, null, {})),
    (error) => error instanceof AppError && error.status === 503 && error.code === 'not_configured',
  );
});

test("a key created with another pepper doesn't work", async () => {
  const { key } = await make(await makeTenant());
  const authenticator = createAuthenticator({ database: db.database, pepper: keyOf('another pepper'), clock });
  opened.push(authenticator);
  assert.equal(await prove(authenticator, key), null);
});

test("E23: a key is valid while now < expiresAt, even when it's cached", async () => {
  const authenticator = await open();
  const expiresAt = new Date(nowMs + 60_000);
  const { key } = await make(await makeTenant(), { expiresAt });
  assert.ok(await prove(authenticator, key));
  const start = nowMs;
  nowMs = expiresAt.getTime() - 1;
  assert.ok(await prove(authenticator, key));
  nowMs = expiresAt.getTime();
  assert.equal(await prove(authenticator, key), null);
  assert.equal(isRemembered(authenticator, key), true);
  nowMs = start;
});

test('a revoked key stops working on every node', async () => {
  const tenantId = await makeTenant();
  const [here, there] = [await open(), await open(otherNode)];
  const { key, id } = await make(tenantId);
  const { key: kept } = await make(tenantId);
  for (const node of [here, there]) {
    assert.ok(await prove(node, key));
    assert.equal(isRemembered(node, key), true);
  }
  await db.database.withTenant(tenantId, admin, (tx) => revokeApiKey(tx, id, 'lost'));
  for (const node of [here, there]) {
    assert.ok(await within(patienceMs, async () => (await prove(node, key)) === null));
    assert.ok(await prove(node, kept));
  }
});

test("a deleted tenant's keys are deleted too, on every node", async () => {
  const tenantId = await makeTenant();
  const there = await open(otherNode);
  const { key } = await make(tenantId);
  assert.ok(await prove(there, key));
  await db.ownerQuery('update arbiter.tenants set deleted_at = now() where id = $1', [tenantId]);
  assert.ok(await within(patienceMs, async () => (await prove(there, key)) === null));
});

test('rejects a revoked key within a second although the connection has died silently', async () => {
  const tenantId = await makeTenant();
  // A busy machine may hold one attempt up, not each of them.
  const times: number[] = [];
  while (times.length < 5 && Math.min(...times) >= 1_000) times.push(await revokeWhileDead(tenantId));
  assert.ok(Math.min(...times) < 1_000, `refused after ${times.join(', ')} ms`);
});

/** Milliseconds from revoking a cached key until a node whose listening connection hangs rejects it. */
async function revokeWhileDead(tenantId: string): Promise<number> {
  const known = (await listeners()).map((row) => row.pid);
  const lonely = createDatabase({ url: db.url, clock });
  const there = await open(lonely);
  const { key, id } = await make(tenantId);
  const [own] = (await listeners()).filter((row) => !known.includes(row.pid));
  assert.ok(await within(patienceMs, async () => (await prove(there, key)) !== null && isRemembered(there, key)));
  process.kill(own!.pid, 'SIGSTOP');
  try {
    await db.database.withTenant(tenantId, admin, (tx) => revokeApiKey(tx, id, undefined));
    const revoked = performance.now();
    assert.ok(await within(patienceMs, async () => (await prove(there, key)) === null));
    return Math.round(performance.now() - revoked);
  } finally {
    process.kill(own!.pid, 'SIGCONT');
    await lonely.close();
  }
}

const listeners = () =>
  db.ownerQuery<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'arbiter listener' and datname = current_database()`,
  );

test('after a lost connection, caches nothing that changed in the meantime', async () => {
  const tenantId = await makeTenant();
  const there = await open(otherNode);
  const { key, id } = await make(tenantId);
  assert.ok(await prove(there, key));
  // The revocation is announced while nobody listens.
  await db.ownerQuery('alter table arbiter.api_keys disable trigger api_keys_changed');
  await db.database.withTenant(tenantId, admin, (tx) => revokeApiKey(tx, id, undefined));
  await db.ownerQuery('alter table arbiter.api_keys enable trigger api_keys_changed');
  assert.ok(await prove(there, key), 'still remembered: the message was not sent');
  await db.ownerQuery(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'arbiter listener' and datname = current_database()`);
  assert.ok(await within(patienceMs, async () => (await prove(there, key)) === null));
});

test('E23: writes the last use in the background, at most once a minute, and delays no request', async () => {
  const tenantId = await makeTenant();
  const [here, there] = [await open(), await open(otherNode)];
  const { key, id } = await make(tenantId);
  const noted = async () => {
    const [row] = await db.ownerQuery<{ at: Date }>(
      'select last_used_at as at from arbiter.api_key_uses where api_key_id = $1',
      [id],
    );
    return row?.at.getTime() ?? null;
  };
  const first = nowMs;
  await prove(here, key);
  assert.equal(await noted(), null);
  await here.flushUses();
  assert.equal(await noted(), first);

  nowMs = first + 59_000;
  for (const node of [here, there]) {
    await prove(node, key);
    await node.flushUses();
  }
  assert.equal(await noted(), first, 'not a minute has passed');

  nowMs = first + 61_000;
  await prove(here, key);
  // Someone holds the key's row; the note does not wait for it.
  await db.database.withTenant(tenantId, admin, async (tx) => {
    await tx.query('select from arbiter.api_keys where id = $1 for no key update', [id]);
    await here.flushUses();
  });
  assert.equal(await noted(), first + 61_000);
  nowMs = first;
});

test("lets the caller stop the lookup of a key; a cached key isn't looked up", async () => {
  const authenticator = await open();
  const { key } = await make(await makeTenant());
  let lookUps = 0;
  const stop = () => {
    lookUps += 1;
    throw new AppError('rate_limited');
  };
  const stopped = (error: unknown) => error instanceof AppError && error.code === 'rate_limited';
  assert.throws(() => authenticator.authenticate({ kind: 'apiKey', value: key }, stop), stopped);
  assert.notEqual(await authenticator.authenticate({ kind: 'apiKey', value: key }), null);
  assert.equal(lookUps, 1);
  assert.notEqual(await authenticator.authenticate({ kind: 'apiKey', value: key }, stop), null);
  assert.equal(lookUps, 1, 'it is known now');
});
