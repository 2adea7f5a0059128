import type pg from 'pg';
import { ConfigError } from '../../config.ts';
import { isDistributed } from '../cluster/nodes.ts';
import { queueSchema } from '../connections/queue-pool.ts';
import { migrate } from '../migrate.ts';
import { quoted, quoteName } from './backup-database.ts';
import { BackupError, type BackupFrame } from './backup-file.ts';
import { type BackupHeader, readMigrationsApplied, type TenantOfBackup, type WaitingJob } from './contents.ts';
import { announce } from './move-tenant.ts';
import {
  completeTables,
  copyIn,
  makePartitions,
  makeTableAs,
  type Restored,
  type RestoreTarget,
  raiseSequences,
  withAdmin,
} from './restore-database.ts';

/**
 * Adds the tenant of a backup to a database that may have other tenants, in one transaction, while its server runs. `frames`
 * are those after the header. Throws BackupError and ConfigError; then nothing has changed.
 */
export async function restoreTenant(
  target: RestoreTarget,
  header: BackupHeader & { readonly tenant: TenantOfBackup },
  frames: AsyncGenerator<BackupFrame>,
): Promise<Restored> {
  const { tenant } = header;
  await migrate(target);
  return withAdmin(target.adminUrl, async (client) => {
    await assertSuperuser(client);
    await assertSameMigration(client, header);
    const isCluster = await isDistributed(client);
    await client.query(`set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
      set row_security = off; set search_path = pg_catalog; set datestyle = 'ISO'`);
    // On a cluster, tables can't be distributed once the transaction has read.
    await assertAbsent(client, tenant);
    await makePartitions(client, header);
    await client.query('begin');
    if (isCluster) await client.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
    for (const table of header.tenantTables) {
      await makeTableAs(client, table);
      if (isCluster) await client.query('select arbiter.distribute_table($1::regclass)', [quoted(table)]);
    }
    // Triggers already did their work where the rows come from. This also turns off foreign keys, which held there.
    const propagate = (mode: 'local' | 'none') =>
      isCluster ? client.query(`set local citus.propagate_set_commands = '${mode}'`) : null;
    await propagate('local');
    await client.query('set local session_replication_role = replica');
    const { rows, tables, jobs } = await copyIn(client, header, frames);
    await client.query('set local session_replication_role = origin');
    await propagate('none');
    await completeTables(client, header);
    await giveToOwner(client, header);
    if (tenant.isMoved) await client.query('update arbiter.tenants set deleted_at = null where id = $1', [tenant.id]);
    await nameTenant(client, tenant);
    for (const table of header.tables) await raiseSequences(client, table, tenant.id);
    for (const job of jobs) await enqueue(client, job);
    await announce(client, tenant.id);
    await client.query('commit');
    for (const table of header.tenantTables) await client.query(`analyze ${quoted(table)}`);
    return { rows, tables };
  });
}

/** Gives the tenant its name in the operator's files, unless another tenant has it here. */
async function nameTenant(client: pg.ClientBase, { id, bootstrapName }: TenantOfBackup): Promise<void> {
  const { rowCount } = await client.query('select from arbiter.tenants where bootstrap_name = $1', [bootstrapName]);
  if (rowCount !== 0) return;
  await client.query('update arbiter.tenants set bootstrap_name = $2 where id = $1', [id, bootstrapName]);
}

/** Citus connects as the current role, and tables made and filled in one transaction need one connection. So they change hands at its end. */
async function giveToOwner(client: pg.ClientBase, { tenantTables, tenantViews }: BackupHeader): Promise<void> {
  for (const table of tenantTables) await client.query(`alter table ${quoted(table)} owner to arbiter_owner`);
  for (const view of tenantViews) await client.query(`alter view ${quoted(view)} owner to arbiter_owner`);
  for (const schema of new Set(tenantTables.map((table) => table.schema)))
    await client.query(`alter schema ${quoteName(schema)} owner to arbiter_owner`);
}

/** Only a superuser can turn off triggers for one session without locking the tables of the other tenants. */
async function assertSuperuser(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; isSuperuser: boolean }>(
    'select rolname as name, rolsuper as "isSuperuser" from pg_roles where rolname = current_user',
  );
  if (rows[0]?.isSuperuser === true) return;
  throw new ConfigError([
    `DATABASE_ADMIN_URL connects as ${rows[0]?.name ?? ''}. To add a tenant to a database, it must connect as a superuser`,
  ]);
}

async function assertSameMigration(client: pg.ClientBase, { migrations }: BackupHeader): Promise<void> {
  const present = (await readMigrationsApplied(client)).at(-1)?.name;
  const recorded = migrations.at(-1)?.name;
  if (present === recorded) return;
  throw new BackupError(
    `The backup has migration ${recorded}, and the database has ${present}. Upgrade the server that the tenant comes from, and back it up again`,
  );
}

async function assertAbsent(client: pg.ClientBase, { id, name }: TenantOfBackup): Promise<void> {
  const { rowCount } = await client.query('select from arbiter.tenants where id = $1', [id]);
  if (rowCount !== 0) throw new BackupError(`The database already has the tenant ${name} (${id})`);
  const { rows } = await client.query<{ found: boolean }>('select to_regnamespace($1) is not null as found', [
    `t_${id.replaceAll('-', '')}`,
  ]);
  if (rows[0]?.found === true) throw new BackupError(`The database already has tables of the tenant ${name} (${id})`);
}

async function enqueue(client: pg.ClientBase, job: WaitingJob): Promise<void> {
  await client.query(
    `select ${queueSchema}.add_job(identifier => $1, payload => $2::json, run_at => $3::timestamptz,
       max_attempts => $4::int, job_key => $5, priority => $6::int)`,
    [job.task, JSON.stringify(job.payload), job.runAt, job.maxAttempts, job.key, job.priority],
  );
}
