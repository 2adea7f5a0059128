export { type AuditPorts, auditLogRoutes } from './audit.routes.ts';
export { type AuditEntry, recordAudit } from './audit.service.ts';
export { verifyChain } from './audit.verify.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['audit_logs', 'audit_heads'];
