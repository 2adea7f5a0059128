import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { migrate, migrationsFolder, pendingMigrations, readMigrations } from '../../packages/server/src/db/migrate.ts';
import { dumpSchema } from '../../packages/server/src/db/schema-dump.ts';
import { withDatabase, withUser } from '../../packages/server/src/db/test-database.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { fingerprint } from '../operations/fingerprint.ts';
import { catalogueFindings } from '../tenancy/catalogue-findings.ts';
import { populate } from '../tenancy/world.ts';

/** Migrations as an operator meets them: again on a database in use, and one release after the other. */

let server: TestServer;
let empty: string;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  empty = `test_steps_${process.pid}`;
  await server.testDatabase.ownerQuery(`create database ${empty}`);
});
after(async () => {
  await server?.testDatabase.ownerQuery(`drop database if exists ${empty} with (force)`);
  await server?.close();
});

test('the files are numbered from 0001 without gap or twin', async () => {
  const names = (await readMigrations()).map(({ name }) => name);
  assert.ok(names.length >= 5);
  assert.deepEqual(
    names.map((name) => name.slice(0, 5)),
    names.map((_, index) => `${String(index + 1).padStart(4, '0')}_`),
  );
});

test('a second run on a database in use applies nothing and leaves schema and data unchanged', async () => {
  const { testDatabase, tenants } = server;
  for (const tenant of tenants) await populate(server, tenant);
  const ids = tenants.map(({ id }) => id);
  const [schema, data] = [await dumpSchema(testDatabase.adminUrl), await fingerprint(server, ids)];
  const partitions = () =>
    testDatabase.ownerQuery(
      `select c.oid::regclass::text as name, pg_get_expr(c.relpartbound, c.oid) as bounds from pg_class c
        where c.relispartition order by 1`,
    );
  const before = await partitions();
  for (let run = 0; run < 2; run += 1) {
    assert.deepEqual(await migrate({ adminUrl: testDatabase.adminUrl, url: testDatabase.url }), []);
  }
  assert.equal(await dumpSchema(testDatabase.adminUrl), schema);
  assert.deepEqual(await fingerprint(server, ids), data);
  assert.deepEqual(await partitions(), before);
  assert.deepEqual(await catalogueFindings(testDatabase), []);
  // The server has noticed nothing.
  const answer = await server.call('GET', '/api/v1/offers');
  assert.equal(answer.status, 200, answer.text);
});

test('release after release gives the committed schema; each run applies one file, a repeat none', async () => {
  const adminUrl = withDatabase(server.testDatabase.adminUrl, empty);
  const url = withUser(adminUrl, 'arbiter_test_app');
  const path = await mkdtemp(join(tmpdir(), 'arbiter-steps-'));
  const folder = pathToFileURL(`${path}/`);
  try {
    for (const { name } of await readMigrations()) {
      await copyFile(new URL(`${name}.sql`, migrationsFolder), new URL(`${name}.sql`, folder));
      if (name === '0013_history') await rollUp(adminUrl);
      assert.deepEqual(await migrate({ adminUrl, url, folder }), [name]);
      assert.deepEqual(await migrate({ adminUrl, url, folder }), []);
    }
    assert.deepEqual(await pendingMigrations(url), []);
    await assertCounted(adminUrl);
    const committed = await readFile(new URL('../../docs/schema.sql', import.meta.url), 'utf8');
    assert.equal(await dumpSchema(adminUrl), committed);
  } finally {
    await rm(path, { recursive: true });
  }
});

const [tenant, other, offer] = [newId(), newId(), newId()];

async function asOwner<Row = Record<string, unknown>>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query(text, values).finally(() => client.end())).rows as Row[];
}

/** What releases before packed history had rolled up: a row for each customer and day. */
async function rollUp(url: string): Promise<void> {
  await asOwner(
    url,
    `insert into arbiter.interaction_summaries (tenant_id, customer_id, day, offer_id, creative_id, direction, impressions,
       positive, negative, neutral, converts, total_value)
     select t, 'C-' || n, '2026-11-20', $3, null, 'outbound', n, 1, 0, 2, 1, 2.5 from unnest($1::uuid[]) t, generate_series(1, $2) n`,
    [[tenant, other], 3, offer],
  );
}

/** The tenants' figures were made of it; nothing of a customer counts twice beside his history. */
async function assertCounted(url: string): Promise<void> {
  const figures = { day: '2026-11-20', impressions: 6, positive: 3, negative: 0, neutral: 6, converts: 3, value: 7.5 };
  assert.deepEqual(
    await asOwner(
      url,
      `select day::text, impressions, positive, negative, neutral, converts, total_value::float8 as value
       from arbiter.daily_totals where tenant_id = any($1) order by tenant_id`,
      [[tenant, other]],
    ),
    [figures, figures],
  );
  assert.deepEqual(await asOwner(url, 'select from arbiter.interaction_summaries'), []);
}

type Rows = (text: string) => Promise<unknown[]>;

/** A database as it was before the migration of this name, filled, then brought up to date and looked at. */
async function upgrade(migration: string, fill: string, look: (rows: Rows) => Promise<void>): Promise<void> {
  const name = `test_upgrade_${migration}_${process.pid}`;
  const { testDatabase } = server;
  await testDatabase.ownerQuery(`create database ${name}`);
  const adminUrl = withDatabase(testDatabase.adminUrl, name);
  const url = withUser(adminUrl, 'arbiter_test_app');
  const path = await mkdtemp(join(tmpdir(), 'arbiter-upgrade-'));
  const folder = pathToFileURL(`${path}/`);
  const client = new pg.Client({ connectionString: adminUrl });
  const bring = async (names: readonly string[]) => {
    for (const each of names) await copyFile(new URL(`${each}.sql`, migrationsFolder), new URL(`${each}.sql`, folder));
    await migrate({ adminUrl, url, folder });
  };
  try {
    const all = (await readMigrations()).map((each) => each.name);
    const place = all.findIndex((each) => each.endsWith(migration));
    assert.ok(place > 0, migration);
    await bring(all.slice(0, place));
    await client.connect();
    await client.query(fill);
    await bring(all);
    await look(async (text) => (await client.query(text)).rows);
  } finally {
    await client.end();
    await testDatabase.ownerQuery(`drop database if exists ${name} with (force)`);
    await rm(path, { recursive: true });
  }
}

test('the history of a catalogue starts with the state that an upgrade finds', async () => {
  const [tenant, untouched] = ['0190a000-0000-7000-8000-000000000001', '0190a000-0000-7000-8000-000000000002'];
  const [offer, hidden] = ['0190a000-0000-7000-8000-000000000003', '0190a000-0000-7000-8000-000000000004'];
  const fill = `
    insert into arbiter.tenants (id, name) values ('${tenant}', 'A'), ('${untouched}', 'B');
    insert into arbiter.catalogue_versions values ('${tenant}', 41, '2026-11-01T00:00:00Z');
    insert into arbiter.offers (tenant_id, id, name, version, deleted_at, created_at, updated_at)
      values ('${tenant}', '${offer}', 'kept', 3, null, now(), now()), ('${tenant}', '${hidden}', 'hidden', 2, now(), now(), now());
    insert into arbiter.outcome_types (tenant_id, id, key, name, classification, version, created_at, updated_at)
      values ('${untouched}', '${offer}', 'x', 'X', 'neutral', 1, now(), now());
    insert into arbiter.tenant_settings values ('${tenant}', 4, '{"a":1}', now())`;
  await upgrade('versions_and_order', fill, async (rows) => {
    assert.deepEqual(
      await rows(`select entity_type, entity_id, version, config_version::int as number, body ->> 'name' as name, deleted
                    from arbiter.record_versions order by tenant_id, entity_type, version`),
      [
        { entity_type: 'offer', entity_id: hidden, version: 2, number: 41, name: 'hidden', deleted: true },
        { entity_type: 'offer', entity_id: offer, version: 3, number: 41, name: 'kept', deleted: false },
        { entity_type: 'tenantSettings', entity_id: tenant, version: 4, number: 41, name: null, deleted: false },
        { entity_type: 'outcomeType', entity_id: offer, version: 1, number: 1, name: 'X', deleted: false },
      ],
    );
    assert.deepEqual(
      await rows(`select config_version::int as number, actor, committed_at = '2026-11-01T00:00:00Z' as same
                    from arbiter.catalogue_log order by tenant_id`),
      [
        { number: 41, actor: 'system:migration', same: true },
        { number: 1, actor: 'system:migration', same: false },
      ],
    );
  });
});

test('identities of SAML are told from others, and second factors are shown, after an upgrade', async () => {
  const [a, b] = ['0190a000-0000-7000-8000-00000000000a', '0190a000-0000-7000-8000-00000000000b'];
  const google = 'https://accounts.google.com';
  const config = (tenant: string, provider: string, entity: string, issuer: string) =>
    `('${tenant}', '${provider}', true, '${entity}', true, '${issuer}', 'openid', 'viewer', '{}', false, false, now())`;
  const fill = `
    insert into arbiter.tenants (id, name) values ('${a}', 'A'), ('${b}', 'B');
    insert into arbiter.users (tenant_id, id, email, email_key, name, role, source, created_at, updated_at)
      select t, t, 'x@x.example', 'x@x.example', 'X', 'viewer', 'sso', now(), now() from unnest(array['${a}', '${b}']::uuid[]) t;
    insert into arbiter.sso_configs (tenant_id, provider, enabled, saml_entity_id, saml_allow_unsolicited, oidc_issuer,
        oidc_scopes, default_role, allowed_domains, auto_provision, enforce_for_all_users, updated_at)
      values ${config(a, 'saml', google, 'https://idp.example')}, ${config(b, 'oidc', 'https://x.example', google)};
    insert into arbiter.user_identities (tenant_id, id, user_id, issuer, subject, created_at)
      values ('${a}', '${a}', '${a}', '${google}', '1', now()), ('${b}', '${b}', '${b}', '${google}', '1', now());
    insert into arbiter.second_factors (tenant_id, user_id, sealed, last_step, created_at, enabled_at)
      values ('${a}', '${a}', 'x', 0, now(), now()), ('${b}', '${b}', 'x', 0, now(), null)`;
  await upgrade('whose_identity', fill, async (rows) => {
    assert.deepEqual(await rows('select tenant_id, issuer from arbiter.user_identities order by tenant_id'), [
      { tenant_id: a, issuer: `saml:${google}` },
      { tenant_id: b, issuer: google },
    ]);
    assert.deepEqual(await rows('select second_factor from arbiter.users order by tenant_id'), [
      { second_factor: true },
      { second_factor: false },
    ]);
  });
});
