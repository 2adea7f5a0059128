/**
 * Dumps and restores a database as text: rows as PostgreSQL writes them in JSON, so that neither database tools nor the
 * code that made the rows is needed. Tables of data schemas are recreated by the database's own function.
 */

/** Runs plain SQL as superuser. */
export type OwnerQuery = <Row = Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** What a test needs to know besides the rows. */
export interface Facts {
  /** Name of the newest migration at the time. */
  readonly migration: string;
  /** Instant of the newest decision. IDs contain the time of the process that made them. */
  readonly madeAt: string;
  /** Keys of the server, worthless outside the tests. */
  readonly keys: { readonly API_KEY_PEPPER: string; readonly DATA_ENCRYPTION_KEY: string };
  readonly tenants: readonly {
    readonly id: string;
    readonly apiKey: string;
    /** Decisions that replay. */
    readonly decisions: readonly string[];
    /** Decisions that read a value that is never stored, so they can't replay. */
    readonly withheld: readonly string[];
  }[];
}

interface TableHead {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** Returns lines of JSON: the facts, then each table's header and rows. */
export async function dumpDatabase(query: OwnerQuery, facts: Facts): Promise<string> {
  const lines = [JSON.stringify(facts)];
  const tables = await query<{ name: string; columns: string[] }>(
    `select c.oid::regclass::text as name,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'schema_migrations'
        and (n.nspname = 'arbiter' or (c.relname like 'ds\\_%' and n.nspname <> 'arbiter'))
      order by n.nspname <> 'arbiter', 1`,
  );
  for (const { name, columns } of tables) {
    const rows = await query<{ row: string }>(
      `select row_to_json(t)::text as row from ${name} t order by t.*::text collate "C"`,
    );
    if (rows.length === 0) continue;
    const head: TableHead = { table: name, columns, rows: rows.length };
    lines.push(JSON.stringify(head), ...rows.map(({ row }) => row));
  }
  return `${lines.join('\n')}\n`;
}

export const factsOf = (dump: string): Facts => JSON.parse(dump.slice(0, dump.indexOf('\n'))) as Facts;

const rowsPerStatement = 500;

/** Fills an empty database that has the migrations of the dump. */
export async function restoreDatabase(query: OwnerQuery, dump: string): Promise<void> {
  const lines = dump.trimEnd().split('\n');
  const { madeAt } = factsOf(dump);
  await makePartitions(query, madeAt);
  let madeTables = false;
  for (let at = 1; at < lines.length; ) {
    const { table, columns, rows } = JSON.parse(lines[at]!) as TableHead;
    // Data schemas follow the tables that describe their columns.
    if (!madeTables && !table.startsWith('arbiter.')) {
      await makeDataTables(query);
      madeTables = true;
    }
    const names = columns.map((name) => `"${name}"`).join(', ');
    for (let from = at + 1; from <= at + rows; from += rowsPerStatement) {
      const some = lines.slice(from, Math.min(from + rowsPerStatement, at + rows + 1));
      // Triggers and foreign keys are off in this transaction, so rows arrive unchanged, in table order.
      await query(
        `do $restore$ begin
           perform set_config('session_replication_role', 'replica', true);
           insert into ${table} (${names}) overriding system value
             select ${names} from json_populate_recordset(null::${table}, ${quoted(`[${some.join(',')}]`)}::json);
         end $restore$`,
      );
    }
    at += rows + 1;
  }
  await continueSequences(query);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A new database has partitions from the current month on. The dump's ids are older. */
async function makePartitions(query: OwnerQuery, madeAt: string): Promise<void> {
  await query(
    `select arbiter.ensure_month_partitions(c.oid::regclass, (date_trunc('month', $1::timestamptz) - interval '1 month')::date, 3)
       from pg_class c where c.relkind = 'p' and c.relnamespace = 'arbiter'::regnamespace`,
    [madeAt],
  );
}

async function makeDataTables(query: OwnerQuery): Promise<void> {
  await query(
    `do $restore$
     declare one record;
     begin
       for one in select * from arbiter.schemas loop
         perform set_config('app.tenant', one.tenant_id::text, true);
         perform arbiter.ds_create_table(one.table_name,
           (select jsonb_agg(f.value - 'defaultValue' || jsonb_build_object('isUnique',
                (f.value ->> 'isUnique')::boolean and not (f.value ->> 'isPrimaryKey')::boolean) order by f.ordinality)
              from jsonb_array_elements(one.fields) with ordinality f),
           (select f ->> 'name' from jsonb_array_elements(one.fields) f where (f ->> 'isPrimaryKey')::boolean),
           one.fields -> 0 ->> 'name');
       end loop;
     end $restore$`,
  );
}

async function continueSequences(query: OwnerQuery): Promise<void> {
  const columns = await query<{ name: string; column: string }>(
    `select a.attrelid::regclass::text as name, a.attname::text as column from pg_attribute a
       join pg_class c on c.oid = a.attrelid
      where a.attidentity <> '' and c.relkind = 'r' and c.relnamespace::regnamespace::text <> 'graphile_worker'`,
  );
  for (const { name, column } of columns) {
    await query(
      `select setval(pg_get_serial_sequence('${name}', '${column}'), max("${column}")) from ${name} having max("${column}") is not null`,
    );
  }
}
