import type { TestServer } from '../../packages/server/src/main/test-server.ts';

/** Values that fit any column of the type. `wanted` has those that checks require. */
const values: Readonly<Record<string, string>> = {
  uuid: 'gen_random_uuid()',
  text: "'planted'",
  int2: '1',
  int4: '1',
  int8: '1',
  numeric: '1',
  float8: '1',
  bool: 'true',
  bytea: "decode(repeat('00', 32), 'hex')",
  jsonb: "'{}'::jsonb",
  json: "'{}'::json",
  date: "date '2026-01-01'",
  timestamptz: "timestamptz '2026-01-01T00:00:00Z'",
};
const wanted: Readonly<Record<string, string>> = {
  'alert_events.deliveries': "'[]'::jsonb",
  'alert_events.severity': "'info'",
  'alert_states.status': "'ok'",
  'deliveries.guarantee': "'at_most_once'",
  'deliveries.source': "'campaign'",
  'deliveries.status': "'queued'",
  'delivery_events.event': "'opened'",
  'geofence_events.event': "'enter'",
  'idempotency_keys.status': '200',
  'journey_enrollments.status': "'active'",
  'notification_deliveries.type': "'alert'",
  'report_artifacts.bytes': '32',
  'report_artifacts.format': "'html'",
  'report_runs.delivery_results': "'[]'::jsonb",
  'report_runs.sections_data': "'[]'::jsonb",
  'report_runs.status': "'running'",
  'report_schedules.enabled': 'false',
  'report_templates.data_sources': "'[]'::jsonb",
  'report_templates.formats': "'{html}'",
  'report_templates.sections': "'[]'::jsonb",
  'event_causes.depth': '1',
  'seed_progress.status': "'completed'",
  'trigger_firings.status': "'done'",
};

/** Nullable columns in tables that require one of them. */
const besides: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  notification_deliveries: {
    provider_id: 'gen_random_uuid()',
  },
};

interface Column {
  readonly name: string;
  readonly type: string;
  /** The table and column that it refers to. */
  readonly table: string | null;
  readonly column: string | null;
}

/** Inserts one row of the tenant into a table that no call fills, along with the rows it refers to. */
export async function plantRow(server: TestServer, tenantId: string, table: string): Promise<void> {
  const columns = await server.testDatabase.ownerQuery<Column>(
    `select a.attname as name, t.typname as type, f.table, f.column
       from pg_attribute a join pg_type t on t.oid = a.atttypid
       left join lateral (
         select c.confrelid::regclass::text as table, b.attname as column
           from pg_constraint c join lateral unnest(c.conkey, c.confkey) as k (own, far) on k.own = a.attnum
           join pg_attribute b on b.attrelid = c.confrelid and b.attnum = k.far
          where c.conrelid = a.attrelid and c.contype = 'f' limit 1) f on true
      where a.attrelid = ('arbiter.' || $1)::regclass and a.attnum > 0 and not a.attisdropped and a.attnotnull
        and not a.atthasdef and a.attname <> 'tenant_id'`,
    [table],
  );
  const expressions = columns.map(({ name, type, table: far, column }) => {
    if (far !== null && column !== null) return `(select ${column} from ${far} where tenant_id = $1 limit 1)`;
    return wanted[`${table}.${name}`] ?? values[type] ?? (type.startsWith('_') ? "'{}'" : 'null');
  });
  const also = Object.entries(besides[table] ?? {});
  const names = [...columns.map(({ name }) => name), ...also.map(([name]) => name)];
  await server.testDatabase.ownerQuery(
    `insert into arbiter.${table} (tenant_id, ${names.map((name) => `"${name}"`).join(', ')})
     values ($1, ${[...expressions, ...also.map(([, expression]) => expression)].join(', ')})`,
    [tenantId],
  );
}
