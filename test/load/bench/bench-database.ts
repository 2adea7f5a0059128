// What benchmarks do in the database itself. Large catalogues are made by copying rows: through the API, limited to
// 2,000 offers a minute, it would take minutes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** Copies the offers and creatives of the tenant, of which there are `from`, until there are `count` offers. */
export async function multiplyOffers(dataDir: string, tenant: string, from: number, count: number): Promise<void> {
  const admin = await adminOf(dataDir);
  const columns = async (table: string): Promise<string[]> => {
    const found = await admin.query<{ name: string }>(
      `select quote_ident(attname) as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
      [`arbiter.${table}`],
    );
    return found.rows.map((row) => row.name);
  };
  const copy = async (table: string, replaced: Readonly<Record<string, string>>): Promise<void> => {
    const names = await columns(table);
    await admin.query(
      `insert into arbiter.${table} (${names.join(', ')})
       select ${names.map((name) => replaced[name] ?? `t.${name}`).join(', ')}
       from arbiter.${table} t join arbiter.tenants x on x.id = t.tenant_id and x.name = $1,
         generate_series(1, $2::int) g`,
      [tenant, Math.ceil(count / from) - 1],
    );
  };
  const shifted = (column: string): string =>
    `(substr(t.${column}::text, 1, 19) || lpad(to_hex(g), 4, '0') || substr(t.${column}::text, 24))::uuid`;
  await copy('offers', { id: shifted('id'), name: `t.name || ' ' || g`, priority: '(t.priority + g) % 100' });
  await copy('creatives', { id: shifted('id'), offer_id: shifted('offer_id'), name: `t.name || ' ' || g` });
  await admin.end();
}

/** Rows written by one statement. */
const rowsPerFill = 250_000;

/**
 * Adds rows of history of this month for these customers, half of them impressions of three items like the newest one, half of
 * them responses.
 */
export async function fillHistory(dataDir: string, rows: number, customers: number): Promise<void> {
  const admin = await adminOf(dataDir);
  // Without the trigger that notes late rows for exports.
  await admin.query('set session_replication_role = replica');
  const random = (digits: number): string => `lpad(to_hex((random() * 16 ^ ${digits} - 0.5)::bigint), ${digits}, '0')`;
  const source = `(select * from arbiter.decision_impressions order by id desc limit 1) i,
    lateral (select date_trunc('month', now()) + random() * (now() - date_trunc('month', now())) as at, g
      from generate_series(1, $1::int) g) t,
    lateral (select lpad(to_hex((extract(epoch from t.at) * 1000)::bigint), 12, '0') as ms, t.g) m,
    lateral (select (m.ms || '7' || ${random(3)} || '8' || ${random(3)} || ${random(10)} || '00')::uuid as id,
      'B-' || lpad((1 + floor(random() * $2))::text, 7, '0') as customer_id, m.g) u`;
  const impressions = `insert into arbiter.decision_impressions (tenant_id, id, customer_id, occurred_at, offer_ids, creative_ids,
      channel_ids, placement_ids, category_ids, ranks, context, customer_seq)
    select i.tenant_id, u.id, u.customer_id, t.at, i.offer_ids, i.creative_ids, i.channel_ids, i.placement_ids, i.category_ids,
      i.ranks, i.context, 1 from ${source}`;
  const responses = `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification,
      direction, offer_id, recommendation_id, rank, occurred_at, created_at, resolved_by)
    select i.tenant_id, u.id, u.customer_id, 'response', 'click', 'positive', 'inbound', i.offer_ids[1], i.id, 1, t.at, t.at,
      'recommendation' from ${source}`;
  for (let left = Math.ceil(rows / 2); left > 0; left -= rowsPerFill) {
    const some = Math.min(left, rowsPerFill);
    await admin.query(impressions, [some, customers]);
    await admin.query(responses, [some, customers]);
  }
  await admin.query('vacuum analyze arbiter.decision_impressions, arbiter.interactions, arbiter.customer_states');
  await admin.query('checkpoint');
  await admin.end();
}

/** Moves all decisions back in time. Studies find them by their ids for up to a day more. */
export async function ageDecisions(dataDir: string, hours: number): Promise<void> {
  const admin = await adminOf(dataDir);
  await admin.query(`update arbiter.decisions set decided_at = decided_at - make_interval(hours => $1)`, [hours]);
  await admin.query('vacuum analyze arbiter.decisions');
  await admin.end();
}

/** ID of a tenant. */
export async function tenantIdOf(dataDir: string, name: string): Promise<string> {
  const admin = await adminOf(dataDir);
  const { rows } = await admin.query<{ id: string }>('select id from arbiter.tenants where name = $1', [name]);
  await admin.end();
  if (rows[0] === undefined) throw new Error(`there is no tenant ${name}`);
  return rows[0].id;
}

interface WriteCounts {
  /** Bytes of WAL since the cluster was created. */
  readonly walBytes: number;
  /** Updates of customers' states, and those of them that touched no index. */
  readonly stateUpdates: number;
  readonly hotUpdates: number;
}

/** Writes of the database so far. */
export async function writeCounts(dataDir: string): Promise<WriteCounts> {
  const admin = await adminOf(dataDir);
  const { rows } = await admin.query<Record<keyof WriteCounts, string>>(
    `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as "walBytes",
       sum(n_tup_upd) as "stateUpdates", sum(n_tup_hot_upd) as "hotUpdates"
     from pg_stat_all_tables where schemaname = 'arbiter' and relname = 'customer_states'`,
  );
  await admin.end();
  const { walBytes = 0, stateUpdates = 0, hotUpdates = 0 } = rows[0] ?? {};
  return { walBytes: Number(walBytes), stateUpdates: Number(stateUpdates), hotUpdates: Number(hotUpdates) };
}

async function adminOf(dataDir: string): Promise<pg.Client> {
  const admin = new pg.Client({ connectionString: databaseUrl(dataDir, 'arbiter_admin') });
  await admin.connect();
  return admin;
}

/** URL of the embedded database, which notes where its socket is. */
export function databaseUrl(dataDir: string, role: string): string {
  const { sockets } = JSON.parse(readFileSync(join(dataDir, 'postgres', 'owner.json'), 'utf8')) as { sockets: string };
  return `postgresql://${role}@localhost/arbiter?host=${encodeURIComponent(sockets)}`;
}
