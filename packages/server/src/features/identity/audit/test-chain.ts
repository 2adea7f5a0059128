import type { TestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import { chainRows, genesisHash } from './audit.chain.ts';

const rowsPerInsert = 5_000;

/**
 * Gives a tenant without audit rows a chain of this length, as the same number of changes of one offer would: thousands
 * of requests would take minutes.
 */
export async function plantChain(
  db: TestDatabase,
  tenantId: string,
  length: number,
  at = new Date('2026-11-20T09:00:00.000Z'),
): Promise<void> {
  let head = { sequence: 0, hash: genesisHash };
  while (head.sequence < length) {
    const count = Math.min(rowsPerInsert, length - head.sequence);
    const first = head.sequence + 1;
    const linked = chainRows(
      head,
      Array.from({ length: count }, (_, place) => ({
        id: newId(),
        tenantId,
        timestamp: at.toISOString(),
        userId: 'apikey:0199a000-0000-7000-8000-0000000000cc',
        userName: 'importer',
        requestId: `planted-${first + place}`,
        action: 'update' as const,
        entityType: 'offer',
        entityId: 'o1',
        entityName: null,
        entityVersion: first + place,
        changes: { n: { before: first + place - 1, after: first + place } },
        before: { n: first + place - 1 },
        after: { n: first + place },
      })),
    );
    await db.ownerQuery(
      `insert into arbiter.audit_logs (tenant_id, id, sequence, timestamp, user_id, user_name, request_id, action,
         entity_type, entity_id, entity_name, entity_version, changes, before, after, prev_hash, integrity_hash)
       select "tenantId", id, sequence, timestamp, "userId", "userName", "requestId", action,
         "entityType", "entityId", "entityName", "entityVersion", changes, before, after, "prevHash", "integrityHash"
       from jsonb_to_recordset($1::jsonb) as row_ (id uuid, sequence bigint, "tenantId" uuid, timestamp timestamptz,
         "userId" text, "userName" text, "requestId" text, action text, "entityType" text, "entityId" text,
         "entityName" text, "entityVersion" integer, changes jsonb, before jsonb, after jsonb,
         "prevHash" text, "integrityHash" text)`,
      [JSON.stringify(linked.rows)],
    );
    head = linked.head;
  }
  await db.ownerQuery(
    `insert into arbiter.audit_heads (tenant_id, sequence, hash) values ($1, $2, $3)
     on conflict (tenant_id) do update set sequence = excluded.sequence, hash = excluded.hash`,
    [tenantId, head.sequence, head.hash],
  );
}
