import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Actor, DatabaseError, systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import { chainRows } from './audit.chain.ts';
import { selectChain } from './audit.store.ts';
import type { VerifyRange } from './audit.verify.ts';
import { type AuditEntry, recordAudit, verifyChain } from './index.ts';

const admin: Actor = { id: 'apikey:1', name: 'test key', role: 'admin' };

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

async function makeTenant(): Promise<string> {
  const id = newId();
  await db.database.withTenant(id, systemActor('test'), async (tx) => {
    await tx.query('insert into arbiter.tenants (id, name) values ($1, $2)', [id, 'T']);
  });
  return id;
}

const entry = (n: number): AuditEntry => ({
  action: 'update',
  entityType: 'offer',
  entityId: `o${n}`,
  entityName: `Offer ${n} – ü€😀`,
  entityVersion: n,
  before: { n: n - 1, small: 1e-7, big: 1e21, text: '\u2028"\\' },
  after: { n, small: 1e-7, big: 1e21, text: '\u2028"\\' },
});

const record = (tenantId: string, ...entries: AuditEntry[]) =>
  db.database.withTenant(tenantId, admin, async (tx) => {
    for (const each of entries) await recordAudit(tx, each);
  });
const verify = (tenantId: string, range: VerifyRange = {}) =>
  db.database.withTenant(tenantId, admin, (tx) => verifyChain(tx, range));
const idOf = async (tenantId: string, sequence: number) => {
  const [row] = await db.ownerQuery<{ id: string }>(
    'select id from arbiter.audit_logs where tenant_id = $1 and sequence = $2',
    [tenantId, sequence],
  );
  return row?.id;
};

test('rows of one transaction are linked in order, and the chain verifies', async () => {
  const tenantId = await makeTenant();
  await record(tenantId, entry(1), entry(2));
  await record(tenantId, entry(3));
  const rows = await db.ownerQuery<{ sequence: number; prev_hash: string; integrity_hash: string; entity_id: string }>(
    'select sequence, prev_hash, integrity_hash, entity_id from arbiter.audit_logs where tenant_id = $1 order by sequence',
    [tenantId],
  );
  assert.deepEqual(
    rows.map((row) => [row.sequence, row.entity_id]),
    [
      [1, 'o1'],
      [2, 'o2'],
      [3, 'o3'],
    ],
  );
  assert.equal(rows[0]?.prev_hash, '0'.repeat(64));
  assert.equal(rows[1]?.prev_hash, rows[0]?.integrity_hash);
  assert.equal(rows[2]?.prev_hash, rows[1]?.integrity_hash);
  assert.deepEqual(await verify(tenantId), {
    intact: true,
    verified: 3,
    total: 3,
    scanned: 3,
    fromSequence: 1,
    nextSequence: null,
    checkpoint: null,
  });
  const partial = await verify(tenantId, { limit: 2 });
  assert.deepEqual([partial.intact, partial.fromSequence, partial.scanned, partial.total], [true, 2, 2, 3]);
});

test('a rolled back change leaves no row and no gap', async () => {
  const tenantId = await makeTenant();
  await record(tenantId, entry(1));
  await assert.rejects(
    db.database.withTenant(tenantId, admin, async (tx) => {
      await recordAudit(tx, entry(2));
      throw new Error('refused');
    }),
  );
  await record(tenantId, entry(3));
  assert.deepEqual([(await verify(tenantId)).intact, (await verify(tenantId)).total], [true, 2]);
});

test('50 parallel writers leave one chain without a gap', async () => {
  const tenantId = await makeTenant();
  await Promise.all(Array.from({ length: 50 }, (_, n) => record(tenantId, entry(n), entry(n + 100))));
  const result = await verify(tenantId);
  assert.deepEqual([result.intact, result.verified, result.total], [true, 100, 100]);
});

test('each tenant has its own chain', async () => {
  const [a, b] = [await makeTenant(), await makeTenant()];
  await record(a, entry(1));
  await record(b, entry(1));
  const rows = await db.ownerQuery<{ sequence: number }>(
    'select sequence from arbiter.audit_logs where tenant_id = any($1)',
    [[a, b]],
  );
  assert.deepEqual(
    rows.map((row) => row.sequence),
    [1, 1],
  );
});

test('T26: the application role may append, but not change, delete or truncate', async () => {
  const tenantId = await makeTenant();
  await record(tenantId, entry(1));
  for (const attack of [
    `update arbiter.audit_logs set action = 'read'`,
    'delete from arbiter.audit_logs',
    'truncate arbiter.audit_logs',
    'delete from arbiter.audit_heads',
    'truncate arbiter.audit_heads',
  ]) {
    await assert.rejects(
      db.database.withTenant(tenantId, admin, (tx) => tx.query(attack)),
      (error) => error instanceof DatabaseError && error.kind === 'insufficient_privilege',
      attack,
    );
  }
  assert.equal((await verify(tenantId)).intact, true);
});

const tamperings: readonly [name: string, sql: string, reason: string, at: number | null][] = [
  [
    'an edited name',
    `update arbiter.audit_logs set entity_name = 'x' where tenant_id = $1 and sequence = 3`,
    'hash_mismatch',
    3,
  ],
  [
    'an edited leaf deep in the record',
    `update arbiter.audit_logs set after = jsonb_set(after, '{n}', '99') where tenant_id = $1 and sequence = 2`,
    'hash_mismatch',
    2,
  ],
  [
    'a shifted instant',
    `update arbiter.audit_logs set timestamp = timestamp + interval '1 millisecond' where tenant_id = $1 and sequence = 5`,
    'hash_mismatch',
    5,
  ],
  [
    'a hash that was made to fit another row',
    `update arbiter.audit_logs set prev_hash = repeat('a', 64) where tenant_id = $1 and sequence = 4`,
    'hash_mismatch',
    4,
  ],
  ['a deleted row', `delete from arbiter.audit_logs where tenant_id = $1 and sequence = 3`, 'sequence_gap', 4],
  ['a cut beginning', `delete from arbiter.audit_logs where tenant_id = $1 and sequence <= 2`, 'sequence_gap', 3],
  ['a cut end', `delete from arbiter.audit_logs where tenant_id = $1 and sequence >= 5`, 'head_mismatch', 4],
  ['a moved head', `update arbiter.audit_heads set hash = repeat('b', 64) where tenant_id = $1`, 'head_mismatch', 6],
  ['a lost head', `delete from arbiter.audit_heads where tenant_id = $1`, 'head_mismatch', 6],
  ['everything cut', `delete from arbiter.audit_logs where tenant_id = $1`, 'head_mismatch', null],
];

for (const [name, sql, reason, at] of tamperings) {
  test(`T26: verify finds ${name}`, async () => {
    const tenantId = await makeTenant();
    await record(tenantId, ...[1, 2, 3, 4, 5, 6].map(entry));
    const brokenAtId = at === null ? undefined : await idOf(tenantId, at);
    await db.ownerQuery(sql, [tenantId]);
    const result = await verify(tenantId);
    assert.deepEqual([result.intact, result.brokenReason, result.brokenAtId], [false, reason, brokenAtId]);
  });
}

test('T26: verify finds two swapped rows, and a forged row with a valid hash', async () => {
  const tenantId = await makeTenant();
  await record(tenantId, ...[1, 2, 3].map(entry));
  const swap = (a: number, b: number) =>
    db.ownerQuery('update arbiter.audit_logs set sequence = $3 where tenant_id = $1 and sequence = $2', [
      tenantId,
      a,
      b,
    ]);
  await swap(2, 99);
  await swap(3, 2);
  await swap(99, 3);
  assert.equal((await verify(tenantId)).brokenReason, 'hash_mismatch');
  await swap(3, 99);
  await swap(2, 3);
  await swap(99, 2);
  assert.equal((await verify(tenantId)).intact, true);
});

test('T26: verify finds a row whose hash was rebuilt after the edit', async () => {
  const tenantId = await makeTenant();
  await record(tenantId, ...[1, 2, 3].map(entry));
  const chain = await db.database.withTenant(tenantId, admin, (tx) => selectChain(tx, 1, 3, 3, 1_000_000));
  const [first, second] = chain;
  assert.ok(first && second);
  const { sequence: _sequence, prevHash: _prevHash, integrityHash: _hash, ...content } = second;
  const forged = chainRows({ sequence: first.sequence, hash: first.integrityHash }, [
    { ...content, entityName: 'forged' },
  ]).head.hash;
  await db.ownerQuery(
    `update arbiter.audit_logs set entity_name = 'forged', integrity_hash = $2 where tenant_id = $1 and sequence = 2`,
    [tenantId, forged],
  );
  const result = await verify(tenantId);
  assert.deepEqual([result.brokenReason, result.brokenAtId], ['chain_link_mismatch', chain[2]?.id]);
});

test('finds a row appended after the head', async () => {
  const tenantId = await makeTenant();
  await record(tenantId, entry(1));
  await db.database.withTenant(tenantId, admin, (tx) =>
    tx.query(
      `insert into arbiter.audit_logs select tenant_id, $2, 2, timestamp, user_id, user_name, request_id, action,
         entity_type, entity_id, entity_name, entity_version, changes, before, after, integrity_hash, repeat('c', 64)
       from arbiter.audit_logs where tenant_id = $1`,
      [tenantId, newId()],
    ),
  );
  const result = await verify(tenantId);
  assert.deepEqual([result.intact, result.brokenReason], [false, 'hash_mismatch']);
});

test('T26: finds an edit of any column of any row', async () => {
  const tenantId = await makeTenant();
  const other = await makeTenant();
  await record(tenantId, ...[1, 2, 3, 4].map(entry));
  const edits = {
    id: `'${newId()}'`,
    sequence: 'sequence + 100',
    tenant_id: `'${other}'`,
    timestamp: `timestamp - interval '1 day'`,
    user_id: `user_id || 'x'`,
    user_name: `upper(user_name)`,
    request_id: `''`,
    action: `'read'`,
    entity_type: `'creative'`,
    entity_id: `entity_id || ' '`,
    entity_name: 'null',
    entity_version: 'entity_version + 1',
    changes: `'{}'`,
    before: 'null',
    after: `after || '{"text": "x"}'`,
    prev_hash: `repeat('0', 63) || '1'`,
    integrity_hash: `repeat('0', 64)`,
  };
  for (const [column, value] of Object.entries(edits)) {
    for (const sequence of [1, 4]) {
      const [row] = await db.ownerQuery<{ id: string }>(
        'select id from arbiter.audit_logs where tenant_id = $1 and sequence = $2',
        [tenantId, sequence],
      );
      await db.ownerQuery('create table public.kept as select * from arbiter.audit_logs where id = $1', [row?.id]);
      await db.ownerQuery(`update arbiter.audit_logs set ${column} = ${value} where id = $1`, [row?.id]);
      assert.equal((await verify(tenantId)).intact, false, `${column} of row ${sequence}`);
      await db.ownerQuery(
        'delete from arbiter.audit_logs where tenant_id = any($1) and (id = $2 or sequence > 4 or tenant_id = $3 or sequence = $4)',
        [[tenantId, other], row?.id, other, sequence],
      );
      await db.ownerQuery('insert into arbiter.audit_logs select * from public.kept');
      await db.ownerQuery('drop table public.kept');
      assert.equal((await verify(tenantId)).intact, true, `restored ${column} of row ${sequence}`);
    }
  }
});
