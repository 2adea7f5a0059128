// R3: one deadline bounds every wait of a request on the database, wherever the database hangs.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { AppError } from '../../platform/app-error.ts';
import { newId } from '../../platform/ids.ts';
import { createDatabase, systemActor } from '../database.ts';
import { createTestDatabase, type TestDatabase } from '../test-database.ts';
import type { Tx } from '../tx.ts';
import { createHotPath, type HotTransaction } from './hot-transaction.ts';

let db: TestDatabase;
const stopped = new Set<number>();

before(async () => {
  db = await createTestDatabase();
});
// A stopped backend keeps other test files from dropping their databases.
afterEach(() => {
  for (const pid of stopped) resume(pid);
});
after(() => db.close());

const actor = systemActor('test');
const deadlineMs = 600;
/** Far above the deadline, to allow for a busy machine, and far below the sum of the waits on one path without it. */
const boundMs = 2_000;
const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'unavailable';
const pidOf = async (tx: Tx): Promise<number> => {
  const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
  return row!.pid;
};
const hotPid = { name: 'test.pid', text: 'select pg_backend_pid() as pid', values: [] };
const hotPidOf = async (tx: HotTransaction): Promise<number> => Number((await tx.send([hotPid]))[0]![0]!.pid);

function halt(pid: number): void {
  process.kill(pid, 'SIGSTOP');
  stopped.add(pid);
}
function resume(pid: number): void {
  stopped.delete(pid);
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // Its connection was given up and has ended.
  }
}

async function isRefusedInTime(what: string, work: Promise<unknown>): Promise<void> {
  const began = performance.now();
  await assert.rejects(work, isUnavailable, what);
  const ms = performance.now() - began;
  assert.ok(ms < boundMs, `${what}: ${Math.round(ms)} ms`);
}

const limited = () => ({ until: performance.now() + deadlineMs });

test('ends a transaction at its deadline, wherever its backend hangs', async (t) => {
  const pool = createDatabase({ url: db.url, poolMax: 1, acquireTimeoutMs: 20_000, statementTimeoutMs: 20_000 });
  const tenant = newId();
  t.after(() => pool.close());

  await isRefusedInTime(
    'in statements that were started together',
    pool.withTenant(
      tenant,
      actor,
      async (tx) => {
        halt(await pidOf(tx));
        await Promise.allSettled([tx.query('select 1'), tx.query('select 2'), tx.query('select 3')]);
        await tx.query('select 4');
      },
      limited(),
    ),
  );
  await isRefusedInTime(
    'at the commit',
    pool.withTenant(tenant, actor, async (tx) => halt(await pidOf(tx)), limited()),
  );
  const began = performance.now();
  await assert.rejects(
    pool.withTenant(
      tenant,
      actor,
      async (tx) => {
        halt(await pidOf(tx));
        throw new Error('no');
      },
      limited(),
    ),
    /^Error: no$/,
  );
  assert.ok(performance.now() - began < boundMs, 'at the rollback');

  let idle = 0;
  await pool.withTenant(tenant, actor, async (tx) => {
    idle = await pidOf(tx);
  });
  halt(idle);
  await isRefusedInTime(
    'at the begin',
    pool.withTenant(tenant, actor, async () => undefined, limited()),
  );
  assert.ok((await pool.withTenant(tenant, actor, pidOf)) !== idle, 'with a new connection everything works');
});

test('ends many short statements at one deadline', async () => {
  const work = db.database.withTenant(
    newId(),
    actor,
    async (tx) => {
      for (let n = 0; n < 200; n++) await tx.query('select pg_sleep(0.05)');
    },
    limited(),
  );
  await isRefusedInTime('in many short statements', work);
});

test("ends the wait for a connection at the deadline, and doesn't lose the connection", async () => {
  const small = createDatabase({ url: db.url, poolMax: 1, acquireTimeoutMs: 20_000, statementTimeoutMs: 20_000 });
  const gate = Promise.withResolvers<void>();
  try {
    const holding = small.withTenant(newId(), actor, () => gate.promise);
    await isRefusedInTime(
      'in the queue of the pool',
      small.withTenant(newId(), actor, async () => undefined, limited()),
    );
    gate.resolve();
    await holding;
    // The connection that arrived too late for the first one goes back into the pool.
    for (let n = 0; n < 3; n++) await small.withTenant(newId(), actor, pidOf);
    await isRefusedInTime(
      'when the deadline is over',
      small.withTenant(newId(), actor, async () => undefined, { until: performance.now() - 1 }),
    );
  } finally {
    gate.resolve();
    await small.close();
  }
});

test('ends a hot transaction in time, wherever its backend hangs', async (t) => {
  const hot = createHotPath({ url: db.url, connections: 1 });
  const tenant = newId();
  t.after(() => hot.close());

  await isRefusedInTime(
    'in a statement',
    hot.run(
      tenant,
      async (tx) => {
        halt(await hotPidOf(tx));
        await tx.send([hotPid, hotPid]);
      },
      deadlineMs,
    ),
  );
  await isRefusedInTime(
    'at the commit',
    hot.run(
      tenant,
      async (tx) => {
        halt(await hotPidOf(tx));
        await tx.commit([]);
      },
      deadlineMs,
    ),
  );
  const began = performance.now();
  await assert.rejects(
    hot.run(
      tenant,
      async (tx) => {
        halt(await hotPidOf(tx));
        throw new Error('no');
      },
      deadlineMs,
    ),
    /^Error: no$/,
  );
  assert.ok(performance.now() - began < boundMs, 'at the rollback');
  await hot.run(tenant, hotPidOf);
});

test('ends the wait for a hot connection in time, and the next caller gets it', async () => {
  const hot = createHotPath({ url: db.url, connections: 1 });
  const gate = Promise.withResolvers<void>();
  try {
    const holding = hot.run(newId(), () => gate.promise);
    const later = hot.run(newId(), hotPidOf);
    await isRefusedInTime('in the queue', hot.run(newId(), hotPidOf, deadlineMs));
    gate.resolve();
    await holding;
    assert.ok((await later) > 0);
    assert.ok((await hot.run(newId(), hotPidOf)) > 0);
    await isRefusedInTime('when the time is over', hot.run(newId(), hotPidOf, 0));
  } finally {
    gate.resolve();
    await hot.close();
  }
});

test('responds 503 in time if the database accepts connections but stays silent', async () => {
  const mute = createServer(() => undefined);
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const address = mute.address();
  assert.ok(address !== null && typeof address === 'object');
  const url = `postgresql://nobody@127.0.0.1:${address.port}/nothing`;
  const pool = createDatabase({ url });
  const hot = createHotPath({ url, connections: 1 });
  try {
    await isRefusedInTime(
      'by the pool',
      pool.withTenant(newId(), actor, async () => undefined, limited()),
    );
    await isRefusedInTime('by the hot path', hot.run(newId(), hotPidOf, deadlineMs));
  } finally {
    mute.close();
    await hot.close();
    await pool.close();
  }
});
