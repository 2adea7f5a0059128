import { auditLogOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { type AuditPorts, auditLogRoutes } from './audit.routes.ts';

export { type ChainAnchor as Anchor, writeAnchors } from './audit.anchors.ts';
export { cutChain } from './audit.checkpoint.ts';
export type { AuditPorts } from './audit.routes.ts';
export { secretMask, withoutSecrets } from './audit.rules.ts';
export { type AuditEntry, auditedSince, forgetAuditSince, markAudit, recordAudit } from './audit.service.ts';
export { holdAnchors, selectHead, selectVersionChanges, type VersionChange } from './audit.store.ts';
export { verifyChain } from './audit.verify.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['audit_logs', 'audit_heads'];

export const auditFeature = feature({
  name: 'audit',
  tables,
  resets: { keeps: { audit_logs: 'an unbroken chain proves what was done', audit_heads: 'its end' } },
  operations: (ports: AuditPorts) => handlerEntries(auditLogOperations, auditLogRoutes(ports)),
});
