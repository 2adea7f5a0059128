import type { TestServer } from '../../packages/server/src/main/test-server.ts';

/**
 * Rate limit windows also count refused calls (docs/design/quality.md, law 2 of "Refused"). Figures of a minute are
 * written when it ends, whatever is called then.
 */
const leftOut = ['rate_limit_windows', 'decision_minutes', 'schema_migrations'];

interface Hash {
  readonly name: string;
  readonly hash: string;
}

/**
 * Returns a number per table, computed from every row of these tenants, data tables included. Equal fingerprints mean
 * that nothing changed.
 */
export async function fingerprint(server: TestServer, tenantIds: readonly string[]): Promise<Record<string, string>> {
  const { ownerQuery } = server.testDatabase;
  const schemas = ['arbiter', ...tenantIds.map((id) => `t_${id.replaceAll('-', '')}`)];
  const tables = await ownerQuery<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1) and c.relkind in ('r', 'p') and not c.relispartition and not c.relname = any ($2)
      order by 1`,
    [schemas, leftOut],
    'tables of a fingerprint',
  );
  const part = ({ name }: { readonly name: string }) => {
    // Every call updates a key's last use (docs/design/quality.md E23).
    const text = name === 'arbiter.api_keys' ? `(to_jsonb(t) - 'last_used_at')::text` : 't::text';
    const column = name === 'arbiter.tenants' ? 'id' : 'tenant_id';
    const rows = name.startsWith('arbiter.') ? `where ${column} = any ($1)` : '';
    return `select '${name}' as name, format('%s rows, %s', count(*), sum(hashtextextended(${text}, 0))) as hash from ${name} t ${rows}`;
  };
  // Planning the statement for a hundred tables takes as long as running it, so it has a name. Data tables come and go.
  const [own, data] = [true, false].map((isOwn) => tables.filter(({ name }) => name.startsWith('arbiter.') === isOwn));
  const found = await ownerQuery<Hash>(own!.map(part).join(' union all '), [tenantIds], 'fingerprint');
  const ofData = data!.length === 0 ? [] : await ownerQuery<Hash>(data!.map(part).join(' union all '));
  return Object.fromEntries([...found, ...ofData].map(({ name, hash }) => [name, hash]));
}
