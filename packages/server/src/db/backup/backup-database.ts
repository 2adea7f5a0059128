import pg from 'pg';
import copyStreams from 'pg-copy-streams';
import { isDistributed } from '../cluster/nodes.ts';
import { closeClient, connectionConfig } from '../connections/connection.ts';
import { queueSchema } from '../connections/queue-pool.ts';
import { BackupError, type BackupFrame, jsonFrame } from './backup-file.ts';
import {
  type BackupHeader,
  inTenantBackup,
  isSecretTable,
  readJobs,
  readMigrationsApplied,
  readPartitions,
  readPartitionsOf,
  readRecordsWithSecrets,
  readSequences,
  readTables,
  readTenantTables,
  readTenantViews,
  schemaOfTenant,
  type TableContents,
  tenantColumn,
} from './contents.ts';

export interface BackupOptions
  extends Pick<BackupHeader, 'version' | 'keyId' | 'tenant' | 'sealedSecrets' | 'exports'> {
  /** URL of a role that bypasses row-level security. */
  readonly adminUrl: string;
  /** Whether to include the secrets of records. */
  readonly withSecrets: boolean;
  /** Called with the number of rows once all are written. */
  readonly onDone: (summary: { readonly rows: number; readonly tables: number }) => void;
}

/**
 * Yields the frames of a backup: all rows as of one instant, while others keep reading and writing. On a cluster, all rows of a
 * tenant and its jobs are of one instant, which may differ from that of other tenants by milliseconds. Holds a shared lock on every
 * table, so changes to a table's columns have to wait. Throws BackupError when the database or the role can't
 * be backed up.
 */
export async function* backupFrames(options: BackupOptions): AsyncGenerator<BackupFrame> {
  const client = new pg.Client(
    connectionConfig({ url: options.adminUrl, applicationName: 'arbiter backup', connectTimeoutMs: 60_000 }),
  );
  // A lost connection also fails the statement in flight, and that failure is reported.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await assertUnbound(client);
    await client.query(`set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
      set row_security = off; set search_path = pg_catalog; set datestyle = 'ISO'; set extra_float_digits = 3`);
    const { tenant } = options;
    const isCluster = await isDistributed(client);
    // Each connection to a worker would have an instant of its own.
    if (isCluster) await client.query('set citus.max_adaptive_executor_pool_size = 1');
    const holdJobs = isCluster ? () => holdQueue(options.adminUrl) : async () => async () => undefined;
    const tables = await openSnapshot(client, tenant?.id ?? null, holdJobs);
    const header = await readHeader(client, tables, options);
    yield jsonFrame('header', header);
    let rows = 0;
    for (const table of header.tables) {
      yield jsonFrame('table', { schema: table.schema, name: table.name });
      const copy = client.query(copyStreams.to(copyOut(table, tenant?.id ?? null)));
      for await (const chunk of copy) yield { kind: 'data', payload: chunk };
      rows += copy.rowCount;
    }
    const summary = { rows, tables: header.tables.length };
    // The target counts on from its own values.
    const sequences = tenant === null ? await readSequences(client) : [];
    const jobs = tenant === null ? [] : await readJobs(client, tenant.id);
    yield jsonFrame('end', { sequences, jobs, ...summary });
    await client.query('commit');
    options.onDone(summary);
  } finally {
    await closeClient(client);
  }
}

/** Row-level security would hide rows, and an incomplete backup is worse than none. */
export async function assertUnbound(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; unbound: boolean }>(
    'select rolname as name, rolsuper or rolbypassrls as unbound from pg_roles where rolname = current_user',
  );
  if (rows[0]?.unbound === true) return;
  throw new BackupError(
    `Row-level security applies to the role ${rows[0]?.name ?? ''}. Set DATABASE_ADMIN_URL to a superuser or to a role with BYPASSRLS`,
  );
}

/** Locks before reading, so that no table changes its columns between the snapshot and its rows. */
async function openSnapshot(
  client: pg.ClientBase,
  tenantId: string | null,
  holdJobs: () => Promise<() => Promise<void>>,
): Promise<readonly TableContents[]> {
  const read = async (): Promise<readonly TableContents[]> => {
    const tables = await readTables(client);
    return tenantId === null
      ? tables
      : tables.filter((table) => tenantColumn(table, tenantId) !== null).map(inTenantBackup);
  };
  for (;;) {
    const { rows } = await client.query<{ present: boolean }>(
      `select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                       where n.nspname = 'arbiter' and c.relname = 'schema_migrations') as present`,
    );
    if (rows[0]?.present !== true)
      throw new BackupError("The database has no schema arbiter: there's nothing to back up");
    const before = await read();
    await client.query('begin isolation level repeatable read, read only');
    try {
      await client.query(`lock table ${before.map(quoted).join(', ')} in access share mode`);
      const release = await holdJobs();
      const locked = await read()
        // On a cluster, also takes the snapshot of every worker.
        .then((tables) => client.query('select count(*) from arbiter.tenants').then(() => tables))
        .finally(release);
      if (JSON.stringify(locked) === JSON.stringify(before)) return locked;
    } catch (error) {
      // The table was dropped in the meantime.
      if (Reflect.get(Object(error), 'code') !== '42P01') throw error;
    }
    await client.query('rollback');
  }
}

/** Jobs wait this long for a backup to begin, and a backup for transactions that enqueue. */
const holdMs = 2_000;
const maxHolds = 30;

/**
 * Keeps jobs from being enqueued and ended until the returned function is called, so that a snapshot of the coordinator and those
 * of the workers have the same transactions.
 */
async function holdQueue(adminUrl: string): Promise<() => Promise<void>> {
  const client = new pg.Client(
    connectionConfig({ url: adminUrl, applicationName: 'arbiter backup', connectTimeoutMs: 60_000 }),
  );
  client.on('error', () => undefined);
  await client.connect();
  for (let hold = 1; ; hold++) {
    try {
      await client.query(
        `begin; set local lock_timeout = ${holdMs}; lock table ${queueSchema}._private_jobs in share mode`,
      );
      return () => closeClient(client);
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === '55P03' && hold < maxHolds) {
        await client.query('rollback');
        continue;
      }
      await closeClient(client);
      throw error;
    }
  }
}

async function readHeader(
  client: pg.ClientBase,
  tables: readonly TableContents[],
  { version, keyId, tenant, withSecrets, sealedSecrets, exports }: BackupOptions,
): Promise<BackupHeader> {
  const isIncluded = ({ schema }: { readonly schema: string }): boolean =>
    tenant === null || schema === schemaOfTenant(tenant.id);
  const withoutSecret = withSecrets ? [] : await readRecordsWithSecrets(client);
  return {
    createdAt: new Date().toISOString(),
    version,
    migrations: await readMigrationsApplied(client),
    keyId,
    tenant,
    sealedSecrets,
    withoutSecret: withoutSecret.filter(({ tenantId }) => tenant === null || tenantId === tenant.id),
    tables: withSecrets ? tables : tables.filter((table) => !isSecretTable(table)),
    tenantTables: (await readTenantTables(client)).filter(isIncluded),
    tenantViews: (await readTenantViews(client)).filter(isIncluded),
    partitions: tenant === null ? await readPartitions(client) : await readPartitionsOf(client, tenant.id),
    exports,
  };
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const quoted = ({ schema, name }: { readonly schema: string; readonly name: string }): string =>
  `${quoteName(schema)}.${quoteName(name)}`;

function copyOut(table: TableContents, tenantId: string | null): string {
  const column = tenantId === null ? null : tenantColumn(table, tenantId);
  const condition = column === null ? '' : ` where ${column} = '${tenantId}'`;
  return `copy (select ${table.columns.map(quoteName).join(', ')} from ${quoted(table)}${condition}) to stdout`;
}
