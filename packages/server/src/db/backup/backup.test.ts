import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { ConfigError } from '../../config.ts';
import { startTestServer, type TestServer } from '../../main/test-server.ts';
import { dumpSchema } from '../schema-dump.ts';
import { createEmptyDatabase, type TestDatabase } from '../test-database.ts';
import { backupFrames, quoted, quoteName } from './backup-database.ts';
import { BackupError, type BackupFrame, readBackupFile, verifyBackupFile, writeBackupFile } from './backup-file.ts';
import {
  type BackupHeader,
  isSecretTable,
  readSequences,
  readTables,
  readTenantTables,
  readTenantViews,
} from './contents.ts';
import { assertEmpty, assertRestorable, restoreDatabase } from './restore-database.ts';

let server: TestServer;
let folder: string;
let file: string;
const targets: TestDatabase[] = [];
const base = { version: 'test', keyId: null, tenant: null, exports: [] };
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'arbiter-backup-'));
  server = await startTestServer();
  const loaded = await server.call('POST', '/api/v1/seed-dataset/coffee_rewards', { body: {} });
  assert.ok(loaded.status < 300, loaded.text);
  const channel = await server.call('POST', '/api/v1/channels', {
    body: {
      name: 'Backed up hook',
      channelType: 'email',
      providerConfig: { provider: 'webhook', url: 'https://example.org/hook', secret: 'a secret of the webhook' },
    },
  });
  assert.equal(channel.status, 201, channel.text);
  const asked = await server.call('POST', '/api/v1/recommend', { body: { customerId: 'CM-000001', channel: 'email' } });
  assert.equal(asked.status, 200, asked.text);
  // The server writes decision figures a few seconds later, then goes quiet.
  while ((await server.testDatabase.ownerQuery('select from arbiter.decision_minutes')).length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  file = await backUp('full.arb', 'sealed');
});
after(async () => {
  for (const target of targets) await target.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function backUp(name: string, sealedSecrets: string | null): Promise<string> {
  const path = join(folder, name);
  const withSecrets = sealedSecrets !== null;
  const options = { ...base, adminUrl: server.testDatabase.adminUrl, withSecrets, sealedSecrets };
  await writeBackupFile(path, backupFrames({ ...options, onDone: () => undefined }));
  return path;
}

async function emptyTarget(): Promise<TestDatabase> {
  const target = await createEmptyDatabase();
  targets.push(target);
  return target;
}

async function opened(path: string): Promise<{ header: BackupHeader; frames: AsyncGenerator<BackupFrame> }> {
  await verifyBackupFile(path);
  const frames = readBackupFile(path);
  const first = await frames.next();
  assert.ok(first.done !== true);
  return { header: JSON.parse(first.value.payload.toString()), frames };
}

async function restoreInto(target: TestDatabase, path: string): Promise<BackupHeader> {
  const { header, frames } = await opened(path);
  await assertRestorable(header);
  await assertEmpty(target.adminUrl, header);
  await restoreDatabase(target, header, frames);
  await frames.return(undefined);
  return header;
}

/** Everything a backup has to bring back, in a comparable form. */
async function contentsOf(url: string, skip: (table: { schema: string; name: string }) => boolean = () => false) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set search_path = pg_catalog');
    const rows: Record<string, string> = {};
    for (const table of await readTables(client)) {
      if (skip(table)) continue;
      const columns = table.columns.map(quoteName).join(', ');
      const found = await client.query<{ text: string }>(
        `select coalesce(string_agg(t::text, E'\\n' order by t::text), '') as text from (select ${columns} from ${quoted(table)}) t`,
      );
      rows[quoted(table)] = createHash('sha256')
        .update(found.rows[0]?.text ?? '')
        .digest('hex');
    }
    const policies = await client.query(
      `select format('%I.%I', n.nspname, c.relname) as "table", c.relrowsecurity, c.relforcerowsecurity, c.relowner::regrole::text,
              c.relacl::text, array(select p.polname::text from pg_policy p where p.polrelid = c.oid order by 1) as policies
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname ~ '^t_' and c.relkind in ('r', 'v') order by 1`,
    );
    return {
      rows,
      tables: await readTenantTables(client),
      views: (await readTenantViews(client)).sort((a, b) => a.name.localeCompare(b.name)),
      sequences: (await readSequences(client)).sort((a, b) => a.table.localeCompare(b.table)),
      policies: policies.rows,
    };
  } finally {
    await client.end();
  }
}

test('restores every row, table, view, right and sequence, and the schema of the migrations', async () => {
  const target = await emptyTarget();
  await restoreInto(target, file);
  const [source, restored] = await Promise.all([contentsOf(server.testDatabase.adminUrl), contentsOf(target.adminUrl)]);
  assert.deepEqual(restored, source);
  assert.ok(source.tables.length > 0 && source.views.length > 0, 'the pack has tables and segments');
  assert.equal(await dumpSchema(target.adminUrl), await dumpSchema(server.testDatabase.adminUrl));
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('without secrets, leaves out secrets of records, and the header says whose', async () => {
  const path = await backUp('without.arb', null);
  const target = await emptyTarget();
  const header = await restoreInto(target, path);
  assert.deepEqual(header.withoutSecret, [
    { kind: 'channels', tenantId: server.tenants[0].id, name: 'Backed up hook' },
  ]);
  assert.deepEqual(await target.ownerQuery('select from arbiter.channel_secrets'), []);
  assert.equal((await server.testDatabase.ownerQuery('select from arbiter.channel_secrets')).length, 1);
  const [source, restored] = await Promise.all([
    contentsOf(server.testDatabase.adminUrl, isSecretTable),
    contentsOf(target.adminUrl, isSecretTable),
  ]);
  assert.deepEqual(restored.rows, source.rows);
});

test('sealed columns: secrets of records are in tables named so; lists what stays in every backup', async () => {
  const rows = await server.testDatabase.ownerQuery<{ name: string }>(
    `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where a.attname = 'sealed' and c.relnamespace = 'arbiter'::regnamespace and c.relkind in ('r', 'p') order by 1`,
  );
  const stays = rows.filter(({ name }) => !isSecretTable({ schema: 'arbiter', name })).map(({ name }) => name);
  // Account requests and emails still wait to be processed. Without second factors, a password alone would sign people
  // in.
  assert.deepEqual(stays, ['account_requests', 'mails', 'second_factors']);
});

test('rejects a database with tenants, and changes nothing in it', async () => {
  const before = await contentsOf(server.testDatabase.adminUrl);
  const { header, frames } = await opened(file);
  await assert.rejects(assertEmpty(server.testDatabase.adminUrl, header), /isn't empty/);
  await assert.rejects(restoreDatabase(server.testDatabase, header, frames), /isn't empty/);
  assert.deepEqual(await contentsOf(server.testDatabase.adminUrl), before);
});

test('a failed restore leaves no rows, and can be repeated', async () => {
  const target = await emptyTarget();
  const { header, frames } = await opened(file);
  async function* cut(): AsyncGenerator<BackupFrame> {
    let count = 0;
    for await (const frame of frames) {
      if (count++ > 40) return;
      yield frame;
    }
  }
  await assert.rejects(restoreDatabase(target, header, cut()), /ends before its last frame/);
  assert.deepEqual(await target.ownerQuery('select from arbiter.tenants'), []);
  await restoreInto(target, file);
  assert.equal((await target.ownerQuery('select from arbiter.tenants')).length, 1);
});

test('rejects a damaged, truncated or foreign file', async () => {
  const damaged = join(folder, 'damaged.arb');
  const bytes = await readFile(file);
  for (const at of [20, Math.floor(bytes.length / 2), bytes.length - 1]) {
    await copyFile(file, damaged);
    const handle = await open(damaged, 'r+');
    await handle.write(Buffer.of(bytes[at]! ^ 1), 0, 1, at);
    await handle.close();
    await assert.rejects(verifyBackupFile(damaged), /checksum doesn't match/);
  }
  await copyFile(file, damaged);
  const handle = await open(damaged, 'r+');
  await handle.truncate(bytes.length - 100);
  await handle.close();
  await assert.rejects(verifyBackupFile(damaged), BackupError);
  await assert.rejects(verifyBackupFile(new URL(import.meta.url).pathname), /isn't a backup of Arbiter/);
  await assert.rejects(verifyBackupFile(join(folder, 'missing')), /can't be read/);
});

test('rejects a backup of a newer build, and names both migrations', async () => {
  const { header, frames } = await opened(file);
  await frames.return(undefined);
  const newer = { ...header, migrations: [...header.migrations, { name: '9999_later', checksum: 'x' }] };
  const newest = header.migrations.at(-1)?.name ?? '';
  await assert.rejects(
    assertRestorable(newer),
    (error) => error instanceof ConfigError && error.message.includes('9999_later') && error.message.includes(newest),
  );
});

test('a failed backup leaves no file, and keeps an existing one', async () => {
  async function* failing(): AsyncGenerator<BackupFrame> {
    yield { kind: 'header', payload: Buffer.from('{}') };
    throw new Error('the database went away');
  }
  await assert.rejects(writeBackupFile(join(folder, 'failed.arb'), failing()), /went away/);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('failed')),
    [],
  );
  const size = (await stat(file)).size;
  await assert.rejects(writeBackupFile(file, failing()), /already exists/);
  assert.equal((await stat(file)).size, size);
  await assert.rejects(writeBackupFile(join(folder, 'no-folder', 'b.arb'), failing()), {
    name: 'BackupError',
    message: /b\.arb can't be written: ENOENT/,
  });
});

test('rejects a role bound by row-level security', async () => {
  const options = { ...base, withSecrets: false, sealedSecrets: null, onDone: () => undefined };
  const frames = backupFrames({ ...options, adminUrl: server.testDatabase.url });
  await assert.rejects(frames.next(), /superuser or to a role with BYPASSRLS/);
});
