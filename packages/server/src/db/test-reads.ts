import assert from 'node:assert/strict';
import type { TestDatabase } from './test-database.ts';

// What statements read, for tests of plans that were made on young tables (docs/adr/0102).

type Owner = Pick<TestDatabase, 'ownerQuery'>;

/** Rows and index pages read in all tables so far, and rows inserted into `written`. */
async function figures(
  { ownerQuery }: Owner,
  written: readonly string[],
): Promise<{ readonly reads: number; readonly inserts: number }> {
  const [row] = await ownerQuery<{ reads: number; inserts: number }>(
    `select ((select sum(seq_tup_read) from pg_stat_user_tables where schemaname = 'arbiter')
        + (select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = 'arbiter')
        + (select sum(idx_blks_read + idx_blks_hit) from pg_statio_user_indexes where schemaname = 'arbiter'))::int as reads,
      (select sum(n_tup_ins) from pg_stat_user_tables where schemaname = 'arbiter'
         and regexp_replace(relname, '_y\\d+m\\d+$', '') = any($1))::int as inserts`,
    [written],
  );
  return row!;
}

/**
 * Returns the rows and index pages read so far, once PostgreSQL has reported `inserts` rows of the tables `written`: it
 * reports what a connection read and wrote up to some seconds later.
 */
export async function settledReads(owner: Owner, written: readonly string[], inserts: number): Promise<number> {
  const until = performance.now() + 120_000;
  for (;;) {
    const now = await figures(owner, written);
    if (now.inserts >= inserts) return now.reads;
    assert.ok(performance.now() < until, `${now.inserts} of ${inserts} rows reported`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Returns how many rows the tables have. */
export async function storedRows({ ownerQuery }: Owner, tables: readonly string[]): Promise<number> {
  const counts = tables.map((name) => `(select count(*) from arbiter.${name})`);
  // What the count itself reads must be reported before anything is measured.
  const [row] = await ownerQuery<{ rows: number }>(
    `select pg_stat_force_next_flush(), (${counts.join(' + ')})::int as rows`,
  );
  return row!.rows;
}
