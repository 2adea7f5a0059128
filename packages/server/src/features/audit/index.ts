export { type AuditPorts, auditLogRoutes } from './audit.routes.ts';
export { type AuditEntry, recordAudit } from './audit.service.ts';
export { verifyChain } from './audit.verify.ts';
