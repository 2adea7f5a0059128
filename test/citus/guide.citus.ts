import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { migrate } from '../../packages/server/src/db/index.ts';
import { createOnNodes, dropCitusDatabase } from '../../packages/server/src/db/test-citus.ts';
import { testCitusUrl, withDatabase, withUser } from '../../packages/server/src/db/test-database.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { urlAt } from './spread.ts';

// Runs the SQL of docs/guides/scaling.md, section 6, with the names of this machine.

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/scaling.md'), 'utf8');
const cluster = testCitusUrl();
const name = `test_${randomBytes(8).toString('hex')}`;
const adminUrl = withDatabase(cluster, name);
const firstPort = Number(new URL(cluster).port);
const tenant = newId();

after(() => dropCitusDatabase(cluster, name));

/** The SQL blocks of the guide that run on a node. */
function blocks(place: string): string[] {
  const marked = new RegExp(
    `<!-- Run by test/citus/guide\\.citus\\.ts ${place} -->\\n\`\`\`sql\\n([\\s\\S]*?)\`\`\``,
    'g',
  );
  return [...guide.matchAll(marked)].map(([, sql = '']) =>
    sql
      .replaceAll(/'db(\d)', 5432/g, (_, node: string) => `'127.0.0.1', ${firstPort + Number(node) - 1}`)
      .replaceAll(/'db(\d)' \|\| 5432/g, (_, node: string) => `'127.0.0.1' || ${firstPort + Number(node) - 1}`)
      .replaceAll("'TENANT'", `'${tenant}'`),
  );
}

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of text.split(/;\n/)) if (statement.trim() !== '') await client.query(statement);
  } finally {
    await client.end();
  }
}

test('the guide sets up a cluster and moves a tenant to another worker', async () => {
  await createOnNodes(cluster, name);
  const [extension] = blocks('on each node');
  assert.ok(extension !== undefined);
  for (const node of [0, 1, 2]) await run(urlAt(adminUrl, firstPort + node), extension);
  const [nodes, moves] = blocks('on the coordinator');
  assert.ok(nodes !== undefined && moves !== undefined);
  await run(adminUrl, nodes);
  await migrate({ adminUrl, url: withUser(adminUrl, 'arbiter_test_app') });
  await run(adminUrl, `insert into arbiter.tenants (id, name) values ('${tenant}', 'Moved')`);
  await run(adminUrl, moves);
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ port: number }>(
      `select nodeport as port from citus_shards
        where shardid = get_shard_id_for_distribution_column('arbiter.tenants', $1::uuid)`,
      [tenant],
    );
    assert.deepEqual(rows, [{ port: firstPort + 2 }]);
  } finally {
    await client.end();
  }
});
