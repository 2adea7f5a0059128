import assert from 'node:assert/strict';
import type { TestServer, TestTenant } from '../../packages/server/src/main/test-server.ts';

/** Where the rows of a tenant are. */
export interface Placement {
  readonly shardId: string;
  readonly port: number;
}

export async function placementOf({ testDatabase }: TestServer, tenantId: string): Promise<Placement> {
  const [row] = await testDatabase.ownerQuery<Placement>(
    `select shardid::text as "shardId", nodeport as port from citus_shards
      where shardid = get_shard_id_for_distribution_column('arbiter.tenants', $1::uuid)`,
    [tenantId],
  );
  assert.ok(row !== undefined, 'the tenant has a shard');
  return row;
}

/** Returns two tenants whose rows are on different workers. */
export async function tenantsApart(server: TestServer): Promise<readonly [TestTenant, TestTenant]> {
  const [first] = server.tenants;
  const { port } = await placementOf(server, first.id);
  for (const other of server.tenants.slice(1)) {
    if ((await placementOf(server, other.id)).port !== port) return [first, other];
  }
  throw new Error('all tenants are on one worker');
}

/** URL of the same database on another node. */
export function urlAt(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
