import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { ConfigError } from '../config.ts';
import { newId } from '../platform/ids.ts';
import { createDatabase, systemActor } from './database.ts';
import { migrate, migrationsFolder, pendingMigrations, readMigrations } from './migrate.ts';
import { checkRole } from './roles/role-check.ts';
import { scramVerifier } from './roles/roles.ts';
import { createTestDatabase, type TestDatabase, withDatabase, withUser } from './test-database.ts';

let db: TestDatabase;
const made: string[] = [];
before(async () => {
  db = await createTestDatabase();
});
after(async () => {
  for (const name of made) await db.ownerQuery(`drop database ${name} with (force)`);
  await db.close();
});

/** Creates an empty database, not a copy of the template, with a login that doesn't exist yet. */
async function emptyDatabase(): Promise<{ adminUrl: string; url: string; login: string }> {
  const login = `test_new_${newId().slice(-12)}`;
  await db.ownerQuery(`create database ${login}`);
  made.push(login);
  const adminUrl = withDatabase(db.adminUrl, login);
  return { adminUrl, url: withUser(adminUrl, login), login };
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('R11: two processes migrate at once: each file runs once, without errors, and the login is safe', async () => {
  const { adminUrl, url, login } = await emptyDatabase();
  const names = (await readMigrations()).map((each) => each.name);
  const results = await Promise.all([1, 2].map(() => migrate({ adminUrl, url })));
  assert.deepEqual(results.flat().sort(), names);
  assert.deepEqual(await pendingMigrations(url), []);
  assert.deepEqual(await checkRole(url), []);
  const database = createDatabase({ url });
  await database.withTenant(newId(), systemActor('test'), (tx) =>
    tx.query(`insert into tenants (id, name) values ($1, 'T')`, [tx.tenantId]),
  );
  await database.close();
  assert.deepEqual(await migrate({ adminUrl, url }), []);
  await db.ownerQuery(`drop database ${login} with (force); `);
  made.splice(made.indexOf(login), 1);
});

test('prepares databases of one cluster at the same time', async () => {
  const targets = await Promise.all([emptyDatabase(), emptyDatabase(), emptyDatabase()]);
  await Promise.all(targets.map((each) => migrate(each)));
  for (const { url } of targets) assert.deepEqual(await pendingMigrations(url), []);
});

test('a dead migrator leaves no lock; a live one is waited for', async () => {
  const { adminUrl, url } = await emptyDatabase();
  const holder = new pg.Client({ connectionString: adminUrl });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('select pg_advisory_lock(7245301942)');
  await assert.rejects(migrate({ adminUrl, url, lockTimeoutMs: 150 }), /another process holds the migration lock/);
  const messages: string[] = [];
  const waiting = migrate({ adminUrl, url, onProgress: (message) => messages.push(message) });
  const until = performance.now() + 20_000;
  while (messages.length === 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
  await new Promise((resolve) => setTimeout(resolve, 250));
  assert.deepEqual(messages, ['another process is migrating; waiting for it to finish']);
  // What a crash of the holder does to it.
  await query(db.adminUrl, `select pg_terminate_backend(${Reflect.get(holder, 'processID')})`);
  assert.ok((await waiting).length > 0);
});

test('rejects a changed file, leaves nothing of a failed one, and applies a new one', async () => {
  const folderPath = await mkdtemp(join(tmpdir(), 'arbiter-migrations-'));
  const folder = pathToFileURL(`${folderPath}/`);
  try {
    await cp(migrationsFolder, folder, { recursive: true });
    const { adminUrl, url } = await emptyDatabase();
    await migrate({ adminUrl, url, folder });
    await writeFile(new URL('9998_broken.sql', folder), 'create table arbiter.half (id int); select 1/0;');
    assert.deepEqual(await pendingMigrations(url, folder), ['9998_broken']);
    await assert.rejects(migrate({ adminUrl, url, folder }), /migration 9998_broken failed: division by zero/);
    assert.deepEqual(await query(adminUrl, `select to_regclass('arbiter.half') as found`), [{ found: null }]);
    await writeFile(new URL('9998_broken.sql', folder), 'create table arbiter.whole (id int);');
    assert.deepEqual(await migrate({ adminUrl, url, folder }), ['9998_broken']);
    const owner = await query(
      adminUrl,
      `select relowner::regrole::text as owner from pg_class where relname = 'whole'`,
    );
    assert.deepEqual(owner, [{ owner: 'arbiter_owner' }]);
    await writeFile(new URL('9998_broken.sql', folder), 'create table arbiter.other (id int);');
    await assert.rejects(migrate({ adminUrl, url, folder }), /9998_broken was changed/);
    await writeFile(new URL('bad name.sql', folder), '');
    await assert.rejects(migrate({ adminUrl, url, folder }), /not a valid migration name/);
  } finally {
    await rm(folderPath, { recursive: true });
  }
});

test('rejects a database migrated by a newer build, and names both migrations', async () => {
  const { adminUrl, url } = await emptyDatabase();
  await migrate({ adminUrl, url });
  const newest = (await readMigrations()).at(-1)?.name ?? '';
  await query(adminUrl, `insert into arbiter.schema_migrations (name, checksum) values ('9999_later', 'x')`);
  const refused = (error: unknown) =>
    error instanceof ConfigError && error.message.includes('9999_later') && error.message.includes(newest);
  // Rights that this build would revoke.
  const database = new URL(adminUrl).pathname.slice(1);
  await query(adminUrl, `grant temporary on database ${database} to public`);
  await assert.rejects(migrate({ adminUrl, url }), refused);
  await assert.rejects(pendingMigrations(url), refused);
  assert.deepEqual(
    await query(adminUrl, `select has_database_privilege('public', current_database(), 'temporary') as stays`),
    [{ stays: true }],
    'a refused build changes no rights',
  );
});

test('refuses a database from before the baseline, and says to start with a new one', async () => {
  const { adminUrl, url } = await emptyDatabase();
  await migrate({ adminUrl, url });
  await query(adminUrl, `update arbiter.schema_migrations set name = '0053_account_requests'`);
  const refused = (error: unknown) =>
    error instanceof ConfigError &&
    /created by a build before 1\.0: it has migration 0053_account_requests.*new database/.test(error.message);
  await assert.rejects(migrate({ adminUrl, url }), refused);
  await assert.rejects(pendingMigrations(url), refused);
});

test('names what a database restored without owners or rights lacks', async () => {
  const { adminUrl, url } = await emptyDatabase();
  await migrate({ adminUrl, url });
  const explained = (pattern: RegExp) => (error: unknown) =>
    error instanceof ConfigError && pattern.test(error.message) && error.message.includes('pg_dumpall --roles-only');
  const [me] = await query(adminUrl, 'select current_user::text as name');
  const { name } = me as { name: string };
  await query(adminUrl, `alter schema arbiter owner to ${name}`);
  await assert.rejects(migrate({ adminUrl, url }), explained(/schema arbiter belongs to \w+, not to arbiter_owner/));
  await query(adminUrl, `alter schema arbiter owner to arbiter_owner; alter table arbiter.offers owner to ${name}`);
  await assert.rejects(migrate({ adminUrl, url }), explained(/1 tables of schema arbiter/));
  await query(
    adminUrl,
    `alter table arbiter.offers owner to arbiter_owner;
     revoke all on schema arbiter from arbiter_app; revoke all on all tables in schema arbiter from arbiter_app`,
  );
  await assert.rejects(migrate({ adminUrl, url }), explained(/arbiter_app has no rights/));
  await assert.rejects(pendingMigrations(url), explained(/arbiter_app has no rights/));
});

test("an owner that isn't a superuser can migrate", async () => {
  const name = `test_owner_${newId().slice(-12)}`;
  await db.ownerQuery(`create role ${name} login createrole`);
  await db.ownerQuery(`create database ${name} owner ${name}`);
  made.push(name);
  // Another role created this cluster's group roles. Give the new owner what it may pass on.
  await db.ownerQuery(
    `grant arbiter_owner, arbiter_app, arbiter_system, arbiter_queue, arbiter_system_door, arbiter_queue_door to ${name} with admin option`,
  );
  const adminUrl = withUser(withDatabase(db.adminUrl, name), name);
  const url = withUser(adminUrl, `${name}_app`);
  assert.ok((await migrate({ adminUrl, url })).length > 0);
  assert.deepEqual(await checkRole(url), []);
  await assert.rejects(query(url, 'create temporary table t (id int)'), /permission denied to create temporary tables/);
});

test("T2: revokes everyone's right to create temporary tables in a database of an earlier version", async () => {
  const { adminUrl, url, login } = await emptyDatabase();
  await migrate({ adminUrl, url });
  await query(adminUrl, `grant temporary on database ${login} to public`);
  await query(url, 'create temporary table t (id int)');
  assert.deepEqual(await migrate({ adminUrl, url }), []);
  await assert.rejects(query(url, 'create temporary table t (id int)'), /permission denied to create temporary tables/);
});

test('stores a password as SCRAM, computed here', () => {
  // RFC 7677 section 3: user "user", password "pencil", that salt; PostgreSQL stores these keys.
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
  assert.equal(
    scramVerifier('pencil', salt),
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
});
