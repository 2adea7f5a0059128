import { type auditLogOperations, auditLogPage, pageSize } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { type Handlers, reply } from '../../../http/handler.ts';
import { askedRange } from '../../../platform/time/day-or-instant.ts';
import { getAuditLog, listAuditLogs } from './audit.service.ts';
import { type ChainProof, verifyChain } from './audit.verify.ts';

/** What the audit log needs from features that build on it. */
export interface AuditPorts {
  /** IANA zone of the tenant, for days in `from` and `to`. */
  readTimezone(tx: Tx): Promise<string>;
  /** What chains are compared with besides themselves. */
  readonly chainProof: ChainProof;
}

/** Handlers of the audit operations (docs/design/api-access.md 7). */
export function auditLogRoutes(ports: AuditPorts): Handlers<typeof auditLogOperations> {
  return {
    list: async (tx, { query }) => {
      const limit = pageSize(auditLogPage, query.limit);
      const filter = {
        entityType: query.entityType ?? null,
        entityId: query.entityId ?? null,
        action: query.action ?? null,
        userId: query.userId ?? null,
        ...(await askedRange(query, () => ports.readTimezone(tx))),
      };
      return reply(200, await listAuditLogs(tx, filter, { limit, cursor: query.cursor ?? null }));
    },
    get: async (tx, { params }) => reply(200, await getAuditLog(tx, params.id)),
    verify: async (tx, { query, until }) => reply(200, await verifyChain(tx, { ...query, until }, ports.chainProof)),
  };
}
