import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { ConfigError } from '../../config.ts';
import { newId } from '../../platform/ids.ts';
import { connectionConfig } from '../connections/connection.ts';
import { createQueuePool } from '../connections/queue-pool.ts';
import { createDatabase, systemActor } from '../database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/embedded-postgres.ts';
import { migrate, pendingMigrations } from '../migrate.ts';
import { withDatabase, withUser } from '../test-database.ts';
import { checkRole } from './role-check.ts';

/**
 * Which names DATABASE_URL may use for its user. These tests need their own cluster because they change roles, which a
 * cluster shares.
 */

let folder: string;
let cluster: EmbeddedPostgres;
let adminUrl: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbiter-names-'));
  cluster = await startEmbeddedPostgres({ folder, durable: false });
  adminUrl = withDatabase(cluster.adminUrl, 'postgres');
});
after(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

const urlOf = (name: string): string => withUser(adminUrl, encodeURIComponent(name));

async function asAdmin(text: string): Promise<void> {
  const client = new pg.Client(connectionConfig({ url: adminUrl }));
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** Returns the error message; null when the migration succeeded. */
async function refusal(url: string, admin = adminUrl): Promise<string | null> {
  try {
    await migrate({ adminUrl: admin, url });
    return null;
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
}

async function worksAs(url: string): Promise<void> {
  assert.equal(await refusal(url), null);
  assert.equal(await refusal(url), null, 'a second time');
  assert.deepEqual(await pendingMigrations(url), []);
  assert.deepEqual(await checkRole(url), []);
  const database = createDatabase({ url });
  try {
    const id = newId();
    await database.withTenant(id, systemActor('test'), (tx) =>
      tx.query(`insert into tenants (id, name) values ($1, 'T')`, [id]),
    );
    const seen = await database.withSystem('test', (tx) => tx.query('select 1 from tenants where id = $1', [id]));
    assert.equal(seen.length, 1);
  } finally {
    await database.close();
  }
  const queue = createQueuePool(url, 1, () => undefined);
  try {
    const { rows } = await queue.query('select current_user as name');
    assert.deepEqual(rows, [{ name: 'arbiter_queue' }]);
  } finally {
    await queue.end();
  }
}

for (const name of [
  'arbiter_app',
  'arbiter',
  'postgres',
  'user',
  'Select From',
  `o'br"ien`,
  'dotted.name',
  'dash-ed; drop role arbiter_app',
  'back\\slash',
  '100%$1',
  'jürgen',
  'ARBITER_QUEUE',
  'n'.repeat(63),
]) {
  test(`accepts ${name} as the name of a user`, () => worksAs(urlOf(name)));
}

test('a group that already has members can become the login', async () => {
  await worksAs(urlOf('arbiter_server'));
  await asAdmin('alter role arbiter_app nologin');
  await worksAs(urlOf('arbiter_app'));
  await worksAs(urlOf('arbiter_server'));
});

for (const [name, why] of [
  ['arbiter_owner', /"arbiter_owner", a role that Arbiter creates .* Use another role, such as arbiter_server/],
  ['arbiter_system', /a role that Arbiter creates/],
  ['arbiter_queue', /a role that Arbiter creates/],
  ['arbiter_readonly', /a role that Arbiter creates/],
  ['arbiter_system_door', /a role that Arbiter creates/],
  ['arbiter_queue_door', /a role that Arbiter creates/],
  ['pg_server', /a name that PostgreSQL reserves/],
  ['pg_monitor', /a name that PostgreSQL reserves/],
  ['public', /a name that PostgreSQL reserves/],
  ['none', /a name that PostgreSQL reserves/],
  ['n'.repeat(64), /longer than PostgreSQL's limit of 63 bytes/],
  ['ü'.repeat(32), /longer than PostgreSQL's limit of 63 bytes/],
  ['line\nbreak', /a control character/],
] as const) {
  test(`rejects ${JSON.stringify(name)} as the name of a user, and says what to do`, async () => {
    assert.match((await refusal(urlOf(name))) ?? '', why);
    await assert.rejects(pendingMigrations(urlOf(name)), ConfigError, 'nor where somebody else migrates');
  });
}

test('names conflicting roles, and what to do about them', async () => {
  assert.match((await refusal(urlOf('arbiter'), urlOf('arbiter_owner'))) ?? '', /^DATABASE_ADMIN_URL uses the role/);
  assert.match((await refusal(urlOf('arbiter'), urlOf('arbiter_app'))) ?? '', /Use the owner of the database/);

  await asAdmin('create role shut nologin');
  assert.match(
    (await refusal(urlOf('shut'))) ?? '',
    /"shut", which can't log in\. Allow it \(alter role "shut" login\)/,
  );

  await asAdmin('create role "above us" login; grant "above us" to arbiter_app');
  assert.match((await refusal(urlOf('above us'))) ?? '', /of which arbiter_app is a member\. Use another role/);
  await asAdmin('drop role "above us"');

  await asAdmin('alter role arbiter_system superuser');
  assert.match((await refusal(urlOf('arbiter'))) ?? '', /The role arbiter_system in this database is a superuser/);
  await asAdmin('alter role arbiter_system nosuperuser');
  await worksAs(urlOf('arbiter'));
});
