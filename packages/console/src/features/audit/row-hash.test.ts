import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { AuditLog } from '@arbiter/contract/identity/audit-logs';
import { canonical, checkRows } from './row-hash.ts';

test('writes the canonical form of RFC 8785', () => {
  // Section 3.2.3: members by UTF-16 code units, so that U+1F600 comes before U+FB33.
  const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 };
  assert.deepEqual(
    [...canonical(value).matchAll(/:(\d)/g)].map(([, digit]) => digit),
    ['2', '4', '6', '7', '1', '5', '3'],
  );
  assert.equal(
    canonical({ b: [1e30, 4.5, 2e-3, 1e-27], a: '\u20ac$\u000f\nA\'B"\\"/', c: null, d: { z: true, y: [] } }),
    '{"a":"€$\\u000f\\nA\'B\\"\\\\\\"/","b":[1e+30,4.5,0.002,1e-27],"c":null,"d":{"y":[],"z":true}}',
  );
});

function rowOf(sequence: number, prevHash: string, entityName: string): AuditLog {
  const content = {
    id: `0190a1b2-c3d4-7e5f-8a9b-00000000000${sequence}`,
    sequence,
    tenantId: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00',
    timestamp: '2026-11-20T09:00:00.000Z',
    userId: 'system:test',
    userName: 'test',
    requestId: 'r',
    action: 'update' as const,
    entityType: 'offer',
    entityId: 'o',
    entityName,
    entityVersion: sequence,
    changes: { priority: { before: 57, after: 70 } },
    before: { priority: 57 },
    after: { priority: 70 },
    prevHash,
  };
  return { ...content, integrityHash: createHash('sha256').update(canonical(content)).digest('hex') };
}

test('finds a changed row and a broken link anywhere', async () => {
  const one = rowOf(1, '0'.repeat(64), 'Latte');
  const two = rowOf(2, one.integrityHash, 'Latte');
  const three = rowOf(3, two.integrityHash, 'Latte');
  const right = await checkRows([three, two, one]);
  assert.deepEqual(right.get(one.id), { hashIsRight: true, linkIsRight: null });
  assert.deepEqual(right.get(three.id), { hashIsRight: true, linkIsRight: true });
  const edited = await checkRows([three, { ...two, entityName: 'Espresso' }, one]);
  assert.deepEqual(edited.get(two.id), { hashIsRight: false, linkIsRight: true });
  const forged = rowOf(2, one.integrityHash, 'Espresso');
  const rechecked = await checkRows([three, forged, one]);
  assert.deepEqual(rechecked.get(forged.id), { hashIsRight: true, linkIsRight: true });
  assert.deepEqual(rechecked.get(three.id), { hashIsRight: true, linkIsRight: false }, 'the row after it tells');
  const missing = await checkRows([three, one]);
  assert.equal(missing.get(three.id)?.linkIsRight, null);
});
