import type { Database } from '../database.ts';
import { urlOfNode } from './nodes.ts';

/** Finds the node that has a tenant's rows. */
export interface Homes {
  /** Returns the URL to decide for the tenant: the worker's if the server may connect to it, else the coordinator's. */
  urlOf(tenantId: string): Promise<string>;
}

/** Tenants move rarely, and a node that no longer has the rows asks the one that has. */
const knownForMs = 30_000;
const maxTenants = 50_000;

/** `workers`: the nodes to connect to, `host:port` as the coordinator names them. `url`: of the coordinator. */
export function createHomes(database: Pick<Database, 'withSystem'>, url: string, workers: readonly string[]): Homes {
  const known = new Map<string, { readonly url: Promise<string>; readonly until: number }>();
  const allowed = new Set(workers);

  async function find(tenantId: string): Promise<string> {
    const [home] = await database.withSystem('placement', (tx) =>
      tx.query<{ host: string; port: number }>(
        `select n.nodename as host, n.nodeport as port
           from pg_dist_placement p join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
          where p.shardid = get_shard_id_for_distribution_column('arbiter.tenants', $1::uuid)`,
        [tenantId],
      ),
    );
    return home !== undefined && allowed.has(`${home.host}:${home.port}`) ? urlOfNode(url, home) : url;
  }

  return {
    urlOf(tenantId) {
      const entry = known.get(tenantId);
      const now = performance.now();
      if (entry !== undefined && entry.until > now) return entry.url;
      // Keep what is known while the coordinator is down.
      const found = find(tenantId).catch((error: unknown) => {
        if (entry === undefined) throw error;
        return entry.url;
      });
      found.catch(() => known.delete(tenantId));
      if (known.size >= maxTenants) known.clear();
      known.set(tenantId, { url: found, until: now + knownForMs });
      return found;
    },
  };
}
