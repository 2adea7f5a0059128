import pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { ConfigError } from '../../config.ts';
import { distributeDatabase } from '../cluster/distribute-database.ts';
import { isDistributed, readNodes, withoutPropagation } from '../cluster/nodes.ts';
import { closeClient, connectionConfig } from '../connections/connection.ts';
import { queueSchema } from '../connections/queue-pool.ts';
import { migrate, readMigrations } from '../migrate.ts';
import { assertUnbound, quoted, quoteName } from './backup-database.ts';
import { BackupError, type BackupFrame } from './backup-file.ts';
import {
  type BackupHeader,
  readMigrationsApplied,
  readPartitions,
  readTables,
  type SequenceValue,
  type TableContents,
  type TenantTable,
  tenantColumn,
  type WaitingJob,
} from './contents.ts';

export interface RestoreTarget {
  /** URL of a superuser, or of a role with BYPASSRLS that can create roles. */
  readonly adminUrl: string;
  /** The application's URL. */
  readonly url: string;
}

export interface Restored {
  readonly rows: number;
  readonly tables: number;
}

/** Throws ConfigError when a newer build wrote the backup, and BackupError when its build had different migrations. */
export async function assertRestorable({ migrations, version }: BackupHeader): Promise<void> {
  const known = new Map((await readMigrations()).map(({ name, checksum }) => [name, checksum]));
  const unknown = migrations.filter(({ name }) => !known.has(name)).at(-1);
  if (unknown !== undefined) {
    throw new ConfigError([
      `The backup is newer than this build: it has migration ${unknown.name} (Arbiter ${version}), and this build stops at ${[...known.keys()].at(-1)}. Restore it with the newer build.`,
    ]);
  }
  const changed = migrations.find(({ name, checksum }) => known.get(name) !== checksum);
  if (changed !== undefined) {
    throw new BackupError(
      `The backup comes from a different build: its migration ${changed.name} differs from the one in this build`,
    );
  }
}

/**
 * Throws BackupError unless the database is empty: it has none of our schemas, or they have no rows and are no newer
 * than the backup.
 */
export async function assertEmpty(adminUrl: string, header: BackupHeader): Promise<void> {
  await withAdmin(adminUrl, async (client) => {
    await assertUnbound(client);
    if (await isDistributed(client)) {
      throw new BackupError(
        "The database's tables are already distributed over a cluster. Restore into a new database of the cluster, before arbiter migrate",
      );
    }
    const { rows } = await client.query(`select from pg_namespace where nspname = 'arbiter'`);
    if (rows.length > 0) await assertNoRows(client, header, await readTables(client));
  });
}

async function assertNoRows(
  client: pg.ClientBase,
  header: BackupHeader,
  tables: readonly TableContents[],
): Promise<void> {
  for (const table of tables.filter(({ schema }) => schema !== queueSchema)) {
    const { rows } = await client.query(`select from ${quoted(table)} limit 1`);
    if (rows.length === 0) continue;
    throw new BackupError(
      `The database isn't empty: ${table.name} has rows. Restore into a new database or an empty DATA_DIR`,
    );
  }
  const recorded = new Set(header.migrations.map(({ name }) => name));
  if ((await readMigrationsApplied(client)).some(({ name }) => !recorded.has(name))) {
    throw new BackupError(
      'The database has a newer schema than the backup. Restore into a new database or an empty DATA_DIR',
    );
  }
}

/**
 * Brings an empty database to the backup's migration, fills it in one transaction, then migrates it to this build. If the
 * database coordinates a cluster, it's filled first and then distributed. `frames` are those after the header. After a failure
 * to fill it, the database has no rows and can be restored into again; after a failure to distribute it, `arbiter distribute`
 * continues.
 */
export async function restoreDatabase(
  target: RestoreTarget,
  header: BackupHeader,
  frames: AsyncGenerator<BackupFrame>,
): Promise<Restored> {
  let isCluster = false;
  await migrate({ ...target, upTo: header.migrations.at(-1)?.name ?? '', distributes: false });
  const restored = await withAdmin(target.adminUrl, async (client) => {
    isCluster = (await readNodes(client)) !== null;
    if (isCluster) await client.query(withoutPropagation);
    await client.query(`set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
      set row_security = off; set search_path = pg_catalog; set datestyle = 'ISO'`);
    await client.query('begin');
    // Nothing else writes between this check and the rows.
    const tables = await readTables(client);
    await client.query(`lock table ${tables.map(quoted).join(', ')} in access exclusive mode`);
    await assertNoRows(client, header, tables);
    const found = await fill(client, header, frames);
    await client.query('commit');
    await client.query('analyze');
    return found;
  });
  await migrate(target);
  if (isCluster) await distributeDatabase({ ...target, isDryRun: false });
  return restored;
}

async function fill(
  client: pg.ClientBase,
  header: BackupHeader,
  frames: AsyncGenerator<BackupFrame>,
): Promise<Restored> {
  await makePartitions(client, header);
  for (const table of header.tenantTables) await makeTable(client, table);
  const tables = await readTables(client);
  const foreignKeys = await dropForeignKeys(client);
  const all = tables.map(quoted);
  await client.query(`truncate ${all.join(', ')}`);
  for (const table of all) await client.query(`alter table ${table} disable trigger user`);
  const end = await copyIn(client, header, frames);
  for (const table of all) await client.query(`alter table ${table} enable trigger user`);
  await makeTenantSchemasWhole(client, header);
  for (const { table, definition, name } of foreignKeys) {
    await client.query(`alter table ${table} add constraint ${quoteName(name)} ${definition}`);
  }
  for (const { table, column, last } of end.sequences) {
    await client.query('select setval(pg_get_serial_sequence($1, $2), $3::bigint)', [table, column, last]);
  }
  // Rows of a cluster have numbers that no sequence gave them.
  for (const table of header.tables) await raiseSequences(client, table, null);
  return { rows: end.rows, tables: end.tables };
}

export async function makePartitions(client: pg.ClientBase, { partitions }: BackupHeader): Promise<void> {
  const present = new Set((await readPartitions(client)).map(({ parent, month }) => `${parent} ${month}`));
  for (const { parent, month } of partitions) {
    if (present.has(`${parent} ${month}`)) continue;
    await client.query('select arbiter.ensure_month_partitions($1::regclass, $2::date, 1)', [
      `arbiter.${quoteName(parent)}`,
      month,
    ]);
  }
}

/** Creates the table as its owner. Row-level security and rights come from our own function, whatever the file says. */
async function makeTable(client: pg.ClientBase, table: TenantTable): Promise<void> {
  await client.query('set local role arbiter_owner');
  await makeTableAs(client, table);
  await client.query('reset role');
}

/** Creates the table as the current role. */
export async function makeTableAs(client: pg.ClientBase, table: TenantTable): Promise<void> {
  const schema = quoteName(table.schema);
  await client.query(`create schema if not exists ${schema}`);
  await client.query(`grant usage on schema ${schema} to arbiter_app, arbiter_readonly`);
  await client.query(`create table ${quoted(table)} (${table.columns.join(', ')})`);
  await client.query('select arbiter.protect_table($1::regclass)', [quoted(table)]);
}

/** Creating keys and indexes after all rows is faster than updating them row by row. */
async function makeTenantSchemasWhole(client: pg.ClientBase, header: BackupHeader): Promise<void> {
  await client.query('set local role arbiter_owner');
  await completeTables(client, header);
  await client.query('reset role');
}

/** Adds keys, indexes and views as the current role. */
export async function completeTables(client: pg.ClientBase, header: BackupHeader): Promise<void> {
  for (const table of header.tenantTables) {
    for (const constraint of table.constraints) await client.query(`alter table ${quoted(table)} add ${constraint}`);
    for (const index of table.indexes) await client.query(index);
  }
  for (const { query, ...view } of header.tenantViews) {
    await client.query(`create view ${quoted(view)} with (security_invoker = true) as ${query}`);
    await client.query(`revoke all on ${quoted(view)} from public`);
    await client.query(`grant select on ${quoted(view)} to arbiter_app, arbiter_readonly`);
  }
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** They're created again after all rows, which checks every row whatever order the tables are filled in. */
async function dropForeignKeys(client: pg.ClientBase): Promise<readonly ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(`
    select format('%I.%I', n.nspname, c.relname) as "table", k.conname as name, pg_get_constraintdef(k.oid) as definition
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
     where k.contype = 'f' and k.conparentid = 0 and n.nspname in ('arbiter', 'graphile_worker')
     order by 1, 2`);
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${quoteName(name)}`);
  return rows;
}

interface End extends Restored {
  readonly sequences: readonly SequenceValue[];
  readonly jobs: readonly WaitingJob[];
}

/** Copies the rows table by table. The last frame says how many there should be. */
export async function copyIn(
  client: pg.ClientBase,
  header: BackupHeader,
  frames: AsyncGenerator<BackupFrame>,
): Promise<End> {
  const tables = new Map(header.tables.map((table) => [quoted(table), table]));
  let rows = 0;
  let copy: ReturnType<typeof openCopy> | null = null;
  const close = async () => {
    if (copy === null) return;
    rows += await copy.end();
    copy = null;
  };
  // Not `for await`: it would close the reader, and files may follow.
  for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
    const { kind, payload } = next.value;
    if (kind === 'data' && copy !== null) {
      await copy.write(payload);
      continue;
    }
    await close();
    if (kind === 'table') {
      const table = tables.get(quoted(JSON.parse(payload.toString())));
      if (table === undefined) throw new BackupError('The backup has a table that is missing from its header');
      copy = openCopy(client, table);
    } else if (kind === 'end') {
      const end: End = JSON.parse(payload.toString());
      if (end.rows !== rows) throw new BackupError(`The backup should have ${end.rows} rows but has ${rows}`);
      return end;
    } else throw new BackupError("The backup's frames are in an unexpected order");
  }
  throw new BackupError('The backup ends before its last frame');
}

/** Opens a COPY that waits for the database after each chunk, which bounds memory. */
function openCopy(client: pg.ClientBase, table: TableContents) {
  const stream = client.query(
    copyStreams.from(`copy ${quoted(table)} (${table.columns.map(quoteName).join(', ')}) from stdin`),
  );
  const failed = new Promise<never>((_, reject) => stream.once('error', reject));
  failed.catch(() => undefined);
  return {
    async write(chunk: Buffer): Promise<void> {
      if (stream.write(chunk)) return;
      await Promise.race([new Promise((resolve) => stream.once('drain', resolve)), failed]);
    },
    async end(): Promise<number> {
      const finished = new Promise((resolve) => stream.once('finish', resolve));
      stream.end();
      await Promise.race([finished, failed]);
      return stream.rowCount;
    },
  };
}

/** Lets the next values start after those of the restored rows. `tenantId`: the tenant that was restored; null: all of them. */
export async function raiseSequences(
  client: pg.ClientBase,
  table: TableContents,
  tenantId: string | null,
): Promise<void> {
  const { rows } = await client.query<{ column: string; sequence: string }>(
    `select a.attname as "column", pg_get_serial_sequence($1, a.attname) as sequence from pg_attribute a
      where a.attrelid = $1::regclass and a.attidentity <> '' and not a.attisdropped`,
    [quoted(table)],
  );
  const condition = tenantId === null ? '' : ` where ${tenantColumn(table, tenantId)} = '${tenantId}'`;
  for (const { column, sequence } of rows) {
    const { rows: found } = await client.query<{ last: string | null }>(
      `select max("${column}")::text as last from ${quoted(table)}${condition}`,
    );
    const last = found[0]?.last ?? null;
    if (last === null) continue;
    await client.query(`select setval($1, greatest($2::bigint, (select last_value from ${sequence})))`, [
      sequence,
      last,
    ]);
  }
}

export async function withAdmin<T>(url: string, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = new pg.Client(connectionConfig({ url, applicationName: 'arbiter restore', connectTimeoutMs: 60_000 }));
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await closeClient(client);
  }
}
