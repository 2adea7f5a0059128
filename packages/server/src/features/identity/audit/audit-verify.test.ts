import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AuditVerification } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { type AccessServer, createAccessServer, type TestTenant } from '../../operations/admin/test-access-server.ts';
import { selectChain } from './audit.store.ts';
import { verifyChain } from './audit.verify.ts';
import { plantChain } from './test-chain.ts';

let server: AccessServer;
before(async () => {
  server = await createAccessServer();
});
after(() => server.close());

/** Creates a tenant whose chain has this many rows, including its own first ones. */
async function tenantWithChain(length: number): Promise<TestTenant> {
  const tenant = await server.makeTenant();
  await server.db.ownerQuery('delete from arbiter.audit_logs where tenant_id = $1', [tenant.id]);
  await plantChain(server.db, tenant.id, length);
  return tenant;
}

async function verify(tenant: TestTenant, query = ''): Promise<AuditVerification> {
  const { status, body } = await server.call(tenant.admin, 'GET', `/api/v1/audit-logs/verify${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** Returns all pages of a chain, starting with its first row. */
async function pagesOf(tenant: TestTenant, limit: number): Promise<AuditVerification[]> {
  const pages: AuditVerification[] = [];
  for (let from: number | null = 1; from !== null; ) {
    const page: AuditVerification = await verify(tenant, `?fromSequence=${from}&limit=${limit}`);
    pages.push(page);
    from = page.nextSequence;
  }
  return pages;
}

test('checks 12,000 rows, a dozen slices, in one request', async () => {
  const tenant = await tenantWithChain(12_000);
  assert.deepEqual(await verify(tenant), {
    intact: true,
    verified: 12_000,
    total: 12_000,
    scanned: 12_000,
    fromSequence: 1,
    nextSequence: null,
    checkpoint: null,
  });
});

test('reads a slice by the index, and nothing beyond it', async () => {
  const tenant = await tenantWithChain(4_000);
  await server.db.ownerQuery('analyze arbiter.audit_logs');
  await server.db.database.withTenant(tenant.id, systemActor('test'), async (tx) => {
    const rowsRead = async (): Promise<number> => {
      const [read] = await tx.query<{ rows: number }>(
        `select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
           from pg_stat_xact_user_tables where schemaname = 'arbiter' and relname = 'audit_logs'`,
      );
      return read?.rows ?? 0;
    };
    // PostgreSQL may not have flushed what the connection read in earlier transactions.
    const before = await rowsRead();
    assert.equal((await selectChain(tx, 1, 4_000, 50, 1_000_000)).length, 50);
    const read = (await rowsRead()) - before;
    assert.ok(read >= 50 && read < 200, `${read} rows were read for 50`);
  });
});

test('the size of rows also limits a slice, which is never empty', async () => {
  const tenant = await tenantWithChain(10);
  await server.db.database.withTenant(tenant.id, systemActor('test'), async (tx) => {
    assert.equal((await selectChain(tx, 1, 10, 50, 1)).length, 1);
    const few = (await selectChain(tx, 1, 10, 50, 200)).length;
    assert.ok(few > 1 && few < 10, `${few} rows`);
    assert.equal((await selectChain(tx, 3, 10, 50, 1_000_000)).length, 8);
  });
});

test('pages of any length add up to the chain', async () => {
  // A tenant for each length: ten checks in a minute are allowed.
  for (const limit of [3, 7, 24, 25, 26]) {
    const pages = await pagesOf(await tenantWithChain(25), limit);
    assert.equal(pages.length, Math.ceil(25 / limit));
    assert.ok(pages.every((page) => page.intact && page.total === 25));
    assert.deepEqual(
      pages.map((page) => [page.fromSequence, page.verified, page.scanned]),
      pages.map((_, at) => [1 + at * limit, Math.min(limit, 25 - at * limit), Math.min(limit, 25 - at * limit)]),
    );
  }
  const tenant = await tenantWithChain(25);
  assert.deepEqual(await verify(tenant, '?fromSequence=26'), {
    intact: true,
    verified: 0,
    total: 25,
    scanned: 0,
    fromSequence: 26,
    nextSequence: null,
    checkpoint: null,
  });
  const { fromSequence, nextSequence } = await verify(tenant, '?limit=7');
  assert.deepEqual([fromSequence, nextSequence], [19, null], 'without fromSequence: the newest');
});

test('a page beyond the end, or from nowhere, is 400', async () => {
  const tenant = await tenantWithChain(5);
  for (const from of ['7', '0', '-1', 'x', '1.5', '1e3', '']) {
    const { status, body } = await server.call(tenant.admin, 'GET', `/api/v1/audit-logs/verify?fromSequence=${from}`);
    assert.deepEqual([status, body.code, body.errors[0]?.path], [400, 'validation_failed', 'query.fromSequence'], from);
  }
});

test('a page without time left ends early and says where to continue (no 503)', async () => {
  const tenant = await tenantWithChain(2_500);
  const page = (fromSequence: number) =>
    server.db.database.withTenant(tenant.id, systemActor('test'), (tx) =>
      verifyChain(tx, { fromSequence, until: performance.now() }),
    );
  const verified: number[] = [];
  for (let from: number | null = 1; from !== null; ) {
    const { intact, verified: rows, nextSequence } = await page(from);
    assert.ok(intact && rows > 0, 'each page checks something');
    verified.push(rows);
    from = nextSequence;
  }
  assert.deepEqual(verified, [1_000, 1_000, 500]);
});

const rows = 20;
const limit = 5;
type Tampering = readonly [name: string, sql: string, reason: string, showsAt: number | null];
const edit = (at: number) =>
  `update arbiter.audit_logs set entity_name = 'x' where tenant_id = $1 and sequence = ${at}`;
const cut = (at: number) => `delete from arbiter.audit_logs where tenant_id = $1 and sequence = ${at}`;
const tamperings: readonly Tampering[] = [
  ['an edit in the first page', edit(2), 'hash_mismatch', 2],
  ['an edit in a middle page', edit(8), 'hash_mismatch', 8],
  ['an edit in the last page', edit(19), 'hash_mismatch', 19],
  ['an edit of the last row of a page', edit(10), 'hash_mismatch', 10],
  ['an edit of the first row of a page', edit(11), 'hash_mismatch', 11],
  ['a cut in the middle of a page', cut(8), 'sequence_gap', 9],
  ['a cut of the last row of a page', cut(10), 'sequence_gap', 11],
  ['a cut of the first row of a page', cut(11), 'sequence_gap', 12],
  [
    'a cut of the rows on both sides of a seam',
    'delete from arbiter.audit_logs where tenant_id = $1 and sequence in (10, 11)',
    'sequence_gap',
    12,
  ],
  [
    'a cut of a whole page',
    'delete from arbiter.audit_logs where tenant_id = $1 and sequence between 6 and 10',
    'sequence_gap',
    11,
  ],
  ['a cut end', cut(20), 'head_mismatch', 19],
  ['a cut last page', 'delete from arbiter.audit_logs where tenant_id = $1 and sequence > 15', 'head_mismatch', 15],
  ['a moved head', `update arbiter.audit_heads set hash = repeat('b', 64) where tenant_id = $1`, 'head_mismatch', 20],
];

for (const [name, sql, reason, showsAt] of tamperings) {
  test(`T26: paging finds ${name}`, async () => {
    const tenant = await tenantWithChain(rows);
    const ids = await server.db.ownerQuery<{ id: string; sequence: string }>(
      'select id, sequence from arbiter.audit_logs where tenant_id = $1',
      [tenant.id],
    );
    await server.db.ownerQuery(sql, [tenant.id]);
    const last = (await pagesOf(tenant, limit)).at(-1);
    const id = ids.find((row) => Number(row.sequence) === showsAt)?.id;
    assert.deepEqual([last?.intact, last?.brokenReason, last?.brokenAtId], [false, reason, id]);
  });
}

test('T26: paging finds a rebuilt row with a valid hash, on either side of a seam', async () => {
  for (const at of [10, 11]) {
    const tenant = await tenantWithChain(rows);
    const other = await tenantWithChain(rows);
    // The other tenant's row of this place, moved here: its own hash is of another tenant and another row before it.
    await server.db.ownerQuery(cut(at), [tenant.id]);
    await server.db.ownerQuery(
      `update arbiter.audit_logs set tenant_id = $2 where tenant_id = $1 and sequence = ${at}`,
      [other.id, tenant.id],
    );
    assert.equal((await pagesOf(tenant, limit)).at(-1)?.intact, false, `row ${at}`);
  }
  // A chain that is right in itself, hung in behind the seam.
  const tenant = await tenantWithChain(rows);
  await server.db.ownerQuery(
    `update arbiter.audit_logs set integrity_hash = repeat('c', 64) where tenant_id = $1 and sequence = 10`,
    [tenant.id],
  );
  assert.equal((await verify(tenant, `?fromSequence=11&limit=${limit}`)).brokenReason, 'chain_link_mismatch');
  await server.db.ownerQuery(cut(10), [tenant.id]);
  assert.equal((await verify(tenant, `?fromSequence=11&limit=${limit}`)).brokenReason, 'sequence_gap');
});
