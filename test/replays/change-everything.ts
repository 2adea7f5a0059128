// Changes or deletes everything that a catalogue's decisions were made of.
import assert from 'node:assert/strict';
import type { TestServer } from '../../packages/server/src/main/test-server.ts';
import type { RandomCatalogue } from './random-catalogue.ts';

/** Kinds of records by table, in an order in which nothing is deleted while something still refers to it. */
const kinds = [
  ['decision-flows', 'decision_flows'],
  ['experiments', 'experiments'],
  ['qualification-rules', 'qualification_rules'],
  ['contact-policies', 'contact_policies'],
  ['algorithm-models', 'algorithm_models'],
  ['ranking-profiles', 'ranking_profiles'],
  ['creatives', 'creatives'],
  ['offers', 'offers'],
  ['placements', 'placements'],
  ['channels', 'channels'],
  ['segments', 'segments'],
] as const;

export interface Changes {
  changed: number;
  deleted: number;
}

/**
 * Changes every third record of each kind and deletes the others; then changes the customers' rows and the tenant's
 * settings.
 */
export async function changeEverything(
  server: TestServer,
  { ask, tenant }: RandomCatalogue,
): Promise<ReadonlyMap<string, Changes>> {
  const done = new Map<string, Changes>();
  for (const [path, table] of kinds) {
    const rows = await server.testDatabase.ownerQuery<{ id: string }>(
      `select id from arbiter.${table} where tenant_id = $1 order by id`,
      [tenant.id],
    );
    const changes: Changes = { changed: 0, deleted: 0 };
    for (const [at, { id }] of rows.entries()) {
      const isChanged = at % 3 === 0;
      const { status, text } = isChanged
        ? await ask('PUT', path, {
            id,
            name: `Another ${at}`,
            ...(path === 'offers' ? { priority: 1, mandatory: false } : {}),
            ...(path === 'experiments' ? { status: 'completed' } : {}),
          })
        : await ask('DELETE', `${path}?id=${id}`);
      // A record that changed records still refer to stays, and keeps its name.
      if (status === 409) continue;
      assert.ok(status === 200 || status === 204, `${path}: ${status} ${text}`);
      changes[isChanged ? 'changed' : 'deleted'] += 1;
    }
    done.set(path, changes);
  }
  const tables = await server.testDatabase.ownerQuery<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and c.relname = 'ds_people'`,
  );
  assert.ok(tables.length > 0);
  for (const { name } of tables) {
    await server.testDatabase.ownerQuery(
      `update ${name} set age = 1, job = 'retired', balance = 0, zone = 'Asia/Tokyo', joined = '2026-01-01', interests = '[]'`,
    );
  }
  const settings = { timezone: 'Pacific/Chatham', currency: 'JPY', locale: 'ja-JP', holdoutPercentage: 50 };
  const { status, text } = await ask('PUT', 'tenant-settings', settings);
  assert.equal(status, 200, text);
  return done;
}
