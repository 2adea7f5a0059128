import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AppError } from '../platform/app-error.ts';
import { newId } from '../platform/ids.ts';
import { createDatabase, systemActor } from './database.ts';
import { DatabaseError } from './errors.ts';
import { sql } from './sql.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import type { Tx } from './tx.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase({ poolMax: 4 });
  await db.ownerQuery(`
    create table arbiter.notes (
      tenant_id uuid not null, id uuid not null, note_text text not null check (note_text <> 'bad'), extra jsonb,
      made_on date, amount bigint, primary key (tenant_id, id), unique (tenant_id, note_text));
    alter table arbiter.notes owner to arbiter_owner;
    select arbiter.protect_table('arbiter.notes')`);
});
after(() => db.close());

const actor = systemActor('test');
const inTenant = <T>(tenantId: string, fn: (tx: Tx) => Promise<T>) => db.database.withTenant(tenantId, actor, fn);
const note = (tx: Tx, text: string) =>
  tx.query('insert into notes (tenant_id, id, note_text) values ($1, $2, $3)', [tx.tenantId, newId(), text]);
const notes = (tx: Tx) => tx.query<{ note_text: string }>('select note_text from notes order by note_text');
const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'unavailable';

async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + 30_000;
  while (!(await condition())) {
    assert.ok(performance.now() < until, 'timed out');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('a transaction commits when its function resolves, and rolls back when it throws', async () => {
  const tenant = newId();
  const effects: string[] = [];
  await inTenant(tenant, async (tx) => {
    await note(tx, 'kept');
    tx.afterCommit(() => effects.push('kept'));
  });
  await assert.rejects(
    inTenant(tenant, async (tx) => {
      await note(tx, 'dropped');
      tx.afterCommit(() => effects.push('dropped'));
      throw new Error('no');
    }),
    /^Error: no$/,
  );
  assert.deepEqual(await inTenant(tenant, notes), [{ note_text: 'kept' }]);
  assert.deepEqual(effects, ['kept']);
});

test('an error that the function swallowed rolls back the rest, and is reported', async () => {
  const tenant = newId();
  await assert.rejects(
    inTenant(tenant, async (tx) => {
      await note(tx, 'first');
      await note(tx, 'bad').catch(() => undefined);
    }),
    /nothing was committed/,
  );
  assert.deepEqual(await inTenant(tenant, notes), []);
});

test("a transaction can't be used once it's over", async () => {
  const tenant = newId();
  const kept = await inTenant(tenant, async (tx) => tx);
  await assert.rejects(kept.query('select 1'), /already ended/);
  await assert.rejects(
    kept.kysely().withTables<NoteTables>().selectFrom('notes').selectAll().execute(),
    /already ended/,
  );
});

test("statements that a function didn't await still belong to its transaction", async () => {
  const tenant = newId();
  await inTenant(tenant, async (tx) => {
    await Promise.all([note(tx, 'a'), note(tx, 'b'), note(tx, 'c')]);
    void note(tx, 'd');
  });
  assert.equal((await inTenant(tenant, notes)).length, 4);
});

test('rejects two statements in one text', async () => {
  await assert.rejects(
    inTenant(newId(), (tx) => tx.query('select 1; select 2')),
    (error) => error instanceof DatabaseError && error.sqlState === '42601',
  );
});

type NoteTables = {
  notes: {
    tenantId: string;
    id: string;
    noteText: string;
    extra: unknown;
    madeOn: string | null;
    amount: number | null;
  };
};

test('kysely maps names, leaves keys inside JSON alone, and cannot open a transaction', async () => {
  const tenant = newId();
  await inTenant(tenant, async (tx) => {
    const query = tx.kysely().withTables<NoteTables>();
    const id = newId();
    const row = {
      tenantId: tenant,
      id,
      noteText: 'k',
      extra: { snake_key: { camelKey: 1 } },
      madeOn: '2026-03-29',
      amount: 5,
    };
    const result = await query.insertInto('notes').values(row).executeTakeFirst();
    assert.equal(result.numInsertedOrUpdatedRows, 1n);
    assert.deepEqual(await query.selectFrom('notes').selectAll().where('id', '=', id).executeTakeFirst(), row);
    const counted = await query.selectFrom('notes').select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow();
    assert.equal(counted.n, 1);
    await assert.rejects(
      query.transaction().execute(async () => undefined),
      /belongs to withTenant/,
    );
  });
});

test('errors of a statement have a kind, and name the broken constraint', async () => {
  const tenant = newId();
  const kindOf = async (text: string, values: unknown[]) => {
    try {
      await inTenant(tenant, (tx) => tx.query(text, values));
      return 'none';
    } catch (error) {
      assert.ok(error instanceof DatabaseError, String(error));
      return [error.kind, error.constraint];
    }
  };
  const insert = 'insert into notes (tenant_id, id, note_text) values ($1, $2, $3)';
  await inTenant(tenant, (tx) => note(tx, 'taken'));
  assert.deepEqual(await kindOf(insert, [tenant, newId(), 'taken']), ['unique', 'notes_tenant_id_note_text_key']);
  assert.deepEqual(await kindOf(insert, [tenant, newId(), 'bad']), ['check', 'notes_note_text_check']);
  assert.deepEqual(await kindOf(insert, [tenant, newId(), null]), ['not_null', null]);
  assert.deepEqual(await kindOf(insert, [tenant, 'no uuid', 'x']), ['invalid_text', null]);
  assert.deepEqual(await kindOf('select $1::int', ['99999999999']), ['out_of_range', null]);
  assert.deepEqual(await kindOf('select * from absent', []), ['undefined_object', null]);
  assert.deepEqual(await kindOf('truncate notes', []), ['insufficient_privilege', null]);
});

test('int8 is a number while exact, dates stay as written', async () => {
  const [row] = await inTenant(newId(), (tx) =>
    tx.query(
      `select 9007199254740991::bigint as a, 9007199254740993::bigint as b, date '2026-03-29' as c, 1.10::numeric as d`,
    ),
  );
  assert.deepEqual(row, { a: 9007199254740991, b: '9007199254740993', c: '2026-03-29', d: '1.10' });
});

test('F5, F6: no setting survives a transaction, and a connection that carries one is destroyed', async () => {
  const tenant = newId();
  const other = await createTestDatabase({ poolMax: 1 });
  try {
    const pid = async () => {
      const [row] = await other.database.withTenant(tenant, actor, (tx) =>
        tx.query<{ pid: number; tenant: string }>(
          `select pg_backend_pid() as pid, current_setting('app.tenant') as tenant`,
        ),
      );
      assert.equal(row?.tenant, tenant);
      return row?.pid;
    };
    const first = await pid();
    assert.equal(await pid(), first);
    // An injected statement could do this: change a session setting, which COMMIT keeps.
    await other.database.withTenant(tenant, actor, (tx) =>
      tx.query(`select set_config('app.tenant', $1, false)`, [newId()]),
    );
    assert.notEqual(await pid(), first);
    await other.database.withSystem('test', async (tx) => {
      const [row] = await tx.query(
        `select nullif(current_setting('app.tenant', true), '') as tenant, current_user as name`,
      );
      assert.deepEqual(row, { tenant: null, name: 'arbiter_system' });
    });
    const [after] = await other.database.withTenant(tenant, actor, (tx) => tx.query('select current_user as name'));
    assert.deepEqual(after, { name: 'arbiter_test_app' });
  } finally {
    await other.close();
  }
});

test('T2c: 200 concurrent transactions of 20 tenants over 4 connections see only their own', async () => {
  const tenants = Array.from({ length: 20 }, () => newId());
  for (const tenant of tenants) await inTenant(tenant, (tx) => note(tx, `mine ${tenant}`));
  await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const tenant = tenants[i % tenants.length]!;
      // Every third fails halfway, like an aborted request.
      const work = inTenant(tenant, async (tx) => {
        assert.deepEqual(await notes(tx), [{ note_text: `mine ${tenant}` }]);
        if (i % 3 === 0) throw new Error('aborted');
      });
      await (i % 3 === 0 ? assert.rejects(work, /aborted/) : work);
    }),
  );
});

test('a tenant must be an ID; a system transaction has none', async () => {
  for (const bad of ['', "x', true); drop table notes; --", newId().toUpperCase()]) {
    await assert.rejects(
      inTenant(bad, async () => undefined),
      /needs a tenant id/,
    );
  }
  await db.database.withSystem('test', async (tx) => {
    assert.equal(tx.tenantId, '');
    assert.deepEqual(tx.actor, { id: 'system:test', name: 'system', role: 'admin' });
    assert.throws(() => tx.touchCatalogue(), /no catalogue/);
  });
});

test('touchCatalogue raises the version once per transaction, at commit, and notifies every listener', async () => {
  const tenant = newId();
  const heard: string[] = [];
  const stop = db.database.listen('arbiter_catalogue', (payload) => heard.push(payload));
  await db.database.listening();
  const version = async () =>
    (
      await db.ownerQuery<{ version: string }>('select version from arbiter.catalogue_versions where tenant_id = $1', [
        tenant,
      ])
    )[0]?.version;
  await inTenant(tenant, async (tx) => {
    await tx.query(`insert into tenants (id, name) values ($1, 'T')`, [tenant]);
    tx.touchCatalogue();
    tx.touchCatalogue();
  });
  assert.equal(await version(), 1);
  await assert.rejects(
    inTenant(tenant, async (tx) => {
      tx.touchCatalogue();
      throw new Error('no');
    }),
  );
  await Promise.all(Array.from({ length: 8 }, () => inTenant(tenant, async (tx) => tx.touchCatalogue())));
  assert.equal(await version(), 9);
  await eventually(() => heard.length === 9);
  assert.ok(heard.every((payload) => payload === tenant));
  stop();
});

test('touchCredentials notifies this process before the transaction returns, and only after a commit', async () => {
  const [tenant, other] = [newId(), newId()];
  const heard: string[] = [];
  const stop = db.database.listen('arbiter_credentials', (payload) => heard.push(payload));
  await inTenant(tenant, async (tx) => {
    tx.touchCredentials();
    tx.touchCredentials();
    assert.deepEqual(heard, [], 'not before the commit');
  });
  assert.deepEqual(heard, [tenant]);
  await assert.rejects(
    inTenant(other, async (tx) => {
      tx.touchCredentials();
      throw new Error('no');
    }),
  );
  await inTenant(other, async () => undefined);
  assert.deepEqual(heard, [tenant]);
  stop();
});

test('a listener reconnects after its connection is terminated, and says so', async () => {
  const heard: string[] = [];
  let reconnected = 0;
  const stop = db.database.listen('test_news', (payload) => heard.push(payload), { onReconnect: () => reconnected++ });
  await db.database.listening();
  await db.ownerQuery(`select pg_notify('test_news', 'one')`);
  await eventually(() => heard.length === 1);
  await db.ownerQuery(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'arbiter listener'`,
  );
  await eventually(() => reconnected === 1);
  await db.ownerQuery(`select pg_notify('test_news', 'two')`);
  await eventually(() => heard.length === 2);
  stop();
  await db.database.listening();
  await db.ownerQuery(`select pg_notify('test_news', 'three')`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(heard, ['one', 'two']);
});

test('R3: a killed connection returns 503, and the next transaction works', async () => {
  const tenant = newId();
  await assert.rejects(
    inTenant(tenant, async (tx) => {
      const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await db.ownerQuery('select pg_terminate_backend($1)', [row!.pid]);
      await tx.query('select 1');
    }),
    isUnavailable,
  );
  assert.deepEqual(await inTenant(tenant, notes), []);
});

test("R3: a hanging database returns 503 in time, and the pool is clean when it's back", async () => {
  const quick = createDatabase({ url: db.url, poolMax: 1, acquireTimeoutMs: 5_000 });
  const limits = { statementTimeoutMs: 200 };
  let stopped = 0;
  try {
    const hanging = quick.withTenant(
      newId(),
      actor,
      async (tx) => {
        const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
        stopped = row!.pid;
        process.kill(stopped, 'SIGSTOP');
        await tx.query('select 1');
      },
      limits,
    );
    // deadline.test.ts measures how long this takes.
    await assert.rejects(hanging, isUnavailable);
    const [row] = await quick.withTenant(newId(), actor, (tx) =>
      tx.query<{ pid: number }>('select pg_backend_pid() as pid'),
    );
    assert.notEqual(row!.pid, stopped);
  } finally {
    process.kill(stopped, 'SIGCONT');
    await quick.close();
  }
});

test('T27: returns 503 if no connection is free within the limit', async () => {
  const small = createDatabase({ url: db.url, poolMax: 1, acquireTimeoutMs: 100 });
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  try {
    // On a busy machine, connecting takes longer than the limit.
    const connects = () => small.withTenant(newId(), actor, async () => true).catch(() => false);
    await eventually(connects);
    const holder = small.withTenant(newId(), actor, () => done);
    await eventually(() => small.connections().total === 1 && small.connections().idle === 0);
    await assert.rejects(
      small.withTenant(newId(), actor, async () => undefined),
      isUnavailable,
    );
    finish();
    await holder;
  } finally {
    finish();
    await small.close();
  }
});

test('a statement over its limit returns 503, and its connection is clean again', async () => {
  const quick = createDatabase({ url: db.url, poolMax: 1, acquireTimeoutMs: 5_000 });
  try {
    const slow = quick.withTenant(newId(), actor, (tx) => tx.query('select pg_sleep(10)'), { statementTimeoutMs: 100 });
    await assert.rejects(slow, isUnavailable);
    await quick.withTenant(newId(), actor, (tx) => tx.query('select pg_sleep(0.3)'), { statementTimeoutMs: 20_000 });
  } finally {
    await quick.close();
  }
});

test('an unreachable database returns 503', async () => {
  const absent = createDatabase({ url: 'postgresql://nobody@localhost/nothing?host=%2Fnonexistent' });
  await assert.rejects(
    absent.withTenant(newId(), actor, async () => undefined),
    isUnavailable,
  );
  await absent.close();
});
