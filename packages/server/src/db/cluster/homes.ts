import type { Database } from '../database.ts';
import { urlOfNode } from './nodes.ts';

/** Where a tenant's rows are. */
export interface Home {
  /** The worker's if the server may connect to it, else the coordinator's. */
  readonly url: string;
  /** Numbers of the shards with the tenant's rows, by table, on a worker that the server connects to. Empty on the coordinator. */
  readonly shards: ReadonlyMap<string, string>;
}

/** Finds the node that has a tenant's rows. */
export interface Homes {
  homeOf(tenantId: string): Promise<Home>;
  /** Looks the tenant up again: it has moved. */
  forget(tenantId: string): void;
}

/** Tables of the hot path, whose statements have a value for every column with a sequence. */
const tablesOfShards = [
  'decisions',
  'decision_impressions',
  'decision_traces',
  'interactions',
  'customer_states',
  'catalogue_versions',
  'evidence_heads',
  'volumes',
  'volume_reservations',
];

/** Tenants move rarely, and a node that no longer has the rows asks the one that has. */
const knownForMs = 30_000;
const maxTenants = 50_000;

/** `workers`: the nodes to connect to, `host:port` as the coordinator names them. `url`: of the coordinator. */
export function createHomes(database: Pick<Database, 'withSystem'>, url: string, workers: readonly string[]): Homes {
  const known = new Map<string, { readonly home: Promise<Home>; readonly until: number }>();
  const allowed = new Set(workers);

  async function find(tenantId: string): Promise<Home> {
    const [row] = await database.withSystem('placement', (tx) =>
      tx.query<{ host: string; port: number; shards: readonly string[] }>(
        `select n.nodename as host, n.nodeport as port,
                array(select b.shardid::text
                        from unnest($2::text[]) with ordinality as t(name, place)
                        join pg_dist_shard a on a.shardid = p.shardid
                        join pg_dist_shard b on b.logicalrelid = ('arbiter.' || name)::regclass and b.shardminvalue = a.shardminvalue
                       order by place) as shards
           from pg_dist_placement p join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
          where p.shardid = get_shard_id_for_distribution_column('arbiter.tenants', $1::uuid)`,
        [tenantId, tablesOfShards],
      ),
    );
    if (row === undefined || !allowed.has(`${row.host}:${row.port}`)) return { url, shards: new Map() };
    const shards = new Map(tablesOfShards.map((name, i) => [name, row.shards[i] ?? '']));
    return { url: urlOfNode(url, row), shards };
  }

  return {
    homeOf(tenantId) {
      const entry = known.get(tenantId);
      const now = performance.now();
      if (entry !== undefined && entry.until > now) return entry.home;
      // Keep what is known while the coordinator is down.
      const home = find(tenantId).catch((error: unknown) => {
        if (entry === undefined) throw error;
        return entry.home;
      });
      home.catch(() => known.delete(tenantId));
      if (known.size >= maxTenants) known.clear();
      known.set(tenantId, { home, until: now + knownForMs });
      return home;
    },
    forget(tenantId) {
      const entry = known.get(tenantId);
      // Don't delete it: it's needed if the coordinator is down.
      if (entry !== undefined) known.set(tenantId, { home: entry.home, until: 0 });
    },
  };
}
