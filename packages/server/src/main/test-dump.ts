import assert from 'node:assert/strict';
import type { TestServer } from './test-server.ts';

/**
 * Returns the tables whose rows hold a text, as text or as its bytes; `ds_` tables and the queue's tables included. A row as
 * text doubles quotes and escapes others, so the needle may have none.
 */
export async function tablesHolding({ testDatabase }: TestServer, needle: string): Promise<string[]> {
  const tables = await testDatabase.ownerQuery<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'`,
  );
  assert.ok(tables.length > 40, 'the dump holds the product');
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await testDatabase.ownerQuery<{ rows: number }>(
      `select count(*)::int as rows from ${name} t
       where position($1 in t::text) > 0 or position($2 in t::text) > 0`,
      [needle, Buffer.from(needle).toString('hex')],
    );
    if ((row?.rows ?? 0) > 0) found.push(name);
  }
  return found;
}
