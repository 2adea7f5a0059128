import type pg from 'pg';
import { queueSchema } from '../connections/queue-pool.ts';

/** Describes a backup. Stored in its first frame. */
export interface BackupHeader {
  readonly createdAt: string;
  /** Arbiter version that wrote the backup. */
  readonly version: string;
  readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
  /** The DATA_ENCRYPTION_KEY that seals the records; null when none was set. */
  readonly keyId: string | null;
  /** The only tenant in the backup; null: all of them. */
  readonly tenant: TenantOfBackup | null;
  /** The installation's secrets, sealed with a passphrase; null when they're left out. */
  readonly sealedSecrets: string | null;
  /** Records whose secrets are left out. */
  readonly withoutSecret: readonly RecordWithoutSecret[];
  readonly tables: readonly TableContents[];
  readonly tenantTables: readonly TenantTable[];
  readonly tenantViews: readonly TenantView[];
  readonly partitions: readonly MonthPartition[];
  /** Paths, relative to EXPORT_DIR, of the files that follow the rows. */
  readonly exports: readonly string[];
}

export interface TenantOfBackup {
  readonly id: string;
  readonly name: string;
  /** Its name in the operator's files; null: it isn't in any. */
  readonly bootstrapName: string | null;
  /** Whether the tenant was deactivated for the backup, and so becomes active when it is restored. */
  readonly isMoved: boolean;
}

export interface TableContents {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}

/** A table in a tenant's own schema. Rights and policies aren't stored; the restore creates them again. */
export interface TenantTable {
  readonly schema: string;
  readonly name: string;
  /** Definitions as in `create table`. */
  readonly columns: readonly string[];
  /** `add constraint` clauses, then index statements. */
  readonly constraints: readonly string[];
  readonly indexes: readonly string[];
}

export interface TenantView {
  readonly schema: string;
  readonly name: string;
  readonly query: string;
}

export interface MonthPartition {
  readonly parent: string;
  /** `2026-11-01`. */
  readonly month: string;
}

export interface RecordWithoutSecret {
  /** The record's table, such as `channels`. */
  readonly kind: string;
  readonly tenantId: string;
  readonly name: string;
}

/** Values of identity columns, in the last frame. */
export interface SequenceValue {
  readonly table: string;
  readonly column: string;
  readonly last: string;
}

/** A job of the tenant that waits in the queue, in the last frame of its backup. */
export interface WaitingJob {
  readonly task: string;
  readonly payload: object;
  readonly key: string | null;
  readonly runAt: string;
  readonly maxAttempts: number;
  readonly priority: number;
}

/** Schemas that hold our data. */
const ourSchemas = `(n.nspname in ('arbiter', '${queueSchema}') or n.nspname ~ '^t_[0-9a-f]{32}$')`;
/** Records which migrations were applied. The migrations write it themselves. */
const isLedger = `((n.nspname, c.relname) in (('arbiter', 'schema_migrations'), ('${queueSchema}', 'migrations')))`;

/** A table with this name holds nothing but secrets of records. A test checks every sealed column against it. */
export const isSecretTable = ({ schema, name }: { readonly schema: string; readonly name: string }): boolean =>
  schema === 'arbiter' && name.endsWith('_secrets');

/** Tables about running processes and the last minutes, which mean nothing in another installation. */
const ofInstallation: ReadonlySet<string> = new Set(['leases', 'rate_limit_windows']);

export const schemaOfTenant = (tenantId: string): string => `t_${tenantId.replaceAll('-', '')}`;

/** Returns the column that names the tenant of a row; null if the table isn't part of a tenant's backup. */
export function tenantColumn({ schema, name, columns }: TableContents, tenantId: string): string | null {
  if (schema === 'arbiter' && name === 'tenants') return 'id';
  const isOurs = schema === schemaOfTenant(tenantId) || (schema === 'arbiter' && !ofInstallation.has(name));
  return isOurs && columns.includes('tenant_id') ? 'tenant_id' : null;
}

/** Returns the table as it stands in a tenant's backup: another installation may use the tenant's name in its operator's files. */
export function inTenantBackup(table: TableContents): TableContents {
  if (table.schema !== 'arbiter' || table.name !== 'tenants') return table;
  return { ...table, columns: table.columns.filter((column) => column !== 'bootstrap_name') };
}

/** Returns the tenant with this id, or with this name in the operator's files. */
export async function findTenant(
  client: pg.ClientBase,
  idOrName: string,
): Promise<Omit<TenantOfBackup, 'isMoved'> | null> {
  const { rows } = await client.query<Omit<TenantOfBackup, 'isMoved'>>(
    'select id, name, bootstrap_name as "bootstrapName" from arbiter.tenants where (id::text = lower($1) or bootstrap_name = $1) and deleted_at is null',
    [idOrName],
  );
  return rows[0] ?? null;
}

/** Returns the tenant's jobs that wait or run. A job that runs starts again when it's restored, as after a crash. */
export async function readJobs(client: pg.ClientBase, tenantId: string): Promise<WaitingJob[]> {
  const { rows } = await client.query<WaitingJob>(
    `select t.identifier as task, j.payload, j.key, j.run_at::text as "runAt", j.max_attempts as "maxAttempts", j.priority
       from ${queueSchema}._private_jobs j join ${queueSchema}._private_tasks t on t.id = j.task_id
      where j.payload ->> 'tenantId' = $1 order by j.id`,
    [tenantId],
  );
  return rows;
}

/** Returns every table with data, by name. Partitions are read through their parent; generated columns are skipped. */
export async function readTables(client: pg.ClientBase): Promise<TableContents[]> {
  const { rows } = await client.query<TableContents>(`
    select n.nspname as schema, c.relname as name,
           array(select a.attname::text from pg_attribute a
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                  order by a.attnum) as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where ${ourSchemas} and c.relkind in ('r', 'p') and not c.relispartition and not ${isLedger}
     order by n.nspname, c.relname`);
  return rows;
}

export async function readMigrationsApplied(client: pg.ClientBase): Promise<BackupHeader['migrations']> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from arbiter.schema_migrations order by name',
  );
  return rows;
}

/**
 * Returns the definitions of the tables in the tenants' schemas. Needs an empty search path, so that every name is
 * qualified.
 */
export async function readTenantTables(client: pg.ClientBase): Promise<TenantTable[]> {
  const { rows } = await client.query<TenantTable>(`
    select n.nspname as schema, c.relname as name,
           array(select concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
                   case when a.attidentity = 'a' then 'generated always as identity'
                        when a.attidentity = 'd' then 'generated by default as identity' end,
                   case when a.attgenerated <> '' then 'generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
                        when d.adbin is not null then 'default ' || pg_get_expr(d.adbin, d.adrelid) end,
                   case when a.attnotnull then 'not null' end)
                   from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
           array(select format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid))
                   from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'
                  order by k.contype <> 'p', k.conname) as constraints,
           array(select pg_get_indexdef(i.indexrelid) from pg_index i
                  where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
                  order by i.indexrelid) as indexes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname ~ '^t_[0-9a-f]{32}$' and c.relkind = 'r'
     order by n.nspname, c.relname`);
  return rows;
}

/** Returns the views of segments. Needs an empty search path. */
export async function readTenantViews(client: pg.ClientBase): Promise<TenantView[]> {
  const { rows } = await client.query<TenantView>(`
    select n.nspname as schema, c.relname as name, pg_get_viewdef(c.oid) as query
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname ~ '^t_[0-9a-f]{32}$' and c.relkind = 'v'
     order by c.oid`);
  return rows;
}

export async function readPartitions(client: pg.ClientBase): Promise<MonthPartition[]> {
  const { rows } = await client.query<MonthPartition>(`
    select p.relname as parent,
           to_char(to_date(right(c.relname, 8), '"y"YYYY"m"MM'), 'YYYY-MM-DD') as month
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid and c.relkind in ('r', 'p')
      join pg_class p on p.oid = i.inhparent and p.relkind = 'p'
     where p.relnamespace = 'arbiter'::regnamespace
     order by p.relname, c.relname`);
  return rows;
}

/** Returns the months in which the tenant has rows. */
export async function readPartitionsOf(client: pg.ClientBase, tenantId: string): Promise<MonthPartition[]> {
  const found: MonthPartition[] = [];
  for (const partition of await readPartitions(client)) {
    const [year, month] = partition.month.split('-');
    const { rowCount } = await client.query(
      `select from arbiter."${partition.parent}_y${year}m${month}" where tenant_id = $1 limit 1`,
      [tenantId],
    );
    if (rowCount !== 0) found.push(partition);
  }
  return found;
}

export async function readSequences(client: pg.ClientBase): Promise<SequenceValue[]> {
  const { rows: columns } = await client.query<{ table: string; column: string; sequence: string }>(`
    select format('%I.%I', n.nspname, c.relname) as "table", a.attname as "column",
           pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname) as sequence
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where ${ourSchemas} and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
       and pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a.attname) is not null`);
  const values: SequenceValue[] = [];
  for (const { table, column, sequence } of columns) {
    const { rows } = await client.query<{ last: string; used: boolean }>(
      `select last_value::text as last, is_called as used from ${sequence}`,
    );
    if (rows[0]?.used === true) values.push({ table, column, last: rows[0].last });
  }
  return values;
}

/** Returns the records whose secrets are stored in secret tables, by the record's name. */
export async function readRecordsWithSecrets(client: pg.ClientBase): Promise<RecordWithoutSecret[]> {
  const { rows: links } = await client.query<{ table: string; kind: string; condition: string; label: string }>(`
    select format('%I.%I', n.nspname, c.relname) as "table", o.relname as kind,
           (select string_agg(format('r.%I = s.%I', b.attname, a.attname), ' and ')
              from unnest(k.conkey, k.confkey) as at (own, other)
              join pg_attribute a on a.attrelid = k.conrelid and a.attnum = at.own
              join pg_attribute b on b.attrelid = k.confrelid and b.attnum = at.other) as condition,
           coalesce((select format('r.%I::text', b.attname) from pg_attribute b
                      where b.attrelid = o.oid and b.attname in ('name', 'id') and not b.attisdropped
                      order by b.attname desc limit 1), quote_literal('')) as label
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_class o on o.oid = k.confrelid
     where k.contype = 'f' and n.nspname = 'arbiter' and c.relname like '%\\_secrets'
       -- Of the same tenant, and so no reference to the tenant itself.
       and exists (select from pg_attribute b
                    where b.attrelid = o.oid and b.attnum = any (k.confkey) and b.attname = 'tenant_id')
     order by c.relname`);
  const found: RecordWithoutSecret[] = [];
  for (const { table, kind, condition, label } of links) {
    const { rows } = await client.query<{ tenantId: string; name: string }>(
      `select distinct s.tenant_id as "tenantId", ${label} as name
         from ${table} s join arbiter.${kind} r on ${condition} order by 1, 2`,
    );
    found.push(...rows.map((row) => ({ kind, ...row })));
  }
  return found;
}
